// The page itself: controls to settings, settings to chunks, chunks to text and figures. All text goes in as text.

const $ = (selector) => document.querySelector(selector);
const data = JSON.parse($("#data").textContent);
const FIRST = {
  strategy: data.config.strategy, method: data.config.breakpoint, window: data.config.window,
  min: data.config.min_tokens, target: data.config.target_tokens, max: data.config.max_tokens,
  overlap: data.config.overlap, bound: data.config.threshold ?? data.bounds[data.config.breakpoint],
};
const STRATEGIES = ["hybrid", "paragraph", "semantic", "sentence", "fixed"];
const RANGES = {
  threshold: [0, 1, 0.01], percentile: [50, 100, 1], stddev: [0, 3, 0.05], iqr: [0, 3, 0.05], gradient: [50, 100, 1],
  depth: [-1, 3, 0.05], optimal: [0.2, 3, 0.2],
};
const settings = { ...FIRST };
let words = WORDS[navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en"];
let cut = { chosen: [], fixed: [] };
let selected = { side: "chosen", index: -1 };

// Offsets are code points, JavaScript counts UTF-16 units.
const places = [0];
for (const character of data.text) places.push(places.at(-1) + character.length);
data.at = (start, end) => data.text.slice(places[start], places[end]);

const given = data.chunks.map(([start, end, tokens, forced, path, context, parent]) => ({ start, end, tokens, forced, path, context, parent, exact: true }));
const atFirst = () => Object.keys(FIRST).every((key) => settings[key] === FIRST[key]);

function chosenChunks() {
  if (atFirst() || !STRATEGIES.includes(settings.strategy)) return given;
  return cutDocument(data, settings);
}

function headingPath(chunk) {
  const inside = data.blocks.filter(([, start, end]) => start < chunk.end && end > chunk.start);
  const content = inside.filter(([kind]) => kind !== "heading");
  const paths = (content.length ? content : inside).map((block) => data.paths[block[3]]);
  if (!paths.length) return [];
  let depth = 0;
  while (paths.every((path) => depth < path.length && path[depth] === paths[0][depth])) depth++;
  return paths[0].slice(0, depth);
}

const tornBy = (chunks) => {
  const inside = (offset) => {
    let low = 0, high = data.units.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (data.units[middle][1] <= offset) low = middle + 1;
      else high = middle;
    }
    return low < data.units.length && data.units[low][0] < offset;
  };
  return chunks.filter((chunk, i) => i && inside(chunk.start)).length;
};

function render() {
  cut = {
    chosen: chosenChunks(),
    fixed: cutDocument(data, { ...settings, strategy: "fixed", overlap: 0 }),
  };
  showControls();
  showFacts();
  showPlot();
  for (const side of ["chosen", "fixed"]) showText(side);
  if (selected.index >= cut[selected.side].length) selected.index = -1;
  showSelected(false);
  $("#settings pre").textContent = yaml();
}

function showControls() {
  const measured = measure(data, settings), known = STRATEGIES.includes(settings.strategy);
  const after = groupUnits(data, settings, measured, false)
    .flatMap((group) => group.ranges.slice(1).map(([a]) => measured.units[a].start));
  const estimated = after.length !== data.gaps.starts.length || after.some((start, i) => start !== data.gaps.starts[i]);
  const semantic = settings.strategy === "semantic";
  const used = {
    method: semantic, bound: semantic, window: true, min: known && settings.strategy !== "fixed", target: known, max: known,
  };
  const [low, high, step] = RANGES[settings.method];
  const limits = {
    bound: [Math.min(low, settings.bound), Math.max(high, settings.bound), step], window: [1, 5, 1],
    min: [0, Math.max(256, FIRST.min), 4], target: [data.least.target, Math.max(512, FIRST.target), 4],
    max: [data.least.max, Math.max(1024, FIRST.max), 8],
  };
  for (const [name, [least, most, by]] of Object.entries(limits)) {
    const input = $(`#${name}`);
    Object.assign(input, { min: least, max: most, step: by, disabled: !used[name] });
    // The slider in use is ahead of the settings: writing to it would take a step back.
    if (input !== document.activeElement) input.value = settings[name];
    $(`output[for=${name}]`).textContent = String(settings[name]);
  }
  $("#strategy").value = settings.strategy;
  $("#method").value = settings.method;
  $("#method").disabled = !used.method;
  $("#reset").disabled = atFirst();
  $("#hint").textContent = (cut.chosen.length ? words.hint : words.empty) + (known ? "" : ` ${words.given}`) +
    (semantic && estimated ? words.unsure : "");
}

