// The axis of the cut editor: numbers on a line, or few values and ordered levels in slots.
// A place is a share of the width; all cuts between two neighbouring values divide the rows alike.

/** @typedef {{positionOf: (cut: number) => number, cutAt: (place: number, width: number) => number, step: (cut: number, by: number) => number}} Axis */

/** The shortest number within limits. @param {number} low @param {number} high */
function roundestBetween(low, high) {
  if (!(high > low)) return low;
  if (low <= 0 && high >= 0) return 0;
  for (let power = Math.floor(Math.log10(Math.max(Math.abs(low), Math.abs(high)))); power > -17; power--) {
    for (const size of [1, 0.5]) {
      // Dividing by an integral power of ten rounds once; multiplying by 0.1 would not be exact.
      const per = 10 ** -power / size;
      const at = power <= 0 ? Math.ceil(low * per) / per : Math.ceil(low / (10 ** power * size)) * (10 ** power * size);
      if (at >= low && at <= high) return at;
    }
  }
  return (low + high) / 2;
}

/** The axis of a column's bars. @param {any} bars as the report's histograms @param {number[]} cuts ascending candidates @returns {Axis} */
export function makeAxis(bars, cuts) {
  const values = bars.values || bars.codes;
  return values ? valueAxis(values, Boolean(bars.codes)) : lineAxis(bars, cuts);
}

/** An axis with one slot per value. */
function valueAxis(values, coded) {
  const n = values.length;
  const below = (cut) => values.filter((v) => v <= cut).length;
  const between = (k) => {
    const at = Math.min(Math.max(k, 1), Math.max(n - 1, 1));
    return coded ? values[at - 1] + 0.5 : n < 2 ? values[0] : (values[at - 1] + values[at]) / 2;
  };
  return {
    positionOf: (cut) => below(cut) / n,
    cutAt: (place) => between(Math.round(place * n)),
    step: (cut, by) => between(below(cut) + by),
  };
}

/** An axis of numbers, stretched where edges are given; a pointer is accurate to half a pixel, so the roundest number within it is used. */
function lineAxis({ low, high, least, most, stretched }, cuts) {
  const edges = stretched || [low, high], n = edges.length - 1;
  const valueAt = (place) => {
    const k = Math.min(Math.max(Math.floor(place * n), 0), n - 1);
    return edges[k] + (place * n - k) * (edges[k + 1] - edges[k]);
  };
  const positionOf = (cut) => {
    const above = edges.findIndex((edge) => edge > cut);
    const k = Math.min(Math.max(above < 0 ? n - 1 : above - 1, 0), n - 1);
    return Math.min(Math.max((k + (cut - edges[k]) / (edges[k + 1] - edges[k])) / n, 0), 1);
  };
  const inside = (v) => Math.min(Math.max(v, least), most);
  const first = (v) => cuts.findIndex((c) => c > v);
  return {
    positionOf,
    cutAt: (place, width) => inside(roundestBetween(valueAt(place - 0.5 / width), valueAt(place + 0.5 / width))),
    step: (cut, by) => {
      if (!cuts.length) return cut;
      const next = first(cut) < 0 ? cuts.length : first(cut);
      const at = by > 0 ? next + by - 1 : (cuts[next - 1] === cut ? next - 1 : next) + by;
      return cuts[Math.min(Math.max(at, 0), cuts.length - 1)];
    },
  };
}
