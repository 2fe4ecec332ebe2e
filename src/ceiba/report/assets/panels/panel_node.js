// The Node tab: what the page knows of one node, part by part.

function nodePanel() {
  const i = state.selected;
  const end = isEnd(i);
  return el("div", {},
    el("div", { class: "node-head" },
      el("h2", {}, t(end ? "leaf" : i === 0 ? "root" : "inner_node"), " ", el("span", { class: "muted" }, `#${numberOf(i)}`)),
      M.parent[i] >= 0 ? el("button", { type: "button", class: "small", onclick: () => reveal(M.parent[i]) }, "↑ " + t("parent")) : null),
    nodeAnswer(i, end),
    section(t("rule"), ruleBox(i)),
    section(t("rows"), nodeRows(i)),
    end ? null : section(t("split"), splitPicture(i), nodeSplit(i)),
    end ? null : runnerUps(i),
    end ? null : standIns(i),
    M.payload.trust ? nodeTrust(i) : null,
    nodeNotes(i, end),
    M.known ? glossary([[t("word_interval"), M.payload.honest ? "g_interval_honest" : "g_interval"], ...(end ? [] : [[t("gain"), "g_gain"], ["α", "g_alpha"]])]) : null);
}
