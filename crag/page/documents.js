// The documents: what is in the workspace, uploads with their progress, and what was skipped and why.
import * as api from "./api.js";
import { h } from "./dom.js";
import { droppedFiles } from "./dropped.js";
import { showDocument } from "./reader.js";
import { refresh, state } from "./state.js";
import { openTab } from "./tab.js";
import { said, word } from "./words.js";

const view = document.getElementById("documents");
const EVERY = 700; // Milliseconds between two looks at a job.
const MOST = 300; // Rows drawn at once.
const MANY = 12; // Documents from which on a field to find them is shown.
const jobs = new Map(); // Uploads of this visit, the newest last.
let limits = null;
let problem = "";
let wanted = "";
let sought = "";

export async function draw() {
  if (view.hidden) return;
  paint();
  if (limits) return;
  limits = await api.info().catch(() => null);
  paint();
}

export const redraw = draw;

function paint() {
  const focused = document.activeElement?.id;
  view.replaceChildren(h("div.page-inner", {},
    h("h1", {}, word("documents")),
    h("p.lead", {}, word("documentsLead")),
    dropZone(),
    problem ? h("p.failure", { role: "alert" }, problem) : "",
    h("div.jobs", { role: "status" }, [...jobs.values()].reverse().map(progress)),
    table()));
  if (focused) document.getElementById(focused)?.focus();
}

function dropZone() {
  const picker = (folder) => h("input", {
    type: "file", hidden: true, multiple: true, webkitdirectory: folder, onchange: (event) => {
      send([...event.target.files].map((file) => ({ file, name: file.webkitRelativePath || file.name })));
    },
  });
  const [files, folder] = [picker(false), picker(true)];
  const zone = h("div.drop", {
    ondragover: (event) => {
      event.preventDefault();
      zone.classList.add("over");
    },
    ondragleave: () => zone.classList.remove("over"),
    ondrop: async (event) => {
      event.preventDefault();
      zone.classList.remove("over");
      send(await droppedFiles(event.dataTransfer));
    },
  },
  h("p", {}, word("drop")),
  h("div.drop-buttons", {},
    h("button.primary", { type: "button", id: "choose-files", onclick: () => files.click() }, word("chooseFiles")),
    h("button.secondary", { type: "button", id: "choose-folder", onclick: () => folder.click() }, word("chooseFolder"))),
  h("label.into", {}, word("intoCollection"), " ",
    h("input", { id: "into", type: "text", value: wanted, maxLength: 64, placeholder: "default", autocomplete: "off", oninput: (event) => (wanted = event.target.value.trim()) })),
  limits ? h("p.note", {}, word("uploadLimits", limits.suffixes.join(" "), megabytes(limits.limits.file_bytes))) : "",
  files, folder);
  return zone;
}

const megabytes = (bytes) => `${Math.round(bytes / 1048576)} MB`;

async function send(files) {
  if (!files.length) return;
  problem = "";
  await follow(() => api.upload(files, wanted));
}

/** Start a job and draw its progress until it ends. */
async function follow(start) {
  let job;
  try {
    job = await start();
    while (true) {
      jobs.set(job.id, job);
      paint();
      if (job.status === "done" || job.status === "failed") break;
      await new Promise((resolve) => setTimeout(resolve, EVERY));
      job = await api.job(job.id);
    }
    await refresh();
  } catch (error) {
    if (!(error instanceof api.ApiError)) throw error;
    problem = error.message || word("unreachable");
    paint();
  }
}

function progress(job) {
  const ended = job.status === "done" || job.status === "failed";
  const stages = word("stages");
  return h("article.job", { ariaBusy: String(!ended) },
    h("div.job-head", {},
      h("strong", {}, ended ? word("jobEnded", job) : stages[job.stage] ?? job.stage),
      h("span.place", {}, ended ? word("jobSeconds", job.seconds) : `${job.done} / ${job.total}`),
      ended ? h("button.quiet", { type: "button", ariaLabel: word("close"), onclick: () => {
        jobs.delete(job.id);
        paint();
      } }, "✕") : ""),
    ended ? "" : h("progress", { max: Math.max(job.total, 1), value: job.done, ariaLabel: stages[job.stage] ?? job.stage }),
    job.error ? h("p.failure", { role: "alert" }, job.error.message) : "",
    job.skipped.length ? h("details", { open: job.skipped.length <= 5 },
      h("summary", {}, word("skipped", job.skipped.length)),
      h("ul.skipped", {}, job.skipped.map(skippedFile))) : "");
}

function skippedFile({ path, reason, code, kept }) {
  const told = said(reason, code);
  const after = told.startsWith(path) ? told.slice(path.length).trim() : told;
  return h("li", { title: reason }, h("strong", {}, path), ` ${word("skippedFile", after, kept)}`);
}

function table() {
  if (!state.documents.length) return h("p.note.empty", {}, word("noDocuments"), " ", h("code.command", {}, "crag ingest FOLDER"));
  if (state.documents.length < MANY) return h("div.rows", {}, rows(state.documents));
  const found = h("div", {}, rows(named(sought)));
  const field = h("input.find", {
    id: "find", type: "search", value: sought, placeholder: word("findDocuments"), ariaLabel: word("findDocuments"), autocomplete: "off",
    oninput: () => {
      sought = field.value;
      found.replaceChildren(...rows(named(sought)));
    },
  });
  return h("div.rows", {}, field, found);
}

/** The documents whose title, source and collection hold every word of `text`. */
function named(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return state.documents.filter((each) => words.every((one) => `${each.title} ${each.source} ${each.collection}`.toLowerCase().includes(one)));
}

function rows(documents) {
  if (!documents.length) return [h("p.note", { role: "status" }, word("noneFound"))];
  const several = state.collections.length > 1;
  return [
    h("ul.documents", {}, documents.slice(0, MOST).map((each) => h("li", {},
      h("button.open", { type: "button", onclick: () => showDocument(each.id) },
        h("span.kind", {}, kind(each)),
        h("span.name", {}, each.title || each.source),
        h("span.place", {}, [each.source, several ? each.collection : ""].filter(Boolean).join(" · "))),
      h("span.row-actions", {},
        h("button.quiet", { type: "button", ariaLabel: `${word("chunks")}: ${each.source}`, onclick: () => showChunks(each) }, word("chunks")),
        h("button.quiet", { type: "button", ariaLabel: `${word("readAgain")}: ${each.source}`, onclick: () => follow(() => api.readAgain(each.id)) }, word("readAgain")),
        h("button.quiet.danger", { type: "button", ariaLabel: `${word("delete")}: ${each.source}`, onclick: () => remove(each) }, word("delete")))))),
    documents.length > MOST ? h("p.note", {}, word("moreDocuments", documents.length - MOST)) : "",
  ];
}

async function remove(each) {
  if (!confirm(word("deleteSure", each.source))) return;
  problem = "";
  try {
    await api.deleteDocument(each.id);
    await refresh();
  } catch (error) {
    if (!(error instanceof api.ApiError)) throw error;
    problem = error.message || word("unreachable");
    paint();
  }
}

async function showChunks(each) {
  problem = "";
  await openTab(api.chunkView(each.id), (message) => (problem = message));
  paint();
}

function kind(each) {
  const suffix = each.source.split(".").pop();
  return suffix.length <= 5 ? suffix.toUpperCase() : "WEB";
}
