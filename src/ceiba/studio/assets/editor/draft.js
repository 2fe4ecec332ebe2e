// The draft of a split: the user's edits of a column at the selected node before the split is taken. The
// server computes previews of it: one request at a time, at most one per frame, the newest wins.

import { CUT, cutsOf, INTERVALS, LEVELS, M, hasMissingBranch } from "../../../report/assets/core/model.js";
import { fmtCount, fmtPercent, t } from "../../../report/assets/core/format.js";
import { byId, selectBox, el, announce } from "../../../report/assets/page/dom.js";
import { renderPanel } from "../../../report/assets/page/inspector.js";
import { state } from "../../../report/assets/page/state.js";
import { api, attempt, studio } from "../client/client.js";
import { branchCurves, branchTable, branchText, gainText, pText, rivals } from "./branches.js";
import { bestCut } from "./cut_editor.js";
import { paintGhost } from "./ghost.js";

/** The draft as a split of the API. */
export function draftSplit() {
  const { draft } = studio;
  const column = M.columns.name[draft.column];
  if (draft.missing === OWN_BRANCH) return { column, cuts: draft.cuts, missing_branch: true };
  const missing = draft.missing === "" ? {} : { missing: Number(draft.missing) };
  if (draft.groups) return { column, branches: draft.groups, ...missing };
  return draft.cuts.length > 1 ? { column, cuts: draft.cuts, ...missing } : { column, cut: draft.cut, ...missing };
}

const OWN_BRANCH = "alone"; // a separate branch for rows without a value

/** The choice of the branch for rows without a value: the best one, a given one, or a separate one. */
export function missingChoice() {
  const { draft } = studio;
  const n = draft.groups ? draft.groups.length : draft.cuts.length + 1;
  if (Number(draft.missing) >= n) draft.missing = "";
  const values = ["", ...Array.from({ length: n }, (_, b) => String(b)), ...(M.columns.kind[draft.column] === "numeric" ? [OWN_BRANCH] : [])];
  return el("label", { class: "inline missing-choice", for: "draft-missing" }, `${t("n_missing", { n: fmtCount(draft.data.missing) })} ${t("s_missing_to")}`,
    selectBox("draft-missing", t("s_missing_to"), values, draft.missing, (b) => (b === "" ? t("s_missing_best") : b === OWN_BRANCH ? t("s_missing_alone") : branchText(draftSplit(), draft.column, Number(b))), (b) => {
      draft.missing = b;
      requestPreview();
    }));
}

/** Start a draft from the split of the node if it uses this column, else from the best split. @param {number} j @param {any} [given] the split to start from */
export async function startDraft(j, given) {
  const node = state.selected;
  const name = M.columns.name[j];
  const data = await attempt(() => api.column(node, name));
  if (!data || state.selected !== node || data.revision !== studio.server.revision) return;
  const best = bestOf(name);
  const start = given || currentSplit(node, j) || best.given;
  studio.draft = { node, column: j, data: { bars: data.histogram || levelBars(data), curve: data.curve, levels: data.levels, missing: data.n_missing, best }, cuts: [NaN], active: 0, groups: null, chosen: new Set(), hasRoom: false, missing: start && start.missing_branch ? OWN_BRANCH : "", answer: null, error: "",
    get cut() { return this.cuts[this.active]; } };
  if (M.columns.kind[j] === "categorical") studio.draft.groups = initialGroups(start, data);
  else studio.draft.cuts = start && start.cuts ? [...start.cuts] : [start && start.cut !== undefined ? start.cut : initialCut(studio.draft.data)];
  renderPanel();
  requestPreview();
  byId("draft").scrollIntoView({ block: "nearest" });
  const first = /** @type {HTMLElement|null} */ (document.querySelector("#cut-handle, #draft .chip"));
  if (first) first.focus({ preventScroll: true });
}

/** The best split of a column at the selected node and its gain, if they are loaded. */
function bestOf(name) {
  const item = rivals.data && rivals.data.rivals.find((/** @type {any} */ r) => r.column === name);
  return item && item.given ? item : { given: null, gain: null };
}

export function discardDraft() {
  if (!studio.draft) return;
  studio.draft = null;
  paintGhost();
  renderPanel();
}

