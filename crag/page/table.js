// A table as loaders write it, one line a row with pipes between the cells, drawn as a table.
import { h } from "./dom.js";
import { word } from "./words.js";

const RULE = /^[\s|]*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

/**
 * The table in `characters` (code points) of `block`, or null where its first line is none. `text(a, b)` gives the nodes
 * of a span, and `near(row)` says which rows are drawn; the head is drawn always.
 */
export function drawTable(characters, block, text, near) {
  const lines = linesOf(characters, block.start, block.end);
  if (!lines.length || !characters.slice(lines[0].start, lines[0].end).includes("|")) return null;
  const ruled = lines.length > 1 && RULE.test(characters.slice(lines[1].start, lines[1].end).join(""));
  const sides = ruled ? cellsOf(characters, lines[1]).map(({ start, end }) => side(characters, start, end)) : [];
  const row = (line, tag) => h("tr", {}, cellsOf(characters, line).map(({ start, end }, column) => {
    const heads = tag === "th" && end > start;
    const cell = h(heads ? "th" : "td", heads ? { scope: "col" } : {}, text(start, end).map(unescaped));
    cell.style.textAlign = sides[column] ?? "";
    return cell;
  }));
  const body = (ruled ? lines.slice(2) : lines).filter(near);
  return h("div.block.grid", { tabIndex: 0, role: "region", ariaLabel: word("table") }, h("table", {},
    ruled ? h("thead", {}, row(lines[0], "th")) : null,
    h("tbody", {}, body.map((line) => row(line, "td")))));
}

function linesOf(characters, start, end) {
  const lines = [];
  for (let at = start, first = start; at <= end; at += 1) {
    if (at < end && characters[at] !== "\n") continue;
    if (characters.slice(first, at).some((each) => each.trim())) lines.push({ start: first, end: at });
    first = at + 1;
  }
  return lines;
}

/** The span of each cell without the blanks around it. */
function cellsOf(characters, { start, end }) {
  const edges = [start - 1];
  for (let at = start; at < end; at += 1) {
    if (characters[at] === "\\") at += 1;
    else if (characters[at] === "|") edges.push(at);
  }
  edges.push(end);
  const cells = edges.slice(1).map((edge, place) => trimmed(characters, edges[place] + 1, edge));
  // The pipes at both ends of a line part nothing.
  if (cells.length > 1 && cells[0].start === cells[0].end) cells.shift();
  if (cells.length > 1 && cells.at(-1).start === cells.at(-1).end) cells.pop();
  return cells;
}

function trimmed(characters, start, end) {
  while (start < end && !characters[start].trim()) start += 1;
  while (end > start && !characters[end - 1].trim()) end -= 1;
  return { start, end };
}

function side(characters, start, end) {
  if (characters[end - 1] !== ":") return "";
  return characters[start] === ":" ? "center" : "right";
}

/** A span's node with the pipes that stood escaped. */
function unescaped(node) {
  if (typeof node === "string") return node.replaceAll("\\|", "|");
  for (const text of node.childNodes) {
    if (text.nodeType === Node.TEXT_NODE) text.data = unescaped(text.data);
    else unescaped(text);
  }
  return node;
}
