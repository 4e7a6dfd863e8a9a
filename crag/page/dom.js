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

const INLINE = /\*\*(.+?)\*\*|`([^`]+)`|\[(\d{1,3})\]/g;

/** The Markdown that language models write (paragraphs, lists, bold, code), with `[n]` turned by `marker(n)`. */
export function prose(text, marker) {
  const parts = [];
  for (const [number, piece] of text.split(/```[^\n]*\n?/).entries()) {
    if (number % 2) parts.push(h("pre", {}, h("code", {}, piece.replace(/\n$/, ""))));
    else parts.push(...piece.split(/\n{2,}/).filter((block) => block.trim()).map((block) => paragraph(block, marker)));
  }
  return parts;
}

function paragraph(block, marker) {
  const lines = block.trim().split("\n");
  const item = /^\s*(?:[-*•]|\d+[.)、])\s+/;
  if (lines.every((line) => item.test(line))) {
    const ordered = /^\s*\d/.test(lines[0]);
    return h(ordered ? "ol" : "ul", {}, lines.map((line) => h("li", {}, inline(line.replace(item, ""), marker))));
  }
  const heading = lines.length === 1 && lines[0].match(/^#{1,6}\s+(.*)/);
  if (heading) return h("h3", {}, inline(heading[1], marker));
  return h("p", {}, lines.flatMap((line, number) => (number ? [h("br"), ...inline(line, marker)] : inline(line, marker))));
}

function inline(text, marker) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    parts.push(text.slice(end, match.index));
    end = match.index + match[0].length;
    if (match[1]) parts.push(h("strong", {}, inline(match[1], marker)));
    else if (match[2]) parts.push(h("code", {}, match[2]));
    else parts.push(marker(Number(match[3])) ?? match[0]);
  }
  parts.push(text.slice(end));
  return parts.filter((part) => part !== "");
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
