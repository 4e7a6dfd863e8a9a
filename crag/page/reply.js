// One answer, from the first progress line to the last citation.
import * as api from "./api.js";
import { copyText, h, icon } from "./dom.js";
import { flat, prose } from "./prose.js";
import { showDocument } from "./reader.js";
import { said, word } from "./words.js";

const THUMBS = {
  up: "M3.5 9h3v7.5h-3zM6.5 9.6 9.6 3c1.5 0 2 1 1.7 2.4L10.7 8h4.4c1 0 1.7.9 1.5 1.9l-1 5.1c-.2.9-.9 1.5-1.8 1.5H6.5",
  down: "M3.5 11h3V3.5h-3zM6.5 10.4 9.6 17c1.5 0 2-1 1.7-2.4L10.7 12h4.4c1 0 1.7-.9 1.5-1.9l-1-5.1c-.2-.9-.9-1.5-1.8-1.5H6.5",
};

// From where on the evidence very likely, and probably, holds the answer; crag/cli/verdict.py says the same.
const LIKELY = 0.8;
const PROBABLE = 0.5;
const SHOWN = 3; // Other places of a passage that are shown at once.

export class Reply {
  /** `retry()` asks the same question again; `named` shows which pipeline answered. */
  constructor(question, pipeline, retry, named) {
    this.question = question;
    this.pipeline = pipeline;
    this.retry = retry;
    this.text = "";
    this.answer = null;
    this.id = null;
    this.settled = false;
    this.steps = h("ul.steps", {}, h("li", {}, word("thinking")));
    this.body = h("div.text");
    this.extras = h("div.extras");
    this.card = h("article.answer", { ariaBusy: "true", ariaLabel: pipeline }, named ? h("p.version", {}, pipeline) : null, this.steps, this.body, this.extras);
  }

  progress(line) {
    const last = this.steps.lastElementChild;
    const text = line.trim();
    if (text.startsWith("→")) last.append(h("span.result", {}, ` ${text.slice(1).trim()}`));
    else if (this.steps.childElementCount === 1 && !this.started) last.replaceChildren(text);
    else this.steps.append(h("li", {}, text));
    this.started = true;
  }

  append(delta) {
    this.text += delta;
    this.draw();
  }

  finish(answer) {
    this.answer = answer;
    this.text = answer.text;
    this.settle();
  }

  stop() {
    this.ended = "stopped";
    this.settle();
  }

  fail(message) {
    this.ended = "failed";
    this.reason = message;
    this.settle();
  }

  /** The last words: progress goes, what is known of the answer stays. Also redraws in another language. */
  settle() {
    this.settled = true;
    this.card.ariaBusy = "false";
    this.steps.remove();
    this.draw();
    this.extras.replaceChildren(...[this.note(), ...(this.answer ? this.details() : []), this.actions()].filter(Boolean));
  }

  note() {
    if (this.ended === "stopped") return h("p.stopped", {}, word("stopped"));
    if (this.ended === "failed") return h("p.failure", { role: "alert" }, word("failed", this.reason));
    return null;
  }

  saved() {
    const { pipeline, text, id, ended, reason } = this;
    return { pipeline, text, id, ended, reason, answer: this.answer && { ...this.answer, hits: [] } };
  }

  restore({ text, id, ended, reason, answer }) {
    Object.assign(this, { text, id, ended, reason, answer });
    this.settle();
  }

  draw() {
    this.body.replaceChildren(...prose(this.text, (number) => this.marker(number)));
  }

  marker(number) {
    const citation = this.answer?.citations.find((each) => each.marker === number);
    if (!this.answer) return h("span.marker", {}, String(number));
    if (!citation) return null;
    const label = `${word("openSource", number)}: ${citation.title || citation.source}`;
    return h("button.marker", { type: "button", title: flat(citation.quote), ariaLabel: label, onclick: () => openCitation(citation) }, String(number));
  }

