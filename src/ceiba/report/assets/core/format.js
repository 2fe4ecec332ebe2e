// Formatting of numbers, dates, levels and splits in the language of the page.
// Names of columns and levels are never translated.

import { isTerminal } from "../page/state.js";
import { WORDS } from "./i18n.js";
import { boundsOf, CUT, cutsOf, INTERVALS, LEVELS, M, computeOnce } from "./model.js";

export const LANGUAGES = ["en", "es", "pt"];
/** The language of the page. */
export const language = { code: "en" };

/** @param {string} code */
export function setLanguage(code) {
  language.code = LANGUAGES.includes(code) ? code : "en";
}

/** Whether a key has a text. @param {string} key */
export const hasText = (key) => key in WORDS;

/** The text of a key, with its placeholders filled. @param {string} key @param {Record<string, any>} [values] */
export function t(key, values) {
  const singular = values && String(values.n) === "1" && WORDS[key + "_one"];
  const texts = singular || WORDS[key];
  if (!texts) return `⟦${key}⟧`;
  const text = texts[LANGUAGES.indexOf(language.code)];
  return values ? text.replace(/\{(\w+)\}/g, (_, name) => String(values[name])) : text;
}

const formats = new Map();

/** The number format of the language, cached by name. @param {string} name short, since every number looks it up @param {Intl.NumberFormatOptions} options */
export function formatter(name, options) {
  const key = language.code + name;
  let result = formats.get(key);
  if (!result) formats.set(key, (result = new Intl.NumberFormat(language.code, options)));
  return result;
}

/** A number with at most `places` decimals. @param {number} x @param {number} places */
export const fmtDecimals = (x, places) => useMinusSign(formatter("f" + places, { maximumFractionDigits: places }).format(x));
/** Replace a leading hyphen by a minus sign. @param {string} text */
const useMinusSign = (text) => text.replace(/^-/, "−");

/** A number rounded to significant digits; cuts have `fmtCut`. @param {number|null|undefined} x @param {number} [digits] */
export function fmtNumber(x, digits = 4) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return useMinusSign(x.toExponential(digits - 1));
  if (size >= 10 ** digits) return fmtDecimals(x, 0);
  return useMinusSign(formatter("s" + digits, { maximumSignificantDigits: digits }).format(x));
}

/** A number on an axis. @param {number} x */
export const fmtTick = (x) => (Math.abs(x) >= 1e5 ? fmtCompact(x) : fmtNumber(x, 3));
export const fmtCompact = (/** @type {number} */ x) => useMinusSign(formatter("c", { notation: "compact", maximumSignificantDigits: 3 }).format(x));

/** @param {number} n */
export const fmtCount = (n) => fmtDecimals(n, Number.isInteger(n) ? 0 : 2);

/** A share in per cent; 0 % and 100 % only if exact. @param {number} share @param {number} [places] */
export function fmtPercent(share, places = 0) {
  if (share === null || Number.isNaN(share)) return "–";
  const f = formatter("%" + places, { style: "percent", minimumFractionDigits: places, maximumFractionDigits: places });
  const least = 0.5 / 10 ** (places + 2);
  if (share > 0 && share < least) return "<" + f.format(2 * least);
  if (share < 1 && share >= 1 - least) return ">" + f.format(1 - 2 * least);
  return f.format(share);
}

const nextBits = new DataView(new ArrayBuffer(8));
/** The next larger float64. @param {number} x */
function nextUp(x) {
  if (x === 0) return Number.MIN_VALUE;
  nextBits.setFloat64(0, x);
  nextBits.setBigInt64(0, nextBits.getBigInt64(0) + (x > 0 ? 1n : -1n));
  return nextBits.getFloat64(0);
}

/** Seconds since 1970 as ISO text. @param {number} seconds @param {string} display */
export function isoTime(seconds, display) {
  if (!(Math.abs(seconds) <= 8.64e12)) return String(seconds);
  const [whole, fraction] = microseconds(seconds);
  const text = new Date(whole * 1000).toISOString().replace(/\.000Z$/, "");
  return display === "date" && seconds % 86400 === 0 ? text.slice(0, 10) : text + fraction;
}

