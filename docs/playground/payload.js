// The payload of a report (ceiba.report.payload) from the arrays of the core and the rows that grew the tree. A test
// compares it with Python's, key by key; numbers that are only displayed are not rounded here.

import { searchCompetitors } from "./core.js";

const QUANTILES = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1];
const BOX = [0, 0.25, 0.5, 0.75, 1];

/** NaN and infinities as null. */
const plainNumbers = (values) => Array.from(values, (v) => (Number.isFinite(v) ? v : null));

/** Quantiles of numbers, interpolated. @param {ArrayLike<number>} values @param {number[]} shares */
function quantiles(values, shares) {
  const sorted = Float64Array.from(values).sort();
  return shares.map((share) => {
    const place = share * (sorted.length - 1), below = Math.floor(place);
    return sorted[below] + (place - below) * (sorted[Math.min(below + 1, sorted.length - 1)] - sorted[below]);
  });
}

function leastAndMost(values) {
  let low = Infinity, high = -Infinity;
  for (const v of values) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return [low, high];
}

const isGap = (column, v) => (column.levels ? v < 0 : !Number.isFinite(v));

/** Splits as lists; optional columns only if they are used. */
function encodeSplits(splits) {
  const result = { kind: [...splits.kind], column: [...splits.column], cut: plainNumbers(splits.cut) };
  if (splits.digits.some((d) => d > 0 && d < 17)) result.digits = [...splits.digits];
  if (splits.low_branch.some(Boolean)) result.low_branch = [...splits.low_branch];
  if (splits.level_code.length) {
    result.n_levels = Array.from(splits.level_start.subarray(1), (end, i) => end - splits.level_start[i]);
    result.level_code = [...splits.level_code];
    result.level_branch = [...splits.level_branch];
  }
  return result;
}

function encodeNodes(tree, isClasses) {
  return {
    parent: [...tree.parent], splits: encodeSplits(tree.splits), default_branch: [...tree.default_branch], n_rows: [...tree.n_rows],
    weight: null, share: null, impurity: plainNumbers(tree.impurity), gain: plainNumbers(tree.gain),
    importance: plainNumbers(tree.gain.map((gain, i) => (tree.weight[i] * gain) / tree.weight[0])),
    sent_default: tree.sent_default.some(Boolean) ? [...tree.sent_default] : null,
    surrogates: null, competitors: null, tests: null, notes: null,
    counts: isClasses ? [...tree.value] : null, value: isClasses ? null : [...tree.value],
  };
}

/** @param {import("./csv.js").TableColumn[]} columns */
function encodeColumns(columns) {
  const present = columns.map((column) => column.values.filter((v) => !isGap(column, v)));
  const ranges = columns.map((column, j) => (column.levels || !present[j].length ? [null, null] : leastAndMost(present[j])));
  return {
    name: columns.map((column) => column.name), kind: columns.map((column) => column.kind), display: columns.map((column) => column.display),
    levels: columns.map((column) => column.levels || []), level_values: columns.map(() => null), n_missing: columns.map((column) => column.nMissing),
    minimum: ranges.map(([low]) => low), maximum: ranges.map(([, high]) => high),
    quantiles: columns.map((column, j) => (column.levels || !present[j].length ? null : quantiles(present[j], QUANTILES))),
    common: columns.map((column, j) => (column.levels && present[j].length ? mostCommon(present[j], column.levels.length) : null)),
  };
}

function mostCommon(codes, n) {
  const counts = new Int32Array(n);
  for (const code of codes) counts[code]++;
  return counts.indexOf(leastAndMost(counts)[1]);
}

/** The rows of each node: those of a subtree are one slice of `order`. */
function sortByNode(tree, ends) {
  const n = tree.parent.length, first = new Int32Array(n + 1), size = new Int32Array(n).fill(1);
  for (const end of ends) first[end + 1]++;
  for (let i = 0; i < n; i++) first[i + 1] += first[i];
  for (let i = n - 1; i > 0; i--) size[tree.parent[i]] += size[i];
  const order = new Int32Array(ends.length), next = first.slice();
  ends.forEach((end, row) => (order[next[end]++] = row));
  return { count: Int32Array.from(size, (s, i) => first[i + s] - first[i]), of: (i) => order.subarray(first[i], first[i + size[i]]) };
}

/** Round to the nearest integer, halves to the even one, as Python does. */
const roundEven = (/** @type {number} */ x) => (Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x));

