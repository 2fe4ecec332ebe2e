// The values of a column as bars: what the payload has of a node or a column, made ready to draw.
// Places are shares of the width; which branch a bar goes to decides its order and where cuts stand.

/** @typedef {{name: string, from: number, to: number, counts: number[], total: number, quartiles: number[]|null, branch: number}} Bar */
/** @typedef {{bars: Bar[], cuts: number[], ends: [string, string]|null, cutTexts: string[], missing: number, others: number}} Histogram */

/** The bars of the split column in a node; null where the page holds none. @returns {Histogram|null} */
function histogramOf(i) {
  const given = M.histograms.get(i);
  return given ? readBars(given, M.splits.column[i], M.regression ? 1 : M.K, (value) => branchOf(i, value), cutsOf(M.splits, i)) : null;
}

/** The distribution of a column over all training rows. @returns {Histogram|null} */
function columnBars(j) {
  const given = M.payload.bars && M.payload.bars[j];
  return given ? readBars(given, j, 1, () => 0, []) : null;
}

/** The branch that a value takes; -1 if the split does not know it. */
function branchOf(i, value) {
  const values = [];
  values[M.splits.column[i]] = value;
  const found = ask(M.splits, i, values);
  return typeof found === "number" ? found : found === "missing" ? M.defaultBranch[i] : -1;
}

/** @param {number[]} cuts @returns {Histogram} */
function readBars(given, j, K, branch, cuts) {
  const n = given.n.length / K;
  const placeOf = (value) => (value - given.low) / (given.high - given.low);
  /** Where bar k begins: bins of several intervals differ in width. */
  const edge = (k) => (given.edges ? placeOf(given.edges[k]) : k / n);
  const level = (k) => (given.presence ? (k ? null : 0) : given.codes ? given.codes[k] : given.values ? given.values[k] : null);
  const bars = Array.from({ length: n }, (_, k) => {
    const counts = given.n.slice(k * K, (k + 1) * K);
    const alone = given.codes && level(k) === null; // missing levels that have a branch of their own
    const name = alone ? t("missing") : given.presence ? t(k ? "is_missing" : "is_present") : given.low === undefined ? fmtValue(level(k), j) : "";
    const at = alone ? branch(null) : given.presence ? k : given.low === undefined ? branch(level(k)) : 0;
    return { name, from: edge(k), to: edge(k + 1), counts, total: counts.reduce((a, b) => a + b, 0), quartiles: given.quartiles && counts[0] ? given.quartiles.slice(3 * k, 3 * k + 3) : null, branch: at };
  });
  const rest = { missing: given.missing || 0, others: given.others || 0 };
  if (given.low === undefined) return { bars: inOrder(bars), cuts: turns(bars), ends: null, cutTexts: [], ...rest };
  const inside = cuts.filter((cut) => placeOf(cut) >= 0 && placeOf(cut) <= 1);
  return { bars, cuts: inside.map(placeOf), ends: [fmtValue(given.least, j), fmtValue(given.most, j)], cutTexts: inside.map((cut) => fmtCut(cut, j, true)), ...rest };
}

/** Bars of one branch beside each other. @param {Bar[]} bars */
function inOrder(bars) {
  bars.sort((a, b) => a.branch - b.branch);
  bars.forEach((bar, k) => Object.assign(bar, { from: k / bars.length, to: (k + 1) / bars.length }));
  return bars;
}

/** Where bars of another branch begin. @param {Bar[]} bars in order */
const turns = (bars) => bars.filter((bar, k) => k > 0 && bar.branch !== bars[k - 1].branch).map((bar) => bar.from);
