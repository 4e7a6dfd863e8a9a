// The page around its views: which one is shown, language, theme, keys, and whether the server can be reached.
import * as chat from "./chat.js";
import * as documents from "./documents.js";
import * as evaluations from "./evaluations.js";
import * as history from "./history.js";
import { askForKey } from "./key.js";
import * as reader from "./reader.js";
import { onRefresh, refresh, state } from "./state.js";
import { language, switchLanguage, translate, word } from "./words.js";

const $ = (id) => document.getElementById(id);
const VIEWS = { chat, documents, evaluations };
const AGAIN = 4000; // Milliseconds until a server that was away is asked again.

async function load() {
  try {
    await refresh();
    $("outage").hidden = true;
  } catch (error) {
    if (error.status === 401) return void askForKey().then(load);
    $("outage").textContent = error.message || word("unreachable");
    $("outage").hidden = false;
    setTimeout(load, AGAIN);
  }
}

/** A part of an address; as it stands where its escapes are none, as in a link that was cut. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Show the view, and the document, that the address names. */
function follow() {
  const [, name, id, start, end] = location.hash.match(/^#\/(document)\/([^/]+)\/(\d+)-(\d+)$/) ?? [null, location.hash.slice(2)];
  if (name === "document") return void reader.showDocument(decoded(id), Number(start), Number(end));
  reader.close();
  const shown = name in VIEWS ? name : "chat";
  for (const view of Object.keys(VIEWS)) $(view).hidden = view !== shown;
  for (const tab of document.querySelectorAll(".tabs a")) {
    if (tab.dataset.view === shown) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  nameTab();
  VIEWS[shown].draw();
}

/** The browser's tab tells which view is open. */
function nameTab() {
  const view = Object.keys(VIEWS).find((each) => !$(each).hidden);
  document.title = view === "chat" ? "agentic-crag" : `${word(view)} · agentic-crag`;
}

/** Everything here that depends on the state or the language. */
function draw() {
  translate();
  $("language").textContent = language() === "en" ? "中文" : "English";
  nameTab();
  $("document-count").textContent = state.models.length ? word("documentCount", state.documents.length) : word("documents");
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  localStorage.setItem("theme", theme);
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && reader.isOpen()) reader.leave();
  else if (event.key === "Escape" && history.isOpen()) history.close();
  else if (event.key === "Escape") chat.stop();
  else if (event.key === "/" && !$("chat").hidden && !/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) {
    event.preventDefault();
    $("question").focus();
  }
});
$("brand").addEventListener("click", chat.begin);
$("language").addEventListener("click", () => {
  switchLanguage();
  draw();
  for (const view of Object.values(VIEWS)) view.redraw();
});
$("theme").addEventListener("click", () => {
  const dark = getComputedStyle(document.documentElement).colorScheme === "dark";
  setTheme(dark ? "light" : "dark");
});
window.addEventListener("hashchange", follow);

setTheme(localStorage.getItem("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
onRefresh(draw);
for (const view of Object.values(VIEWS)) onRefresh(view.draw);
draw();
follow();
load();
if (!$("chat").hidden) $("question").focus();
