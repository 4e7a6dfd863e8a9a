// Talking to the server: JSON calls, and chat completions as server-sent events.
const key = () => sessionStorage.getItem("key");

export const useKey = (value) => sessionStorage.setItem("key", value);

/** A refusal or failure that the server told of; `status` is 0 where it could not be reached. */
export class ApiError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

async function call(path, options = {}) {
  const headers = { "Content-Type": "application/json" };
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
    throw new ApiError(body.error?.message ?? `${response.status}`, response.status);
  }
  return response;
}

export const models = async () => (await (await call("v1/models")).json()).data;
export const documents = async () => (await (await call("v1/documents")).json()).data;
export const document_ = async (id) => (await call(`v1/documents/${encodeURIComponent(id)}`)).json();

/** Stream an answer: `on.progress(line)`, `on.text(delta)`, `on.answer(shape)`. Resolves when the stream is complete. */
export async function ask(model, messages, on, signal) {
  const body = JSON.stringify({ model, messages, stream: true, crag: { trace: true } });
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
      if (!event.startsWith("data: ")) continue;
      const data = event.slice(6);
      if (data === "[DONE]") return;
      const chunk = JSON.parse(data);
      if (chunk.error) throw new ApiError(chunk.error.message, 500);
      if (chunk.crag) on.answer(chunk.crag);
      const delta = chunk.choices[0]?.delta ?? {};
      if (delta.reasoning_content) on.progress(delta.reasoning_content);
      if (delta.content) on.text(delta.content);
    }
  }
}
