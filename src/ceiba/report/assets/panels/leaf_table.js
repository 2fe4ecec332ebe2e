// The leaves as rules: a table to sort, and all of them as a file.

let sortBy = "rows", sortUp = false, leavesShown = 50;

/** Columns of the leaf table: key, title ("": in the file only), figure, text. @returns {any[][]} */
function leafColumns() {
  const held = M.test;
  const list = [
    ["node", "#", (i) => numberOf(i), (i) => `#${numberOf(i)}`],
    ["answer", t("predicted"), (i) => (M.regression ? M.value[i] : M.answer[i]), (i) => (M.regression ? fmtNumber(M.value[i]) : className(M.answer[i]))],
  ];
  if (M.known) list.push(["rows", t("rows_of_all"), (i) => M.rows[i], (i) => `${fmtCount(M.rows[i])} (${fmtPercent(M.rows[i] / M.rows[0], 1)})`], ["share", "", (i) => M.rows[i] / M.rows[0]]);
  if (!M.regression) {
    list.push(["sure", probabilityName(), (i) => M.prob(i, M.answer[i]), (i) => fmtPercent(M.prob(i, M.answer[i]), 1)]);
    if (held) {
      const n = (i) => testCounts(i).n;
      const right = (i) => held.counts[i * M.K + M.answer[i]] / (n(i) || NaN);
      list.push(["test_rows", "", n], ["test_sure", t("test_right") + sampleNote(), right, (i) => (n(i) ? t("n_of", { share: fmtPercent(right(i), 1), n: fmtCount(n(i)) }) : "–")]);
    }
    list.push(["lift", t("lift"), (i) => M.prob(i, M.answer[i]) / M.prob(0, M.answer[i]), (i) => fmtNumber(M.prob(i, M.answer[i]) / M.prob(0, M.answer[i]), 3)]);
  } else {
    if (M.payload.criterion === "squared_error" && M.known) list.push(["sd", t("deviation"), (i) => M.impurity[i], (i) => fmtNumber(Math.sqrt(M.impurity[i]), 3)]);
    if (held && held.mean) list.push(["test", t("test_rows"), (i) => held.rows[i], (i) => fmtCount(held.rows[i])], ["test_mean", t("test_mean"), (i) => held.mean[i], (i) => fmtNumber(held.mean[i])]);
  }
  return list;
}

/** The probability; under class priors it is not the share of the rows. */
const probabilityName = () => (M.payload.class_prior ? `${t("confidence")} (${t("by_priors")})` : t("confidence"));

function leafTable(ends) {
  const columns = leafColumns().filter((c) => c[1]);
  const by = columns.find((c) => c[0] === sortBy) || columns[0];
  const kept = filterHits();
  const leaves = ends.filter((e) => !e.rest && (kept === null || kept[e.node])).map((e) => e.node);
  leaves.sort((a, b) => (sortUp ? 1 : -1) * ((by[2](a) || 0) - (by[2](b) || 0)) || a - b);
  const sorter = (/** @type {any[]} */ [key, title]) => el("th", { scope: "col", class: "num", "aria-sort": key === by[0] ? (sortUp ? "ascending" : "descending") : "none" },
    el("button", { type: "button", class: "sort", onclick: () => { sortUp = key === sortBy ? !sortUp : false; sortBy = key; renderPanel(); } }, title + (key === by[0] ? (sortUp ? " ▲" : " ▼") : "")));
  const mark = (i, kind) => kind + (i === state.selected ? " selected" : "");
  const row = (i) => [
    el("tr", { class: mark(i, "leaf") }, el("td", { class: "rule-cell", colspan: columns.length }, ruleText(i, 6))),
    el("tr", { class: mark(i, "") }, columns.map(([key, , , text]) =>
      el("td", { class: key === "answer" ? "num answer-cell" : "num" }, key === "node" ? el("button", { type: "button", class: "link", onclick: () => reveal(i) }, text(i)) : text(i))))];
  return el("div", {},
    el("div", { class: "scroll-x", tabindex: 0, role: "group", "aria-label": t("leaf_table") }, el("table", { class: "figures leaves" },
      el("thead", {}, el("tr", {}, columns.map(sorter))),
      el("tbody", {}, leaves.slice(0, leavesShown).map(row)))),
    el("div", { class: "row" },
      leaves.length > leavesShown ? el("button", { type: "button", class: "small", onclick: () => { leavesShown += 200; renderPanel(); } }, t("show_more", { n: leaves.length - leavesShown })) : null,
      el("button", { type: "button", class: "small", onclick: () => download("rules.csv", "text/csv", rulesCsv(leaves)) }, t("save_csv"))));
}

/** All rules as CSV; a cell that a spreadsheet would compute is quoted by an apostrophe. */
function rulesCsv(leaves) {
  const columns = leafColumns();
  const cell = (v) => {
    const text = String(v ?? "");
    const safe = /^[=+@\t]/.test(text) ? "'" + text : text;
    return /[",\n]/.test(safe) ? '"' + safe.replace(/"/g, '""') + '"' : safe;
  };
  const lines = leaves.map((i) => [...columns.map(([key, , figure]) => (key === "answer" && !M.regression ? M.classes[M.answer[i]] : figure(i))), ruleText(i, 9999)]);
  return [[...columns.map((c) => c[0]), "rule"], ...lines].map((line) => line.map(cell).join(",")).join("\r\n") + "\r\n";
}
