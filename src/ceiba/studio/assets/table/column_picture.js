// Small pictures of columns: a histogram with its ends, or the most frequent levels as bars; and how
// much of the target a column alone explains.

/** @param {any} seen a column as described */
function columnPicture(seen) {
  if (seen.histogram.length) return numberPicture(seen);
  if (seen.kind === "identifier") return el("span", { class: "muted" }, t("s_n_distinct", { n: fmtCount(seen.n_distinct) }));
  const most = seen.levels.slice(0, 4);
  const total = studio.columns.n_described - seen.n_missing || 1;
  const rest = seen.n_distinct - most.length;
  return el("div", { class: "level-bars" }, most.map(([level, n]) => {
    const bar = el("span", { class: "bar-fill" });
    bar.style.width = `${(100 * n) / total}%`;
    return el("div", { class: "level-bar" }, el("span", { class: "bar-name", title: String(level) }, String(level)), el("span", { class: "bar-track" }, bar), el("span", { class: "num" }, fmtPercent(n / total)));
  }), rest > 0 ? el("span", { class: "muted small-text" }, t("more_levels", { n: fmtCount(rest) })) : null);
}

function numberPicture(seen) {
  const counts = seen.histogram;
  const most = Math.max(...counts, 1);
  const svg = sv("svg", { viewBox: `0 0 ${counts.length * 8} 28`, class: "column-histogram", preserveAspectRatio: "none", "aria-hidden": "true" });
  counts.forEach((n, k) => n && svg.append(sv("rect", { x: 8 * k + 0.5, y: 28 - Math.max((27 * n) / most, 1), width: 7, height: Math.max((27 * n) / most, 1), class: "histogram-bar" })));
  const shown = (v) => (typeof v === "number" ? fmtNumber(v, 4) : String(v));
  const q = seen.quantiles;
  return el("div", { class: "number-picture" }, svg, el("div", { class: "ends" }, el("span", {}, shown(q[0])), el("span", { class: "muted" }, `${t("s_median")} ${shown(q[2])}`), el("span", {}, shown(q[q.length - 1]))));
}

/** Share of the target's impurity that the best single split takes away. */
function associationBar(seen) {
  if (seen.association === null) return el("span", { class: "muted" }, "–");
  const bar = el("span", { class: "bar-fill" });
  bar.style.width = `${100 * Math.min(Math.max(seen.association, 0), 1)}%`;
  return el("div", { class: "association", title: t("s_association_hint") }, el("span", { class: "bar-track" }, bar), el("span", { class: "num" }, fmtPercent(seen.association, 1)));
}

const REMARKS = ["empty", "constant", "nearly_constant", "identifier", "dates_differ", "many_levels", "numbers_as_text", "dates_as_text", "codes", "mostly_missing", "leak"];
/** A remark of the description in the language of the page. @param {any} remark */
const remarkText = (remark, seen) => (REMARKS.includes(remark.code) ? t("s_remark_" + remark.code, { n: fmtCount(seen.n_distinct), share: fmtPercent(seen.missing) }) : remark.text);
