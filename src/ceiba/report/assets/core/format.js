// Numbers, dates, levels and splits as people read them, in the reader's language.
// Names of columns and levels are the user's and are never translated.

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

/** Whether there are words of a key. @param {string} key */
export const hasText = (key) => key in WORDS;

/** The words of a key. @param {string} key @param {Record<string, any>} [values] */
export function t(key, values) {
  const one = values && String(values.n) === "1" && WORDS[key + "_one"];
  const found = one || WORDS[key];
  if (!found) return `⟦${key}⟧`;
  const text = found[LANGUAGES.indexOf(language.code)];
  return values ? text.replace(/\{(\w+)\}/g, (_, name) => String(values[name])) : text;
}

const formats = new Map();

/** The format of a language, made once. @param {string} name short, since it is asked for with every number @param {Intl.NumberFormatOptions} options */
export function formatter(name, options) {
  const key = language.code + name;
  let found = formats.get(key);
  if (!found) formats.set(key, (found = new Intl.NumberFormat(language.code, options)));
  return found;
}

/** At most so many decimals. @param {number} x @param {number} places */
export const fmtDecimals = (x, places) => useMinusSign(formatter("f" + places, { maximumFractionDigits: places }).format(x));
/** With the sign of numbers instead of a hyphen. @param {string} text */
const useMinusSign = (text) => text.replace(/^-/, "−");

/** A number that is not a cut. @param {number|null|undefined} x @param {number} [digits] */
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

/** A share; 0 % and 100 % are said only when exact. @param {number} share @param {number} [places] */
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

