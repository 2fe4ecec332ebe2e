// What the theme leaves out for readers who do not use a mouse: names of landmarks, code that scrolls by keyboard.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const names = { ".sidebar-drawer": "Site", ".toc-drawer": "On this page" };
  for (const [place, name] of Object.entries(names)) {
    const part = document.querySelector(place);
    if (part) part.setAttribute("aria-label", name);
  }
  for (const block of document.querySelectorAll("div.highlight pre, table.docutils")) block.tabIndex = 0;
});