/** The last microsecond at or before a time: whole seconds, and the fraction as text. @param {number} seconds @returns {[number, string]} */
function microseconds(seconds) {
  if (!(Math.abs(seconds) < 9e9)) return [Math.floor(seconds), ""]; // beyond microsecond precision of floats
  let count = Math.round(seconds * 1e6);
  while (count / 1e6 > seconds) count--;
  while ((count + 1) / 1e6 <= seconds) count++;
  const whole = Math.floor(count / 1e6), rest = count - whole * 1e6;
  return [whole, rest ? "." + String(rest).padStart(6, "0") : ""];
}

/** @param {number} seconds */
function durationText(seconds) {
  const [whole, fraction] = microseconds(seconds);
  const rest = ((whole % 86400) + 86400) % 86400;
  const days = Math.round((whole - rest) / 86400);
  const two = (/** @type {number} */ n) => String(Math.floor(n)).padStart(2, "0");
  const clock = `${Math.floor(rest / 3600)}:${two((rest % 3600) / 60)}:${two(rest % 60)}${fraction}`;
  return days ? `${days} d ${clock}` : clock;
}

/** The digits that each cut of the model needs, so that the printed cut separates the training values alike. */
const cutDigits = computeOnce(() => {
  const digitsByCut = new Map();
  for (const splits of [M.splits, M.surrogates && M.surrogates.splits, M.competitors && M.competitors.splits]) {
    if (splits && splits.digits) for (let i = 0; i < splits.kind.length; i++) {
      for (const one of cutsOf(splits, i)) digitsByCut.set(`${splits.column[i]} ${one}`, splits.digits[i]);
    }
  }
  return digitsByCut;
});

/** Number of significant digits of the shortest decimal of a number. @param {number} x */
const countDigits = (x) => String(Math.abs(x)).split("e")[0].replace(".", "").replace(/^0+|0+$/g, "").length;

/**
 * A cut of column j, as in Python: the sign of its lower side, and a number, date or level.
 * @param {number} cut @param {number} j @param {boolean} [brief] 6 digits if the cut is not one of the model @returns {[string, string]}
 */
function cutParts(cut, j, brief = false) {
  const c = M.columns, display = c.display[j];
  if (c.levels[j].length) return ["≤", c.levels[j][Math.min(Math.max(Math.floor(cut), 0), c.levels[j].length - 1)]];
  if (display === "date") return ["≤", isoTime(Math.floor(Math.floor(cut) / 86400) * 86400, "date")];
  if (display === "datetime") return ["≤", isoTime(cut, display)];
  if (display === "duration") return ["≤", durationText(cut)];
  if (!Number.isFinite(cut)) return ["≤", fmtNumber(cut)];
  const above = nextUp(cut) + 0; // no -0
  let value = countDigits(above) < countDigits(cut) ? above : cut;
  if (countDigits(value) > 12) {
    const digits = Math.max(cutDigits().get(`${j} ${cut}`) ?? (brief ? 6 : 17), 6);
    const clean = Number(cut.toPrecision(12)); // the mean of two decimals may differ in its last bits
    value = digits >= 17 ? cut : countDigits(clean) <= 9 ? clean : Number(cut.toPrecision(digits));
  }
  const size = Math.abs(value), plain = value === 0 || (size >= 1e-6 && size < 1e16);
  const places = (String(value).split(/e-|\./)[1] || "").length;
  return [value <= cut ? "≤" : "<", plain ? fmtDecimals(value, Math.min(places, 20)) : useMinusSign(String(value))];
}
/** The sign of the upper side of a cut. @param {string} sign */
const otherSide = (sign) => (sign === "≤" ? ">" : "≥");
/** A cut without its sign. @param {number} cut @param {number} j @param {boolean} [brief] */
export const fmtCut = (cut, j, brief = false) => cutParts(cut, j, brief)[1];