  details() {
    const { citations, degraded } = this.answer;
    return [
      ...degraded.map(trouble),
      citations.length ? h("section.sources", {}, h("h3", {}, word("sources")), h("ol", {}, citations.map(source))) : null,
      this.verdict(),
    ];
  }

  verdict() {
    const { timings, trace } = this.answer;
    const { colour, badge, hint, why } = judged(this.answer);
    const summary = h("summary", {},
      h("span.judged", {},
        h(`span.badge.${colour}`, { title: hint }, badge),
        h("span.route", {}, why)),
      h("span.how", {}, word("how")));
    const meaning = hint ? h("p.meaning", {}, hint) : null; // Where nothing hovers, a title is never read.
    const longest = Math.max(...trace.map((event) => event.milliseconds), 1);
    return h("details.verdict", {}, summary,
      h("ol.path", {}, trace.map((event) => h("li", {},
        h("span.node", {}, word("nodes")[event.node] ?? event.node),
        bar(event.milliseconds / longest),
        h("span.time", {}, milliseconds(event.milliseconds)),
        h("span.detail", {}, this.explained(event)))),
        h("li.total", {}, h("span.node", {}, word("total")), h("span"), h("span.time", {}, milliseconds(timings.total)), h("span"))),
      meaning,
      this.facts());
  }

  /** Where the pipeline makes nothing of the grade, its figure and route are no part of how the answer came about. */
  explained({ node, detail }) {
    return node === "grade" && this.answer.models.grading === "off" ? word("ungradedStep") : explain(detail, this.answer.question);
  }

  facts() {
    const { pipeline, models } = this.answer;
    const roles = word("roles");
    return h("dl.facts", {},
      h("div", {}, h("dt", {}, word("pipeline")), h("dd", {}, `${pipeline.name} ${pipeline.version}`)),
      Object.entries(models).map(([role, name]) => h("div", {}, h("dt", {}, roles[role] ?? role), h("dd", {}, name))));
  }

  actions() {
    const copy = h("button.quiet", { type: "button", onclick: async () => {
      await copyText(this.text);
      copy.textContent = word("copied");
      setTimeout(() => (copy.textContent = word("copy")), 1500);
    } }, word("copy"));
    return h("div.actions", {}, this.answer && this.id ? this.rating() : null, this.text ? copy : null,
      h("button.quiet", { type: "button", onclick: () => this.retry() }, word("retry")));
  }

  /** Two thumbs, and a line to say why once one of them was given. */
  rating() {
    const box = h("span.rating");
    const send = async (thumb, comment = "") => {
      try {
        await api.feedback(this.id, thumb, comment);
      } catch (error) {
        box.replaceChildren(h("span.thanks", { role: "alert" }, error.message || word("unreachable")));
        return;
      }
      if (comment) return void box.replaceChildren(h("span.thanks", { role: "status" }, word("thanks")));
      const why = h("input", { type: "text", maxLength: 2000, placeholder: word("why"), ariaLabel: word("why") });
      const form = h("form", { onsubmit: (event) => {
        event.preventDefault();
        if (why.value.trim()) send(thumb, why.value.trim());
      } }, h("span.thanks", { role: "status" }, word("thanks")), why, h("button.quiet", { type: "submit" }, word("sendComment")));
      box.replaceChildren(form);
      why.focus();
    };
    const thumb = (name) => h("button.quiet.icon", { type: "button", ariaLabel: word(name), title: word(name), onclick: () => send(name) }, icon(THUMBS[name]));
    box.append(thumb("up"), thumb("down"));
    return box;
  }
}

