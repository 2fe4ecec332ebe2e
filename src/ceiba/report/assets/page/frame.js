// What the pages of report and studio have around the tree: language, theme, the layers over them.

import { language, LANGUAGES, setLanguage, t } from "../core/format.js";
import { updateLegend, treePane, wireTree } from "../tree/pane.js";
import { readPalette } from "../tree/pens.js";
import { byId, selectBox, el } from "./dom.js";
import { inspector, renderPanel, watchPanelEnd } from "./inspector.js";
import { state, update } from "./state.js";

const LANGUAGE_NAMES = { en: "English", es: "Español", pt: "Português" };

/** The list of languages. @param {() => void} build the page anew */
export function languageChoice(build) {
  const list = selectBox("lang", t("language"), LANGUAGES, language.code, (code) => LANGUAGE_NAMES[code], (code) => {
    setLanguage(code);
    build();
    byId("lang").focus();
  });
  for (const option of list.options) option.lang = option.value;
  return list;
}

export const preferredTheme = () => (window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
export function themeButton() {
  const other = () => (state.theme === "dark" ? "light" : "dark");
  return el("button", { id: "theme", onclick: () => update({ theme: other() }), "aria-label": t("theme"), title: t("theme") }, "◐");
}

/** Put parts on the page, in its language and theme. @param {() => Element[]} make which are drawn in the colours of the theme */
export function showPage(make) {
  document.documentElement.lang = language.code;
  document.documentElement.dataset.theme = state.theme;
  readPalette();
  byId("app").replaceChildren(...make(),
    el("div", { id: "hover-card", class: "hover-card", "aria-hidden": "true", hidden: true }), el("div", { id: "live", class: "offscreen", "aria-live": "polite" }));
}

/** The tree and the inspector beside it. */
export const treeBody = () => el("div", { class: "body" + (state.panelHidden ? " no-panel" : "") }, treePane(), inspector());

/** Have the tree and the open tab work, once they are on the page. */
export function wireBody() {
  wireTree();
  watchPanelEnd();
  updateLegend();
  renderPanel();
}

/** Say on the page why it could not begin. @param {any} error */
export function showFailure(error) {
  byId("app").append(el("p", { class: "warn" }, String(error.message || error)));
  throw error;
}
