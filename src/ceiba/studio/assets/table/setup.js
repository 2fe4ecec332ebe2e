// What is set of the whole table: the target, rows to be held out, how trees grow, priors and costs.

function setupBox() {
  const { setup } = studio.server;
  return el("div", { class: "setup", role: "group", "aria-label": t("s_setup") },
    section(t("s_target"), targetChoice()),
    section(t("s_held_out_rows"), heldOutChoice()),
    el("details", { class: "block", open: openGrowing ?? window.innerWidth > 1180, ontoggle: (e) => (openGrowing = e.target.open) }, el("summary", {}, t("s_growing")), growingOptions()),
    setup.task === "classification" && setup.classes.length ? section(t("s_priors_costs"), priorsAndCosts()) : null);
}

/** @type {boolean|null} whether the options of growing are shown; null: as there is room */ let openGrowing = null;

function targetChoice() {
  const { setup } = studio.server;
  const names = setup.columns.map((one) => one.name);
  return el("div", {}, choice("target", t("s_target"), setup.target === null ? ["", ...names] : names, setup.target ?? "", (v) => v, (column) => column && act("set_column", { column, role: "target" })),
    setup.task ? el("p", { class: "muted small-text" }, t(setup.task) + (setup.classes.length ? `: ${listed(setup.classes, 6)}` : "")) : null);
}

const SHARES_HELD = [0, 0.2, 0.25, 0.3, 0.4, 0.5];
/** None, a share of the rows, or another file of the folder. */
function heldOutChoice() {
  const held = studio.server.setup.held_out;
  const value = !held ? "0" : held.given ? "given" : held.file !== undefined ? "file:" + held.file : String(held.share);
  const values = [...new Set([...(held && held.given ? ["given"] : []), ...SHARES_HELD.map(String), ...(held && held.share ? [String(held.share)] : []), ...studio.files.map((name) => "file:" + name)])];
  const name = (/** @type {string} */ v) => (v === "given" ? t("s_held_given") : v === "0" ? t("s_held_none") : v.startsWith("file:") ? t("s_held_file", { name: v.slice(5) }) : t("s_held_share", { share: fmtPercent(Number(v)) }));
  return el("div", {}, choice("held-out", t("s_held_out_rows"), values, value, name, (v) => act("set_held_out", v === "0" ? {} : v.startsWith("file:") ? { file: v.slice(5) } : { share: Number(v) })),
    el("p", { class: "muted small-text" }, t("s_held_hint")));
}

/** Options of growing: lists where the server names what is allowed, else numbers; empty is the default. */
function growingOptions() {
  const { options, allowed } = studio.server.setup;
  const set = (name, value) => act("set_options", { options: { [name]: value } });
  return el("div", { class: "option-grid" }, Object.keys(options).map((name) => {
    const id = "option-" + name;
    const label = el("label", { for: id }, WORDS["s_option_" + name] ? t("s_option_" + name) : name);
    if (allowed[name]) return [label, choice(id, label.textContent, allowed[name], options[name], (v) => (WORDS["s_value_" + v] && name !== "criterion" ? t("s_value_" + v) : String(v)), (v) => set(name, v))];
    const field = el("input", { id, type: "number", min: 0, step: "any", placeholder: t("s_no_limit") });
    field.value = options[name] ?? "";
    field.addEventListener("change", () => set(name, field.value === "" ? null : Number(field.value)));
    return [label, field];
  }));
}

/** Prior probabilities by class, and what each kind of error costs. */
function priorsAndCosts() {
  const { classes, class_prior: prior, cost_matrix: costs } = studio.server.setup;
  if (classes.length > 8) return el("p", { class: "muted" }, t("s_many_classes"));
  return el("div", {}, priorFields(classes, prior), costFields(classes, costs));
}

function priorFields(classes, prior) {
  const fields = classes.map((name, k) => {
    const field = el("input", { id: `prior-${k}`, type: "number", min: 0, max: 1, step: "any", placeholder: t("s_as_rows"), "aria-label": `${t("class_prior")}: ${name}` });
    field.value = prior ? prior[name] ?? "" : "";
    return field;
  });
  const send = () => {
    const filled = fields.filter((f) => f.value !== "");
    if (!filled.length) return act("set_options", { options: {}, class_prior: null });
    if (filled.length === fields.length) return act("set_options", { options: {}, class_prior: Object.fromEntries(classes.map((name, k) => [name, Number(fields[k].value)])) });
    return say(t("s_prior_all"));
  };
  fields.forEach((f) => f.addEventListener("change", send));
  return el("details", { open: Boolean(prior) }, el("summary", {}, t("class_prior")), el("div", { class: "option-grid" }, classes.map((name, k) => [el("label", { for: `prior-${k}` }, name), fields[k]])), el("p", { class: "muted small-text" }, t("s_prior_hint")));
}

function costFields(classes, costs) {
  const value = (r, c) => (costs ? costs[r][c] : r === c ? 0 : 1);
  const fields = classes.map((truth, r) => classes.map((said, c) => {
    const field = el("input", { id: `error-cost-${r}-${c}`, type: "number", min: 0, step: "any", disabled: r === c, "aria-label": t("s_cost_of", { truth, said }) });
    field.value = value(r, c);
    field.addEventListener("change", send);
    return field;
  }));
  function send() {
    const matrix = fields.map((line) => line.map((f) => Number(f.value)));
    const plain = matrix.every((line, r) => line.every((v, c) => v === (r === c ? 0 : 1)));
    return act("set_options", { options: {}, cost_matrix: plain ? null : matrix });
  }
  return el("details", { open: Boolean(costs) }, el("summary", {}, t("cost_matrix")),
    el("div", { class: "scroll-x", tabindex: 0, role: "group", "aria-label": t("cost_matrix") }, el("table", { class: "figures cost-table" },
      el("thead", {}, el("tr", {}, el("td", {}, t("s_cost_corner")), classes.map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, classes.map((name, r) => el("tr", {}, el("th", { scope: "row" }, name), fields[r].map((f) => el("td", {}, f))))))));
}
