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
addEventListener("beforeprint", () => setAll(true));
