// Numbers, dates, levels and splits as people read them, in the reader's language.
// Names of columns and levels are the user's and are never translated.

const formats = new Map();

/** The format of a language, made once. @param {string} name short, since it is asked for with every number @param {Intl.NumberFormatOptions} options */
function formatter(name, options) {
  const key = LANG + name;
  let found = formats.get(key);
  if (!found) formats.set(key, (found = new Intl.NumberFormat(LANG, options)));
  return found;
}

/** At most so many decimals. @param {number} x @param {number} places */
const fmtPlaces = (x, places) => signed(formatter("f" + places, { maximumFractionDigits: places }).format(x));
/** With the sign of numbers instead of a hyphen. @param {string} text */
const signed = (text) => text.replace(/^-/, "−");

/** A number that is not a cut. @param {number|null|undefined} x @param {number} [digits] */
function fmtNumber(x, digits = 4) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return signed(x.toExponential(digits - 1));
  if (size >= 10 ** digits) return fmtPlaces(x, 0);
  return signed(formatter("s" + digits, { maximumSignificantDigits: digits }).format(x));
}

/** A number on an axis. @param {number} x */
const fmtTick = (x) => (Math.abs(x) >= 1e5 ? fmtCompact(x) : fmtNumber(x, 3));
const fmtCompact = (/** @type {number} */ x) => signed(formatter("c", { notation: "compact", maximumSignificantDigits: 3 }).format(x));

/** @param {number} n */
const fmtCount = (n) => fmtPlaces(n, Number.isInteger(n) ? 0 : 2);

