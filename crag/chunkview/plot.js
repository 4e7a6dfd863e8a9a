// The overview: similarity curve, threshold and cuts above two strips of sentences.

const PLOT = { curve: 120, strip: 26, gap: 10, label: 14 };

function svg(name, attributes, parent) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent?.append(element);
  return element;
}

// x of an offset: each unit is as wide as its tokens.
function scale(units, width) {
  const sums = total(units.map((unit) => Math.max(1, unit[5])));
  const whole = sums.at(-1) || 1;
  return (offset) => {
    let low = 0, high = units.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (units[middle][1] <= offset) low = middle + 1;
      else high = middle;
    }
    if (low === units.length) return width;
    const [start, end] = units[low], inside = Math.max(0, Math.min(1, (offset - start) / Math.max(1, end - start)));
    return ((sums[low] + inside * (sums[low + 1] - sums[low])) / whole) * width;
  };
}

// groups: [{starts: offsets after each gap, scores, line, cuts}], strips: [[chunks, name]]
function drawPlot(place, data, groups, strips, words, choose) {
  const width = Math.max(place.clientWidth - 2, Math.min(60000, data.units.length * 7));
  const x = scale(data.units, width), top = PLOT.label, bottom = top + PLOT.curve;
  const height = bottom + strips.length * (PLOT.strip + PLOT.gap + PLOT.label);
  const root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words.plotHelp });
  const values = groups.flatMap((group) => (group.line === null ? group.scores : [...group.scores, group.line]));
  const least = Math.min(...values), most = Math.max(...values);
  const y = (value) => bottom - 6 - ((value - least) / (most - least || 1)) * (PLOT.curve - 12);
  svg("rect", { class: "ground", x: 0, y: top, width, height: PLOT.curve }, root);
  for (const { starts, scores, line, cuts } of groups) {
    if (!scores.length) continue;
    const points = scores.map((score, i) => `${x(starts[i]).toFixed(1)},${y(score).toFixed(1)}`);
    svg("polyline", { class: "curve", points: points.join(" ") }, root);
    if (points.length === 1) svg("circle", { class: "dot", cx: x(starts[0]), cy: y(scores[0]), r: 2 }, root);
    if (line !== null) {
      const from = Math.max(0, x(starts[0]) - 6), to = x(starts.at(-1)) + 6;
      svg("line", { class: "threshold", x1: from, x2: to, y1: y(line), y2: y(line) }, root);
    }
    for (const cut of cuts) svg("circle", { class: "at-cut", cx: x(starts[cut]), cy: y(scores[cut]), r: 3.5 }, root);
  }
  if (values.length) {
    for (const [value, at] of [[most, top + 11], [least, bottom - 3]]) {
      svg("text", { class: "scale", x: 4, y: at }, root).textContent = value.toFixed(2);
    }
  }
  const seams = data.units.map((unit) => x(unit[0]).toFixed(1));
  strips.forEach(([chunks, name, side], row) => {
    const up = bottom + PLOT.gap + row * (PLOT.strip + PLOT.gap + PLOT.label);
    svg("text", { class: "scale", x: 4, y: up + 10 }, root).textContent = name;
    chunks.forEach((chunk, i) => {
      const left = x(chunk.start), right = x(chunk.end);
      const box = svg("rect", {
        class: `c${i % 6} box`, x: left, y: up + PLOT.label, width: Math.max(1, right - left - 1.5), height: PLOT.strip, rx: 3,
      }, root);
      box.addEventListener("click", () => choose(side, i));
      svg("title", {}, box).textContent = words.chunk(i + 1, chunks.length);
      if (row === 0 && i) svg("line", { class: "cut", x1: left, x2: left, y1: top, y2: up + PLOT.label }, root);
    });
    const low = up + PLOT.label, high = low + PLOT.strip;
    svg("path", { class: "seams", d: seams.map((at) => `M${at} ${low + 7}V${high - 7}`).join("") }, root);
  });
  place.replaceChildren(root);
}
