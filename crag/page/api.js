// Talking to the server: JSON calls, and chat completions as server-sent events.
import { said } from "./words.js";

export const key = () => sessionStorage.getItem("key");

export const useKey = (value) => sessionStorage.setItem("key", value);

/** A refusal or failure that the server told of; `status` is 0 where it could not be reached. */
export class ApiError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

async function call(path, options = {}) {
  const headers = options.body instanceof FormData ? {} : { "Content-Type": "application/json" };
  if (key()) headers.Authorization = `Bearer ${key()}`;
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("", 0);
  }
  if (!response.ok) {
    const body = await response.json().catch(() => ({}));
    throw new ApiError(body.error ? said(body.error.message, body.error.code) : `${response.status}`, response.status);
  }
  return response;
}

const json = async (path, options) => (await call(path, options)).json();
const list = async (path) => (await json(path)).data;
const documentPath = (id) => `v1/documents/${encodeURIComponent(id)}`;

export const info = () => json("v1/info");
export const models = () => list("v1/models");
export const collections = () => list("v1/collections");
export const documents = () => list("v1/documents");
export const readDocument = (id) => json(documentPath(id));
export const deleteDocument = (id) => json(documentPath(id), { method: "DELETE" });
/** Read the document's file again; resolves to a job. */
export const readAgain = (id) => json(`${documentPath(id)}/reingest`, { method: "POST" });
export const chunkView = (id) => json(`${documentPath(id)}/chunk-view`);
export const job = (id) => json(`v1/jobs/${encodeURIComponent(id)}`);
export const jobs = () => list("v1/jobs");
export const evaluations = () => json("v1/evals");
export const evaluation = (id) => json(`v1/evals/${encodeURIComponent(id)}`);
export const comparison = (base, candidate) => json(`v1/evals/compare?${new URLSearchParams({ base, candidate })}`);
export const feedback = (answer, rating, comment) =>
  json("v1/feedback", { method: "POST", body: JSON.stringify({ answer, rating, comment: comment || null }) });

/** Send files, each named by its path inside the folder it came from; resolves to a job. */
export function upload(files, collection) {
  const form = new FormData();
  for (const { file, name } of files) form.append("files", file, name);
  if (collection) form.append("collection", collection);
  return json("v1/documents", { method: "POST", body: form });
}

/** Stream an answer: `on.id(id)`, `on.progress(line)`, `on.text(delta)`, `on.answer(shape)`. Resolves when it is complete. */
export async function ask(model, messages, collection, on, signal) {
  const filters = collection ? { collection } : undefined;
  const body = JSON.stringify({ model, messages, stream: true, crag: { trace: true, filters } });
  const response = await call("v1/chat/completions", { method: "POST", body, signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    let part;
    try {
      part = await reader.read();
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new ApiError("", 0);
    }
    if (part.done) throw new ApiError("", 0);
    buffer += part.value;
    const events = buffer.split("\n\n");
    buffer = events.pop();
    for (const event of events) {
      const data = event.split("\n").find((line) => line.startsWith("data: "))?.slice(6);
      if (!data) continue;
      if (data === "[DONE]") return;
      const chunk = JSON.parse(data);
      if (chunk.error) throw new ApiError(said(chunk.error.message, chunk.error.code), 500);
      on.id(chunk.id);
      if (chunk.crag) on.answer(chunk.crag);
      const delta = chunk.choices[0]?.delta ?? {};
      if (delta.reasoning_content) on.progress(delta.reasoning_content);
      if (delta.content) on.text(delta.content);
    }
  }
}
