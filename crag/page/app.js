// The page: a conversation, and everything around it.
import * as api from "./api.js";
import { h } from "./dom.js";
import * as reader from "./reader.js";
import { Turn } from "./turn.js";
import { language, switchLanguage, translate, word } from "./words.js";

const $ = (id) => document.getElementById(id);
const question = $("question");
const state = { models: [], documents: [], turns: [], running: null };

// Questions for the bundled samples, shown while one of them is in the workspace.
const SAMPLE = "en/hybrid-retrieval-design.md";
const EXAMPLES = {
  en: [
    "How long does a second import of the whole collection take since the embedding cache was added?",
    "How many credits does an advanced Tavily search cost?",
  ],
  zh: ["概括一下 9 月 8 日向量前缀事故的原因。", "重排的时限设为多少秒？重排失败时流程按什么返回结果？"],
};

async function ask(text) {
  const turn = new Turn(text, () => !state.running && ask(text));
  const history = state.turns.filter((each) => each.answer).flatMap((each) => [
    { role: "user", content: each.question },
    { role: "assistant", content: each.text },
  ]);
  state.turns.push(turn);
  $("turns").append(turn.element);
  turn.element.scrollIntoView({ block: "start", behavior: "smooth" });
  state.running = new AbortController();
  draw();
  try {
    await api.ask($("pipeline").value, [...history, { role: "user", content: text }], {
      progress: (line) => turn.progress(line),
      text: (delta) => turn.append(delta),
      answer: (shape) => turn.finish(shape),
    }, state.running.signal);
  } catch (error) {
    if (error.name === "AbortError") turn.stop();
    else if (error.status === 401 && (await askForKey())) turn.fail(error.message);
    else if (error instanceof api.ApiError) turn.fail(error.message || word("unreachable"));
    else throw error;
  } finally {
    state.running = null;
    draw();
    question.focus();
  }
}

/** Show the key dialog; the promise is kept when it closes. */
function askForKey() {
  const dialog = $("key-dialog");
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => {
    if ($("key").value) api.useKey($("key").value);
    $("key").value = "";
    resolve(true);
    load();
  }, { once: true }));
}

async function load() {
  try {
    [state.models, state.documents] = await Promise.all([api.models(), api.documents()]);
  } catch (error) {
    if (error.status === 401) return void askForKey();
    $("model-note").textContent = error.message || word("unreachable");
    return;
  }
  const chosen = $("pipeline").value || localStorage.getItem("pipeline");
  $("pipeline").replaceChildren(...state.models.map((model) => h("option", { value: model.id, title: model.crag.description }, model.id)));
  if (state.models.some((model) => model.id === chosen)) $("pipeline").value = chosen;
  draw();
  openFromAddress();
}

/** Everything that depends on the state or the language. */
function draw() {
  translate();
  document.body.classList.toggle("running", state.running !== null);
  $("send").setAttribute("aria-label", word(state.running ? "stop" : "send"));
  $("send").title = word(state.running ? "stop" : "send");
  $("language").textContent = language() === "en" ? "中文" : "English";
  $("document-count").textContent = word("documentCount", state.documents.length);
  $("open-documents").setAttribute("aria-label", $("document-count").textContent);
  $("welcome").hidden = state.turns.length > 0;
  const model = state.models.find((each) => each.id === $("pipeline").value);
  if (model) {
    const name = model.crag.models.generation;
    $("model-note").textContent = name === "extractive" ? word("modelNone") : word("modelSome", name);
    $("pipeline").title = model.crag.description;
  }
  drawWelcome();
}

function drawWelcome() {
  const empty = state.models.length > 0 && state.documents.length === 0;
  $("welcome-lead").textContent = empty ? word("leadEmpty") : word("leadDocuments", state.documents.length);
  const samples = state.documents.some((each) => each.source.endsWith(SAMPLE));
  const examples = samples ? [...EXAMPLES[language()], ...EXAMPLES[language() === "en" ? "zh" : "en"]] : [];
  $("examples").replaceChildren(
    ...(empty ? [h("code.command", {}, "crag ingest FOLDER")] : []),
    ...examples.map((text) => h("button.example", { type: "button", onclick: () => !state.running && ask(text) }, text)),
  );
}

function openFromAddress() {
  const match = location.hash.match(/^#\/document\/([^/]+)\/(\d+)-(\d+)$/);
  if (match) reader.showDocument(decodeURIComponent(match[1]), Number(match[2]), Number(match[3]));
}

function fit() {
  question.style.height = "auto";
  question.style.height = `${Math.min(question.scrollHeight, 200)}px`;
}

$("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  if (state.running) return state.running.abort();
  const text = question.value.trim();
  if (!text) return;
  question.value = "";
  fit();
  ask(text);
});
question.addEventListener("input", fit);
question.addEventListener("keydown", (event) => {
  // While an input method composes Chinese, Enter picks a word and must not send.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  if (!state.running) $("composer").requestSubmit();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && reader.isOpen()) reader.close();
  else if (event.key === "Escape" && state.running) state.running.abort();
  else if (event.key === "/" && !/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) {
    event.preventDefault();
    question.focus();
  }
});
$("new-chat").addEventListener("click", () => {
  state.running?.abort();
  state.turns = [];
  $("turns").replaceChildren();
  draw();
  question.focus();
});
$("pipeline").addEventListener("change", () => {
  localStorage.setItem("pipeline", $("pipeline").value);
  draw();
});
$("language").addEventListener("click", () => {
  switchLanguage();
  draw();
  for (const turn of state.turns) if (turn.card.ariaBusy === "false") turn.settle();
});
$("theme").addEventListener("click", () => {
  const dark = getComputedStyle(document.documentElement).colorScheme === "dark";
  setTheme(dark ? "light" : "dark");
});
$("open-documents").addEventListener("click", () => reader.showDocuments(state.documents));
window.addEventListener("hashchange", openFromAddress);

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  localStorage.setItem("theme", theme);
}

setTheme(localStorage.getItem("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
translate();
load();
question.focus();
