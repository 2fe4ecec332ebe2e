// The page frame shared by report and studio: language, theme, layers over the page.

import { language, LANGUAGES, setLanguage, t } from "../core/format.js";
import { updateLegend, treePane, wireTree } from "../tree/pane.js";
import { readPalette } from "../tree/pens.js";
import { byId, selectBox, el } from "./dom.js";
import { inspector, renderPanel, watchPanelEnd } from "./inspector.js";
import { state, update } from "./state.js";

const LANGUAGE_NAMES = { en: "English", es: "Español", pt: "Português" };

/** The list of languages. @param {() => void} build rebuilds the page */
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

/** Show elements on the page, in its language and theme. @param {() => Element[]} make builds them, after the colours of the theme are read */
export function showPage(make) {
  document.documentElement.lang = language.code;
  document.documentElement.dataset.theme = state.theme;
  readPalette();
  byId("app").replaceChildren(...make(),
    el("div", { id: "hover-card", class: "hover-card", "aria-hidden": "true", hidden: true }), el("div", { id: "live", class: "offscreen", "aria-live": "polite" }));
}

/** The tree and the inspector. */
export const treeBody = () => el("div", { class: "body" + (state.panelHidden ? " no-panel" : "") }, treePane(), inspector());

/** Connect the tree and the open tab, once they are on the page. */
export function wireBody() {
  wireTree();
  watchPanelEnd();
  updateLegend();
  renderPanel();
}

/** Show on the page why it could not start. @param {any} error */
export function showFailure(error) {
  byId("app").append(el("p", { class: "warn" }, String(error.message || error)));
  throw error;
}
