// Is the tree as good for everyone: every figure per group with its interval, and the differences to the largest group.

const GROUP_WORDS = {
  "error": "gr_error", "cost": "gr_cost", "MSE": "gr_mse", "MAE": "gr_mae", "R2": "gr_r2",
  "selection rate": "gr_selection", "true positive rate": "gr_true", "false positive rate": "gr_false", "calibration": "gr_calibration",
};
const GROUP_SHARES = ["error", "selection rate", "true positive rate", "false positive rate"];

/** A difference with its sign; of shares in points. @param {string} key @param {number|null} v */
function fmtApart(key, v) {
  if (v === null) return "–";
  const share = GROUP_SHARES.includes(key) || key === "calibration";
  const size = share ? fmtPoints(Math.abs(v)) : fmtNumber(Math.abs(v), 3);
  return (v < 0 ? "−" : "+") + size;
}
const fmtGroup = (key, v) => (v === null ? "–" : GROUP_SHARES.includes(key) ? fmtPercent(v, 1) : key === "calibration" ? fmtApart(key, v) : fmtNumber(v, 3));

function groupsView(given) {
  const { by, positive, reference, groups, figures } = given;
  const label = (g) => (groups[g] === "missing" ? t("missing") : groups[g]);
  const level = fmtPercent(given.confidence);
  const range = (key, low, high, shown) => (low === null ? "" : t("interval_to", { low: shown(key, low), high: shown(key, high) }));
  const leavesOut = (f, g) => f.apart_low[g] !== null && (f.apart_low[g] > 0 || f.apart_high[g] < 0);
  const apart = figures.flatMap((f) => groups.map((_, g) => g).filter((g) => leavesOut(f, g)).map((g) =>
    el("li", {}, `${t(GROUP_WORDS[f.key]).split(":")[0]}: ${label(g)} ${fmtApart(f.key, f.apart[g])} (${range(f.key, f.apart_low[g], f.apart_high[g], fmtApart)})`)));
  const picture = (f) => part(t(GROUP_WORDS[f.key]), whiskers(groups.map((_, g) => ({
    name: el("span", { title: label(g) }, label(g)), value: f.value[g], low: f.low[g], high: f.high[g], text: fmtGroup(f.key, f.value[g]), strong: leavesOut(f, g),
  })), undefined, f.key === "calibration"));
  const rows = figures.flatMap((f) => groups.map((_, g) => [t(GROUP_WORDS[f.key]).split(":")[0], label(g), fmtCount(given.rows[g]), fmtGroup(f.key, f.value[g]), range(f.key, f.low[g], f.high[g], fmtGroup),
    g === reference ? "" : `${fmtApart(f.key, f.apart[g])} (${range(f.key, f.apart_low[g], f.apart_high[g], fmtApart)})`]));
  return el("div", { class: "groups" }, section(t("gr_title", { by }),
    apart.length ? [el("p", {}, t("gr_apart", { name: label(reference) })), el("ul", { class: "apart" }, apart)] : el("p", {}, t("gr_none", { name: label(reference) })),
    hint(`${positive === null ? t("gr_level", { level }) : t("gr_positive", { name: positive, level })} ${t("gr_many")}`),
    figures.map(picture),
    tableLater(t("as_table"), () => tableOf([t("gr_figure"), t("gr_group"), t("rows"), t("value"), t("interval_level", { level }), t("difference")], rows))));
}