/** Edges of bins with equally many whole numbers each; null if the values are not mostly whole. */
function wholeEdges(values, cut, low, high, bins, limits) {
  const [least, most] = leastAndMost(values), nWhole = values.filter(Number.isInteger).length;
  if (!(most - least < limits.whole && Math.abs(least) < limits.whole && nWhole / values.length >= limits.mostly)) return null;
  let step = 0;
  if (nWhole === values.length) for (const v of values) for (let rest = v - least; rest; ) [step, rest] = [rest, step % rest];
  step = step || 1;
  const width = step * Math.max(1, roundEven((high - low + step) / (bins * step)));
  const nValues = (high - low) / step + 1, nLeft = cut === null ? 0 : Math.floor((cut - low) / step) + 1;
  const before = Math.ceil((nLeft * step) / width), after = Math.ceil(((nValues - nLeft) * step) / width);
  if (cut === null) return Array.from({ length: after + 1 }, (_, k) => low - step / 2 + k * width);
  const first = Math.max(1, before);
  return Array.from({ length: first + Math.max(1, after) + 1 }, (_, k) => cut + (k - first) * width);
}

/** Edges of bins of equal width that include the cut; null if all values are equal. */
function binEdges(values, cut, bins, limits) {
  const { far } = limits;
  let [low, high] = leastAndMost(values);
  const [near, distant] = quantiles(values, [0.01, 0.99]);
  if (far * (distant - near) > 0 && high - low > far * (distant - near)) [low, high] = [near, distant];
  if (cut !== null) [low, high] = [Math.min(low, cut), Math.max(high, cut)];
  const width = (high - low) / bins;
  if (!Number.isFinite(width) || width <= 0) return null;
  const whole = wholeEdges(values, cut, low, high, bins, limits);
  if (whole) return whole;
  if (cut === null) return Array.from({ length: bins + 1 }, (_, k) => (k === bins ? high : low + k * width));
  const before = Math.min(Math.max(Math.ceil((cut - low) / width - 1e-9), 1), bins - 1);
  return Array.from({ length: bins + 1 }, (_, k) => cut + (k - before) * width);
}

/** Rows of each bar by class; for regression their number and the quartiles of the target. */
function countBars(place, nBars, target, nClasses) {
  const n = new Array(nBars * (nClasses || 1)).fill(0);
  place.forEach((bar, i) => n[nClasses ? bar * nClasses + target[i] : bar]++);
  if (nClasses) return { n };
  const byBar = Array.from({ length: nBars }, () => []);
  place.forEach((bar, i) => byBar[bar].push(target[i]));
  return { n, quartiles: byBar.flatMap((list) => (list.length ? quantiles(list, [0.25, 0.5, 0.75]) : [null, null, null])) };
}

/** The histogram of the values of a column; null if all are missing. */
function makeHistogram(column, values, cut, target, nClasses, bins, limits) {
  const kept = [];
  for (let i = 0; i < values.length; i++) if (!isGap(column, values[i])) kept.push(i);
  const shared = kept.length < values.length ? { missing: values.length - kept.length } : {};
  if (!kept.length) return null;
  const present = kept.map((i) => values[i]), ofTarget = kept.map((i) => target[i]);
  const isFew = (/** @type {number} */ most) => { // without collecting a million different numbers
    const seen = new Set();
    return present.every((v) => seen.add(v).size <= most);
  };
  const distinct = column.levels || isFew(limits.distinct) ? [...new Set(present)].sort((a, b) => a - b) : null;
  if (column.levels) {
    let codes = distinct;
    if (codes.length > limits.levels) { // the most frequent, in the order of the levels
      const counts = new Map(codes.map((code) => [code, 0]));
      for (const code of present) counts.set(code, counts.get(code) + 1);
      codes = [...codes].sort((a, b) => counts.get(b) - counts.get(a)).slice(0, limits.levels).sort((a, b) => a - b);
      shared.others = distinct.length - limits.levels;
    }
    const place = new Map(codes.map((code, k) => [code, k])), listed = [...present.keys()].filter((i) => place.has(present[i]));
    return { ...shared, codes, ...countBars(listed.map((i) => place.get(present[i])), codes.length, listed.map((i) => ofTarget[i]), nClasses) };
  }
  if (distinct) return { ...shared, values: distinct, ...countBars(present.map((v) => distinct.indexOf(v)), distinct.length, ofTarget, nClasses) };
  const edges = binEdges(present, cut, bins, limits);
  if (!edges) return null;
  const nBars = edges.length - 1;
  const place = present.map((v) => { // bins are closed above
    let low = 0, high = nBars - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (edges[middle + 1] >= v) high = middle;
      else low = middle + 1;
    }
    return low;
  });
  const [least, most] = leastAndMost(present);
  return { ...shared, least, most, low: edges[0], high: edges[nBars], ...countBars(place, nBars, ofTarget, nClasses) };
}

