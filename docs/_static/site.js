// What the theme leaves out for readers who do not use a mouse: names of landmarks, code that scrolls by keyboard.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const words = {
    en: ["Site", "On this page"],
    es: ["Sitio", "En esta página"],
    pt: ["Site", "Nesta página"],
  }[document.documentElement.lang.slice(0, 2)];
  const names = { ".sidebar-drawer": words[0], ".toc-drawer": words[1] };
  for (const [place, name] of Object.entries(names)) {
    const part = document.querySelector(place);
    if (part) part.setAttribute("aria-label", name);
  }
  for (const block of document.querySelectorAll("div.highlight pre, table.docutils")) block.tabIndex = 0;
});
