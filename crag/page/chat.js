// The conversation: questions go out, answers stream in, from one pipeline or from two side by side.
import * as api from "./api.js";
import { h } from "./dom.js";
import * as history from "./history.js";
import { askForKey } from "./key.js";
import { ready, state } from "./state.js";
import { Turn } from "./turn.js";
import { language, word } from "./words.js";

const $ = (id) => document.getElementById(id);
const question = $("question");
const conversation = { id: null, turns: [], running: null };

const REMEMBERED = 20; // Turns that go with a question: a follow-up refers to the latest, and servers take so many only.

// Questions for the bundled samples, shown while one of them is in the workspace.
const SAMPLE = "en/hybrid-retrieval-design.md";
const EXAMPLES = {
  en: [
    "How long does a second import of the whole collection take since the embedding cache was added?",
    "How many credits does an advanced Tavily search cost?",
  ],
  zh: ["概括一下 9 月 8 日向量前缀事故的原因。", "重排的时限设为多少秒？重排失败时流程按什么返回结果？"],
};

export async function ask(text) {
  if (conversation.running) return;
  const pipelines = [$("pipeline").value, $("rival").value].filter(Boolean);
  const turn = new Turn(text, pipelines, () => ask(text));
  const running = new AbortController();
  const past = pipelines.map((_, side) => conversation.turns.slice(-REMEMBERED).flatMap((each) => each.messages(side)));
  conversation.id ??= crypto.randomUUID?.() ?? String(Math.random());
  conversation.turns.push(turn);
  conversation.running = running;
  $("turns").append(turn.element);
  draw();
  turn.element.scrollIntoView({ block: "start", behavior: "smooth" });
  await Promise.all(turn.replies.map((reply, side) => run(reply, [...past[side], { role: "user", content: text }], running.signal)));
  // Another conversation may have been opened meanwhile; it is not this one's to touch.
  if (conversation.running !== running) return;
  conversation.running = null;
  keep();
  draw();
  $("announcer").textContent = turn.replies.map((reply) => reply.text).join(" ");
  question.focus();
}

async function run(reply, messages, signal) {
  try {
    await api.ask(reply.pipeline, messages, state.collections.length > 1 ? $("collection").value : "", {
      id: (id) => (reply.id = id),
      progress: (line) => reply.progress(line),
      text: (delta) => reply.append(delta),
      answer: (shape) => reply.finish(shape),
    }, signal);
  } catch (error) {
    if (error.name === "AbortError") reply.stop();
    else if (error.status === 401) {
      await askForKey();
      reply.fail(error.message);
    } else if (error instanceof api.ApiError) reply.fail(error.message || word("unreachable"));
    else throw error;
  }
}

function keep() {
  const { id, turns } = conversation;
  history.keep({ id, at: Date.now(), turns: turns.map((turn) => turn.saved()) });
  if (history.isOpen()) showHistory();
}

function open(past) {
  begin();
  conversation.id = past.id;
  conversation.turns = past.turns.map((saved) => Turn.restored(saved, () => ask(saved.question)));
  $("turns").append(...conversation.turns.map((turn) => turn.element));
  draw();
  if (matchMedia("(max-width: 980px)").matches) history.close();
  else showHistory();
  $("log").scrollTop = $("log").scrollHeight;
}

/** An empty conversation; what was running is given up. */
export function begin() {
  conversation.running?.abort();
  Object.assign(conversation, { id: null, turns: [], running: null });
  $("turns").replaceChildren();
  draw();
  question.focus();
}

const showHistory = () => history.show(conversation.id, open, (id) => id === conversation.id && begin());

/** Everything here that depends on the state or the language. */
export function draw() {
  const running = conversation.running !== null;
  $("composer").classList.toggle("running", running);
  $("send").setAttribute("aria-label", word(running ? "stop" : "send"));
  $("send").title = word(running ? "stop" : "send");
  $("welcome").hidden = conversation.turns.length > 0;
  $("chat-title").hidden = !$("welcome").hidden;
  $("log").classList.toggle("wide", conversation.turns.some((turn) => turn.replies.length > 1));
  drawChoices();
  drawWelcome();
}

/** Also what was drawn in another language before. */
export function redraw() {
  draw();
  for (const turn of conversation.turns) turn.settle();
  if (history.isOpen()) showHistory();
}

function drawChoices() {
  choose("pipeline", state.models.map((model) => [model.id, model.id, model.crag.description]));
  choose("rival", [["", word("compareNone"), ""], ...state.models.filter((model) => model.id !== $("pipeline").value)
    .map((model) => [model.id, word("versus", model.id), model.crag.description])]);
  choose("collection", [["", word("ownCollection"), ""], ["*", word("allCollections"), ""], ...state.collections.map(({ id }) => [id, id, ""])]);
  $("collection-choice").hidden = state.collections.length < 2;
  for (const id of ["pipeline", "rival"]) $(id).parentElement.hidden = !state.models.length;
  const model = state.models.find((each) => each.id === $("pipeline").value);
  if (!model) return;
  const name = model.crag.models.generation;
  $("model-note").textContent = name === "extractive" ? word("modelNone") : word("modelSome", name.replace(/^openai:/, ""));
  $("pipeline").title = model.crag.description;
}

/** Fill a select and keep what is chosen in it, or was chosen on the last visit. */
function choose(id, options) {
  const chosen = $(id).options.length ? $(id).value : localStorage.getItem(id);
  $(id).replaceChildren(...options.map(([value, text, title]) => h("option", { value, title }, text)));
  if (options.some(([value]) => value === chosen)) $(id).value = chosen;
}

function drawWelcome() {
  const empty = state.models.length > 0 && state.documents.length === 0;
  const lead = empty ? word("leadEmpty") : word("leadDocuments", state.documents.length);
  $("welcome-lead").textContent = state.models.length ? lead : ""; // Nothing is known before the server has answered.
  const samples = state.documents.some((each) => each.source.endsWith(SAMPLE));
  const examples = samples ? [...EXAMPLES[language()], ...EXAMPLES[language() === "en" ? "zh" : "en"]] : [];
  $("examples").replaceChildren(
    ...(empty ? [h("a.primary", { href: "#/documents" }, word("addDocuments"))] : []),
    ...examples.map((text) => h("button.example", { type: "button", onclick: () => ask(text) }, text)),
  );
}

function fit() {
  question.style.height = "auto";
  question.style.height = `${Math.min(question.scrollHeight, 200)}px`;
}

export const isRunning = () => conversation.running !== null;
export const stop = () => conversation.running?.abort();

$("composer").addEventListener("submit", async (event) => {
  event.preventDefault();
  if (isRunning()) return stop();
  // A question sent while the page still loads, or while the server is away, waits for it.
  await ready;
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
  if (!isRunning()) $("composer").requestSubmit();
});
for (const id of ["pipeline", "rival", "collection"]) {
  $(id).addEventListener("change", () => {
    localStorage.setItem(id, $(id).value);
    draw();
  });
}
$("new-chat").addEventListener("click", begin);
$("open-history").addEventListener("click", () => (history.isOpen() ? history.close() : showHistory()));
