"""By keyboard alone, and by touch: slider, case, search, tabs, folding."""

from __future__ import annotations

from typing import Any

import pytest

from tests.report.browser import Open, Opened


def tab_to(opened: Opened, selector: str, most: int = 80) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(most):
        opened.page.keyboard.press("Tab")
        if opened.run("(s) => document.activeElement.matches(s)", selector):
            return
    raise AssertionError(f"Tab does not reach {selector}")


def test_keyboard_alone_prunes_enters_a_case_and_searches(open_page: Open) -> None:
    opened = open_page("cv")
    page, keys = opened.page, opened.page.keyboard
    tab_to(opened, "#search")
    keys.type("income")
    assert "found" in page.inner_text("#hits")
    keys.press("Enter")
    selected = opened.run("() => ceibaReport.state.selected")
    column = opened.run("(i) => ceibaReport.model.splits.column[i]", selected)
    assert opened.run("(j) => ceibaReport.model.columns.name[j]", column) == "income"
    keys.press("Escape")
    tab_to(opened, "#tab-node")
    for name in ("case", "prune"):
        keys.press("ArrowRight")
        assert opened.run("() => document.activeElement.id") == f"tab-{name}"
    tab_to(opened, "#prune-slider")
    keys.press("Home")
    assert opened.run("() => ceibaReport.state.step") == 0
    keys.press("End")
    keys.press("ArrowLeft")
    last = opened.run("() => ceibaReport.model.steps.length - 1")
    assert opened.run("() => ceibaReport.state.step") == last - 1
    keys.press("Shift+Tab")
    keys.press("Shift+Tab")
    assert opened.run("() => document.activeElement.id") == "tab-prune"
    keys.press("ArrowLeft")
    tab_to(opened, "button.primary")
    keys.press("Enter")
    tab_to(opened, "form.case input[type=text]")
    before = opened.run("() => ceibaReport.state.values.slice()")
    keys.press("Control+A")
    keys.type("77")
    after = opened.run("() => ceibaReport.state.values")
    assert 77 in after
    assert 77 not in before
    tab_to(opened, "form.case select")
    keys.press("ArrowDown")
    assert opened.run("() => ceibaReport.state.values") != after
    assert opened.errors == []


@pytest.mark.slow
def test_keyboard_focus_is_always_seen(open_page: Open) -> None:
    """By the page's own outline: a browser's default would be there in any case."""
    opened = open_page("cv")
    visited = []
    for _ in range(25):
        opened.page.keyboard.press("Tab")
        name, width, same = opened.run(
            """() => {
              const node = document.activeElement, s = getComputedStyle(node);
              const probe = document.createElement("i");
              probe.style.color = "var(--accent)";
              document.body.append(probe);
              const accent = getComputedStyle(probe).color;
              probe.remove();
              const own = s.outlineStyle === "solid" && s.outlineColor === accent;
              return [node.id || node.tagName, parseFloat(s.outlineWidth), own];
            }"""
        )
        if name == "BODY":
            break  # once around
        assert same, name
        assert width >= 2, name
        visited.append(name)
    assert {"search", "lang", "fit", "outline", "tab-node", "panel"} <= set(visited)


FOCUSED = "() => [document.activeElement.textContent, document.activeElement.ariaPressed]"


@pytest.mark.slow
def test_keyboard_switches_of_a_panel_keep_the_focus(open_page: Open) -> None:
    opened = open_page("cv")
    page = opened.page
    opened.run("() => ceibaReport.update({ step: Math.max(ceibaReport.state.step - 1, 0) })")
    for tab in ("model", "prune"):
        page.click(f"#tab-{tab}")
        for name in ("train", "test"):
            label = opened.run("(key) => ceibaReport.words[key][0]", name)
            page.locator(".segmented button", has_text=label).first.focus()
            page.keyboard.press("Enter")
            assert opened.run("() => ceibaReport.state.source") == name
            assert opened.run(FOCUSED) == [label, "true"], tab
    page.click("#tab-model")
    page.locator("button.sort").nth(1).focus()
    for arrow in "▼▲":
        page.keyboard.press("Enter")
        assert opened.run(FOCUSED)[0].endswith(arrow)


@pytest.mark.slow
def test_keyboard_focus_stays_in_the_panel_when_its_control_is_gone(open_page: Open) -> None:
    opened = open_page("cv")
    branches = opened.page.locator("ul.branches button")
    while branches.count():  # down to a leaf
        branches.first.focus()
        opened.page.keyboard.press("Enter")
    assert opened.run("() => ceibaReport.state.selected") > 0
    assert opened.run("() => document.activeElement.id") == "panel"


def large_tree(leaves: int = 400) -> Any:
    import numpy as np

    import ceiba

    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    return ceiba.DecisionTreeRegressor(max_leaf_nodes=leaves).fit(X, rng.normal(size=3000))


PAINTED = "() => ['tree', 'tree-marks'].map((id) => document.getElementById(id).toDataURL())"
STATE = "() => { const { folded, ...rest } = ceibaReport.state; return [[...folded], rest]; }"
MARKED = """() => {
  const accent = getComputedStyle(document.documentElement).getPropertyValue("--accent").trim();
  return ceibaReport.viewSvg().querySelectorAll(`circle[stroke="${accent}"]`).length;
}"""


