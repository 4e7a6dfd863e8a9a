// Reports and chunk views open in tabs of their own, by a ticket that the server gives out for a few minutes.
import { ApiError } from "./api.js";
import { word } from "./words.js";

/** Open the address that `reply` resolves to. The tab is opened at once: after a wait, browsers would block it. */
export async function openTab(reply, failed) {
  const tab = window.open("", "_blank");
  try {
    const { url } = await reply;
    if (tab) tab.location = new URL(url, location.href);
    else failed(word("blocked"));
  } catch (error) {
    tab?.close();
    if (!(error instanceof ApiError)) throw error;
    failed(error.message || word("unreachable"));
  }
}
