// One draft at a time beside the passages it was made from. What was decided or typed is sent, and on disk, before
// another draft is shown.
import { h } from "./dom.js";
import { language, switchLanguage, word } from "./review-words.js";

const $ = (id) => document.getElementById(id);
const token = location.hash.slice(1);
const state = { drafts: [], progress: null, path: "", at: 0 };

async function call(path, body, keepalive = false) {
  let response;
  try {
    response = await fetch(path, {
      method: body ? "POST" : "GET",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: body && JSON.stringify(body),
      keepalive,
    });
  } catch {
    return void problem(word("gone"));
  }
  const told = await response.json();
  if (!response.ok) return void problem(told.error.message);
  problem("");
  return told;
}

function problem(text) {
  $("problem").textContent = text;
  $("problem").hidden = !text;
}

const shown = () => state.drafts[state.at];

let queue = Promise.resolve(true);
// One request after the other, as the answer to an edit must not overtake the one to the decision made right after it.
const inTurn = (act) => (queue = queue.then(act, act));

// The fields that differ from what is on disk.
function edits() {
  const draft = shown();
  if (!draft) return {};
  const changed = Object.fromEntries([...document.querySelectorAll("[data-field]")]
    .filter((each) => each.value !== draft[each.dataset.field]).map((each) => [each.dataset.field, each.value]));
  const quotes = [...document.querySelectorAll("[data-evidence]")].map((each) => each.value);
  if (quotes.some((quote, n) => quote !== draft.passages[n].text)) changed.evidence = quotes;
  return changed;
}

// False where it could not be kept: then the same draft stays on the page, with what was typed.
async function send(decision) {
  const body = { ...edits(), ...(decision && { decision }) };
  if (!Object.keys(body).length) return true;
  const { id } = shown();
  const told = await call(`drafts/${encodeURIComponent(id)}`, body);
  if (!told) return false;
  state.drafts[state.drafts.findIndex((draft) => draft.id === id)] = told.draft;
  state.progress = told.progress;
  return true;
}

const decide = (decision) => inTurn(async () => {
  if (!(await send(decision))) return;
  const waiting = [...state.drafts.keys()].filter((n) => state.drafts[n].decision === "draft");
  state.at = waiting.find((n) => n > state.at) ?? waiting[0] ?? state.at;
  draw();
});

const move = (by) => inTurn(async () => {
  if (!(await send())) return;
  state.at = Math.min(Math.max(state.at + by, 0), state.drafts.length - 1);
  draw();
});

function draw() {
  document.documentElement.lang = language() === "zh" ? "zh-CN" : "en";
  document.title = word("title");
  $("title").textContent = word("title");
  $("language").textContent = language() === "en" ? "中文" : "English";
  if (!state.progress) return;
  $("counts").textContent = word("counts", state.progress);
  $("progress").max = Math.max(state.drafts.length, 1);
  $("progress").value = state.progress.accepted + state.progress.dropped;
  $("progress").setAttribute("aria-label", word("counts", state.progress));
  const draft = shown();
  const finished = state.progress.draft === 0;
  $("main").replaceChildren(
    ...(finished ? [h("section.finished", {}, h("p", {}, word("done")), state.progress.accepted ? h("code.command", {}, word("write", state.path)) : "")] : []),
    ...(draft ? [card(draft)] : []),
  );
  $("main").focus();
}

function card(draft) {
  return h("article.draft", {},
    h("p.facts", {}, h("strong", {}, word("position", state.at + 1, state.drafts.length)), h(`span.badge.${draft.decision}`, {}, word("state")[draft.decision]), h("span", {}, `${draft.id} · ${draft.lang} · ${word("by", draft.by)}`)),
    h("div.columns", {},
      h("div.fields", {},
        field("question", h("textarea", { rows: 3, value: draft.question })),
        draft.answerable ? field("reference", h("textarea", { rows: 5, value: draft.reference })) : h("p.note", {}, word("unanswerable")),
        field("type", h("select", { onchange: () => inTurn(async () => (await send()) && draw()) }, Object.entries(word("kinds"))
          .map(([value, text]) => h("option", { value, selected: value === draft.type }, text))), word("kind")),
        h("div.choices", {},
          h("button.primary", { type: "button", id: "accept", onclick: () => decide("accepted") }, word("accept")),
          h("button.secondary", { type: "button", id: "drop", onclick: () => decide("dropped") }, word("drop")),
          h("button.quiet", { type: "button", onclick: () => move(-1) }, `← ${word("back")}`),
          h("button.quiet", { type: "button", onclick: () => move(1) }, `${word("next")} →`)),
        h("p.note", {}, word("keys"))),
      h("section.passages", {}, h("h2", {}, word("passages")), draft.passages.map((passage, n) => h("figure", {},
        h("figcaption", {}, h("strong", {}, passage.title || passage.source), ` ${passage.source}`),
        h("blockquote", {}, passage.before, h("mark", {}, passage.text), passage.after),
        draft.answerable ? h("details", {}, h("summary", {}, word("change")),
          h("label", {}, h("span", {}, word("evidence")), h("textarea", { rows: 3, value: passage.text, "data-evidence": n }))) : "")))));
}

function field(name, input, label = word(name)) {
  input.dataset.field = name;
  return h("label", {}, h("span", {}, label), input);
}

document.addEventListener("keydown", (event) => {
  const writing = /^(TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key === "Escape" && writing) $("main").focus();
  if (writing || event.ctrlKey || event.metaKey || event.altKey || !shown()) return;
  const act = { a: () => decide("accepted"), d: () => decide("dropped"), ArrowLeft: () => move(-1), ArrowRight: () => move(1), e: () => document.querySelector("[data-field=question]").focus() }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});
document.addEventListener("change", (event) => {
  if (event.target.tagName === "TEXTAREA") inTurn(() => send());
});
addEventListener("pagehide", () => {
  const body = edits();
  if (Object.keys(body).length) call(`drafts/${encodeURIComponent(shown().id)}`, body, true);
});
$("language").addEventListener("click", () => inTurn(async () => {
  if (!(await send())) return;
  switchLanguage();
  draw();
}));

document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
draw();
const told = await call("drafts");
if (told) {
  Object.assign(state, told);
  state.at = Math.max(state.drafts.findIndex((draft) => draft.decision === "draft"), 0);
  draw();
}
