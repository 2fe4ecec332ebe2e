// The draft of a split: what the hand makes of a column at the selected node before it is taken. Its
// figures follow from previews of the server: one under way at a time, the newest wins, at most one a frame.

/** @type {any} column, node, data; cuts (numbers, ordered levels), of which one is active, or groups (levels); answer of the last preview; error */
let draft = null;

/** What the server calls the draft. */
function draftSplit() {
  const column = M.columns.name[draft.column];
  if (draft.missing === ALONE) return { column, cuts: draft.cuts, missing_branch: true };
  const way = draft.missing === "" ? {} : { missing: Number(draft.missing) };
  if (draft.groups) return { column, branches: draft.groups, ...way };
  return draft.cuts.length > 1 ? { column, cuts: draft.cuts, ...way } : { column, cut: draft.cut, ...way };
}

const ALONE = "alone"; // rows without a value have a branch of their own

/** Where rows without a value go: to the branch that fits best, to a chosen one, or to one of their own. */
function missingChoice() {
  const n = draft.groups ? draft.groups.length : draft.cuts.length + 1;
  if (Number(draft.missing) >= n) draft.missing = "";
  const ways = ["", ...Array.from({ length: n }, (_, b) => String(b)), ...(M.columns.kind[draft.column] === "numeric" ? [ALONE] : [])];
  return el("label", { class: "inline missing-choice", for: "draft-missing" }, `${t("n_missing", { n: fmtCount(draft.data.missing) })} ${t("s_missing_to")}`,
    choice("draft-missing", t("s_missing_to"), ways, draft.missing, (b) => (b === "" ? t("s_missing_best") : b === ALONE ? t("s_missing_alone") : branchWords(draftSplit(), draft.column, Number(b))), (b) => {
      draft.missing = b;
      draftMoved();
    }));
}

/** Begin a draft: from the node's own split if it is by this column, else from the best one. @param {number} j @param {any} [given] a split to begin with */
async function beginDraft(j, given) {
  const node = state.selected;
  const name = M.columns.name[j];
  try {
    const data = await api.column(node, name);
    if (state.selected !== node || data.revision !== studio.server.revision) return;
    const best = bestOf(name);
    const start = given || ownSplit(node, j) || best.given;
    draft = { node, column: j, data: { bars: data.histogram || levelBars(data), curve: data.curve, levels: data.levels, missing: data.n_missing, best }, cuts: [NaN], active: 0, groups: null, missing: start && start.missing_branch ? ALONE : "", answer: null, error: "",
      get cut() { return this.cuts[this.active]; } };
    if (M.columns.kind[j] === "categorical") draft.groups = startGroups(start, data);
    else draft.cuts = start && start.cuts ? [...start.cuts] : [start && start.cut !== undefined ? start.cut : middleCut(draft.data)];
    renderPanel();
    askPreview();
    document.getElementById("draft").scrollIntoView({ block: "nearest" });
    const first = /** @type {HTMLElement|null} */ (document.querySelector("#cut-handle, #draft .chip"));
    if (first) first.focus({ preventScroll: true });
  } catch (error) {
    complain(error);
  }
}

/** The best split of a column at the selected node, and its gain, as far as they are known. */
function bestOf(name) {
  const one = rivals.data && rivals.data.rivals.find((/** @type {any} */ r) => r.column === name);
  return one && one.given ? one : { given: null, gain: null };
}

function dropDraft() {
  if (!draft) return;
  draft = null;
  renderPanel();
}

/** The split of a node as the server would be given it; null if it is by another column. */
function ownSplit(node, j) {
  const s = M.splits;
  if (M.isLeaf(node) || s.column[node] !== j) return null;
  if (s.kind[node] === CUT) return { cut: s.cut[node] };
  if (s.kind[node] === INTERVALS) return { cuts: cutsOf(s, node), missing_branch: partsMissing(s, node) };
  if (s.kind[node] !== LEVELS) return null;
  const branches = Array.from({ length: M.nBranches(node) }, () => /** @type {number[]} */ ([]));
  for (let k = s.levelStart[node]; k < s.levelStart[node + 1]; k++) branches[s.levelBranch[k]].push(s.levelCode[k]);
  return { branches };
}

/** Bars of levels where the server gave levels alone. */
function levelBars(data) {
  const levels = data.levels || [];
  return { codes: levels.map((one) => one.code), n: levels.flatMap((one) => one.counts || [one.n_rows]) };
}

/** Groups of the levels that are here; what the start leaves out goes with the last one. */
function startGroups(start, data) {
  const here = data.levels.map((one) => one.code);
  const groups = start && start.branches ? start.branches.map((codes) => codes.filter((c) => here.includes(c))) : [here.slice(0, 1), here.slice(1)];
  const named = new Set(groups.flat());
  const rest = here.filter((c) => !named.has(c));
  if (rest.length) groups[groups.length - 1] = [...groups[groups.length - 1], ...rest].sort((a, b) => a - b);
  return groups.filter((codes) => codes.length);
}

function middleCut({ bars, curve }) {
  if (curve && curve.cut.length) return bestCut(curve);
  const values = bars.values || bars.codes;
  return values ? values[0] : (bars.least + bars.most) / 2;
}

const previews = { flying: false, wanted: false, frame: 0 };
/** Ask what the draft would do, with the next frame. */
function askPreview() {
  previews.wanted = true;
  if (!previews.flying && !previews.frame) previews.frame = requestAnimationFrame(sendPreview);
}