function showFacts() {
  const rows = ["chosen", "fixed"].map((side) => {
    const chunks = cut[side], sizes = chunks.map((chunk) => chunk.tokens);
    const middle = sizes.length ? Math.round(mean(sizes)) : 0;
    const range = sizes.length ? `${sizes.reduce((a, b) => Math.min(a, b))} – ${sizes.reduce((a, b) => Math.max(a, b))}` : "–";
    const row = document.createElement("tr");
    const name = side === "chosen" ? `${words.chosen}: ${settings.strategy}` : words.fixed;
    [name, chunks.length, middle, range, tornBy(chunks)].forEach((value, i) => {
      const cell = document.createElement(i ? "td" : "th");
      cell.textContent = value;
      row.append(cell);
    });
    return row;
  });
  $("#facts tbody").replaceChildren(...rows);
}

function plotGroups() {
  const measured = measure(data, settings);
  return groupUnits(data, settings, measured, false).map((group) => {
    const starts = group.ranges.slice(1).map(([a]) => measured.units[a].start);
    const similarities = groupSimilarities(data, settings, measured, group);
    const found = settings.strategy === "semantic"
      ? findCuts(data, settings, measured, group, similarities) : { scores: similarities, line: null, cuts: [] };
    return { starts, ...found };
  });
}

function showPlot() {
  const named = settings.strategy === "semantic" && words[settings.method];
  $("#curve-name").textContent = named || words.similarity(settings.window);
  drawPlot($("#plot"), data, plotGroups(), [
    [cut.chosen, words.chosen, "chosen"], [cut.fixed, words.fixed, "fixed"],
  ], words, (side, index) => select(side, index));
}

function showText(side) {
  const chunks = cut[side], parts = [];
  let end = 0;
  const between = (until) => {
    const text = data.at(end, Math.max(end, until));
    if (!text.trim()) return parts.push(text);
    const left = document.createElement("span");
    left.className = "left";
    left.title = words.left;
    left.textContent = text;
    parts.push(left);
  };
  chunks.forEach((chunk, i) => {
    between(chunk.start);
    const element = document.createElement("span");
    element.className = `chunk c${i % 6}`;
    element.dataset.index = i;
    element.setAttribute("role", "button");
    element.tabIndex = i === (selected.side === side ? Math.max(0, selected.index) : 0) ? 0 : -1;
    const badge = document.createElement("b");
    badge.textContent = i + 1;
    element.append(badge, data.at(Math.max(chunk.start, end), Math.max(chunk.end, end)));
    parts.push(element);
    end = Math.max(end, chunk.end);
  });
  between(places.length - 1);
  $(`#${side} .text`).replaceChildren(...parts);
  $(`#${side} h2`).textContent = side === "chosen" ? `${words.chosen}: ${settings.strategy}` : words.fixed;
}

function select(side, index, focus = true) {
  selected = { side, index };
  document.body.dataset.side = side;
  showSelected(true);
  const element = $(`#${side} [data-index="${index}"]`);
  if (focus) element?.focus({ preventScroll: true });
  if (element) bringIntoView(element, element.closest(".text"));
}

function bringIntoView(element, box) {
  const inner = element.getBoundingClientRect(), outer = box.getBoundingClientRect();
  if (inner.top < outer.top || inner.bottom > outer.bottom) box.scrollTop += inner.top - outer.top - 12;
}

function showSelected(marked) {
  for (const element of document.querySelectorAll(".chunk.selected")) element.classList.remove("selected");
  for (const element of document.querySelectorAll(`#${selected.side} .chunk`)) {
    element.tabIndex = Number(element.dataset.index) === Math.max(0, selected.index) ? 0 : -1;
  }
  const element = selected.index >= 0 && $(`#${selected.side} [data-index="${selected.index}"]`);
  if (element) element.classList.add("selected");
  if (marked || selected.index >= 0) describe(selected.side, selected.index);
  else $("#details").replaceChildren();
  for (const button of document.querySelectorAll("#sides button")) {
    button.textContent = words[button.dataset.side];
    button.setAttribute("aria-pressed", String(button.dataset.side === document.body.dataset.side));
  }
}

