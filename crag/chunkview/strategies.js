// What chunking/strategies does, over units that were measured when the page was made.
// Same names, same order of operations: floating-point sums must agree to the last bit.

const total = (counts) => counts.reduce((sums, count) => (sums.push(sums.at(-1) + count), sums), [0]);
const sum = (list, from = 0, to = list.length) => { let s = 0; for (let i = from; i < to; i++) s += list[i]; return s; };
const samePath = (a, b, depth) => a.slice(0, depth).join("\0") === b.slice(0, depth).join("\0");

// chunks: [{start, end, tokens, forced}], in order; s: strategy, target, min, max, overlap, method, bound, window
function cutDocument(data, s) {
  const measured = measure(data, s);
  if (s.strategy === "fixed") return fixed(data, s, measured);
  const semantic = s.strategy === "semantic";
  const pieces = groupUnits(data, s, measured, !semantic).flatMap((group) =>
    toPieces(measured, group, CUTS[s.strategy](data, s, measured, group), s.overlap));
  return joinSections(data, measured, pieces, s.min).flatMap((piece) => {
    const { units } = measured;
    const forced = units[piece.first].forced || (piece.last < units.length && units[piece.last].forced);
    return trimmed(data, { start: units[piece.first].start, end: units[piece.last - 1].end, tokens: piece.size, forced });
  });
}

function trimmed(data, chunk) {
  const text = data.at(chunk.start, chunk.end), kept = text.trim();
  if (!kept) return [];
  const start = chunk.start + [...text.slice(0, text.indexOf(kept))].length;
  return [{ ...chunk, start, end: start + [...kept].length }];
}

const CUTS = {
  hybrid: (data, s, measured, group) =>
    pack(group, Math.min(s.target, group.cap), Math.min(s.min, group.cap)),
  sentence: (data, s, measured, group) => keepAntecedents(
    data, mergeSmall(packGreedily(group, s.target, 0, group.ranges.length), group, s.min), measured, group, s.min),
  paragraph: (data, s, measured, group) => {
    const chosen = paragraphs(measured, group).flatMap(([first, last]) =>
      sum(group.tokens, first, last) + group.extra[first] <= group.cap
        ? [[first, last]] : packGreedily(group, s.target, first, last));
    return keepAntecedents(data, mergeSmall(chosen, group, s.min), measured, group, s.min);
  },
  semantic: (data, s, measured, group) => {
    const similarities = groupSimilarities(data, s, measured, group);
    const starts = new Set([0]);
    for (const cut of findCuts(data, s, measured, group, similarities).cuts) starts.add(cut + 1);
    group.ranges.forEach(([a], i) => { if (i && measured.units[a].kind === "heading") starts.add(i); });
    const sorted = [...starts].sort((a, b) => a - b);
    let segments = sorted.map((start, i) => [start, sorted[i + 1] ?? group.ranges.length]);
    segments = mergeAlike(splitLarge(segments, group, similarities, s.min), group, similarities, s.min);
    return keepAntecedents(data, segments, measured, group, s.min);
  },
};

function measure(data, s) {
  const limit = Math.floor(s.max / 3);
  const context = data.contexts.map((counts) => counts.find((tokens) => tokens <= limit) ?? 0);
  const heads = new Map();
  for (const [block, tokens, end] of data.heads) {
    if (tokens + context[data.blocks[block][3]] <= Math.floor(s.max / 2)) heads.set(block, { tokens, end });
  }
  const head = (unit) => {
    const found = unit.kind === "row" && heads.get(unit.block);
    return found && unit.start >= found.end ? found.tokens : 0;
  };
  const budget = (unit) => Math.max(1, s.max - context[data.blocks[unit.block][3]] - head(unit) - 1);
  const units = [];
  data.units.forEach(([start, end, block, kind, cost, tokens], i) => {
    const unit = { start, end, block, kind, cost, tokens };
    const room = budget(unit);
    const parts = tokens <= room ? [[start, end, tokens]] : leaves(data.pieces[i] ?? [], Math.min(room, s.target));
    parts.forEach(([from, to, count], k) => units.push({
      start: from, end: to, block, kind, cost: k ? data.costs.word : cost, tokens: count,
      forced: k > 0 || (kind === "line" && cost >= data.costs.code),
    }));
  });
  const smallest = Math.max(1, s.max - Math.max(0, ...context) - Math.max(0, ...[...heads.values()].map((h) => h.tokens)) - 1);
  return { units, head, budget, smallest };
}

