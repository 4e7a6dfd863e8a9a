// Evaluation runs and reports, and the comparison of two runs.
import * as api from "./api.js";
import { h } from "./dom.js";
import { openTab } from "./tab.js";
import { language, word } from "./words.js";

const view = document.getElementById("evaluations");
const MAIN = ["correctness", "contains_reference", "f1", "recall@5", "refusal_accuracy", "faithfulness"];
const LOWER = new Set(["brier", "hallucination", "noise_sensitivity"]);
const chosen = { base: "", candidate: "" };
let everyMetric = false;
let found = null;
let problem = "";

export async function draw() {
  if (view.hidden) return;
  try {
    found = await api.evaluations();
    problem = "";
  } catch (error) {
    if (!(error instanceof api.ApiError)) throw error;
    problem = error.message || word("unreachable");
  }
  paint();
}

export const redraw = () => view.hidden || paint();

function paint() {
  const runs = (found?.data ?? []).filter((each) => each.object === "eval.run");
  const reports = (found?.data ?? []).filter((each) => each.object === "eval.report");
  view.replaceChildren(h("div.page-inner", {},
    h("h1", {}, word("evaluations")),
    h("p.lead", {}, word("evaluationsLead")),
    problem ? h("p.failure", { role: "alert" }, problem) : "",
    found && !found.data.length ? howTo() : "",
    runs.length > 1 ? comparison(runs.filter((run) => run.finished)) : "",
    runs.length ? h("section", {}, h("h2", {}, word("runs")), runTable(runs)) : "",
    reports.length ? h("section", {}, h("h2", {}, word("reports")), h("ul.reports", {}, reports.map((each) => h("li", {},
      h("button.open", { type: "button", onclick: () => open(api.evaluation(each.id)) }, h("span.name", {}, each.name), h("span.place", {}, when(each.modified))))))) : ""));
}

function howTo() {
  return h("div.empty", {}, h("p", {}, word(found.enabled ? "noRuns" : "runsOff")),
    h("code.command", {}, "crag eval run --suite suite.yaml --pipeline vector --pipeline crag --out runs/first"),
    h("code.command", {}, "crag serve --runs runs"));
}

const sameSuite = (one, other) => one.suite.name === other.suite.name && one.suite.questions === other.suite.questions;

/** The newest finished run that has an older one of its suite beside it, and that one; runs come newest first. */
function newestPair(runs) {
  for (const [place, candidate] of runs.entries()) {
    const base = runs.slice(place + 1).find((run) => sameSuite(run, candidate));
    if (base) return { base: base.id, candidate: candidate.id };
  }
  return { base: "", candidate: "" };
}

function comparison(runs) {
  const known = (id) => runs.some((run) => run.id === id);
  if (!known(chosen.base) && !known(chosen.candidate)) Object.assign(chosen, newestPair(runs));
  const button = h("button.primary", { type: "submit" }, word("compareRuns"));
  const ready = () => (button.disabled = !chosen.base || !chosen.candidate || chosen.base === chosen.candidate);
  const pick = (role) => h("label.select", {}, h("span", {}, word(role)), " ",
    h("select", { id: `pick-${role}`, onchange: (event) => { chosen[role] = event.target.value; ready(); } },
      h("option", { value: "", selected: !chosen[role] }, word("noRunChosen")),
      runs.map((run) => h("option", { value: run.id, selected: run.id === chosen[role] }, run.name))));
  ready();
  return h("form.compare", { onsubmit: (event) => {
    event.preventDefault();
    open(api.comparison(chosen.base, chosen.candidate));
  } }, pick("base"), pick("candidate"), button);
}

function runTable(runs) {
  const measured = [...new Set(runs.flatMap((run) => Object.keys(run.metrics)))].filter((name) => runs.some((run) => run.metrics[name] != null));
  const main = MAIN.filter((name) => measured.includes(name));
  const names = everyMetric || !main.length ? [...main, ...measured.filter((name) => !main.includes(name))] : main;
  const more = h("button.quiet.more", { type: "button", ariaPressed: String(everyMetric), onclick: () => { everyMetric = !everyMetric; paint(); } },
    word(everyMetric ? "mainMetrics" : "allMetrics", measured.length));
  return [
    h("div.scroll", { tabIndex: 0, role: "region", ariaLabel: word("runs") }, h("table.runs", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, word("run")), h("th", { scope: "col" }, word("suite")), names.map((name) => h("th.number", { scope: "col" }, name.replaceAll("_", " "))))),
      h("tbody", {}, runs.map((run) => h("tr", {},
        h("th", { scope: "row" }, run.name, h("span.place", {}, `${run.pipeline.name} ${run.pipeline.version} · ${when(run.started)}${run.finished ? "" : ` · ${word("unfinished")}`}`)),
        h("td", {}, run.suite.name, h("span.place", {}, word("questions", run.suite.questions))),
        names.map((name) => h(isBest(run, name, runs) ? "td.number.best" : "td.number", {}, run.metrics[name] == null ? "–" : run.metrics[name].toFixed(3)))))))),
    main.length && measured.length > main.length ? more : "",
  ];
}

/** Better than some other run of its suite, and worse than none. */
function isBest(run, name, runs) {
  const sign = LOWER.has(name) ? -1 : 1;
  const values = runs.filter((each) => sameSuite(each, run) && each.metrics[name] != null).map((each) => sign * each.metrics[name]);
  return run.metrics[name] != null && new Set(values).size > 1 && sign * run.metrics[name] === Math.max(...values);
}

async function open(reply) {
  problem = "";
  await openTab(reply, (message) => (problem = message));
  paint();
}

/** A date of ISO 8601, or seconds since 1970. */
const when = (time) => new Date(typeof time === "number" ? time * 1000 : time).toLocaleString(language() === "zh" ? "zh-CN" : "en-GB", { dateStyle: "medium", timeStyle: "short" });
