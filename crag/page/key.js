// The dialog that asks for the server's key.
import { useKey } from "./api.js";
import * as history from "./history.js";

const dialog = document.getElementById("key-dialog");
const field = document.getElementById("key");
let asking = null;

/** Ask for the key; resolves when the dialog closes. Two questions at once share one dialog. */
export function askForKey() {
  asking ??= new Promise((resolve) => {
    dialog.showModal();
    dialog.addEventListener("close", () => {
      if (field.value) {
        useKey(field.value);
        history.close(); // It shows what belongs to the key before.
      }
      field.value = "";
      asking = null;
      resolve();
    }, { once: true });
  });
  return asking;
}