const leaves = (pieces, limit) => pieces.flatMap((piece) =>
  piece[2] <= limit || !piece[3].length ? [piece] : leaves(piece[3], limit));

function groupUnits(data, s, measured, coalesce) {
  const { units } = measured;
  const groups = [];
  let first = 0, content = null;
  units.forEach((unit, i) => {
    const [kind, , , path, follows] = data.blocks[unit.block];
    const apart = content !== null && !together(data.paths[content], data.paths[path]);
    if (i > first && (apart || (unit.block > units[i - 1].block && !follows))) {
      groups.push(makeGroup(data, s, measured, first, i, coalesce));
      first = i;
      content = null;
    }
    if (kind !== "heading") content = path;
  });
  if (units.length) groups.push(makeGroup(data, s, measured, first, units.length, coalesce));
  return groups;
}

const together = (a, b) =>
  samePath(a, b, Infinity) || (a.length >= 2 && b.length >= 2 && samePath(a, b, 2));

function makeGroup(data, s, measured, first, last, coalesce) {
  const { units } = measured;
  let cap = Infinity;
  for (let i = first; i < last; i++) cap = Math.min(cap, measured.budget(units[i]) + measured.head(units[i]));
  const group = { ranges: [], tokens: [], costs: [], extra: [], cap };
  for (let at = first; at < last;) {
    let stop = at + 1, size = units[at].tokens;
    while (size <= cap && stop < last && units[stop].cost >= data.costs.code) size += units[stop++].tokens;
    if (size > cap) [stop, size] = shorten(units, at, stop, cap, s.target);
    else if (coalesce && stop === at + 1) [stop, size] = coalesced(data, units, at, last, s.target);
    group.ranges.push([at, stop]);
    group.tokens.push(size);
    group.costs.push(units[at].cost);
    group.extra.push(measured.head(units[at]));
    at = stop;
  }
  return group;
}

function shorten(units, at, stop, cap, target) {
  let size = units[at].tokens;
  for (let i = at + 1; i < stop; i++) {
    const more = size + units[i].tokens;
    const glued = units[i - 1].kind === "heading" || units[i - 1].kind === "row";
    if (more > cap || (!glued && more > Math.floor(target / 4))) return [i, size];
    size = more;
  }
  return [stop, size];
}

function coalesced(data, units, at, last, target) {
  let stop = at + 1, size = units[at].tokens;
  while (
    stop < last && units[stop].block === units[at].block && units[stop].cost < data.costs.code
    && size + units[stop].tokens <= Math.floor(target / 10)
    && (stop + 1 === last || units[stop + 1].cost < data.costs.code)
  ) size += units[stop++].tokens;
  return [stop, size];
}

function pack(group, target, minimum) {
  const { tokens, costs, extra, cap } = group, n = tokens.length, sums = total(tokens);
  const small = 10 + cap / target;
  const sizeCost = (size) => (size - target) ** 2 / (target * Math.max(size, target));
  const best = new Float64Array(n + 1), begin = new Int32Array(n + 1);
  for (let i = 1; i <= n; i++) {
    let lowest = Infinity, chosen = i - 1;
    for (let j = i - 1; j >= 0; j--) {
      const size = sums[i] - sums[j];
      if (size > cap) {
        if (j === i - 1) lowest = best[j] + costs[j] + sizeCost(size);
        break;
      }
      if (size + extra[j] > cap && j < i - 1) continue;
      const cost = best[j] + costs[j] + (sizeCost(size) + (size < minimum ? small : 0));
      if (cost <= lowest) { lowest = cost; chosen = j; }
    }
    best[i] = lowest;
    begin[i] = chosen;
  }
  const ranges = [];
  for (let at = n; at; at = begin[at]) ranges.unshift([begin[at], at]);
  return ranges;
}