/** The verdict in colour and words. Where the pipeline does not grade, its confidence decided nothing and is not shown. */
function judged({ status, route, confidence, models, trace }) {
  const ran = (node) => trace.some((event) => event.node === node);
  // A rewrite that found no other words and a web that failed searched for nothing: they tell of no query.
  const searched = (node) => trace.some((event) => event.node === node && event.detail.query);
  if (ran("reply")) return { colour: "ungraded", badge: word("reply"), hint: "", why: word("replyRoute") };
  const refused = status === "abstained";
  if (models.grading === "off") {
    const badge = refused ? word("status").abstained : word("ungraded");
    return { colour: refused ? status : "ungraded", badge, hint: word("ungradedHint"), why: word("ungradedRoute", refused) };
  }
  const band = status === "partial" ? "partial" : confidence >= LIKELY ? "likely" : confidence >= PROBABLE ? "probable" : "open";
  const named = status === "grounded" && band === "open" ? "uncertain" : status;
  return {
    colour: status === "grounded" && (route !== "correct" || band === "open") ? "partial" : status,
    // "Not answered, 98%" would be read as sure of an answer, or of there being none: the path has the number.
    badge: [word("status")[named], refused ? "" : word("confidence", Math.round(confidence * 100))].filter(Boolean).join(" · "),
    hint: refused ? "" : word("confidenceHint"),
    why: word("route")[route](refused ? "" : word("band")[band], searched("rewrite"), searched("search_web")),
  };
}

/** What failed and what was done instead; what the server said in full where this is not it. */
function trouble({ stage, reason, action, code }) {
  const told = said(reason, code);
  return h("div.degraded", {}, h("p", {}, word("degraded", word("nodes")[stage] ?? stage, told, said(action))),
    told === reason ? null : h("details", {}, h("summary", {}, word("original")), h("p", { lang: "en" }, reason)));
}

function source(citation) {
  const place = [citation.title ? citation.source : "", citation.page ? word("page", citation.page) : ""].filter(Boolean).join(" · ");
  return h("li", { value: citation.marker },
    h("button.source", { type: "button", onclick: () => openCitation(citation) },
      h("span.number", {}, String(citation.marker)),
      h("span.title", {}, citation.title || citation.source),
      h("span.place", {}, citation.url ? [citation.url, citation.date ?? citation.accessed].filter(Boolean).join(" · ") : place),
      h("q", {}, flat(citation.quote))),
    alsoIn(citation.also_in ?? [])); // Conversations kept by an earlier release have none.
}

/** The other places of a passage, each a link to it; many are folded away. */
function alsoIn(copies) {
  if (!copies.length) return null;
  const links = copies.map((copy) => h("li", {}, copy.url
    ? h("a", { href: copy.url, target: "_blank", rel: "noopener noreferrer" }, copy.url)
    : h("a", { href: `#/document/${encodeURIComponent(copy.document)}/${copy.start}-${copy.end}` },
      [copy.source, copy.page ? word("page", copy.page) : ""].filter(Boolean).join(" · "))));
  if (links.length <= SHOWN) return h("div.also", {}, h("span", {}, word("alsoIn")), h("ul", {}, links));
  return h("details.also", {}, h("summary", {}, word("alsoInMany", links.length)), h("ul", {}, links));
}

function openCitation(citation) {
  if (citation.url) window.open(citation.url, "_blank", "noopener,noreferrer");
  else showDocument(citation.document, citation.start, citation.end);
}

function bar(share) {
  const fill = h("span.fill");
  fill.style.width = `${Math.max(share * 100, 1)}%`;
  return h("span.track", {}, fill);
}

const milliseconds = (value) => (value >= 1000 ? `${(value / 1000).toFixed(1)} s` : `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ms`);

/** What a node decided. The question, which stands above, is not said again. */
function explain(detail, question) {
  const shown = (value) => (typeof value === "number" && !Number.isInteger(value) ? value.toFixed(2) : Array.isArray(value) ? value.join(", ") : String(value));
  return Object.entries(detail).filter(([, value]) => value !== question && value !== null && typeof value !== "object" || Array.isArray(value))
    .map(([name, value]) => [name.replaceAll("_", " "), value])
    .map(([name, value]) => `${word("details")[name] ?? name}: ${name === "question" || name === "query" ? shown(value) : word("values")[value] ?? shown(value)}`).join(" · ");
}