function describe(side, index) {
  const chunk = cut[side][index];
  if (!chunk) return $("#details").replaceChildren();
  const path = (chunk.path ?? headingPath(chunk)).join(" › ") || words.nothing;
  const page = data.pages.filter((start) => start <= chunk.start).length;
  const facts = [
    chunk.exact ? words.exact(chunk.tokens) : words.tokens(chunk.tokens), words.offsets(chunk.start, chunk.end),
    ...(page ? [words.page(page)] : []), ...(chunk.forced ? [words.forced] : []),
  ];
  const name = document.createElement("strong"), where = document.createElement("span"), rest = document.createElement("span");
  name.textContent = `${words[side]} · ${words.chunk(index + 1, cut[side].length)}`;
  rest.textContent = facts.join(" · ");
  where.textContent = path;
  where.className = "path";
  $("#details").replaceChildren(name, rest, where);
}

function yaml() {
  const lines = [
    "chunking:", `  strategy: ${settings.strategy}`, `  min_tokens: ${settings.min}`,
    `  target_tokens: ${settings.target}`, `  max_tokens: ${settings.max}`,
  ];
  if (settings.strategy === "semantic") {
    lines.push(`  breakpoint: ${settings.method}`, `  threshold: ${settings.bound}`, `  window: ${settings.window}`);
  }
  return lines.join("\n");
}

function setWords() {
  document.documentElement.lang = words === WORDS.zh ? "zh-CN" : "en";
  for (const element of document.querySelectorAll("[data-word]")) element.textContent = words[element.dataset.word];
  $("#language").textContent = words.other;
  $("#plot").title = words.plotHelp;
  $("h1").textContent = data.title || data.source;
  $("#about").textContent = words.about({ source: data.source, characters: places.length - 1, sentences: data.units.length });
  for (const name of ["bound", "window", "min", "target", "max"]) $(`#${name}`).setAttribute("aria-label", $(`#${name}`).closest("label").firstElementChild.textContent);
  render();
}

let waiting = false;
function renderSoon() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; render(); });
}

for (const name of new Set([...STRATEGIES, FIRST.strategy])) $("#strategy").append(new Option(name, name));
for (const name of Object.keys(RANGES)) $("#method").append(new Option(name, name));
$("#controls").addEventListener("submit", (event) => event.preventDefault());
$("#controls").addEventListener("input", ({ target }) => {
  const value = target.type === "range" ? Number(target.value) : target.value;
  settings[target.id] = value;
  if (target.id === "method") settings.bound = value === FIRST.method ? FIRST.bound : data.bounds[value];
  if (target.id === "min") settings.target = Math.max(settings.target, value);
  if (target.id === "max") settings.target = Math.min(settings.target, value);
  if (target.id === "target") settings.max = Math.max(settings.max, value);
  settings.min = Math.min(settings.min, settings.target);
  settings.max = Math.max(settings.max, settings.target);
  renderSoon();
});
$("#reset").addEventListener("click", () => { Object.assign(settings, FIRST); render(); });
$("#language").addEventListener("click", () => { words = words === WORDS.zh ? WORDS.en : WORDS.zh; setWords(); });
$("#sides").addEventListener("click", ({ target }) => {
  if (!target.dataset.side) return;
  document.body.dataset.side = target.dataset.side;
  selected = { side: target.dataset.side, index: -1 };
  showSelected(false);
});
$("main").addEventListener("click", ({ target }) => {
  const chunk = target.closest(".chunk");
  if (chunk) select(chunk.closest("section").id, Number(chunk.dataset.index));
});
$("main").addEventListener("pointerover", ({ target }) => {
  const chunk = target.closest(".chunk");
  if (chunk) describe(chunk.closest("section").id, Number(chunk.dataset.index));
});
$("main").addEventListener("pointerleave", () => describe(selected.side, selected.index));
$("main").addEventListener("keydown", (event) => {
  const chunk = event.target.closest(".chunk");
  if (!chunk) return;
  const side = chunk.closest("section").id, last = cut[side].length - 1, at = Number(chunk.dataset.index);
  const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last, Enter: at, " ": at }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  select(side, Math.min(last, Math.max(0, to)));
});
addEventListener("resize", renderSoon);
setWords();