function packGreedily(group, target, from, to) {
  const ranges = [];
  let start = from, size = 0;
  for (let i = from; i < to; i++) {
    const count = group.tokens[i];
    if (i > start && size + count > Math.min(target, group.cap - group.extra[start])) {
      ranges.push([start, i]);
      start = i;
      size = 0;
    }
    size += count;
  }
  if (to > from) ranges.push([start, to]);
  return ranges;
}

// Joins each range below the minimum to the neighbour that `better(before, span, after)` prefers: "before", "after", "".
function merge(ranges, group, minimum, better) {
  const sums = total(group.tokens);
  const size = (span) => sums[span[1]] - sums[span[0]];
  const both = (a, b) => (a && b && size(a) + size(b) + group.extra[a[0]] <= group.cap ? size(a) + size(b) : null);
  const merged = [], waiting = [...ranges].reverse();
  while (waiting.length) {
    const span = waiting.pop(), before = merged.at(-1), after = waiting.at(-1);
    const side = size(span) >= minimum ? "" : better(both(before, span), both(span, after), span, after);
    if (side === "before") merged[merged.length - 1] = [before[0], span[1]];
    else if (side === "after") waiting[waiting.length - 1] = [span[0], after[1]];
    else merged.push(span);
  }
  return merged;
}

const mergeSmall = (ranges, group, minimum) => merge(ranges, group, minimum, (withBefore, withAfter) => {
  if (withBefore === null && withAfter === null) return "";
  return withBefore !== null && withBefore <= (withAfter ?? group.cap + 1) ? "before" : "after";
});

const mergeAlike = (ranges, group, similarities, minimum) =>
  merge(ranges, group, minimum, (withBefore, withAfter, span, after) => {
    const toBefore = withBefore === null ? -Infinity : similarities[span[0] - 1];
    const toAfter = withAfter === null ? -Infinity : similarities[after[0] - 1];
    if (Math.max(toBefore, toAfter) === -Infinity) return "";
    return toBefore >= toAfter ? "before" : "after";
  });

function keepAntecedents(data, chosen, measured, group, minimum) {
  const { code, back } = data.costs, ranges = [...chosen];
  for (let number = 1; number < ranges.length; number++) {
    const [before, start] = ranges[number - 1], end = ranges[number][1], moved = start - 1;
    if (
      back <= group.costs[start] && group.costs[start] < code && moved > before
      && measured.units[group.ranges[moved][0]].kind === "sentence" && group.costs[moved] < back
      && sum(group.tokens, moved, end) + group.extra[moved] <= group.cap
      && sum(group.tokens, before, moved) >= minimum
    ) {
      ranges[number - 1] = [before, moved];
      ranges[number] = [moved, end];
    }
  }
  return ranges;
}

function paragraphs(measured, group) {
  const ranges = [];
  let last = -1;
  group.ranges.forEach(([, stop], i) => {
    const { block } = measured.units[stop - 1];
    if (block === last) ranges.at(-1)[1] = i + 1;
    else ranges.push([i, i + 1]);
    last = block;
  });
  return ranges;
}

function splitLarge(segments, group, similarities, minimum) {
  const sums = total(group.tokens), done = [], waiting = [...segments].reverse();
  while (waiting.length) {
    const [first, last] = waiting.pop(), size = sums[last] - sums[first];
    if (last - first === 1 || size + group.extra[first] <= group.cap) {
      done.push([first, last]);
      continue;
    }
    let lowest = Infinity, cut = first + 1;
    for (let place = first + 1; place < last; place++) {
      const before = sums[place] - sums[first];
      const large = Math.min(before, size - before) >= Math.min(minimum, Math.floor(size / 3));
      const cost = similarities[place - 1] + Math.abs(before / size - 0.5) + (large ? 0 : 10);
      if (cost < lowest) { lowest = cost; cut = place; }
    }
    waiting.push([cut, last], [first, cut]);
  }
  return done;
}