/** Histograms of the split column at the largest inner nodes. */
function splitHistograms(tree, columns, rows, target, nClasses, limits) {
  const inner = [...tree.parent.keys()].filter((i) => tree.splits.column[i] >= 0).sort((a, b) => rows.count[b] - rows.count[a] || a - b);
  return inner.slice(0, limits.nodes).sort((a, b) => a - b).map((node) => {
    const column = columns[tree.splits.column[node]], here = rows.of(node);
    const values = Array.from(here, (row) => column.values[row]), ofTarget = Array.from(here, (row) => target[row]);
    const [kind, cut] = [tree.splits.kind[node], tree.splits.cut[node]];
    if (kind === 3) return { node, presence: true, ...countBars(values.map((v) => (isGap(column, v) ? 1 : 0)), 2, ofTarget, nClasses) };
    const figures = makeHistogram(column, values, kind === 1 ? cut : null, ofTarget, nClasses, limits.bins, limits);
    return figures && { node, ...figures };
  }).filter(Boolean);
}

/** Runner-up splits of the largest nodes. */
function findRivals(session, tree, columns, limits) {
  const n = new Array(tree.parent.length).fill(0), found = [];
  const inner = [...n.keys()].filter((i) => tree.splits.column[i] >= 0).sort((a, b) => tree.n_rows[b] - tree.n_rows[a] || a - b).slice(0, limits.searched);
  let cells = 0;
  const searched = inner.filter((i, k) => (cells += tree.n_rows[i] * columns.length) <= limits.cells || k === 0);
  for (const node of searched.sort((a, b) => a - b)) {
    const competitors = searchCompetitors(session, tree, node, limits.competitors);
    if (!competitors || !competitors.gain.length) continue;
    n[node] = competitors.gain.length;
    found.push(competitors);
  }
  if (!found.length) return null;
  const splits = Object.fromEntries(Object.keys(found[0].splits).map((key) => [key, found.flatMap((part) => [...part.splits[key]])]));
  const starts = [0];
  for (const part of found) {
    const before = starts[starts.length - 1];
    starts.push(...part.splits.level_start.subarray(1).map((end) => before + end));
  }
  return { n, splits: encodeSplits({ ...splits, level_start: Float64Array.from(starts) }), gain: found.flatMap((part) => [...part.gain]) };
}

/** The pruning sequence, with cross-validated risks if there are any; the slider starts at the step of `rule`. */
function encodeSteps(session, tree, criterion, isClasses, rule) {
  const part = {
    kind: "cost", unit: isClasses ? "error" : criterion, unit_text: isClasses ? "error" : criterion, node_alpha: plainNumbers(tree.node_alpha),
    alpha: [...session.array("step_alpha")], n_leaves: [...session.array("step_leaves")], risk: [...session.array("step_risk")], start: null,
  };
  const [minimum, oneSe] = session.array("chosen_steps");
  if (minimum === undefined) return part;
  const chosen = rule === "1se" ? oneSe : minimum;
  return { ...part, cv_risk: [...session.array("cv_risk")], cv_se: [...session.array("cv_se")], minimum, one_se: oneSe, chosen, start: part.alpha[chosen] };
}

/**
 * The payload of a grown tree.
 * @param {any} session of core.js @param {any} tree @param {any[]} columns of csv.js
 * @param {{name: string, codes?: Int32Array, numbers?: Float64Array, classes?: any[]}} target
 * @param {{title: string, lang: string, version: string, criterion: string, rule: string, parameters: Record<string, string>}} about @param {any} limits of Python's payload
 */
export function makePayload(session, tree, columns, target, about, limits) {
  const isClasses = Boolean(target.codes), nClasses = isClasses ? target.classes.length : 0;
  session.call("apply");
  const rows = sortByNode(tree, session.array("ends")), values = target.codes || target.numbers;
  const boxes = isClasses ? null : [...tree.parent.keys()].flatMap((i) => quantiles(Array.from(rows.of(i), (row) => values[row]), BOX));
  const nBarClasses = nClasses > 1 && nClasses <= limits.barClasses ? nClasses : 1; // classes with distinct colours
  const barClass = nBarClasses > 1 ? values : new Int32Array(values.length);
  return {
    version: 1, title: about.title, lang: about.lang, created: new Date().toISOString().slice(0, 16), ceiba: about.version, python: "", model: null,
    parameters: about.parameters, task: isClasses ? "classification" : "regression", target: target.name, output: 0, n_outputs: 1,
    classes: isClasses ? target.classes.map(String) : [], colours: isClasses ? limits.palettes[Math.min(nClasses, limits.palettes.length - 1)] : [limits.number],
    criterion: about.criterion, missing: "learn", unseen: "majority", honest: false, smoothed: false, cost_matrix: null, class_prior: null, certificate: null,
    columns: encodeColumns(columns), nodes: encodeNodes(tree, isClasses), boxes,
    histograms: splitHistograms(tree, columns, rows, values, nClasses, limits),
    bars: columns.map((column, k) => (k < limits.columns ? makeHistogram(column, column.values, null, barClass, nBarClasses, limits.columnBins, limits) : null)), n_bar_classes: nBarClasses, survival: null,
    rivals: findRivals(session, tree, columns, limits), test: null, pruning: encodeSteps(session, tree, about.criterion, isClasses, about.rule), trust: null,
  };
}
