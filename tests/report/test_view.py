"""What a reader sees first, and where more is: edges, overview, hover card, filter, room."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ceiba
from tests.marks import slow
from tests.report.browser import Open, Opened
from tests.report.models import answer, model, table

FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
WIDTHS = [390, 1024, 1400, 2560]


def shown(opened: Opened) -> list[tuple[float, float]]:
    """Return the places of all shown nodes on the canvas."""
    opened.run(FRAMES)
    places: list[tuple[float, float]] = opened.run(
        "() => ceibaReport.view.layout.nodes.map((_, k) => ceibaReport.place(k))"
    )
    return places


def place_in_window(opened: Opened, node: int) -> tuple[float, float]:
    box: Any = opened.page.locator("#tree").bounding_box()
    x, y = opened.run("(i) => ceibaReport.place(ceibaReport.view.layout.nodes.indexOf(i))", node)
    return box["x"] + x, box["y"] + y


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", ["classes", *slow(["regression", "cv"])])
def test_first_view_nodes_beyond_an_edge_have_a_button_there(
    open_page: Open, kind: str, width: int
) -> None:
    opened = open_page(kind, viewport={"width": width, "height": 844})
    wide, high = opened.run("() => [ceibaReport.view.width, ceibaReport.view.height]")
    beyond = {"left": 0, "right": 0, "up": 0, "down": 0}
    for x, y in shown(opened):
        if x > wide + 60:
            beyond["right"] += 1
        elif x < -60:
            beyond["left"] += 1
        elif y > high + 30:
            beyond["down"] += 1
        elif y < -30:
            beyond["up"] += 1
    for side, n in beyond.items():
        button = opened.page.locator(f"#edge-{side}")
        if n:
            assert button.is_visible(), side
    if not any(opened.run("() => Object.values(ceibaReport.countBeyondEdges().count)")):
        assert opened.page.locator(".edge:visible").count() == 0


@pytest.mark.slow
def test_edge_button_brings_what_lies_beyond(open_page: Open) -> None:
    opened = open_page("classes")
    opened.page.click("#unfold")
    opened.run("() => ceibaReport.zoomTo(1.2)")
    opened.run(FRAMES)
    side = next(
        s for s in ("right", "down", "up", "left") if opened.page.locator(f"#edge-{s}").is_visible()
    )
    before = opened.run("(s) => ceibaReport.countBeyondEdges().count[s]", side)
    for _ in range(12):
        if not opened.page.locator(f"#edge-{side}").is_visible():
            break
        opened.page.click(f"#edge-{side}")
        opened.run(FRAMES)
    assert opened.run("(s) => ceibaReport.countBeyondEdges().count[s]", side) == 0 < before


@pytest.mark.slow
def test_overview_frames_what_is_in_view_only_while_not_all_is(open_page: Open) -> None:
    opened = open_page("classes")
    opened.page.click("#fit")
    opened.run(FRAMES)
    assert opened.run("() => ceibaReport.icicle.part") is None
    opened.page.click("#unfold")
    opened.run("() => ceibaReport.zoomTo(2)")
    opened.run(FRAMES)
    part = opened.run("() => ceibaReport.icicle.part")
    assert 0 <= part["first"] < part["last"] <= 1 + 1e-9
    assert part["last"] - part["first"] < 1


@pytest.mark.parametrize("leaves", [60, *slow([1500])])
def test_fit_shows_every_node_of_an_unfolded_tree(open_page: Open, leaves: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 4))
    y = X[:, 0] + rng.normal(size=6000)
    fitted = ceiba.DecisionTreeRegressor(max_leaf_nodes=leaves).fit(X, y)
    opened = open_page(f"unfolded_{leaves}", fitted, reports={})
    opened.page.click("#unfold")
    opened.page.click("#fit")
    wide, high = opened.run("() => [ceibaReport.view.width, ceibaReport.view.height]")
    places = np.array(shown(opened))
    assert len(places) == fitted.tree_.n_nodes
    assert places.min() >= 0
    assert (places <= [wide, high]).all()


@pytest.mark.slow
def test_view_pushed_away_keeps_some_of_the_tree(open_page: Open) -> None:
    opened = open_page("classes")
    opened.run("() => { ceibaReport.view.x = 1e6; ceibaReport.zoomTo(1.5); }")
    wide, high = opened.run("() => [ceibaReport.view.width, ceibaReport.view.height]")
    places = np.array(shown(opened))
    assert (places.min(axis=0) < [wide, high]).all()
    assert (places.max(axis=0) > 0).all()


@pytest.mark.slow
def test_panel_can_be_hidden_and_the_tree_takes_its_room(open_page: Open) -> None:
    opened = open_page("classes")
    page = opened.page
    before = opened.run("() => ceibaReport.view.width")
    page.click("#hide-panel")
    assert not page.locator("#panel").is_visible()
    assert page.get_attribute("#hide-panel", "aria-expanded") == "false"
    assert opened.run("() => ceibaReport.view.width") > before + 300
    page.click("#hide-panel")
    assert page.locator("#panel").is_visible()


@pytest.mark.slow
def test_more_room_shows_more_of_long_level_sets(open_page: Open) -> None:
    rng = np.random.default_rng(1)
    names = ["Married-AF-spouse", "Married-civ-spouse", "Never-married", "Separated", "Widowed"]
    status, hours = rng.choice(names, 600), rng.normal(size=600)
    y = np.isin(status, names[:2]) ^ (hours > 1)
    fitted = ceiba.DecisionTreeClassifier(max_depth=2).fit({"status": status, "hours": hours}, y)

    def longest(width: int) -> int:
        opened = open_page(
            "levels_wide", fitted, reports={}, viewport={"width": width, "height": 900}
        )
        opened.run(FRAMES)
        words = opened.run(
            "() => [...ceibaReport.viewSvg().querySelectorAll('text')].map((t) => t.textContent)"
        )
        return max(len(word) for word in words if "{" in word)

    assert longest(2560) >= len("∈ {Married-AF-spouse, Married-civ-spouse}")
    assert longest(2560) >= longest(1024)


# ---------------------------------------------------------------------- hover


def test_hover_shows_the_card_at_once_and_lights_the_path(open_page: Open) -> None:
    opened = open_page("classes")
    node = opened.run("() => ceibaReport.view.layout.nodes.at(-1)")
    opened.page.mouse.move(*place_in_window(opened, node))
    card = opened.page.locator("#hover-card")
    assert card.is_visible()
    assert f"#{node}" in card.inner_text()
    parent = model("classes").tree_.parent
    path = [node]
    while parent[path[0]] >= 0:
        path.insert(0, int(parent[path[0]]))
    assert opened.run("() => ceibaReport.hover.path") == path
    opened.page.mouse.move(2, 2)
    assert not card.is_visible()
    assert opened.run("() => ceibaReport.hover.path") == []


@pytest.mark.slow
def test_hover_card_follows_the_keyboard_and_escape_hides_it(open_page: Open) -> None:
    opened = open_page("classes")
    opened.page.focus("#outline")
    opened.page.keyboard.press("ArrowRight")
    opened.page.keyboard.press("ArrowDown")
    opened.run(FRAMES)
    selected = opened.run("() => ceibaReport.state.selected")
    assert opened.run("() => ceibaReport.hover.node") == selected
    assert opened.page.locator("#hover-card").is_visible()
    opened.page.keyboard.press("Escape")
    assert not opened.page.locator("#hover-card").is_visible()


@pytest.mark.slow
def test_hover_card_answers_a_tap_and_stays_inside_the_window(open_page: Open) -> None:
    opened = open_page(
        "classes", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    opened.page.touchscreen.tap(*place_in_window(opened, 0))
    opened.run(FRAMES)
    box = opened.page.locator("#hover-card").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390


@pytest.mark.slow
def test_hover_on_the_overview_lights_the_tree(open_page: Open) -> None:
    opened = open_page("classes")
    box: Any = opened.page.locator("#icicle").bounding_box()
    opened.page.mouse.move(box["x"] + 5, box["y"] + 30)
    assert opened.page.locator("#hover-card").is_visible()
    assert len(opened.run("() => ceibaReport.hover.path")) >= 2


# ---------------------------------------------------------------------- filter


def test_filter_keeps_leaves_by_support_probability_and_class(open_page: Open) -> None:
    fitted = model("classes")
    tree = fitted.tree_
    opened = open_page("classes")
    page = opened.page
    page.click("#filter")
    page.fill("#filter-rows", "4")
    page.fill("#filter-sure", "70")
    label = tree.target.classes[0].tolist().index("low")
    page.select_option("#filter-class", str(label))
    value = tree.value[:, 0]
    kept = [
        int(i)
        for i in tree.leaves
        if tree.n_rows[i] >= 0.04 * tree.n_rows[0]
        and value[i].max() >= 0.7
        and int(value[i].argmax()) == label
    ]
    assert 0 < len(kept) < tree.n_leaves
    hits = opened.run("() => [...ceibaReport.filterHits()]")
    assert [int(i) for i in tree.leaves if hits[int(i)]] == kept
    assert all(hits[int(tree.parent[i])] for i in kept)
    assert page.inner_text("#filter-found").startswith(f"{len(kept)} lea")
    page.click("#tab-model")
    assert page.locator(".leaves tr.leaf").count() == len(kept)
    page.click("#filter-clear")
    assert opened.run("() => ceibaReport.filterHits()") is None
    assert page.locator(".leaves tr.leaf").count() == tree.n_leaves


@pytest.mark.slow
def test_filter_of_numbers_is_by_value(open_page: Open) -> None:
    tree = model("regression").tree_
    opened = open_page("regression")
    opened.page.click("#filter")
    middle = float(np.median(tree.value[tree.leaves, 0, 0]))
    opened.page.fill("#filter-low", str(middle))
    hits = opened.run("() => [...ceibaReport.filterHits()]")
    assert [bool(hits[int(i)]) for i in tree.leaves] == [
        bool(v >= middle) for v in tree.value[tree.leaves, 0, 0]
    ]


# ---------------------------------------------------------------------- colours of numbers


@pytest.mark.slow
def test_colour_of_numbers_spreads_a_skewed_target_by_rows(open_page: Open) -> None:
    frame = table(800)
    fitted = ceiba.DecisionTreeRegressor(max_leaf_nodes=12).fit(frame, np.exp(2 * answer(frame)))
    opened = open_page("skewed", fitted, reports={})
    tree = fitted.tree_
    value, rows = tree.value[tree.leaves, 0, 0], tree.n_rows[tree.leaves]
    for leaf, v in zip(tree.leaves.tolist(), value, strict=True):
        share = (rows[value < v].sum() + rows[value <= v].sum()) / 2 / rows.sum()
        found = opened.run("(i) => ceibaReport.rankOf(ceibaReport.model.value[i])", leaf)
        assert found == pytest.approx(share, abs=1e-9)
    linear = (value - value.min()) / (value.max() - value.min())
    assert np.average(linear < 0.1, weights=rows) > 0.5  # a linear scale would bleach these


# ---------------------------------------------------------------------- forced colours, print


@pytest.mark.slow
def test_forced_colours_keep_swatches_and_hide_the_twin(open_page: Open) -> None:
    opened = open_page("classes", forced_colors="active")
    swatch, outline = opened.run(
        """() => [
          getComputedStyle(document.querySelector(".key .swatch")).backgroundColor,
          getComputedStyle(document.getElementById("outline")).color,
        ]"""
    )
    assert swatch == "rgb(68, 119, 170)"
    assert outline == "rgba(0, 0, 0, 0)"


def test_print_has_figures_page_numbers_and_text_of_eight_points(
    open_page: Open, tmp_path: Any
) -> None:
    opened = open_page("classes")
    opened.run("() => ceibaReport.buildPrint()")
    opened.page.emulate_media(media="print")
    assert opened.page.locator("#print table.matrix").count() == 1
    assert opened.page.locator("#print svg .bubble").count() > 1
    scale = opened.run(
        """() => {
          const svg = document.querySelector("#print .wide svg.picture");
          const [, , width] = svg.getAttribute("viewBox").split(" ");
          return Number(svg.getAttribute("width")) / Number(width);
        }"""
    )
    sizes = opened.run(
        """() => [...document.querySelectorAll("#print .wide svg.picture text")]
          .map((one) => Number(one.getAttribute("font-size")))"""
    )
    assert min(sizes) * scale * 0.75 >= 8
    rules = opened.run(
        """() => [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
          .map((rule) => rule.cssText).join("\\n")"""
    )
    assert "counter(page)" in rules