function toPieces(measured, group, chosen, overlap) {
  const { units } = measured;
  return chosen.map(([a, b], number) => {
    let start = group.ranges[a][0], size = sum(group.tokens, a, b);
    const stop = group.ranges[b - 1][1], floor = number ? group.ranges[chosen[number - 1][0]][0] : start;
    for (let i = 0; i < overlap; i++) {
      const before = start - 1;
      if (before <= floor || units[before].kind !== "sentence" || units[start].kind !== "sentence") break;
      if (size + units[before].tokens > group.cap) break;
      size += units[before].tokens;
      start = before;
    }
    return { first: start, last: stop, size, room: group.cap - size - group.extra[a] };
  });
}

function joinSections(data, measured, pieces, minimum) {
  const near = (before, after) => {
    const block = (i) => measured.units[i].block;
    const path = (i) => data.paths[data.blocks[block(i)][3]];
    const one = path(before.last - 1), other = path(after.last - 1), first = block(after.first);
    const adjacent = first <= block(before.last - 1) || data.blocks[first][4];
    return adjacent && one.length > 0 && other.length > 0 && one[0] === other[0];
  };
  const joined = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    const opens = joined.length === 1 || (joined.length > 1 && !near(joined.at(-2), last));
    if (
      last && (piece.size < minimum || (opens && last.size < minimum)) && near(last, piece)
      && piece.size <= last.room && last.size <= piece.room
    ) {
      joined[joined.length - 1] = {
        first: last.first, last: piece.last, size: last.size + piece.size,
        room: Math.min(last.room - piece.size, piece.room - last.size),
      };
    } else joined.push(piece);
  }
  return joined;
}

// Topic boundaries: chunking/strategies/breakpoints.py

const gapPlaces = (data) => (data.gaps.places ??= new Map(data.gaps.starts.map((start, i) => [start, i])));

// A gap inside what was one atom when the vectors were made has the same vector on both sides.
const groupSimilarities = (data, s, measured, group) => group.ranges.slice(1).map(([a]) => {
  const place = gapPlaces(data).get(measured.units[a].start);
  return place === undefined ? 1 : data.gaps.similarities[s.window - 1][place];
});

function findCuts(data, s, measured, group, similarities) {
  if (s.method === "optimal") {
    const { bounds, cuts } = data.gaps.optimal;
    const nearest = bounds.reduce((best, bound, i) =>
      Math.abs(bound - s.bound) < Math.abs(bounds[best] - s.bound) ? i : best, 0);
    const chosen = new Set(cuts[nearest]);
    const found = group.ranges.slice(1).flatMap(([a], i) => (chosen.has(measured.units[a].start) ? [i] : []));
    return { cuts: found, scores: similarities, line: null };
  }
  return similarities.length ? METHODS[s.method](similarities, s.bound) : { cuts: [], scores: [], line: null };
}

const where = (scores, line, holds) =>
  ({ scores, line, cuts: scores.flatMap((score, i) => (holds(score, i) ? [i] : [])) });
const below = (scores, line) => where(scores, line, (score) => score < line);
const mean = (list) => sum(list) / list.length;
const deviation = (list) => {
  const middle = mean(list);
  return Math.sqrt(mean(list.map((value) => (value - middle) ** 2)));
};

function quantile(list, percent) {
  const sorted = [...list].sort((a, b) => a - b), at = (percent / 100) * (sorted.length - 1);
  const low = Math.floor(at), share = at - low, a = sorted[low], b = sorted[Math.min(low + 1, sorted.length - 1)];
  return share >= 0.5 ? b - (b - a) * (1 - share) : a + (b - a) * share;
}