/** A share; 0 % and 100 % are said only when exact. @param {number} share @param {number} [places] */
function fmtPercent(share, places = 0) {
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
function isoTime(seconds, display) {
  const ms = seconds * 1000;
  if (!(Math.abs(ms) <= 8.64e15)) return String(seconds);
  const text = new Date(ms).toISOString();
  if (display === "date" && seconds % 86400 === 0) return text.slice(0, 10);
  return text.replace(/\.000Z$/, "").replace(/Z$/, "");
}

/** @param {number} seconds */
function durationText(seconds) {
  const rest = ((seconds % 86400) + 86400) % 86400;
  const days = Math.round((seconds - rest) / 86400);
  const two = (/** @type {number} */ n) => String(Math.floor(n)).padStart(2, "0");
  const clock = `${Math.floor(rest / 3600)}:${two((rest % 3600) / 60)}:${two(rest % 60)}`;
  return days ? `${days} d ${clock}` : clock;
}

/** A cut of column j: never rounded so far that it stops separating. @param {number} cut @param {number} j @param {boolean} [brief] at most 6 digits */
function fmtCut(cut, j, brief = false) {
  const c = M.columns;
  const digits = brief ? Math.min(c.digits[j], 6) : c.digits[j];
  if (c.levels[j].length) {
    return c.levels[j][Math.min(Math.max(Math.floor(cut), 0), c.levels[j].length - 1)];
  }
  const display = c.display[j];
  if (display === "date") return isoTime(Math.floor(cut / 86400) * 86400, "date");
  if (display === "datetime") return isoTime(cut, display);
  if (display === "duration") return durationText(cut);
  if (cut === 0 || !Number.isFinite(cut)) return fmtNumber(cut);
  // The middle of two short decimals is off by the last bits of a float: those say nothing.
  const near = Number(cut.toPrecision(12));
  const clean = digits <= 12 || Math.abs(near - cut) <= 4 * Number.EPSILON * Math.abs(cut) ? near : cut;
  const size = Math.abs(clean);
  if (size >= 1e15 || size < 1e-6) return String(Number(clean.toPrecision(digits)));
  const before = Math.floor(Math.log10(size)) + 1;
  const places = Math.min(Math.max(digits - before, 3), 20);
  return fmtPlaces(clean, places);
}

/** A value of column j as it stands in a case. @param {number|null} value @param {number} j */
function fmtValue(value, j) {
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
const isolated = (name) => (/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/.test(name) ? `\u2068${name}\u2069` : name);

/** A level as it stands in a list: in quotes where a comma or a brace in it would be misread. @param {string} name */
function quotedLevel(name) {
  if (!/[,{}|'"]|^\s|\s$/.test(name) || /^(['"]).*\1$/.test(name)) return isolated(name);
  return isolated(name.includes("'") && !name.includes('"') ? `"${name}"` : `'${name.replace(/[\\']/g, "\\$&")}'`);
}

/** The word between two conditions or names: Spanish "y" is "e" before the sound of i. @param {string} next */
const andBefore = (next) => (LANG === "es" && /^[\u2068(“]*h?[ií](?!e)/i.test(next) ? "e" : t("and"));
/** @param {string[]} parts */
const joined = (parts) => parts.reduce((text, part) => `${text} ${andBefore(part)} ${part}`);

/** @param {string[]} names @param {number} most */
function listed(names, most) {
  if (names.length <= most) return names.join(", ");
  return names.slice(0, most).join(", ") + ", " + t("more_levels", { n: names.length - most });
}

/** Level names that split i of a table sends to a branch. */
function levelsOf(splits, i, branch) {
  const found = [];
  for (let k = splits.levelStart[i]; k < splits.levelStart[i + 1]; k++) {
    if (splits.levelBranch[k] === branch) found.push(quotedLevel(M.columns.levels[splits.column[i]][splits.levelCode[k]]));
  }
  return found;
}

const isYesNo = (j, cut) => M.columns.display[j] === "boolean" && cut >= 0 && cut < 1;

/** What is true of a row that takes a branch. @param {number} [most] levels listed @param {boolean} [brief] */
function sentence(splits, i, branch, most = 8, brief = false) {
  const j = splits.column[i];
  const name = isolated(M.columns.name[j]);
  if (splits.kind[i] === CUT) {
    const low = branch === splits.low[i];
    const cut = splits.cut[i];
    if (isYesNo(j, cut)) return `${name} = ${t(low ? "no" : "yes")}`;
    const above = nextUp(cut);
    const plain = !M.columns.levels[j].length && M.columns.display[j] === "number";
    if (plain && Math.abs(cut) < 1e15 && Number.isInteger(above) && above !== 0) {
      return `${name} ${low ? "<" : "≥"} ${fmtNumber(above, 15)}`;
    }
    return `${name} ${low ? "≤" : ">"} ${fmtCut(cut, j, brief)}`;
  }
  if (splits.kind[i] === LEVELS) {
    const names = levelsOf(splits, i, branch);
    if (!names.length) return `${name} ${t("is_missing")}`;
    return names.length === 1 ? `${name} = ${names[0]}` : `${name} ∈ {${listed(names, most)}}`;
  }
  if (splits.kind[i] === INTERVALS) return boundsText(splits, i, branch, name, brief);
  return `${name} ${t(branch === 1 ? "is_missing" : "is_present")}`;
}

/** An interval as a sentence: "x ≤ 1", "1 < x ≤ 3", "x > 3". */
function boundsText(splits, i, branch, name, brief) {
  const j = splits.column[i];
  const [low, high] = boundsOf(splits, i, branch);
  if (low === Infinity) return `${name} ${t("is_missing")}`;
  if (low === -Infinity) return `${name} ≤ ${fmtCut(high, j, brief)}`;
  if (high === Infinity) return `${name} > ${fmtCut(low, j, brief)}`;
  return `${fmtCut(low, j, brief)} < ${name} ≤ ${fmtCut(high, j, brief)}`;
}

/** Whether the edges carry names instead of yes and no. */
function namesAnswers(i) {
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
function question(i, most = 3, brief = false) {
  const name = isolated(M.columns.name[M.splits.column[i]]);
  return namesAnswers(i) ? `${name}?` : sentence(M.splits, i, 0, most, brief);
}

/** The word on the edge to a branch. */
function edgeWord(i, branch, most = 3) {
  if (!namesAnswers(i)) return t(branch === 0 ? "yes" : "no");
  if (M.splits.kind[i] === CUT) return t(branch === M.splits.low[i] ? "no" : "yes");
  if (M.splits.kind[i] === INTERVALS) return boundsWord(i, branch);
  const names = levelsOf(M.splits, i, branch);
  return names.length ? listed(names, most) : t("missing");
}

/** An interval without its column: "≤ 1", "1 – 3", "> 3"; the upper end belongs to it. */
function boundsWord(i, branch) {
  const j = M.splits.column[i];
  const [low, high] = boundsOf(M.splits, i, branch);
  if (low === Infinity) return t("missing");
  if (low === -Infinity) return `≤ ${fmtCut(high, j, true)}`;
  return high === Infinity ? `> ${fmtCut(low, j, true)}` : `${fmtCut(low, j, true)} – ${fmtCut(high, j, true)}`;
}

/** Class k as it is said: "Survived = 1" where a bare number would say nothing. */
const className = (k) => (M.bare ? (M.target ? `${isolated(M.target)} = ${M.classes[k]}` : `${t("class")} ${M.classes[k]}`) : isolated(M.classes[k]));
/** What stands between a class and its share. */
const shareGap = () => (M.bare ? " · " : " ");

/** What a node answers. @param {boolean} [sure] with the probability */
function answerText(i, sure = true) {
  if (M.regression) return fmtNumber(M.value[i]);
  const k = M.answer[i];
  if (!sure) return className(k);
  return `${className(k)}${isEnd(i) ? "" : tiedWith(i, k)}${shareGap()}${fmtPercent(M.prob(i, k))}`;
}

/** Another class that is as frequent: half and half is no majority. */
function tiedWith(i, k) {
  if (M.cost || !M.known) return "";
  for (let other = 0; other < M.K; other++) if (other !== k && M.prob(i, other) === M.prob(i, k)) return ` / ${isolated(M.classes[other])}`;
  return "";
}
