"""Words in the drawing of the tree: cuts whole, columns told apart, labels clear of the links."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import ceiba
from tests.marks import slow
from tests.report.browser import Open, Opened
from tests.report.models import model

LEVELS = [f"department of {name}" for name in ("art", "biology", "chemistry", "drama", "ethics")]
# All that is written in the drawing, with the boxes of words and the points of links.
DRAWN = """() => {
  const svg = ceibaReport.viewSvg();
  document.body.append(svg);
  const words = [...svg.querySelectorAll("text")].map((node) => {
    const { x, y, width, height } = node.getBBox();
    return { text: node.textContent, x, y, width, height, halo: node.hasAttribute("stroke") };
  });
  const links = [...svg.querySelectorAll("path")].map((path) => {
    const all = path.getTotalLength();
    const wide = Number(path.getAttribute("stroke-width"));
    const points = [];
    for (let at = 0; at <= all; at += 1) {
      const { x, y } = path.getPointAtLength(at);
      points.push([x, y]);
    }
    return { wide, points };
  });
  svg.remove();
  return { words, links };
}"""


def long_names() -> tuple[dict[str, Any], Any]:
    """Return columns that begin alike, a column of long levels, and a target of all of them."""
    rng = np.random.default_rng(0)
    n = 900
    columns = {
        "household_income_of_last_year": np.round(rng.lognormal(3, 0.6, n), 3),
        "household_income_of_this_year": np.round(rng.lognormal(3, 0.6, n), 3),
        "longitude_of_the_place": np.round(rng.uniform(-124, -114, n), 3),
        "department_of_the_university": rng.choice(LEVELS, n),
    }
    last, this, place, home = columns.values()
    y = (
        np.log(last)
        + np.log(this)
        + np.where(place < -118.305, 2.0, 0.0)
        + 2.0 * np.isin(home, LEVELS[::2])
        + rng.normal(0, 0.2, n)
    )
    return columns, np.where(y > np.median(y), "above", "below")


def drawn(opened: Opened) -> dict[str, Any]:
    found: dict[str, Any] = opened.run(DRAWN)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("leaves", [14, *slow([6, 40])])
def test_labels_long_names_never_cost_the_cut_a_digit(open_page: Open, leaves: int) -> None:
    X, y = long_names()
    fitted = ceiba.DecisionTreeClassifier(max_leaf_nodes=leaves).fit(X, y)
    opened = open_page(f"long_{leaves}", fitted, reports={})
    said = [word["text"] for word in drawn(opened)["words"]]
    shown = opened.run(
        """() => {
          const { model, view, state } = ceibaReport;
          const open = view.layout.nodes.filter((i) => !model.isLeaf(i));
          return open.map((i) => [model.splits.kind[i], model.splits.cut[i]]);
        }"""
    )
    cuts = [cut for kind, cut in shown if kind == 1]
    assert len(cuts) >= 3
    written = [found[1] for text in said if (found := re.search("[≤<] (.*)", text))]
    assert len(written) == len(cuts)
    for cut in cuts:
        assert any(
            abs(float(text.replace(",", "").replace("−", "-")) - cut) <= 1e-9 for text in written
        ), cut


@pytest.mark.slow
def test_labels_columns_that_begin_alike_are_told_apart(open_page: Open) -> None:
    X, y = long_names()
    fitted = ceiba.DecisionTreeClassifier(max_leaf_nodes=40).fit(X, y)
    opened = open_page("long_40", fitted, reports={})
    heads = {
        word["text"].split(" ≤")[0]
        for word in drawn(opened)["words"]
        if "≤" in word["text"] and "…" in word["text"]
    }
    meant = {name for name in X for head in heads if matches(head, name)}
    assert {name for name in X if name.startswith("household")} <= meant
    for head in heads:
        assert len([name for name in X if matches(head, name)]) == 1, head


def matches(head: str, name: str) -> bool:
    """Return whether a shortened name can stand for a name."""
    return re.fullmatch(".+".join(re.escape(part) for part in head.split("…")), name) is not None


@pytest.mark.slow
def test_labels_level_sets_name_what_fits_and_count_the_rest(open_page: Open) -> None:
    X, y = long_names()
    fitted = ceiba.DecisionTreeClassifier(max_leaf_nodes=6).fit(X, y)
    splits = fitted.tree_.splits
    opened = open_page("long_6", fitted, reports={})
    sets = [word["text"] for word in drawn(opened)["words"] if "∈ {" in word["text"]]
    assert sets
    sizes = set()
    for i in (splits.kind == 2).nonzero()[0].tolist():
        here = slice(splits.level_start[i], splits.level_start[i + 1])
        sizes.add(int((splits.level_branch[here] == 0).sum()))
    for text in sets:
        parts = text.split("{", 1)[1].rstrip("}").split(", ")
        rest = sum(int(part[1:]) for part in parts if part.startswith("+"))
        assert len([part for part in parts if not part.startswith("+")]) + rest in sizes, text


@pytest.mark.parametrize("kind", ["classes", *slow(["cv", "regression"])])
@pytest.mark.parametrize("direction", ["right", "down"])
def test_labels_of_branches_do_not_touch_a_link(open_page: Open, kind: str, direction: str) -> None:
    opened = open_page(kind)
    opened.run(
        """(way) => {
          ceibaReport.state.orientation = way;
          document.getElementById("fit").click();
        }""",
        direction,
    )
    if direction == "down":
        opened.page.click("#one")
    found = drawn(opened)
    labels = [w for w in found["words"] if w["halo"] and w["text"] in ("yes", "no")]
    assert len(labels) > 3
    for label in labels:
        # Letters fill the middle of the box that a line of text takes.
        top, bottom = label["y"] + 4, label["y"] + label["height"] - 4
        for link in found["links"]:
            half = link["wide"] / 2
            touched = [
                (x, y)
                for x, y in link["points"]
                if label["x"] < x < label["x"] + label["width"]
                and top < y + half
                and y - half < bottom
            ]
            assert not touched, label


def test_missing_mark_stands_on_every_branch_that_missing_values_take(open_page: Open) -> None:
    fitted = model("classes")
    tree = fitted.tree_
    opened = open_page("classes")
    nodes = opened.run("() => ceibaReport.view.layout.nodes")
    gone = {j for j, info in enumerate(tree.schema.columns) if info.n_missing}
    asked = [
        i
        for i in nodes
        if i > 0
        and tree.splits.column[tree.parent[i]] in gone
        and tree.splits.kind[tree.parent[i]] != 3
        and tree.branch_node[
            tree.branch_start[tree.parent[i]] + tree.default_branch[tree.parent[i]]
        ]
        == i
    ]
    marks = [word for word in drawn(opened)["words"] if word["text"] == "?"]
    assert len(marks) == len(asked) > 2
    assert "missing values take this branch" in opened.page.inner_text(".key")


@pytest.mark.slow
def test_missing_mark_is_not_shown_where_surrogates_decide(open_page: Open) -> None:
    opened = open_page("surrogate")
    assert [word for word in drawn(opened)["words"] if word["text"] == "?"] == []
    assert "missing values go" not in opened.page.inner_text(".key")


@pytest.mark.slow
def test_fold_mark_is_explained_while_something_is_folded(open_page: Open) -> None:
    opened = open_page("classes")
    key = opened.page.locator("#key-fold")
    assert key.is_visible() == opened.run("() => ceibaReport.view.layout.folded")
    opened.page.click("#unfold")
    assert not key.is_visible()
    opened.run("() => { ceibaReport.reveal(0); document.getElementById('outline').focus(); }")
    opened.page.keyboard.press("Space")
    assert key.is_visible()
    assert "folded leaves" in key.inner_text()


@pytest.mark.slow
def test_missing_mark_is_explained_while_one_is_shown(open_page: Open) -> None:
    opened = open_page("classes")
    key = opened.page.locator("#key-missing")
    frame = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

    def agrees() -> bool:
        opened.run(frame)
        marks = [word for word in drawn(opened)["words"] if word["text"] == "?"]
        assert key.is_visible() == bool(marks)
        return bool(marks)

    seen = {agrees()}
    for step in opened.run("() => ceibaReport.model.steps.map((_, k) => k)"):
        opened.run("(k) => ceibaReport.update({ step: k })", step)
        seen.add(agrees())
    assert seen == {True, False}
    assert agrees()
    for _ in range(12):
        opened.page.click("#zoom-out")
    assert not agrees()  # dots have no marks


@pytest.mark.slow
def test_edge_words_stand_on_narrow_branches_of_a_phone_too(open_page: Open) -> None:
    rng = np.random.default_rng(0)
    sex = rng.choice(["daughters", "grandsons"], 400)
    age, fare = rng.normal(size=(2, 400))
    y = np.where(sex == "grandsons", age > 0, fare * age > 0.2)
    fitted = ceiba.DecisionTreeClassifier(max_leaf_nodes=6).fit(
        {"sex": sex, "age": age, "fare": fare}, y
    )
    opened = open_page("sexes", fitted, reports={}, viewport={"width": 390, "height": 844})
    opened.run("() => { ceibaReport.state.orientation = 'down'; ceibaReport.fitTree(); }")
    words = [word["text"] for word in drawn(opened)["words"]]
    assert "sex?" in words
    assert {"daughters", "grandsons"} <= set(words)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["classes", "cv"])
def test_print_explains_the_marks_that_it_shows(open_page: Open, kind: str) -> None:
    opened = open_page(kind)
    seen = set()
    for step in opened.run("() => ceibaReport.model.steps.map((_, k) => k)"):
        opened.run("(k) => { ceibaReport.update({ step: k }); ceibaReport.buildPrint(); }", step)
        words, key = opened.run(
            """() => [
              [...document.querySelectorAll("#print svg text")].map((word) => word.textContent),
              document.querySelector("#print .key").textContent,
            ]"""
        )
        asked, folded = "?" in words, any(word.startswith("+") for word in words)
        assert ("missing values take this branch" in key) == asked
        assert ("folded leaves" in key) == folded
        seen.add((asked, folded))
    assert len(seen) > 1


@pytest.mark.slow
def test_path_of_a_case_keeps_its_colour_on_the_selected_node(open_page: Open) -> None:
    opened = open_page("classes")
    opened.start_case()
    opened.run("() => ceibaReport.update({ selected: 0 })")
    strokes = opened.run(
        """() => {
          const path = getComputedStyle(document.documentElement).getPropertyValue("--path").trim();
          const boxes = [...ceibaReport.viewSvg().querySelectorAll("rect[stroke]")];
          const marked = boxes.filter((b) => b.getAttribute("stroke") === path);
          return [ceibaReport.state.casePath.length, marked.length];
        }"""
    )
    assert strokes[0] == strokes[1] >= 2


@pytest.mark.slow
def test_overview_shows_the_top_of_the_tree_whole(open_page: Open) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    fitted = ceiba.DecisionTreeRegressor(max_leaf_nodes=300).fit(X, X[:, 0] + rng.normal(size=3000))
    opened = open_page("overview", fitted, reports={})
    opened.page.click("#big")
    outside = opened.run(
        """() => {
          const { view, place } = ceibaReport;
          const [right, bottom] = [view.width - 20, view.height - 5];
          return view.layout.nodes.map((_, k) => place(k))
            .filter(([x, y]) => x < 20 || y < 5 || x > right || y > bottom).length;
        }"""
    )
    assert outside == 0