/** The last microsecond that is not above a time: whole seconds, and the rest as text. @param {number} seconds @returns {[number, string]} */
function microseconds(seconds) {
  if (!(Math.abs(seconds) < 9e9)) return [Math.floor(seconds), ""]; // beyond what floats count in microseconds
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

/** The digits that each cut of the model needs in print, by which training values keep their sides. */
const cutDigits = computeOnce(() => {
  const known = new Map();
  for (const splits of [M.splits, M.surrogates && M.surrogates.splits, M.competitors && M.competitors.splits]) {
    if (splits && splits.digits) for (let i = 0; i < splits.kind.length; i++) {
      for (const one of cutsOf(splits, i)) known.set(`${splits.column[i]} ${one}`, splits.digits[i]);
    }
  }
  return known;
});

/** Significant digits of the shortest decimal that is a number. @param {number} x */
const countDigits = (x) => String(Math.abs(x)).split("e")[0].replace(".", "").replace(/^0+|0+$/g, "").length;

/**
 * A cut of column j as Python's `cut_words` has it: the sign of what is not above it, and a number, date or level.
 * @param {number} cut @param {number} j @param {boolean} [brief] 6 digits where the model does not know the cut @returns {[string, string]}
 */
function cutParts(cut, j, brief = false) {
  const c = M.columns, display = c.display[j];
  if (c.levels[j].length) return ["≤", c.levels[j][Math.min(Math.max(Math.floor(cut), 0), c.levels[j].length - 1)]];
  if (display === "date") return ["≤", isoTime(Math.floor(Math.floor(cut) / 86400) * 86400, "date")];
  if (display === "datetime") return ["≤", isoTime(cut, display)];
  if (display === "duration") return ["≤", durationText(cut)];
  if (!Number.isFinite(cut)) return ["≤", fmtNumber(cut)];
  const above = nextUp(cut) + 0; // no -0
  let shown = countDigits(above) < countDigits(cut) ? above : cut;
  if (countDigits(shown) > 12) {
    const digits = Math.max(cutDigits().get(`${j} ${cut}`) ?? (brief ? 6 : 17), 6);
    const clean = Number(cut.toPrecision(12)); // the middle of two decimals may be off by the last bits of a float
    shown = digits >= 17 ? cut : countDigits(clean) <= 9 ? clean : Number(cut.toPrecision(digits));
  }
  const size = Math.abs(shown), plain = shown === 0 || (size >= 1e-6 && size < 1e16);
  const places = (String(shown).split(/e-|\./)[1] || "").length;
  return [shown <= cut ? "≤" : "<", plain ? fmtDecimals(shown, Math.min(places, 20)) : useMinusSign(String(shown))];
}
/** The sign of the other side of a cut. @param {string} sign */
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

/** An interval without its column: "≤ 1", "1 – 3", "> 3"; the upper end belongs to it, or signs say where the ends belong. */
export function rangeLabel(low, high, j, brief = false) {
  const [upperSign, upper] = cutParts(high, j, brief), [sign, lower] = cutParts(low, j, brief);
  if (low === -Infinity) return `${upperSign} ${upper}`;
  if (high === Infinity) return `${otherSide(sign)} ${lower}`;
  return sign === "≤" && upperSign === "≤" ? `${lower} – ${upper}` : `${otherSide(sign)} ${lower}, ${upperSign} ${upper}`;
}

/** A value of column j as it stands in a case. @param {number|null} value @param {number} j */
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

/** A name that is written from right to left, kept from turning the sentence around it. @param {string} name */
export const isolateRtl = (name) => (/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/.test(name) ? `\u2068${name}\u2069` : name);

/** A level as it stands in a list: in quotes where a comma or a brace in it would be misread. @param {string} name */
export function quoteLevel(name) {
  if (!/[,{}|'"]|^\s|\s$/.test(name) || /^(['"]).*\1$/.test(name)) return isolateRtl(name);
  return isolateRtl(name.includes("'") && !name.includes('"') ? `"${name}"` : `'${name.replace(/[\\']/g, "\\$&")}'`);
}

/** The word between two conditions or names: Spanish "y" is "e" before the sound of i. @param {string} next */
export const conjunctionBefore = (next) => (language.code === "es" && /^[\u2068(“]*h?[ií](?!e)/i.test(next) ? "e" : t("and"));
/** @param {string[]} parts */
export const joinWithAnd = (parts) => parts.reduce((text, part) => `${text} ${conjunctionBefore(part)} ${part}`);

/** @param {string[]} names @param {number} most */
export function listNames(names, most) {
  if (names.length <= most) return names.join(", ");
  return names.slice(0, most).join(", ") + ", " + t("more_levels", { n: names.length - most });
}

/** Level names that split i of a table sends to a branch. */
export function branchLevels(splits, i, branch) {
  const found = [];
  for (let k = splits.levelStart[i]; k < splits.levelStart[i + 1]; k++) {
    if (splits.levelBranch[k] === branch) found.push(quoteLevel(M.columns.levels[splits.column[i]][splits.levelCode[k]]));
  }
  return found;
}

export const isYesNo = (j, cut) => M.columns.display[j] === "boolean" && cut >= 0 && cut < 1;

/** What is true of a row that takes a branch. @param {number} [most] levels listNames */
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

/** Whether the edges carry names instead of yes and no. */
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

/** The question of an inner node. */
export function question(i, most = 3) {
  const name = isolateRtl(M.columns.name[M.splits.column[i]]);
  return hasNamedBranches(i) ? `${name}?` : sentence(M.splits, i, 0, most);
}

/** The word on the edge to a branch. */
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

/** Class k as it is said: "Survived = 1" where a bare number would say nothing. */
export const className = (k) => (M.hasNumericClasses ? (M.target ? `${isolateRtl(M.target)} = ${M.classes[k]}` : `${t("class")} ${M.classes[k]}`) : isolateRtl(M.classes[k]));
/** What stands between a class and its share. */
export const shareGap = () => (M.hasNumericClasses ? " · " : " ");

/** What a node answers. @param {boolean} [sure] with the probability */
export function answerText(i, sure = true) {
  if (M.regression) return fmtNumber(M.value[i]);
  const k = M.answer[i];
  if (!sure) return className(k);
  return `${className(k)}${isTerminal(i) ? "" : tiedClassText(i, k)}${shareGap()}${fmtPercent(M.prob(i, k))}`;
}

/** Another class that is as frequent: half and half is no majority. */
function tiedClassText(i, k) {
  if (M.cost || !M.hasRows) return "";
  for (let other = 0; other < M.K; other++) if (other !== k && M.prob(i, other) === M.prob(i, k)) return ` / ${isolateRtl(M.classes[other])}`;
  return "";
}

export const stepText = (k) => t("n_leaves", { n: fmtCount(M.steps[k].leaves) });

/** A difference of shares in points. @param {number} v */
export const fmtPoints = (v) => `${formatter("one", { minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(100 * v)} ${t("points")}`;

export const TEST_MARKS = { chi2: "χ²", likelihood_ratio: "G²", f_test: "F" };

/** Whether missing values take one branch: not where surrogates or shares decide. */
export const isMissingMarked = () => ["learn", "majority"].includes(M.payload.missing);
