// Evaluation runs and reports, and the comparison of two runs.
import * as api from "./api.js";
import { h } from "./dom.js";
import { openTab } from "./tab.js";
import { language, word } from "./words.js";

const view = document.getElementById("evaluations");
const chosen = { base: "", candidate: "" };
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
    runs.length > 1 ? comparison(runs) : "",
    runs.length ? h("section", {}, h("h2", {}, word("runs")), runTable(runs)) : "",
    reports.length ? h("section", {}, h("h2", {}, word("reports")), h("ul.reports", {}, reports.map((each) => h("li", {},
      h("button.open", { type: "button", onclick: () => open(api.evaluation(each.id)) }, h("span.name", {}, each.name), h("span.place", {}, when(each.modified))))))) : ""));
}

function howTo() {
  return h("div.empty", {}, h("p", {}, word(found.enabled ? "noRuns" : "runsOff")),
    h("code.command", {}, "crag eval run --suite suite.yaml --pipeline vector --pipeline crag --out runs/first"),
    h("code.command", {}, "crag serve --runs runs"));
}

function comparison(runs) {
  const pick = (role) => h("label.select", {}, h("span", {}, word(role)), " ",
    h("select", { id: `pick-${role}`, onchange: (event) => (chosen[role] = event.target.value) },
      runs.map((run) => h("option", { value: run.id, selected: run.id === chosen[role] }, run.name))));
  chosen.base ||= runs[runs.length - 1].id;
  chosen.candidate ||= runs[0].id;
  return h("form.compare", { onsubmit: (event) => {
    event.preventDefault();
    open(api.comparison(chosen.base, chosen.candidate));
  } }, pick("base"), pick("candidate"), h("button.primary", { type: "submit" }, word("compareRuns")));
}

function runTable(runs) {
  const names = [...new Set(runs.flatMap((run) => Object.keys(run.metrics)))];
  const best = Object.fromEntries(names.map((name) => [name, Math.max(...runs.map((run) => run.metrics[name] ?? -Infinity))]));
  return h("div.scroll", { tabIndex: 0, role: "region", ariaLabel: word("runs") }, h("table.runs", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, word("run")), h("th", { scope: "col" }, word("suite")), names.map((name) => h("th.number", { scope: "col" }, name.replaceAll("_", " "))))),
    h("tbody", {}, runs.map((run) => h("tr", {},
      h("th", { scope: "row" }, run.name, h("span.place", {}, `${run.pipeline.name} ${run.pipeline.version} · ${when(run.started)}${run.finished ? "" : ` · ${word("unfinished")}`}`)),
      h("td", {}, run.suite.name, h("span.place", {}, word("questions", run.suite.questions))),
      names.map((name) => h(run.metrics[name] === best[name] ? "td.number.best" : "td.number", {}, run.metrics[name] == null ? "–" : run.metrics[name].toFixed(3))))))));
}

async function open(reply) {
  problem = "";
  await openTab(reply, (message) => (problem = message));
  paint();
}

const when = (seconds) => new Date(seconds * 1000).toLocaleString(language() === "zh" ? "zh-CN" : "en-GB", { dateStyle: "medium", timeStyle: "short" });
