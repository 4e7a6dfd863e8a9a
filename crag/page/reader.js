// The panel beside a view: one document with a passage highlighted in it.
import * as api from "./api.js";
import { h } from "./dom.js";
import { highlighted, inline, plain } from "./passage.js";
import { drawTable } from "./table.js";
import { word } from "./words.js";

const panel = document.getElementById("reader");
const title = document.getElementById("reader-title");
const where = document.getElementById("reader-where");
const body = document.getElementById("reader-body");
const AROUND = 30000; // Code points shown on each side of the passage.
let opener = null;
let came = "#/"; // The address of the view below.

export const isOpen = () => !panel.hidden;

export function close() {
  panel.hidden = true;
  document.body.classList.remove("reading");
  opener?.focus();
  opener = null;
}

/** Close, and give the address of the view below back. */
export function leave() {
  close();
  history.replaceState(null, "", came);
}

function open(heading, detail) {
  if (panel.hidden) {
    opener = document.activeElement;
    came = location.hash.startsWith("#/document/") ? "#/" : location.hash || "#/";
  }
  panel.hidden = false;
  document.body.classList.add("reading");
  title.textContent = heading;
  where.textContent = detail;
  body.replaceChildren();
  body.focus({ preventScroll: true });
}

/** Open a document; the code points `start` to `end` are highlighted and scrolled to. */
export async function showDocument(id, start = 0, end = 0) {
  let found;
  try {
    found = await api.readDocument(id);
  } catch (error) {
    open(word("documents"), error.message || word("unreachable"));
    return;
  }
  const characters = Array.from(found.text); // Offsets are code points, JavaScript's own are UTF-16 units.
  const blocks = found.blocks.length ? found.blocks : [{ kind: "paragraph", start: 0, end: characters.length, page: null }];
  const near = (span) => span.end > start - AROUND && span.start < end + AROUND;
  const text = (from, to) => highlighted(characters, from, to, start, end);
  const words = found.media_type === "text/markdown" ? (from, to) => inline(characters, from, to, text) : text;
  const shown = blocks.filter(near);
  const cited = blocks.find((block) => block.start < end && block.end > start);
  open(found.title || found.source, [found.source, cited?.page ? word("page", cited.page) : ""].filter(Boolean).join(" · "));
  history.replaceState(null, "", `#/document/${encodeURIComponent(id)}/${start}-${end}`);
  let page = null;
  for (const block of shown) {
    if (block.page !== null && block.page !== page) body.append(h("p.page-break", {}, word("pageBreak", block.page)));
    page = block.page;
    body.append((block.kind === "table" ? drawTable(characters, block, words, near) : null) ?? plain(characters, block, block.kind === "code" ? text : words));
  }
  const inside = (block) => block.start >= start - AROUND && block.end <= end + AROUND;
  if (shown.length < blocks.length || shown.some((block) => block.kind === "table" && !inside(block))) body.append(h("p.page-break", {}, word("cut")));
  const mark = body.querySelector("mark");
  if (mark) mark.scrollIntoView({ block: "center" });
  else body.scrollTop = 0;
}

document.getElementById("close-reader").addEventListener("click", leave);
