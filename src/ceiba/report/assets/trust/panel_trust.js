// The Trust tab: what the checks of `ceiba.trust` found, for the fitted tree. Only what was computed is there.

function trustPanel() {
  const { stability, rivals, groups, drift } = M.payload.trust;
  return el("div", { class: "trust" },
    isTrial() ? el("p", { class: "muted" }, t("of_fitted")) : null,
    stability ? stabilityView(stability) : null,
    rivals.map(rivalsView), groups.map(groupsView),
    drift ? driftView(drift) : null);
}

/** What the checks say of one node. */
function nodeTrust(i) {
  const { stability, drift } = M.payload.trust;
  const said = [...(stability ? stabilityAt(stability, i) : []), ...(drift ? driftAt(drift, i) : [])];
  return said.length ? section(t("tab_trust"), said.map((text) => el("p", {}, text))) : null;
}

const part = (title, ...children) => el("div", { class: "part" }, el("h4", {}, title), children);
const hint = (text) => el("p", { class: "muted small-text" }, text);
const linkTo = (i, text) => el("button", { type: "button", class: "link", onclick: () => reveal(i) }, text);
/** A leaf by what it answers, with its number where the shown tree has it. */
const linkToLeaf = (i) => linkTo(i, (numberOf(i) < 0 ? "" : `#${numberOf(i)} `) + answerText(i));
const fmtP = (p) => (p === null ? "–" : p < 0.001 ? "< " + fmtNumber(0.001) : fmtNumber(p, 2));
const MOST_LINES = 12;

/** The first lines of a table, and all of them behind a line to open. @param {string[]} head @param {number} n @param {(k: number) => any[]} line */
function shortTable(head, n, line) {
  const rows = (most) => tableOf(head, Array.from({ length: Math.min(n, most) }, (_, k) => line(k)));
  if (n <= MOST_LINES) return rows(n);
  return el("div", {}, rows(MOST_LINES), tableLater(t("shown_of", { n: MOST_LINES, all: n }), () => rows(300)));
}

/** @typedef {{name: any, value: number, low: number, high: number, text: string, strong?: boolean}} Measured */
/** Figures with their intervals, one below the other on one scale. @param {Measured[]} rows @param {[number, number]} [band] @param {boolean} [zero] with a line at 0 */
function whiskers(rows, band, zero = false) {
  const ends = rows.flatMap((r) => [r.value, r.low, r.high]).concat(band || [], zero ? [0] : []).filter((v) => v !== null && !Number.isNaN(v));
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const at = (v) => `${2 + (96 * (v - low)) / (high - low || 1)}%`;
  const bar = (kind, from, to) => {
    const node = el("span", { class: kind });
    node.style.left = at(from);
    node.style.width = `calc(${at(to)} - ${at(from)})`;
    return node;
  };
  const dot = (v, kind = "whisker-dot") => {
    const node = el("span", { class: kind });
    node.style.left = at(v);
    return node;
  };
  return el("div", { class: "whiskers" }, rows.map((r) => el("div", { class: "whisker-row" + (r.strong ? " strong" : "") },
    el("span", { class: "whisker-name" }, r.name),
    el("span", { class: "whisker-track", "aria-hidden": "true" },
      band ? bar("whisker-band", band[0], band[1]) : null, zero ? dot(0, "whisker-zero") : null,
      r.value === null ? null : [r.low === null ? null : bar("whisker-line", r.low, r.high), dot(r.value)]),
    el("span", { class: "whisker-text" }, r.text))));
}

/** Two shares, then and now. */
function bothBars(then, now) {
  const bar = (kind, share) => {
    const fill = el("span", { class: "both-fill " + kind });
    fill.style.width = `${100 * (share || 0)}%`;
    return el("span", { class: "both-row" }, el("span", { class: "offscreen" }, t(kind)), el("span", { class: "both-track" }, fill), el("span", { class: "both-text" }, fmtPercent(share, 1)));
  };
  return el("span", { class: "both" }, bar("then", then), bar("now", now));
}
