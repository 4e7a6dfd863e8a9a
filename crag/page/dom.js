// Small helpers to build elements. Text always arrives as text nodes: nothing of a document is ever read as HTML.

/** An element with properties, classes and children; strings become text. */
export function h(tag, properties = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  for (const [property, value] of Object.entries(properties)) {
    if (property.startsWith("on")) element.addEventListener(property.slice(2), value);
    else if (property in element) element[property] = value;
    else element.setAttribute(property, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** A line drawing on a grid of twenty by twenty. */
export function icon(path) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("aria-hidden", "true");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

/** Put text on the clipboard, also where the browser offers its clipboard to secure addresses only. */
export async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = h("textarea.hidden", { value: text });
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
