// What several views look at: filled from the server, and filled anew after an upload or a deletion.
import * as api from "./api.js";

export const state = { models: [], documents: [], collections: [] };

const listeners = [];
let filled;

/** Resolves when the server has answered for the first time. */
export const ready = new Promise((resolve) => (filled = resolve));

/** `redraw` runs after every refresh. */
export const onRefresh = (redraw) => listeners.push(redraw);

export async function refresh() {
  [state.models, state.documents, state.collections] = await Promise.all([api.models(), api.documents(), api.collections()]);
  for (const redraw of listeners) redraw();
  filled();
}