@pytest.mark.slow
def test_dots_a_step_from_node_to_node_paints_the_mark_alone(open_page: Open) -> None:
    opened = open_page("many", large_tree(), reports={})
    page = opened.page
    page.click("#unfold")
    page.click("#fit")
    page.wait_for_timeout(200)
    tree, marks = opened.run(PAINTED)
    opened.run("() => ceibaReport.update({ selected: 1 })")
    page.wait_for_timeout(200)
    now_tree, now_marks = opened.run(PAINTED)
    assert now_tree == tree
    assert now_marks != marks
    assert opened.run(MARKED) == 1  # in the saved picture too


@pytest.mark.slow
def test_rehearsals_leave_the_state_of_the_page_as_it_was(open_page: Open) -> None:
    opened = open_page("large", large_tree(1200), reports={})
    opened.run("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    before = opened.run(STATE)
    tree = opened.run(PAINTED)
    opened.until("ceibaReport.ahead() === 0")
    assert opened.run(STATE) == before
    assert opened.run(PAINTED) == tree


@pytest.mark.slow
def test_keyboard_twin_of_a_large_tree_follows_the_selected_node(open_page: Open) -> None:
    opened = open_page("many", large_tree(), reports={})
    opened.page.click("#unfold")
    opened.run("() => ceibaReport.reveal(ceibaReport.model.n - 1)")
    last = opened.run("() => ceibaReport.model.n - 1")
    opened.until(f"document.querySelector('#outline{last}[aria-selected=true]')")
    assert opened.page.locator("#outline [role=treeitem]").count() < 250
    assert opened.page.locator("#outline0").count() == 1  # its ancestors are there


@pytest.fixture
def phone(open_page: Open) -> Opened:
    return open_page("cv", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)


def place_of(opened: Opened, node: int) -> tuple[float, float]:
    box: Any = opened.page.locator("#tree").bounding_box()
    x, y = opened.run("(i) => ceibaReport.place(ceibaReport.view.layout.nodes.indexOf(i))", node)
    return box["x"] + x, box["y"] + y


def test_touch_tap_selects_a_node_and_the_icicle_goes_there(phone: Opened) -> None:
    selected = "() => ceibaReport.state.selected"
    assert phone.run(selected) == 0
    phone.page.touchscreen.tap(*place_of(phone, 1))
    assert phone.run(selected) == 1
    phone.page.touchscreen.tap(*place_of(phone, 0))
    assert phone.run(selected) == 0
    box: Any = phone.page.locator("#icicle").bounding_box()
    phone.page.touchscreen.tap(box["x"] + 5, box["y"] + 26)
    assert phone.run("(i) => ceibaReport.model.depth[i]", phone.run(selected)) == 1


@pytest.mark.slow
def test_touch_two_fingers_zoom_and_one_moves(phone: Opened) -> None:
    session = phone.context.new_cdp_session(phone.page)
    box: Any = phone.page.locator("#tree").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def touch(kind: str, *points: tuple[float, float]) -> None:
        session.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [{"x": a, "y": b} for a, b in points]},
        )

    before = phone.run("() => [ceibaReport.view.zoom, ceibaReport.view.x]")
    touch("touchStart", (x - 30, y), (x + 30, y))
    for far in (40, 60, 80, 100):
        touch("touchMove", (x - far, y), (x + far, y))
    touch("touchEnd")
    zoomed = phone.run("() => [ceibaReport.view.zoom, ceibaReport.view.x]")
    assert zoomed[0] > 1.5 * before[0]
    touch("touchStart", (x, y))
    touch("touchMove", (x + 20, y))
    touch("touchMove", (x + 45, y))
    touch("touchEnd")
    assert phone.run("() => ceibaReport.view.x") == pytest.approx(zoomed[1] + 45, abs=1)


# Size of what can be touched: [name, width, height], without links inside of sentences.
TARGETS = """(selector) => [...document.querySelectorAll(selector)]
  .filter((one) => one.checkVisibility() && !one.matches(".link"))
  .map((one) => [one, one.getBoundingClientRect()])
  .map(([one, r]) => [one.id || one.textContent || one.type, r.width, r.height])"""


@pytest.mark.slow
def test_touch_targets_on_a_phone_are_large_enough(phone: Opened) -> None:
    bars = ".canvas-tools button, .tabs button, .tools button, .tools select, .tools input"
    always = phone.run(TARGETS, bars)
    assert {name for name, *_ in always} >= {"fit", "tab-data", "theme", "lang", "search"}
    assert [one for one in always if one[1] < 24 or one[2] < 40] == []
    phone.start_case()
    phone.run("() => ceibaReport.update({ step: 1 })")  # on trial: a mark in the header
    for tab in ("node", "case", "prune", "model", "data"):
        phone.page.tap(f"#tab-{tab}")
        inside = phone.run(
            TARGETS, ".marks button, #panel button, #panel select, #panel input, #panel summary"
        )
        assert inside, tab
        # At least what WCAG 2.2 asks for (24 px), in every panel.
        assert [one for one in inside if one[1] < 24 or one[2] < 24] == [], tab
