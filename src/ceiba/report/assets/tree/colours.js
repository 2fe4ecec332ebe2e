// Colour of a node: its class, stronger the purer; or its number on one hue. All told apart by
// people with any colour vision, on light and dark paper.

/** Colours of the theme, read from the style sheet. @type {Record<string, any>} */
const ink = {};

/** @param {string} hex */
function rgb(hex) {
  return [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
}

function readInk() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["paper", "panel", "text", "muted", "line", "accent", "on-accent", "path"]) {
    ink[name] = style.getPropertyValue("--" + name).trim();
  }
  ink.paperRgb = rgb(ink.panel);
  ink.dark = luminance(ink.paperRgb) < 0.4;
  toneCache.clear();
}

const mix = (a, b, share) => a.map((v, k) => Math.round(share * v + (1 - share) * b[k]));
const css = (c) => `rgb(${c[0]},${c[1]},${c[2]})`;

function luminance(c) {
  const part = (v) => ((v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * part(c[0]) + 0.7152 * part(c[1]) + 0.0722 * part(c[2]);
}

const MOST_COLOURS = 12; // classes whose colours are told apart; beyond that leaves carry their label

/** The place of a number in the range of all nodes: 0 to 1. */
const valuePlace = (i) => (M.high > M.low ? (M.value[i] - M.low) / (M.high - M.low) : 0.5);

/** @type {{value: Float64Array, below: Float64Array}|null} */ let ranked = null;
/** Values of the leaves in order, and the share of rows in leaves below each: equal steps of colour are equal shares of rows, so a long tail does not bleach the rest. */
function leafRanks() {
  if (ranked) return ranked;
  const leaves = [];
  for (let i = 0; i < M.n; i++) if (M.isLeaf(i)) leaves.push(i);
  leaves.sort((a, b) => M.value[a] - M.value[b]);
  const total = leaves.reduce((sum, i) => sum + M.breadth[i], 0) || 1;
  const below = new Float64Array(leaves.length + 1);
  leaves.forEach((i, k) => (below[k + 1] = below[k] + M.breadth[i] / total));
  return (ranked = { value: Float64Array.from(leaves, (i) => M.value[i]), below });
}

/** Share of rows in leaves with smaller values, and half of those with the same. */
function rankOf(v) {
  const { value, below } = leafRanks();
  const first = (at) => {
    let low = 0, high = value.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (at(value[middle])) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  return (below[first((w) => w >= v)] + below[first((w) => w > v)]) / 2;
}

/** The leaf value at a share of the rows. */
function valueAtRank(share) {
  const { value, below } = leafRanks();
  let k = 0;
  while (k < value.length - 1 && below[k + 1] < share) k++;
  return value[k];
}

/** Purity beyond chance, or the number's rank among the rows: 0 to 1. */
function strength(i) {
  if (M.regression) return M.high > M.low ? rankOf(M.value[i]) : 0.5;
  if (M.K < 2) return 1;
  return Math.max(0, (M.prob(i, M.answer[i]) - 1 / M.K) / (1 - 1 / M.K));
}

/** The hue of numbers. */
const numberHue = () => rgb(M.payload.colours[0]);

/** Colour of a number in a map: from the paper to a deep tone. @param {number} share 0 to 1 */
function numberColour(share) {
  if (share <= 0.6) return mix(numberHue(), ink.paperRgb, 0.1 + (0.9 * share) / 0.6);
  const far = ink.dark ? [235, 247, 255] : [5, 20, 51];
  return mix(far, numberHue(), (0.75 * (share - 0.6)) / 0.4);
}

/** Steps of strength, finer than the eye tells apart; fewer where many classes share the colours. */
const toneSteps = () => (M.regression || M.K <= 8 ? 32 : 12);
/** @type {Uint32Array|null} */ let toneOf = null;
/** @type {Map<number, {colour: number[], css: string, faint: string}>} */ const toneCache = new Map();

perModel(() => {
  ranked = toneOf = null;
  toneCache.clear();
});

/** Number of the colour of every node: its answer, and its strength in steps. */
function tones() {
  const steps = toneSteps();
  toneOf = toneOf || Uint32Array.from({ length: M.n }, (_, i) => (M.regression ? 0 : M.answer[i]) * steps + Math.round(strength(i) * (steps - 1)) || 0);
  return toneOf;
}

function toneAt(tone) {
  let found = toneCache.get(tone);
  if (!found) {
    const steps = toneSteps();
    const s = (tone % steps) / (steps - 1);
    const colour = M.regression ? numberColour(s) : mix(rgb(M.payload.colours[Math.floor(tone / steps)]), ink.paperRgb, 0.25 + 0.75 * s);
    toneCache.set(tone, (found = { colour, css: css(colour), faint: css(mix(colour, ink.paperRgb, 0.3)) }));
  }
  return found;
}

const toneCss = (tone) => toneAt(tone).css;
/** What does not match, or is not on the way. */
const faintCss = (tone) => toneAt(tone).faint;
/** Full colour of a node, for the icicle, dots and maps. */
const nodeColour = (i) => toneAt(tones()[i]).colour;
/** The same as a text for the pens. */
const nodeCss = (i) => toneAt(tones()[i]).css;

/** Fill of a card: light enough for text. */
function cardColour(i) {
  const s = strength(i);
  const base = M.regression ? numberHue() : rgb(M.payload.colours[M.answer[i]]);
  return mix(base, ink.paperRgb, M.regression ? 0.06 + 0.4 * s : 0.1 + 0.36 * s);
}

const textOn = (c) => (luminance(c) > 0.19 ? "#111418" : "#ffffff");