/** The split of a node as a split of the API; null if it uses another column. */
function currentSplit(node, j) {
  const s = M.splits;
  if (M.isLeaf(node) || s.column[node] !== j) return null;
  if (s.kind[node] === CUT) return { cut: s.cut[node] };
  if (s.kind[node] === INTERVALS) return { cuts: cutsOf(s, node), missing_branch: hasMissingBranch(s, node) };
  if (s.kind[node] !== LEVELS) return null;
  const branches = Array.from({ length: M.nBranches(node) }, () => /** @type {number[]} */ ([]));
  for (let k = s.levelStart[node]; k < s.levelStart[node + 1]; k++) branches[s.levelBranch[k]].push(s.levelCode[k]);
  return { branches };
}

/** A histogram of levels, if the server sent none. */
function levelBars(data) {
  const levels = data.levels || [];
  return { codes: levels.map((item) => item.code), n: levels.flatMap((item) => item.counts || [item.n_rows]) };
}

/** The groups of the levels at this node; levels that `start` does not contain join the last group. */
function initialGroups(start, data) {
  const here = data.levels.map((item) => item.code);
  const groups = start && start.branches ? start.branches.map((codes) => codes.filter((c) => here.includes(c))) : [here.slice(0, 1), here.slice(1)];
  const named = new Set(groups.flat());
  const rest = here.filter((c) => !named.has(c));
  if (rest.length) groups[groups.length - 1] = [...groups[groups.length - 1], ...rest].sort((a, b) => a - b);
  return groups.filter((codes) => codes.length);
}

function initialCut({ bars, curve }) {
  if (curve && curve.cut.length) return bestCut(curve);
  const values = bars.values || bars.codes;
  return values ? values[0] : (bars.least + bars.most) / 2;
}

const previews = { inFlight: false, isPending: false, frame: 0 };
/** Request a preview of the draft with the next frame. */
export function requestPreview() {
  previews.isPending = true;
  if (!previews.inFlight && !previews.frame) previews.frame = requestAnimationFrame(sendPreview);
}

async function sendPreview() {
  previews.frame = 0;
  if (!studio.draft) return;
  Object.assign(previews, { isPending: false, inFlight: true });
  const draft = studio.draft;
  const begin = performance.now();
  try {
    draft.answer = await api.preview(draft.node, draftSplit());
    draft.error = "";
  } catch (error) {
    draft.answer = null;
    draft.error = /** @type {Error} */ (error).message;
  }
  studio.previewMs.push(performance.now() - begin);
  previews.inFlight = false;
  if (studio.draft === draft) {
    fillPreview();
    paintGhost();
  }
  if (previews.isPending && studio.draft) requestPreview();
}

/** Show the preview of the draft. */
function fillPreview() {
  const holder = byId("preview");
  if (!holder) return;
  holder.replaceChildren(...previewParts());
  byId("take-draft").disabled = Boolean(studio.draft.error || (studio.draft.answer && studio.draft.answer.empty));
  const missingBox = byId("missing-branch");
  if (missingBox && !missingBox.contains(document.activeElement)) missingBox.replaceChildren(missingChoice());
  clearTimeout(announceTimer);
  announceTimer = setTimeout(() => studio.draft && studio.draft.answer && announce(gainText(studio.draft.answer.gain)), 700);
}
let announceTimer = 0; // the gain is announced after a pause

export function previewParts() {
  const { draft } = studio;
  if (!draft || (!draft.answer && !draft.error)) return [];
  if (draft.error || draft.answer.empty) return [el("p", { class: "warn" }, draft.error || t("s_empty_branch"))];
  const { gain, p_value: p, branches, held_out: held } = draft.answer;
  const best = draft.data.best.gain;
  // The same split may differ in its last bits if it is computed in another order.
  const several = Boolean(draft.cuts.length > 1 || draft.missing === OWN_BRANCH);
  const share = best > 0 ? (gain >= best * (1 - 1e-9) && !several ? 1 : gain / best) : null;
  return [
    M.payload.survival ? branchCurves(branches, (b) => branchText(draftSplit(), draft.column, b)) : "",
    branchTable(branches, held, (b) => branchText(draftSplit(), draft.column, b)),
    el("p", { id: "preview-gain" }, el("strong", {}, gainText(gain)),
      share === null ? null : el("span", { class: "muted" }, ` · ${t(several ? "s_of_best_single" : "s_of_best_cut", { share: fmtPercent(share, 1) })}`),
      p === null || p === undefined ? null : el("span", { class: "muted" }, ` · ${pText(p)}`)),
  ];
}
