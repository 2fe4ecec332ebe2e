// Gain, lift and profit of acting on the rows with the highest probability of a class, with the cut-off to choose.

import { chartFrame } from "../charts/charts.js";
import { terminalCounts } from "../core/metrics.js";
import { M } from "../core/model.js";
import { className, fmtCount, fmtNumber, fmtPercent, t } from "../core/format.js";
import { byId, el, segmented, selectBox, sv } from "../page/dom.js";
import { renderPanel } from "../page/inspector.js";

/** What is drawn and chosen; the cut-off is a number of steps, null: by the largest profit. */
const lift = { kind: "gain", of: 1, /** @type {number|null} */ step: null, /** @type {number|null} */ hit: null, /** @type {number|null} */ alarm: null };

/** Rows and hits when all leaves up to a probability are acted on, the most probable first. */
function liftSteps(source, terminals, k) {
  const byShare = new Map();
  for (const end of terminals) {
    const counts = terminalCounts(source.counts, end);
    const p = M.prob(end.node, k);
    const sums = byShare.get(p) || [0, 0];
    byShare.set(p, [sums[0] + counts.reduce((a, n) => a + n, 0), sums[1] + counts[k]]);
  }
  const steps = [{ p: 1, rows: 0, hits: 0 }];
  for (const p of [...byShare.keys()].sort((a, b) => b - a)) {
    const last = steps[steps.length - 1], [rows, hits] = byShare.get(p);
    if (rows > 0) steps.push({ p, rows: last.rows + rows, hits: last.hits + hits });
  }
  return steps;
}

/** What a hit earns and a false alarm costs: as entered, else by the cost matrix, else 1 and 1. */
function stakes(k) {
  if (!M.cost) return { hit: lift.hit ?? 1, alarm: lift.alarm ?? 1 };
  const others = M.classes.map((_, c) => c).filter((c) => c !== k);
  const most = (values) => Math.max(...values);
  return { hit: lift.hit ?? most(others.map((c) => M.cost[k * M.K + c])), alarm: lift.alarm ?? most(others.map((c) => M.cost[c * M.K + k])) };
}

/** The section of the Model tab. */
export function liftView(source, terminals) {
  if (lift.of >= M.K) lift.of = 0;
  const steps = liftSteps(source, terminals, lift.of);
  const { hit, alarm } = stakes(lift.of);
  const profit = (s) => hit * s.hits - alarm * (s.rows - s.hits);
  const best = steps.reduce((at, s, k) => (profit(s) > profit(steps[at]) ? k : at), 0);
  const step = Math.min(lift.step ?? best, steps.length - 1);
  const all = steps[steps.length - 1];
  const holder = el("div", { id: "lift-chart" }, liftChart(steps, step, profit));
  const range = el("input", { type: "range", id: "lift-cutoff", min: 0, max: steps.length - 1, step: 1, value: step, "aria-label": t("cutoff"), "aria-valuetext": cutoffText(steps[step], all, profit) });
  const show = (at) => {
    lift.step = at;
    range.value = String(at);
    range.setAttribute("aria-valuetext", cutoffText(steps[at], all, profit));
    holder.replaceChildren(liftChart(steps, at, profit));
    byId("lift-figures").textContent = cutoffText(steps[at], all, profit);
  };
  range.addEventListener("input", () => show(Number(range.value)));
  const stake = (name, value) => el("label", { class: "inline" }, t("stake_" + name), el("input", { type: "number", id: "lift-" + name, min: 0, step: "any", value, onchange: (e) => {
    Object.assign(lift, { [name]: e.target.value === "" ? null : Math.max(Number(e.target.value), 0), step: null });
    renderPanel();
  } }));
  return el("div", {},
    el("div", { class: "row" }, segmented(["gain", "lift", "profit"], lift.kind, (v) => { lift.kind = v; renderPanel(); }, (v) => t("lift_" + v)),
      el("label", { class: "inline" }, t("class") + " ", selectBox("lift-class", t("class"), M.classes.map((_, k) => k), lift.of, className, (k) => { Object.assign(lift, { of: Number(k), step: null }); renderPanel(); }))),
    holder, range, el("p", { id: "lift-figures" }, cutoffText(steps[step], all, profit)),
    el("div", { class: "row lift-stakes" }, stake("hit", hit), stake("alarm", alarm), el("button", { class: "small", id: "lift-best", onclick: () => show(best) }, t("largest_profit"))));
}

/** The cut-off in words: rows, hits, lift and profit. */
function cutoffText(s, all, profit) {
  if (!s.rows) return t("cutoff_none");
  const base = all.hits / all.rows;
  return t("cutoff_text", { p: fmtPercent(s.p, 1), rows: fmtCount(s.rows), share: fmtPercent(s.rows / all.rows), hits: fmtCount(s.hits), all: fmtCount(all.hits), reached: fmtPercent(all.hits ? s.hits / all.hits : 0), lift: fmtNumber(base > 0 ? s.hits / s.rows / base : 0, 3), profit: fmtNumber(profit(s), 4) });
}

function liftChart(steps, step, profit) {
  const all = steps[steps.length - 1];
  const base = all.hits / (all.rows || 1);
  const x = (s) => s.rows / (all.rows || 1);
  const shown = lift.kind === "lift" ? steps.filter((s) => s.rows > 0) : steps;
  const value = { gain: (s) => (all.hits ? s.hits / all.hits : 0), lift: (s) => (base > 0 && s.rows ? s.hits / s.rows / base : 0), profit }[lift.kind];
  const values = shown.map(value);
  const [low, high] = [Math.min(0, ...values), Math.max(...values, lift.kind === "profit" ? 0 : 1)];
  const f = chartFrame({ x: [0, 1], y: [low, high + 0.04 * (high - low)], xLabel: t("acted_share"), yLabel: t("lift_" + lift.kind), label: t("lift_title"), xFormat: (v) => fmtPercent(v), ...(lift.kind === "gain" ? { yFormat: (v) => fmtPercent(v) } : {}) });
  const plain = { gain: [[0, 0], [1, 1]], lift: [[0, 1], [1, 1]], profit: [[0, 0], [1, profit(all)]] }[lift.kind];
  f.line(plain, "limit");
  f.line(shown.map((s) => [x(s), value(s)]), "line cv");
  const s = steps[step];
  f.layer.append(sv("line", { x1: f.sx(x(s)), x2: f.sx(x(s)), y1: f.box.top, y2: f.box.bottom, class: "now" }));
  if (s.rows || lift.kind !== "lift") f.layer.append(sv("circle", { cx: f.sx(x(s)), cy: f.sy(value(s)), r: 5, class: "mark" }));
  return f.svg;
}
