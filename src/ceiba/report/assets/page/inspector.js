// The inspector: its tabs, and the panel of the open tab, which is rebuilt when it is stale.

import { t } from "../core/format.js";
import { byId, el } from "./dom.js";
import { subscribe, state, update } from "./state.js";

/**
 * The tabs by name, in order. build: builds the panel; stale: changes of the state that require a rebuild; show: applies other
 * changes in place. Set by the entry.
 * @type {Record<string, {build: () => Element, stale: string[], show?: (changed: Set<string>) => void}>}
 */
export const tabs = {};

export function inspector() {
  const names = Object.keys(tabs);
  const buttons = names.map((name, k) => el("button", {
    role: "tab", id: "tab-" + name, "aria-controls": "panel", "aria-selected": String(name === state.tab), tabindex: name === state.tab ? 0 : -1,
    onclick: () => update({ tab: name }),
    onkeydown: (e) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (!step) return;
      const to = names[(k + step + names.length) % names.length];
      update({ tab: to });
      byId("tab-" + to).focus();
    },
  }, t("tab_" + name)));
  return el("aside", { class: "right", id: "inspector", "aria-label": t("inspector") },
    el("div", { class: "tabs", role: "tablist" }, buttons),
    el("div", { class: "panel", id: "panel", role: "tabpanel", tabindex: 0, "aria-labelledby": "tab-" + state.tab, onscroll: (e) => (panelTop = e.target.scrollTop) }),
    el("div", { id: "more", class: "more", "aria-hidden": "true" }, "▾"));
}

let panelTop = 0; // how far the panel is scrolled
/** @type {HTMLElement|null} */ let panelEnd = null;

/** Show that a panel continues below, as long as its end is not visible. */
export function watchPanelEnd() {
  panelEnd = el("div", { class: "panel-end" });
  const more = byId("more");
  new IntersectionObserver((seen) => more.classList.toggle("gone", seen[seen.length - 1].isIntersecting), { root: byId("panel"), rootMargin: "0px 0px 24px" }).observe(panelEnd);
}

/** Scroll a new tab to its top; where the page itself scrolls, scroll to the panel. */
function scrollToTop(panel) {
  panelTop = panel.scrollTop = 0;
  if (panel.dataset.tab && panel.getBoundingClientRect().top < 0) panel.scrollIntoView();
}

const CONTROLS = "button, input, select, textarea, summary, [tabindex]";
/** Rebuild the open tab. The focus returns to the same control if it still exists, else to the panel. */
export function renderPanel() {
  const panel = byId("panel");
  const held = panel.dataset.tab === state.tab && document.activeElement !== panel && panel.contains(document.activeElement) ? document.activeElement : null;
  const place = held ? [...panel.querySelectorAll(CONTROLS)].indexOf(held) : -1;
  const heading = state.tab === "node" ? [] : [el("h2", { class: "offscreen" }, t("tab_" + state.tab))];
  panel.replaceChildren(...heading, tabs[state.tab].build(), panelEnd);
  // Reading panel.scrollTop would make the browser lay out the page twice.
  if (panel.dataset.tab !== state.tab) scrollToTop(panel);
  else if (panelTop) panel.scrollTop = panelTop;
  panel.dataset.tab = state.tab;
  if (held) {
    const like = /** @type {HTMLElement} */ (panel.querySelectorAll(CONTROLS)[place]);
    (like && like.tagName === held.tagName && like.className === held.className ? like : panel).focus({ preventScroll: true });
  }
  panel.setAttribute("aria-labelledby", "tab-" + state.tab);
  for (const name of Object.keys(tabs)) {
    const tab = byId("tab-" + name);
    tab.setAttribute("aria-selected", String(name === state.tab));
    tab.tabIndex = name === state.tab ? 0 : -1;
  }
}

/** Subscribe the open tab to the state: rebuild it when it is stale, else change it in place. */
export function subscribeTabs() {
  subscribe(["tab", "selected", "step", "values", "hasCase", "source", "filter"], (changed) => {
    const { stale, show } = tabs[state.tab];
    if (changed.has("tab") || stale.some((k) => changed.has(k))) renderPanel();
    else if (show) show(changed);
  });
}
