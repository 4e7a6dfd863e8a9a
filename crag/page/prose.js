// The Markdown that language models write, drawn from text nodes only.
import { h } from "./dom.js";

const INLINE = /\*\*(.+?)\*\*|`([^`]+)`|\[(\d{1,3})\]/g;
const ITEM = /^\s*(?:[-*•]|(\d+)[.)、])\s+/;
const RULE = /^\s*\|[\s:|-]*-[\s:|-]*$/;
const ROW = /^\s*\|(.*?)(?:\|((?:\s*\[\d{1,3}\])*)[\s.。]*)?$/;

/** Paragraphs, headings, lists, tables, bold and code, with `[n]` turned by `marker(n)`. */
export function prose(text, marker) {
  const parts = [];
  for (const [number, piece] of text.split(/```[^\n]*\n?/).entries()) {
    if (number % 2) parts.push(h("pre", {}, h("code", {}, piece.replace(/\n$/, ""))));
    else parts.push(...piece.split(/\n{2,}/).filter((block) => block.trim()).flatMap((block) => runs(block.trim().split("\n")).map(([kind, lines]) => DRAWN[kind](lines, marker))));
  }
  return parts;
}

/** Lines of one kind that follow one another: a list or a table may begin right under the sentence that announces it. */
function runs(lines) {
  const found = [];
  for (const line of lines) {
    const kind = kindOf(line);
    const last = found.at(-1);
    // An indented line goes on with the item above it.
    if (last && (last[0] === kind && kind !== "heading" || kind === "text" && /^\s/.test(line) && last[0] !== "table")) last[1].push(line);
    else found.push([kind, [line]]);
  }
  return found;
}

function kindOf(line) {
  if (/^\s*\|.*\|/.test(line)) return "table";
  if (/^\s*#{1,6}\s/.test(line)) return "heading";
  const item = line.match(ITEM);
  if (!item) return "text";
  return item[1] ? "numbered" : "bullets";
}

const DRAWN = {
  text: (lines, marker) => h("p", {}, broken(lines, marker)),
  heading: ([line], marker) => h("h3", {}, inline(line.replace(/^\s*#+\s+/, ""), marker)),
  bullets: (lines, marker) => h("ul", {}, items(lines, marker)),
  numbered: (lines, marker) => h("ol", { start: Number(lines[0].match(ITEM)[1]) }, items(lines, marker)),
  table,
};

const broken = (lines, marker) => lines.flatMap((line, number) => (number ? [h("br"), ...inline(line, marker)] : inline(line, marker)));

function items(lines, marker) {
  const found = [];
  for (const line of lines) {
    if (ITEM.test(line)) found.push([line.replace(ITEM, "")]);
    else found.at(-1).push(line.trim());
  }
  return found.map((item) => h("li", {}, broken(item, marker)));
}

function table(lines, marker) {
  const ruled = RULE.test(lines[1] ?? "");
  const rows = lines.filter((line) => !RULE.test(line)).map(cells);
  // The line under the head says nothing, so that a check of what sentences say may have taken it out.
  const headed = ruled || (rows.length > 1 && rows[0].every((cell) => cell && !/\d/.test(cell.replace(INLINE, ""))));
  const row = (tag, line) => h("tr", {}, line.map((cell) => h(tag, tag === "th" ? { scope: "col" } : {}, inline(cell, marker))));
  const body = headed ? rows.slice(1) : rows;
  return h("div.answer-table", { tabIndex: 0 }, h("table", {}, headed ? h("thead", {}, row("th", rows[0])) : null, h("tbody", {}, body.map((line) => row("td", line)))));
}

/** The cells of a row; markers behind its last pipe go into its last cell. */
function cells(line) {
  const [, inside, markers] = line.match(ROW);
  const found = inside.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
  if (markers) found[found.length - 1] += markers;
  return found;
}

/** A quote on few lines: the rows of tables without their pipes. */
export const flat = (text) => text.split("\n").filter((line) => !RULE.test(line))
  .map((line) => (kindOf(line) === "table" ? cells(line).filter(Boolean).join(" · ") : line)).join("\n");

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
