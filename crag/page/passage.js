// A block of a document as nodes. What is drawn is always the text between two offsets, so that a quote is marked exactly.
import { h } from "./dom.js";

const INLINE = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[([^\]\n]+)\]\([^()\s]+\)/g;
const FENCE = /^\s*(```|~~~)/;

/** `characters` are code points; `text(a, b)` gives the nodes of a span. */
export function plain(characters, block, text) {
  // What scrolls by itself must be reachable with the keyboard.
  const scrolls = block.kind === "table" || block.kind === "code" ? { tabIndex: 0 } : {};
  const [from, to] = block.kind === "code" ? unfenced(characters, block) : [block.start + signs(characters, block), block.end];
  return h(`div.block.${block.kind}`, scrolls, text(from, to));
}

/** A Markdown heading shows by its size; its number signs are left out. */
function signs(characters, block) {
  return block.kind === "heading" ? characters.slice(block.start, block.end).join("").match(/^(#{1,6}\s+)?/)[0].length : 0;
}

/** The code between its fences, where it has both. */
function unfenced(characters, { start, end }) {
  while (end > start && !characters[end - 1].trim()) end -= 1;
  const first = characters.indexOf("\n", start) + 1;
  const last = characters.lastIndexOf("\n", end - 1);
  const fenced = first > start && first <= last + 1 && last < end && FENCE.test(characters.slice(start, first).join("")) && FENCE.test(characters.slice(last + 1, end).join(""));
  return fenced ? [first, Math.max(first, last)] : [start, end];
}

/** Markdown's code, bold and links inside a line: their words, without the signs around them. */
export function inline(characters, from, to, text) {
  const whole = characters.slice(from, to).join("");
  const nodes = [];
  let [at, units] = [from, 0]; // The same place, in code points and in UTF-16 units.
  const forward = (unit) => {
    at += Array.from(whole.slice(units, unit)).length;
    units = unit;
    return at;
  };
  for (const match of whole.matchAll(INLINE)) {
    const [code, bold, link] = [match[1], match[2], match[3]];
    const begin = at;
    nodes.push(...text(begin, forward(match.index)));
    const first = forward(match.index + (bold ? 2 : 1));
    const inside = text(first, forward(units + (code ?? bold ?? link).length));
    nodes.push(code ? h("code", {}, inside) : bold ? h("strong", {}, inside) : h("span", {}, inside));
    forward(match.index + match[0].length);
  }
  return [...nodes, ...text(at, to)];
}

/** The text from `from` to `to`; what of it lies between `start` and `end` is marked. */
export function highlighted(characters, from, to, start, end) {
  const text = (a, b) => characters.slice(a, b).join("");
  const [first, last] = [Math.max(from, start), Math.min(to, end)];
  if (first >= last) return [text(from, to)];
  return [text(from, first), h("mark", {}, text(first, last)), text(last, to)];
}