const METHODS = {
  threshold: (list, bound) => below(list, bound),
  percentile: (list, bound) => {
    const distances = list.map((value) => 1 - value), least = quantile(distances, bound);
    return { ...where(distances, least, (distance) => distance >= least), scores: list, line: 1 - least };
  },
  stddev: (list, bound) => below(list, mean(list) - bound * deviation(list)),
  iqr: (list, bound) => {
    const first = quantile(list, 25), third = quantile(list, 75);
    return below(list, first - bound * (third - first));
  },
  gradient: (list, bound) => {
    if (list.length < 2) return { cuts: [], scores: [], line: null };
    const distances = list.map((value) => 1 - value), end = list.length - 1;
    const slopes = distances.map((value, i) =>
      i === 0 ? distances[1] - value : i === end ? value - distances[i - 1] : (distances[i + 1] - distances[i - 1]) / 2);
    const least = quantile(slopes, bound);
    return where(slopes, least, (slope) => slope >= least);
  },
  depth: (list, bound) => {
    const left = climb(list), right = climb([...list].reverse()).reverse();
    const depths = list.map((value, i) => left[i] + right[i] - 2 * value);
    const least = mean(depths) + bound * deviation(depths);
    const bottom = (i) => list[i] < (list[i - 1] ?? Infinity) && list[i] <= (list[i + 1] ?? Infinity);
    return where(depths, least, (depth, i) => depth > least && bottom(i));
  },
};

function climb(list) {
  const peaks = [...list];
  for (let i = 1; i < peaks.length; i++) if (list[i - 1] >= list[i]) peaks[i] = peaks[i - 1];
  return peaks;
}

// Windows of a fixed size: chunking/strategies/fixed.py

function fixed(data, s, measured) {
  const window = Math.min(s.target, measured.smallest);
  const step = Math.max(1, window - Math.min(s.overlap, Math.floor(window / 2)));
  const spans = [];
  for (const [bounds, sums] of data.regions) {
    const end = bounds.at(-1), all = sums.at(-1);
    for (let at = 0; ; at += step) {
      const first = placeOf(data, bounds, sums, at);
      const last = at + window >= all ? end : placeOf(data, bounds, sums, at + window);
      spans.push(...trimmed(data, { start: first, end: last, tokens: Math.min(window, all - at), forced: false }));
      if (last >= end) break;
    }
  }
  return spans;
}

const WORD = /^[A-Za-z0-9]$/, ALNUM = /^[\p{L}\p{N}]$/u, MARK = /^[\p{M}\ufe0e\ufe0f\u200d]$/u;
const SKIN = /^[\u{1f3fb}-\u{1f3ff}]$/u, FLAG = /^[\u{1f1e6}-\u{1f1ff}]$/u;

function placeOf(data, bounds, sums, tokens) {
  let index = 0;
  while (index < sums.length - 2 && sums[index + 1] <= tokens) index++;
  const inside = (tokens - sums[index]) / Math.max(1, sums[index + 1] - sums[index]);
  const low = bounds[index], high = bounds[index + 1], place = low + halfEven(inside * (high - low));
  if (!(low < place && place < high)) return place;
  const within = (i) => WORD.test(data.at(i - 1, i)) && ALNUM.test(data.at(i, i + 1));
  let start = place;
  while (start > Math.max(low, place - 24) && within(start)) start--;
  return safeCut(data, low, high, start > low && !within(start) ? start : place);
}

function halfEven(value) {
  const floor = Math.floor(value), rest = value - floor;
  return rest === 0.5 ? floor + (floor % 2) : Math.round(value);
}

function safeCut(data, low, high, at) {
  const joined = (i) => {
    const before = data.at(i - 1, i), after = data.at(i, i + 1);
    return MARK.test(after) || before === "\u200d" || SKIN.test(after) || (FLAG.test(before) && FLAG.test(after));
  };
  const good = (i) => low < i && i < high && !joined(i);
  for (let i = at; i > Math.max(low, at - 32); i--) if (good(i)) return i;
  for (let i = at + 1; i < Math.min(high, at + 32); i++) if (good(i)) return i;
  return Math.min(Math.max(at, low + 1), high - 1);
}
