// The Log tab: every action as the line of Python that does it; and all that can be saved.

function logPanel() {
  return el("div", {}, section(t("s_save"), saveBox()), section(t("s_log"), logBox()));
}

function logBox() {
  const { log } = studio.server;
  const all = () => log.map((one) => one.line).join("\n") + "\n";
  return el("div", {},
    el("p", { class: "muted" }, t("s_log_hint")),
    el("div", { class: "row" }, copyButton(t("s_copy_all"), all)),
    el("ol", { class: "log", id: "log" }, log.map((one) => el("li", {}, el("code", {}, one.line)))));
}

/** Links that save: script, model, report, and exports of all formats. */
function saveBox() {
  const save = (what) => el("a", { class: "button", id: "save-" + what, href: downloadAddress(what), download: "" }, t("s_save_" + what));
  const format = el("select", { id: "export-format", "aria-label": t("s_export_format") }, studio.server.exports.map((one) => el("option", { value: one.name }, `${one.name} (${one.ending})`)));
  const exporting = el("a", { class: "button", id: "save-export", download: "" }, t("s_save_export"));
  const point = () => exporting.setAttribute("href", downloadAddress("export", format.value));
  format.addEventListener("change", point);
  point();
  return el("div", {},
    el("div", { class: "row" }, save("script"), save("model"), save("report")),
    el("div", { class: "row" }, format, exporting),
    el("p", { class: "muted small-text" }, t("s_save_hint")));
}
