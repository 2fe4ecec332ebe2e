// The Kaplan-Meier curve of a node, with its band, beside the curve of all rows.

import { chartFrame } from "../charts/charts.js";
import { fmtNumber, fmtPercent, t } from "../core/format.js";
import { M } from "../core/model.js";
import { el, sv } from "../page/dom.js";
import { nodeCurve } from "../page/state.js";

/** @typedef {{time: number[], survival: number[], low: (number|null)[], high: (number|null)[], events: number, median: (number|null)[]}} Curve */

/** The curve of a node; null if the page has none. @param {number} i @returns {Curve|null} */
const curveOf = (i) => (M.payload.survival ? M.payload.survival.nodes[i] : null);

/** A time, or "not reached". @param {number|null} v */
const timeText = (v) => (v === null ? t("sv_not_reached") : fmtNumber(v));

/** Events and median of a node with its interval. @param {number} i */
function survivalText(i) {
  const curve = curveOf(i);
  if (!curve) return "";
  const [median, low, high] = curve.median.map(timeText);
  return t("sv_figures", { events: fmtNumber(curve.events), median, low, high });
}

/** The corners of a step function from time 0. @param {number[]} x @param {number[]} y */
export function corners(x, y) {
  const points = [[0, 1]];
  x.forEach((v, k) => points.push([v, points[points.length - 1][1]], [v, y[k]]));
  return points;
}

/** The shape between the bounds, where both are known. @param {Curve} curve @param {(v: number) => number} sx @param {(v: number) => number} sy */
function bandPath(curve, sx, sy) {
  const known = curve.time.map((_, k) => k).filter((k) => curve.low[k] !== null);
  const edge = (bound) => known.flatMap((k) => {
    const next = k + 1 < curve.time.length ? curve.time[k + 1] : curve.time[k];
    return [[curve.time[k], bound[k]], [next, bound[k]]];
  });
  const shape = [...edge(curve.low), ...edge(curve.high).reverse()];
  return shape.length ? shape.map(([a, b], k) => `${k ? "L" : "M"}${sx(a).toFixed(2)},${sy(b).toFixed(2)}`).join("") + "Z" : "";
}

/** The curve of a node with its band; dashed: all rows. @param {number} i */
function survivalView(i) {
  const curve = curveOf(i);
  const root = curveOf(0);
  if (!curve || !root) return null;
  const frame = chartFrame({ height: 210, x: [0, M.payload.survival.end], y: [0, 1], yTicks: [0, 0.25, 0.5, 0.75, 1], yFormat: (v) => fmtPercent(v), xLabel: t("sv_time"), yLabel: t("sv_share"), label: `${t("sv_curve")}: ${survivalText(i)}` });
  frame.layer.append(sv("path", { d: bandPath(curve, frame.sx, frame.sy), class: "band" }));
  if (i > 0) frame.line(corners(root.time, root.survival), "line train");
  frame.line(corners(curve.time, curve.survival), "line cv");
  return el("div", { class: "survival block" }, frame.svg, el("p", { class: "muted small-text" }, t(i > 0 ? "sv_hint" : "sv_hint_root")));
}

/** Sets the parts of the node and case panels that only survival trees have. */
export function addCurves() {
  Object.assign(nodeCurve, { view: survivalView, text: survivalText });
}
