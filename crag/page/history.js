// Past conversations. They are kept in this browser only; the server knows nothing of them.
import { key } from "./api.js";
import { h } from "./dom.js";
import { language, word } from "./words.js";

const MOST = 50;
const panel = document.getElementById("history");
const opener = document.getElementById("open-history");

/** Where those of this key lie: who uses the browser with another one does not see them. */
function place() {
  if (!key()) return "conversations";
  // FNV-1a in 32 bits: enough to tell keys apart and too little to tell one. Web Crypto is missing on plain HTTP.
  let digest = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(key())) digest = Math.imul(digest ^ byte, 0x01000193);
  return `conversations-${(digest >>> 0).toString(16)}`;
}

function read() {
  try {
    return JSON.parse(localStorage.getItem(place())) ?? [];
  } catch {
    return [];
  }
}

function write(conversations) {
  // Browsers keep some five million characters for a site: the oldest conversations make room.
  for (let kept = conversations.slice(0, MOST); ; kept = kept.slice(0, -1)) {
    try {
      return void localStorage.setItem(place(), JSON.stringify(kept));
    } catch (error) {
      if (!kept.length) throw error;
    }
  }
}

/** Keep a conversation; the one kept last comes first. */
export function keep(conversation) {
  write([conversation, ...read().filter((each) => each.id !== conversation.id)]);
}

export const isOpen = () => !panel.hidden;

export function close() {
  const within = panel.contains(document.activeElement);
  panel.hidden = true;
  opener.ariaExpanded = "false";
  if (within) opener.focus();
}

/** Show the list; `open(conversation)` is called for the one chosen, `forgotten(id)` for each that was deleted. */
export function show(current, open, forgotten) {
  const again = () => show(current, open, forgotten);
  const conversations = read();
  const forget = (gone) => {
    write(read().filter((each) => !gone.includes(each.id)));
    for (const id of gone) forgotten(id);
    again();
  };
  const opening = panel.hidden;
  panel.hidden = false;
  opener.ariaExpanded = "true";
  panel.replaceChildren(
    h("div.history-head", {}, h("h2", {}, word("history")),
      h("button.quiet", { type: "button", ariaLabel: word("close"), onclick: close }, "✕")),
    conversations.length ? h("ul", {}, conversations.map((each) => h("li", {},
      h("button.past", { type: "button", ariaCurrent: String(each.id === current), title: each.turns[0].question, onclick: () => open(each) },
        h("span", {}, each.turns[0].question), h("time", {}, when(each.at))),
      h("button.quiet", { type: "button", ariaLabel: `${word("delete")}: ${each.turns[0].question}`, title: word("delete"), onclick: () => forget([each.id]) }, "✕"))))
      : h("p.note", {}, word("historyEmpty")),
    conversations.length ? h("button.quiet", { type: "button", onclick: () => confirm(word("historyClear")) && forget(conversations.map((each) => each.id)) }, word("historyClearAll")) : "",
    h("p.note", {}, word("historyNote")),
  );
  if (opening) panel.querySelector("button").focus();
}

const when = (at) => new Date(at).toLocaleString(language() === "zh" ? "zh-CN" : "en-GB", { dateStyle: "medium", timeStyle: "short" });
