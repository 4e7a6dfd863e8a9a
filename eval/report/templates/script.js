const cases = document.querySelectorAll("details");
const setAll = (open) => cases.forEach((entry) => { entry.open = open; });
document.querySelectorAll("[data-open-all]").forEach((button) => {
  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(open));
    button.textContent = open ? "Close all" : "Open all";
    setAll(open);
  });
});
// Paper gets every question's line, and the answers of those that the reader has opened.
addEventListener("beforeprint", () => document.querySelectorAll("details.rest").forEach((entry) => { entry.open = true; }));
