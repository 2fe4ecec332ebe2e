// Creation of elements. Text is set by textContent only, so that no column name can become markup.

import { t } from "../core/format.js";

/** The element with an id. @param {string} id @returns {any} */
export const byId = (id) => document.getElementById(id);

/**
 * @param {string} tag @param {Record<string, any>} [props] class, text, style (properties), value, on..., anything else is an attribute
 * @param {...any} children nodes, texts, or lists of them; null is skipped
 * @returns {any} the element
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  if (tag === "button") node.setAttribute("type", "button");
  for (const key in props) {
    const value = props[key];
    if (value === undefined || value === null || value === false || key === "value") continue;
    if (key === "text") node.textContent = value;
    else if (key === "class") node.className = value;
    else if (key === "style") Object.assign(node.style, value);
    else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  appendChildren(node, children);
  // Last, since it depends on the limits of a range and on the options of a list.
  if (props.value !== undefined) /** @type {any} */ (node).value = props.value;
  return node;
}

/** Append nodes, texts, and lists of them. @param {Element} node @param {any[]} children */
function appendChildren(node, children) {
  for (const c of children) {
    if (Array.isArray(c)) appendChildren(node, c);
    else if (c !== null && c !== undefined && c !== false) node.append(c);
  }
}

/** An SVG element. */
export function sv(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const key in attributes) {
    const value = attributes[key];
    if (key.startsWith("on") && typeof value === "function") node.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== null) node.setAttribute(key, String(value));
  }
  appendChildren(node, children);
  return node;
}

export const section = (title, ...children) => el("section", { class: "block" }, el("h3", { text: title }), ...children);

/** A table of figures. @param {any[]} head @param {any[][]} rows @param {string} [kind] */
export function dataTable(head, rows, kind = "") {
  const cell = (tag, value, k) =>
    el(tag, { class: k ? "num" : "", scope: tag === "th" ? "col" : undefined }, value instanceof Node ? value : String(value));
  return scrollTable(t("table"), kind, head.map((h, k) => cell(h === "" ? "td" : "th", h, k)),
    rows.map((row) => el("tr", {}, row.map((v, k) => cell("td", v, k)))));
}

/** A table that can be scrolled sideways. @param {string} label @param {string} kind @param {any[]} head cells @param {any[]} body rows */
export const scrollTable = (label, kind, head, body) => el("div", { class: "scroll-x", tabindex: 0, role: "group", "aria-label": label },
  el("table", { class: "figures " + kind }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, body)));

/** A collapsed table, built when it is opened. @param {string} title @param {() => Node} make */
export function lazyTable(title, make) {
  const box = el("details", {}, el("summary", {}, title));
  box.addEventListener("toggle", () => {
    if (box.open && box.childElementCount === 1) box.append(make());
  });
  return box;
}

/** A button that copies text and confirms it. */
export function copyButton(label, text) {
  const button = el("button", { class: "small" }, label);
  button.addEventListener("click", async () => {
    const what = typeof text === "function" ? text() : text;
    let done = false;
    lastCopied.text = what;
    try {
      await navigator.clipboard.writeText(what);
      done = true;
    } catch {
      const area = el("textarea", { class: "offscreen", value: what });
      document.body.append(area);
      area.select();
      done = document.execCommand("copy");
      area.remove();
    }
    announce(done ? t("copied") : t("copy_failed"));
    button.textContent = done ? t("copied") : label;
    setTimeout(() => (button.textContent = label), 1200);
  });
  return button;
}
/** The text that was copied last. */
export const lastCopied = { text: "" };

/** The position of a pointer in an element, in px. @param {Element} node @param {MouseEvent} e @returns {[number, number]} */
export function pointerPosition(node, e) {
  const { left, top } = node.getBoundingClientRect();
  return [e.clientX - left, e.clientY - top];
}

/** Announce a text to screen readers. */
export function announce(text) {
  const live = byId("live");
  if (live) live.textContent = text;
}

/** Download a text as a file. */
export function download(name, type, text) {
  const link = el("a", { download: name });
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 5000);
}

/** A group of buttons of which one is pressed. */
export function segmented(values, now, run, label) {
  return el("div", { class: "segmented", role: "group" }, values.map((v) =>
    el("button", { "aria-pressed": String(v === now), onclick: () => run(v) }, label(v))));
}

/** A select element of named values. @param {any} id @param {string} label @param {any[]} values @param {any} value @param {(v: any) => string} name @param {(v: string) => void} chosen */
export function selectBox(id, label, values, value, name, chosen) {
  const options = values.map((v) => el("option", { value: String(v) }, name(v)));
  return el("select", { id, "aria-label": label, value: String(value), onchange: (e) => chosen(e.target.value) }, options);
}

export const factList = (facts, kind = "facts") => el("dl", { class: kind }, facts.map(([name, value]) => [el("dt", {}, name), el("dd", {}, String(value))]));

/** A text whose verdict, up to the colon, is in bold. @param {{text: string, hasVerdict: boolean}} sure */
export function verdict({ text, hasVerdict }) {
  const at = hasVerdict ? text.indexOf(":") + 1 : 0;
  return at ? [el("strong", {}, text.slice(0, at)), text.slice(at)] : [text];
}

/** A collapsed glossary. @param {string[][]} entries word and key of its meaning */
export function glossary(entries) {
  return el("details", { class: "gloss" }, el("summary", {}, t("words_mean")), el("dl", {}, entries.map(([word, key]) => [el("dt", {}, word), el("dd", {}, t(key))])));
}