/** An interval as a sentence: "x ≤ 1", "1 < x ≤ 3", "x > 3". @param {string} name @param {number} low @param {number} high @param {number} j */
export function rangeText(name, low, high, j) {
  const [upperSign, upper] = cutParts(high, j), [sign, lower] = cutParts(low, j);
  if (low === -Infinity) return `${name} ${upperSign} ${upper}`;
  if (high === Infinity) return `${name} ${otherSide(sign)} ${lower}`;
  return `${lower} ${sign === "≤" ? "<" : "≤"} ${name} ${upperSign} ${upper}`;
}

/** An interval without its column: "≤ 1", "1 – 3", "> 3"; closed above, or with signs at both ends. */
export function rangeLabel(low, high, j, brief = false) {
  const [upperSign, upper] = cutParts(high, j, brief), [sign, lower] = cutParts(low, j, brief);
  if (low === -Infinity) return `${upperSign} ${upper}`;
  if (high === Infinity) return `${otherSide(sign)} ${lower}`;
  return sign === "≤" && upperSign === "≤" ? `${lower} – ${upper}` : `${otherSide(sign)} ${lower}, ${upperSign} ${upper}`;
}

/** A value of column j in a case. @param {number|null} value @param {number} j */
export function fmtValue(value, j) {
  const c = M.columns;
  if (value === null) return t("missing");
  if (c.kind[j] !== "numeric") return value < c.levels[j].length ? c.levels[j][value] : t("unseen_level");
  const display = c.display[j];
  if (display === "boolean" && (value === 0 || value === 1)) return t(value ? "yes" : "no");
  if (display === "date" || display === "datetime") return isoTime(value, display);
  if (display === "duration") return durationText(value);
  return fmtNumber(value, 6);
}

/** Isolate a right-to-left name, so that it does not reorder the text around it. @param {string} name */
export const isolateRtl = (name) => (/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/.test(name) ? `\u2068${name}\u2069` : name);