async function sendPreview() {
  previews.frame = 0;
  if (!draft) return;
  Object.assign(previews, { wanted: false, flying: true });
  const asked = draft;
  const begin = performance.now();
  try {
    asked.answer = await api.preview(asked.node, draftSplit());
    asked.error = "";
  } catch (error) {
    asked.answer = null;
    asked.error = /** @type {Error} */ (error).message;
  }
  studio.previewMs.push(performance.now() - begin);
  previews.flying = false;
  if (draft === asked) fillPreview();
  if (previews.wanted && draft) askPreview();
}

/** The draft changed under the hand. */
function draftMoved() {
  askPreview();
}

/** Show the figures of the draft; its picture follows by itself. */
function fillPreview() {
  const holder = document.getElementById("preview");
  if (!holder) return;
  holder.replaceChildren(...previewParts());
  /** @type {HTMLButtonElement} */ (document.getElementById("take-draft")).disabled = Boolean(draft.error || (draft.answer && draft.answer.empty));
  const way = document.getElementById("missing-way");
  if (way && !way.contains(document.activeElement)) way.replaceChildren(missingChoice());
  clearTimeout(sayTimer);
  sayTimer = setTimeout(() => draft && draft.answer && say(`${t("gain")} ${fmtNumber(draft.answer.gain)}`), 700);
}
let sayTimer = 0; // figures are said once the hand rests

function previewParts() {
  if (!draft || (!draft.answer && !draft.error)) return [];
  if (draft.error || draft.answer.empty) return [el("p", { class: "warn" }, draft.error || t("s_empty_branch"))];
  const { gain, p_value: p, branches, held_out: held } = draft.answer;
  const best = draft.data.best.gain;
  // The same split, computed in another order, differs in its last bits.
  const several = Boolean(draft.cuts.length > 1 || draft.missing === ALONE);
  const share = best > 0 ? (gain >= best * (1 - 1e-9) && !several ? 1 : gain / best) : null;
  return [
    branchTable(branches, held, (b) => branchWords(draftSplit(), draft.column, b)),
    el("p", { id: "preview-gain" }, `${t("gain")} `, el("strong", {}, fmtNumber(gain)),
      share === null ? null : el("span", { class: "muted" }, ` · ${t(several ? "s_of_best_single" : "s_of_best_cut", { share: fmtPercent(share, 1) })}`),
      p === null || p === undefined ? null : el("span", { class: "muted" }, ` · ${pText(p)}`)),
  ];
}

/** A sentence of the library with the signs of the page. @param {string} text */
const inSigns = (text) => text.replace(/ <= /g, " ≤ ").replace(/ >= /g, " ≥ ").replace(/ in \{/g, " ∈ {");

const pText = (p, bound = "") => {
  const mark = bound === "at most" ? "≤" : bound === "at least" ? "≥" : "=";
  return p < 0.001 ? `p < ${fmtNumber(0.001)}` : `p ${mark} ${fmtNumber(p, 2)}`;
};

/** Branches with rows and answers. @param {any[]} branches @param {any[]|null} held @param {(b: number) => string} words */
function branchTable(branches, held, words) {
  const head = [t("s_branch_head"), t("rows"), M.regression ? t("mean") : t("distribution"), ...(held ? [t("test")] : [])];
  return tableOf(head, branches.map((one, b) => [words(b), fmtCount(one.n_rows), branchPicture(one), ...(held ? [branchFigure(held[b])] : [])]), "branches-table");
}

/** The class with most rows and its share, or the mean. */
function branchFigure(one) {
  if (!one || !one.n_rows) return "–";
  if (M.regression) return fmtNumber(one.mean, 3);
  const total = one.counts.reduce((a, n) => a + n, 0) || 1;
  const k = one.counts.indexOf(Math.max(...one.counts));
  return `${isolated(M.classes[k])}${shareGap()}${fmtPercent(one.counts[k] / total)}`;
}

/** The target in a branch: shares of the classes, or mean and spread on the scale of the tree. */
function branchPicture(one) {
  const svg = sv("svg", { viewBox: "0 0 120 12", class: "branch-bar", preserveAspectRatio: "none", "aria-hidden": "true" });
  if (M.regression) {
    const [low, high] = targetRange();
    const x = (v) => Math.min(Math.max(((v - low) / (high - low || 1)) * 120, 0), 120);
    if (one.n_rows) svg.append(sv("rect", { x: x(one.mean - one.sd), y: 3, width: Math.max(x(one.mean + one.sd) - x(one.mean - one.sd), 1), height: 6, fill: ink.line }), sv("rect", { x: x(one.mean) - 1.5, y: 0, width: 3, height: 12, fill: barColours()[0] }));
  } else {
    const total = one.counts.reduce((a, n) => a + n, 0) || 1;
    let at = 0;
    one.counts.forEach((n, k) => {
      const w = (120 * n) / total;
      if (w > 0) svg.append(sv("rect", { x: at, y: 0, width: w, height: 12, fill: barColours()[k] }));
      at += w;
    });
  }
  return el("span", { class: "branch-picture" }, svg, el("span", { class: "branch-figure" }, branchFigure(one)));
}

/** Mean of the root, two deviations to either side. */
function targetRange() {
  const sd = M.payload.criterion === "squared_error" ? Math.sqrt(M.impurity[0]) : Math.abs(M.value[0]) || 1;
  return [M.value[0] - 2 * sd, M.value[0] + 2 * sd];
}
