// Why, by column: the Shapley values of a case as bars, from the figure of all rows to that of the case.

/** A difference of shares in points. @param {number} v */
const fmtPoints = (v) => `${formatter("one", { minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(100 * v)} ${t("points")}`;
const MOST_SHARES = 8;
const LARGE_TREE = 1000; // nodes; its contributions follow in a frame of their own
let sharesTimer = 0;

/** Room for the contributions, filled at once or a moment later. */
function sharesBox(said) {
  const box = el("div", { id: "case-shares" });
  clearTimeout(sharesTimer);
  if (M.n <= LARGE_TREE) fillShares(box, said);
  else sharesTimer = setTimeout(() => fillShares(box, said), 60);
  return box;
}

function fillShares(box, said) {
  const k = M.regression ? 0 : said.answer;
  const { base, parts } = shapleyOf(state.values, alphaNow(), k);
  const least = 1e-9 * Math.max(...parts.map(Math.abs), Math.abs(base));
  const order = usedColumns().filter((j) => Math.abs(parts[j]) > least).sort((a, b) => Math.abs(parts[b]) - Math.abs(parts[a]));
  if (!order.length) return;
  const shown = order.slice(0, order.length > MOST_SHARES + 1 ? MOST_SHARES : order.length);
  const rest = order.slice(shown.length);
  const rows = shown.map((j) => ({ name: `${M.columns.name[j]} = ${fmtValue(state.values[j], j)}`, part: parts[j] }));
  if (rest.length) rows.push({ name: t("shap_rest", { n: rest.length }), part: rest.reduce((sum, j) => sum + parts[j], 0) });
  const none = usedColumns().filter((j) => M.splits.column.includes(j) && !order.includes(j)).map((j) => M.columns.name[j]);
  const figure = (v) => (M.regression ? fmtNumber(v) : fmtPercent(v, 1));
  const of = M.regression ? "" : `: ${className(k)}`;
  box.replaceChildren(el("h3", {}, t("shap_title")),
    shareEnd(t("shap_base") + of, figure(base)), ...shareBars(rows), shareEnd(t("shap_end") + of, figure(said.value[k])),
    none.length ? el("p", { class: "not-asked" }, t("shap_none", { names: listed(none, 8) })) : "",
    el("p", { class: "muted small-text" }, t("shap_hint")));
}

const shareEnd = (name, text) => el("div", { class: "shap-row shap-end" }, el("span", { class: "shap-name", title: name }, name), el("span", {}), el("span", { class: "shap-text" }, text));

/** Signed bars around one zero. @param {{name: string, part: number}[]} rows */
function shareBars(rows) {
  const low = Math.min(0, ...rows.map((r) => r.part)), high = Math.max(0, ...rows.map((r) => r.part));
  const at = (v) => (100 * (v - low)) / (high - low);
  const text = (v) => (v < 0 ? "−" : "+") + (M.regression ? fmtNumber(Math.abs(v), 3) : fmtPoints(Math.abs(v)));
  return rows.map(({ name, part }) => {
    const fill = el("span", { class: "shap-fill" + (part < 0 ? " down" : "") }), zero = el("span", { class: "shap-zero" });
    fill.style.left = `${at(Math.min(part, 0))}%`;
    fill.style.width = `${at(Math.max(part, 0)) - at(Math.min(part, 0))}%`;
    zero.style.left = `calc(${at(0)}% - ${at(0) > 99 ? 1 : 0}px)`;
    return el("div", { class: "shap-row" }, el("span", { class: "shap-name", title: name }, name), el("span", { class: "shap-track", "aria-hidden": "true" }, fill, zero), el("span", { class: "shap-text" }, text(part)));
  });
}