/** A level in a list, quoted if it contains a comma, a brace or a quote. @param {string} name */
export function quoteLevel(name) {
  if (!/[,{}|'"]|^\s|\s$/.test(name) || /^(['"]).*\1$/.test(name)) return isolateRtl(name);
  return isolateRtl(name.includes("'") && !name.includes('"') ? `"${name}"` : `'${name.replace(/[\\']/g, "\\$&")}'`);
}

/** The word "and" before a text; Spanish "y" becomes "e" before the sound of i. @param {string} next */
export const conjunctionBefore = (next) => (language.code === "es" && /^[\u2068(“]*h?[ií](?!e)/i.test(next) ? "e" : t("and"));
/** @param {string[]} parts */
export const joinWithAnd = (parts) => parts.reduce((text, part) => `${text} ${conjunctionBefore(part)} ${part}`);

/** @param {string[]} names @param {number} most */
export function listNames(names, most) {
  if (names.length <= most) return names.join(", ");
  return names.slice(0, most).join(", ") + ", " + t("more_levels", { n: names.length - most });
}

/** The levels that split i of a table sends to a branch. */
export function branchLevels(splits, i, branch) {
  const result = [];
  for (let k = splits.levelStart[i]; k < splits.levelStart[i + 1]; k++) {
    if (splits.levelBranch[k] === branch) result.push(quoteLevel(M.columns.levels[splits.column[i]][splits.levelCode[k]]));
  }
  return result;
}

export const isYesNo = (j, cut) => M.columns.display[j] === "boolean" && cut >= 0 && cut < 1;

/** The condition of a branch as a sentence. @param {number} [most] number of levels to list */
export function sentence(splits, i, branch, most = 8) {
  const j = splits.column[i];
  const name = isolateRtl(M.columns.name[j]);
  if (splits.kind[i] === CUT) {
    const low = branch === splits.low[i];
    const cut = splits.cut[i];
    if (isYesNo(j, cut)) return `${name} = ${t(low ? "no" : "yes")}`;
    return low ? rangeText(name, -Infinity, cut, j) : rangeText(name, cut, Infinity, j);
  }
  if (splits.kind[i] === LEVELS) {
    const names = branchLevels(splits, i, branch);
    if (!names.length) return `${name} ${t("is_missing")}`;
    return names.length === 1 ? `${name} = ${names[0]}` : `${name} ∈ {${listNames(names, most)}}`;
  }
  if (splits.kind[i] === INTERVALS) {
    const [low, high] = boundsOf(splits, i, branch);
    return low === Infinity ? `${name} ${t("is_missing")}` : rangeText(name, low, high, j);
  }
  return `${name} ${t(branch === 1 ? "is_missing" : "is_present")}`;
}

/** Whether edges are labelled by values instead of yes and no. */
export function hasNamedBranches(i) {
  const s = M.splits;
  if (s.kind[i] === LEVELS) {
    const n = M.nBranches(i);
    if (n > 2) return true;
    return s.levelStart[i + 1] - s.levelStart[i] === n;
  }
  if (s.kind[i] === INTERVALS) return true;
  return s.kind[i] === CUT && isYesNo(s.column[i], s.cut[i]);
}

/** The split of an inner node as a question. */
export function question(i, most = 3) {
  const name = isolateRtl(M.columns.name[M.splits.column[i]]);
  return hasNamedBranches(i) ? `${name}?` : sentence(M.splits, i, 0, most);
}

/** The label of the edge to a branch. */
export function edgeLabel(i, branch, most = 3) {
  if (!hasNamedBranches(i)) return t(branch === 0 ? "yes" : "no");
  if (M.splits.kind[i] === CUT) return t(branch === M.splits.low[i] ? "no" : "yes");
  if (M.splits.kind[i] === INTERVALS) {
    const [low, high] = boundsOf(M.splits, i, branch);
    return low === Infinity ? t("missing") : rangeLabel(low, high, M.splits.column[i]);
  }
  const names = branchLevels(M.splits, i, branch);
  return names.length ? listNames(names, most) : t("missing");
}

/** The name of class k; "Survived = 1" for classes that are numbers. */
export const className = (k) => (M.hasNumericClasses ? (M.target ? `${isolateRtl(M.target)} = ${M.classes[k]}` : `${t("class")} ${M.classes[k]}`) : isolateRtl(M.classes[k]));
/** The separator between a class and its share. */
export const shareGap = () => (M.hasNumericClasses ? " · " : " ");

/** The prediction of a node. @param {boolean} [sure] with the probability */
/** A predicted number; that of a survival tree is a relative risk. @param {number} v */
export const numberAnswer = (v) => (M.payload.survival ? t("sv_risk", { value: fmtNumber(v, 3) }) : fmtNumber(v));

export function answerText(i, sure = true) {
  if (M.regression) return numberAnswer(M.value[i]);
  const k = M.answer[i];
  if (!sure) return className(k);
  return `${className(k)}${isTerminal(i) ? "" : tiedClassText(i, k)}${shareGap()}${fmtPercent(M.prob(i, k))}`;
}

/** The name of another class with the same probability, if any. */
function tiedClassText(i, k) {
  if (M.cost || !M.hasRows) return "";
  for (let other = 0; other < M.K; other++) if (other !== k && M.prob(i, other) === M.prob(i, k)) return ` / ${isolateRtl(M.classes[other])}`;
  return "";
}

export const stepText = (k) => t("n_leaves", { n: fmtCount(M.steps[k].leaves) });

/** A difference of shares in percentage points. @param {number} v */
export const fmtPoints = (v) => `${formatter("one", { minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(100 * v)} ${t("points")}`;

export const TEST_MARKS = { chi2: "χ²", likelihood_ratio: "G²", f_test: "F" };

/** Whether missing values take one branch, which is marked; not with surrogates or fractional rows. */
export const isMissingMarked = () => ["learn", "majority"].includes(M.payload.missing);
