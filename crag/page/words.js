// The words of the interface, in the language chosen.
import en from "./words-en.js";
import zh from "./words-zh.js";

const WORDS = { en, zh };

let current = localStorage.getItem("language") || (navigator.language.startsWith("zh") ? "zh" : "en");

export const language = () => current;

/** The word `name`, called with `values` where it needs any. */
export function word(name, ...values) {
  const found = WORDS[current][name];
  return typeof found === "function" ? found(...values) : found;
}

/** What the server said in English, in the language chosen where this page has a sentence for its `code` or for itself. */
export const said = (sentence, code) => WORDS[current].codes[code] ?? WORDS[current].sentences[sentence] ?? sentence;

export function switchLanguage() {
  current = current === "en" ? "zh" : "en";
  localStorage.setItem("language", current);
}

/** Put the words into every element of `root` that asks for one. */
export function translate(root = document) {
  document.documentElement.lang = current === "zh" ? "zh-CN" : "en";
  for (const element of root.querySelectorAll("[data-text]")) element.textContent = word(element.dataset.text);
  for (const element of root.querySelectorAll("[data-placeholder]")) element.placeholder = word(element.dataset.placeholder);
  for (const element of root.querySelectorAll("[data-title]")) element.title = word(element.dataset.title);
  for (const element of root.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", word(element.dataset.label));
    if (element.tagName === "BUTTON") element.title = word(element.dataset.label);
  }
}
