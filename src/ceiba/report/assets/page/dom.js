// Making elements. Text goes in by textContent only: no name of a column can become markup.

/**
 * @param {string} tag @param {Record<string, any>} [props] class, text, on..., anything else is an attribute
 * @param {...any} children nodes, texts, or lists of them; null is left out
 * @returns {any} the element
 */
function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const key in props) {
    const value = props[key];
    if (value === undefined || value === null || value === false) continue;
    if (key === "text") node.textContent = value;
    else if (key === "class") node.className = value;
    else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  put(node, children);
  return node;
}

/** Append nodes, texts, and lists of them. @param {Element} node @param {any[]} children */
function put(node, children) {
  for (const c of children) {
    if (Array.isArray(c)) put(node, c);
    else if (c !== null && c !== undefined && c !== false) node.append(c);
  }
}

/** An SVG element. */
function sv(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const key in attributes) {
    const value = attributes[key];
    if (key.startsWith("on") && typeof value === "function") node.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== null) node.setAttribute(key, String(value));
  }
  put(node, children);
  return node;
}

const section = (title, ...children) => el("section", { class: "block" }, el("h3", { text: title }), ...children);

/** A table of figures. @param {any[]} head @param {any[][]} rows @param {string} [kind] */
function tableOf(head, rows, kind = "") {
  const cell = (tag, value, k) =>
    el(tag, { class: k ? "num" : "", scope: tag === "th" ? "col" : undefined }, value instanceof Node ? value : String(value));
  return el("div", { class: "scroll-x", tabindex: 0, role: "group", "aria-label": t("table") },
    el("table", { class: "figures " + kind },
      el("thead", {}, el("tr", {}, head.map((h, k) => cell(h === "" ? "td" : "th", h, k)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map((v, k) => cell("td", v, k)))))));
}

/** A table behind a chart, made when it is opened. @param {string} title @param {() => Node} make */
function tableLater(title, make) {
  const box = el("details", {}, el("summary", {}, title));
  box.addEventListener("toggle", () => {
    if (box.open && box.childElementCount === 1) box.append(make());
  });
  return box;
}

/** A button that copies text and says so. */
function copyButton(label, text) {
  const button = el("button", { class: "small", type: "button" }, label);
  button.addEventListener("click", async () => {
    const what = typeof text === "function" ? text() : text;
    let done = false;
    lastCopied = what;
    try {
      await navigator.clipboard.writeText(what);
      done = true;
    } catch {
      const area = el("textarea", { class: "offscreen" });
      area.value = what;
      document.body.append(area);
      area.select();
      done = document.execCommand("copy");
      area.remove();
    }
    say(done ? t("copied") : t("copy_failed"));
    button.textContent = done ? t("copied") : label;
    setTimeout(() => (button.textContent = label), 1200);
  });
  return button;
}
let lastCopied = "";

/** Say something to screen readers. */
function say(text) {
  const live = document.getElementById("live");
  if (live) live.textContent = text;
}

/** Offer a text as a file. */
function download(name, type, text) {
  const link = el("a", { download: name });
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 5000);
}
