// What a search has proven about the fitted tree: a sentence in the header, its figures one click away.

const PROOF_ENDS = ["gap", "time", "interrupted"]; // why a search ended before its proof

/** An objective: whole numbers are counts of errors. @param {number} value */
const proofAmount = (value) => (Number.isInteger(value) ? fmtCount(value) : fmtNumber(value, 6));

/** What is proven, in a sentence; null where nothing was searched for, or another tree is shown. @returns {string|null} */
function proofText() {
  const c = M.payload.certificate;
  if (!c || isTrial()) return null;
  if (c.status === "lookahead") return t("proof_lookahead");
  if (!(c.lower_bound > 0) && !c.proven) return t("proof_nothing");
  const plain = c.loss === "error" && !c.penalty;
  const said = t(plain ? "proof_errors" : "proof_loss", { depth: c.max_depth, n: proofAmount(c.lower_bound), own: proofAmount(c.objective), unit: t("unit_" + c.loss) });
  return c.proven ? said : `${said} ${t("proof_better", { gap: fmtPercent(c.gap, 1) })}`;
}

/** Why the search ended, and what the sentence leaves out. @returns {string} */
function proofNotes() {
  const c = M.payload.certificate;
  return [
    c.penalty ? t("proof_penalty", { penalty: fmtNumber(c.penalty) }) : "",
    PROOF_ENDS.includes(c.status) ? t("proof_" + c.status, { seconds: fmtNumber(c.seconds, 3) }) : "",
    c.all_level_sets ? "" : t("proof_levels"),
  ].filter(Boolean).join(" ");
}

/** The figures behind the sentence. */
function proofFacts() {
  const c = M.payload.certificate;
  const searched = c.status !== "lookahead";
  return factList([
    [t("objective"), proofAmount(c.objective)],
    ...(searched ? [[t("lower_bound"), proofAmount(c.lower_bound)], [t("gap"), fmtPercent(c.gap, c.gap ? 1 : 0)]] : []),
    [t("proven"), t(c.proven ? "yes" : "no")],
    ...(c.penalty ? [[t("leaf_penalty"), fmtNumber(c.penalty)]] : []),
    [t("cuts_tried"), fmtCount(c.nodes)], [t("seconds"), fmtNumber(c.seconds, 3)],
  ]);
}

/** The line of the header. */
function proofLine() {
  const text = proofText();
  if (!text) return [];
  const mark = M.payload.certificate.proven ? "✓ " : "";
  return [el("details", { class: "proof" }, el("summary", {}, el("span", {}, mark + text), " ", el("span", { class: "how-sure" }, t("how_sure"))), el("div", { class: "proof-more" }, proofNotes() ? el("p", {}, proofNotes()) : null, proofFacts()))];
}
