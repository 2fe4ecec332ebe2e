"""The page in a real browser: offline, silent, and saying what Python says."""

from __future__ import annotations

import json
import math
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.layout.placing import tidy
from ceiba.table.read_for_predict import read_like
from ceiba.tree.routing.trace import trace
from tests.marks import slow
from tests.report.browser import Open
from tests.report.models import HOSTILE, held_out, model, table

OTHER_KINDS = ["classes", "fractional", "intervals"]
BUSY = 3  # budgets are for a quiet machine, and test machines are shared


def whole_tree(fitted: Any) -> Any:
    return getattr(fitted, "unpruned_tree_", fitted.tree_)


def tree_at(fitted: Any, alpha: float) -> Any:
    tree = whole_tree(fitted)
    return tree if alpha < 0 else tree.prune(alpha)


# ---------------------------------------------------------------------- safety


@pytest.mark.parametrize("kind", ["surrogate", "cv", *slow(["regression", *OTHER_KINDS])])
def test_page_every_tab_offline_asks_nothing_and_reports_no_error(
    open_page: Open, kind: str
) -> None:
    opened = open_page(kind)
    for tab in ("node", "case", "prune", "model", "data"):
        opened.page.click(f"#tab-{tab}")
        if tab == "case":
            opened.page.click("button.primary")
    opened.run("() => window.ceibaReport.buildPrint()")
    assert opened.outside() == []
    assert opened.errors == []


def test_page_hostile_names_are_inert_and_shown(open_page: Open) -> None:
    rng = np.random.default_rng(0)
    columns = {name: rng.normal(size=80) for name in HOSTILE}
    total = sum(columns.values())
    y = np.where(total > 1, HOSTILE[0], np.where(total < -1, HOSTILE[1], HOSTILE[4]))
    fitted = ceiba.DecisionTreeClassifier(max_leaf_nodes=14).fit(columns, y)
    opened = open_page("hostile", fitted, reports={"title": HOSTILE[1], "train": (columns, y)})
    for tab in ("node", "case", "prune", "model", "data"):
        opened.page.click(f"#tab-{tab}")
    assert opened.errors == []
    assert opened.outside() == []
    assert opened.page.locator("img").count() == 0
    assert HOSTILE[0] in opened.page.inner_text("#panel")
    assert opened.page.inner_text("h1") == HOSTILE[1]


# ---------------------------------------------------------------------- figures


@pytest.mark.parametrize("kind", ["cv", *slow(["classes", "surrogate"])])
def test_metrics_at_every_step_equal_those_of_python(open_page: Open, kind: str) -> None:
    from sklearn.metrics import log_loss, roc_auc_score

    fitted, (X, y) = model(kind), held_out(kind)
    opened = open_page(kind)
    steps = opened.run("() => window.ceibaReport.model.steps.map((s) => [s.alpha, s.leaves])")
    assert len(steps) > 3
    for k, (alpha, leaves) in enumerate(steps):
        tree = tree_at(fitted, alpha)
        said = opened.run("(k) => window.ceibaReport.metricsAt(k, 'test')", k)
        p = tree.predict_proba(X)
        assert leaves == said["leaves"] == tree.n_leaves
        assert said["error"] == pytest.approx(np.mean(tree.predict(X) != y), abs=1e-9)
        labels = tree.target.classes[0].tolist()
        assert said["log_loss"] == pytest.approx(log_loss(y, p, labels=labels), abs=1e-9)
        truth = (np.asarray(y)[:, None] == np.array(labels)).astype(float)
        brier = ((p - truth) ** 2).sum(axis=1).mean() / (2 if len(labels) == 2 else 1)
        assert said["brier"] == pytest.approx(brier, abs=1e-9)
        areas = [roc_auc_score(truth[:, c], p[:, c]) for c in range(len(labels))]
        area = areas[1] if len(labels) == 2 else float(np.mean(areas))
        assert said["auc"] == pytest.approx(area, abs=1e-9)
        train = opened.run("(k) => window.ceibaReport.metricsAt(k, 'train')", k)
        assert train["error"] == pytest.approx(tree.tree_risk, abs=1e-9)


def test_metrics_of_numbers_at_every_step_equal_those_of_python(open_page: Open) -> None:
    from sklearn.metrics import mean_squared_error, r2_score

    fitted, (X, y) = model("regression"), held_out("regression")
    opened = open_page("regression")
    steps = opened.run("() => window.ceibaReport.model.steps.map((s) => s.alpha)")
    for k, alpha in enumerate(steps):
        tree = tree_at(fitted, alpha)
        said = opened.run("(k) => window.ceibaReport.metricsAt(k, 'test')", k)
        assert said["mse"] == pytest.approx(mean_squared_error(y, tree.predict(X)), abs=1e-9)
        assert said["r2"] == pytest.approx(r2_score(y, tree.predict(X)), abs=1e-9)


@pytest.mark.slow
def test_importance_of_the_whole_tree_equals_that_of_python(open_page: Open) -> None:
    opened = open_page("classes")
    last = opened.run("() => window.ceibaReport.model.steps.length - 1")
    said = opened.run("(k) => window.ceibaReport.importanceAt(k)", last)
    assert said == pytest.approx(model("classes").feature_importances_.tolist(), abs=1e-6)


def test_tidy_places_equal_those_of_python(open_page: Open) -> None:
    opened = open_page("classes")
    for seed in range(8):
        rng = np.random.default_rng(seed)
        parent = pre_order([-1, *(int(rng.integers(0, i)) for i in range(1, 40))])
        said = opened.run("(p) => [...window.ceibaReport.tidyLayout(p, 1, 0.25)]", parent)
        assert said == pytest.approx(tidy(parent, [1.0] * 40, gap=0.25).tolist(), abs=1e-9)


def pre_order(parent: list[int]) -> list[int]:
    """Number the nodes of any tree anew, in pre-order."""
    below: list[list[int]] = [[] for _ in parent]
    for node, above in enumerate(parent[1:], start=1):
        below[above].append(node)
    place, waiting, found = {-1: -1}, [0], []
    while waiting:
        node = waiting.pop()
        place[node] = len(found)
        found.append(place[parent[node]])
        waiting += reversed(below[node])
    return found


# ---------------------------------------------------------------------- cases


@pytest.mark.parametrize("kind", ["surrogate", "cv", *slow(["regression", *OTHER_KINDS])])
def test_case_random_rows_take_the_way_of_python(open_page: Open, kind: str) -> None:
    tree = whole_tree(model(kind))
    frame = table(200, seed=3)
    frame["city"][::9] = "Atlantis"  # a level not seen when fitting
    read = read_like(frame, tree.schema, match="name")
    cases = [[plain(column.values[row]) for column in read.columns] for row in range(200)]
    opened = open_page(kind)
    said = opened.run(
        """(cases) => {
          const r = window.ceibaReport, whole = r.model.steps.findIndex((s) => s.isFull);
          return cases.map((values) => r.predict(values, whole));
        }""",
        cases,
    )
    labels = tree.predict(frame)
    values = tree.value[tree.apply(frame), 0]
    mixed = tree.predict_proba(frame) if tree.task == "classification" else values
    for row in range(200):
        moves = [(m["node"], m["branch"], m["by"]) for m in said[row]["moves"]]
        assert moves == [(m.node, m.branch, m.by) for m in trace(tree, read, row)]
        assert said[row]["value"] == pytest.approx(mixed[row].tolist(), abs=1e-12)
        if tree.task == "classification":
            assert tree.target.classes[0][said[row]["answer"]] == labels[row]


def plain(value: Any) -> Any:
    number = value.item()
    if isinstance(number, float):
        return None if math.isnan(number) else number
    return None if number < 0 else number


def test_case_typed_into_the_form_gives_the_answer_of_predict(open_page: Open) -> None:
    fitted = model("classes")
    opened = open_page("classes")
    page = opened.page
    opened.start_case()
    names = list(fitted.tree_.schema.names)
    for age, income, city in [(70, 55.5, "Lima"), (20, 5, "Oslo"), (33, None, "Quito")]:
        page.fill(f"#case{names.index('age')}", str(age))
        page.fill(f"#case{names.index('income')}", "" if income is None else str(income))
        page.select_option(f"#case{names.index('city')}", label=city)
        if page.locator(f"#case{names.index('noise')}").count():
            page.fill(f"#case{names.index('noise')}", "0.25")
        row = {"age": [age], "income": [math.nan if income is None else income], "city": [city]}
        expected = fitted.predict({**row, "noise": [0.25]})[0]
        assert page.inner_text("#case-answer") == expected


@pytest.mark.slow
def test_case_in_the_address_is_there_after_loading_again(open_page: Open) -> None:
    opened = open_page("classes")
    page = opened.page
    opened.start_case()
    said = page.inner_text("#case-answer")
    opened.until("location.hash.includes('case=')")
    page.reload()
    opened.until("window.ceibaReport && window.ceibaReport.ready")
    assert page.inner_text("#case-answer") == said


def test_case_pasted_row_of_csv_is_read_by_names(open_page: Open) -> None:
    opened = open_page("classes")
    line = 'city,age,income,noise\n"Oslo",44,NA,0.5\n'
    found = opened.run("(text) => window.ceibaReport.caseFromCsv(text)", line)
    assert found == [44, None, 1, 0.5]


# ---------------------------------------------------------------------- rules


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["surrogate", *slow(["classes", "regression"])])
def test_rule_as_python_selects_the_rows_of_its_node(open_page: Open, kind: str) -> None:
    tree = whole_tree(model(kind))
    frame = table(120, seed=5)
    frame["city"][::7] = "Atlantis"
    rows = [{name: plain_cell(frame[name][i]) for name in frame} for i in range(120)]
    opened = open_page(kind)
    for node in range(tree.n_nodes):
        code = opened.run("(i) => window.ceibaReport.ruleCode(i, 'python')", node)
        chosen = [i for i, row in enumerate(rows) if eval(code, {"row": row})]
        assert chosen == tree.rows(node, frame).tolist(), code


@pytest.mark.parametrize("kind", ["surrogate", *slow(["classes"])])
def test_rule_as_sql_selects_the_rows_of_its_node(open_page: Open, kind: str) -> None:
    tree = whole_tree(model(kind))
    frame = table(120, seed=5)
    frame["city"][::7] = "Atlantis"
    base = sqlite3.connect(":memory:")
    base.execute("create table t (id, age, income, city, noise)")
    rows = [(i, *(plain_cell(frame[name][i]) for name in frame)) for i in range(120)]
    base.executemany("insert into t values (?, ?, ?, ?, ?)", rows)
    opened = open_page(kind)
    for node in range(tree.n_nodes):
        code = opened.run("(i) => window.ceibaReport.ruleCode(i, 'sql')", node)
        chosen = [row[0] for row in base.execute(f"select id from t where {code} order by id")]
        assert chosen == tree.rows(node, frame).tolist(), code
    base.close()


def plain_cell(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and math.isnan(value) else value


@pytest.mark.slow
def test_rule_copy_button_copies_it(open_page: Open) -> None:
    opened = open_page("classes")
    opened.run("() => window.ceibaReport.reveal(2)")
    opened.page.click("#panel button:has-text('SQL')")
    opened.until("window.ceibaReport.copied() !== ''")
    expected = opened.run("() => window.ceibaReport.ruleCode(2, 'sql')")
    assert opened.run("() => window.ceibaReport.copied()") == expected


# ---------------------------------------------------------------------- use


def test_slider_by_keyboard_changes_tree_and_figures(open_page: Open) -> None:
    opened = open_page("cv")
    page = opened.page
    page.click("#tab-prune")
    page.focus("#prune-slider")
    before = page.inner_text("#summary")
    page.keyboard.press("Home")
    assert "1 leaf" in page.inner_text("#summary") != before
    page.keyboard.press("ArrowRight")
    assert "2 leaves" in page.inner_text("#prune-figures")
    assert opened.errors == []


def test_tree_by_keyboard_walks_folds_and_searches(open_page: Open) -> None:
    opened = open_page("classes")
    page = opened.page
    opened.run("() => window.ceibaReport.reveal(0)")
    page.focus("#outline")
    deeper = (
        "ArrowRight" if opened.run("() => ceibaReport.view.direction") == "right" else "ArrowDown"
    )
    page.keyboard.press(deeper)
    assert opened.run("() => ceibaReport.state.selected") == 1
    shown = opened.run("() => ceibaReport.view.layout.nodes.length")
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    assert opened.run("() => ceibaReport.view.layout.nodes.length") == 1 < shown
    page.keyboard.press("Space")
    page.keyboard.press("/")
    page.keyboard.type("income")
    page.keyboard.press("Enter")
    column = opened.run("() => ceibaReport.model.splits.column[ceibaReport.state.selected]")
    assert model("classes").tree_.schema.names[column] == "income"


@pytest.mark.slow
def test_tree_twin_tells_screen_readers_the_shown_nodes(open_page: Open) -> None:
    opened = open_page("classes")
    items = opened.page.locator("#outline [role=treeitem]")
    assert items.count() == opened.run("() => ceibaReport.view.layout.nodes.length")
    assert opened.page.locator("#outline [aria-selected=true]").count() == 1


def test_tree_click_on_a_node_selects_it(open_page: Open) -> None:
    opened = open_page("classes")
    opened.run("() => window.ceibaReport.reveal(0)")
    box = opened.page.locator("#tree").bounding_box()
    assert box is not None
    place = opened.run(
        """() => {
          const { view } = window.ceibaReport, k = view.layout.nodes.indexOf(1);
          return ceibaReport.place(k);
        }"""
    )
    opened.page.mouse.click(box["x"] + place[0], box["y"] + place[1])
    assert opened.run("() => ceibaReport.state.selected") == 1


def test_icicle_click_selects_the_node_there(open_page: Open) -> None:
    opened = open_page("classes")
    box = opened.page.locator("#icicle").bounding_box()
    assert box is not None
    opened.page.mouse.click(box["x"] + 4, box["y"] + box["height"] - 2)
    selected = opened.run("() => ceibaReport.state.selected")
    assert selected > 0


@pytest.mark.parametrize(
    ("kind", "lang"), [("regression", "pt"), *slow([("classes", "es"), ("surrogate", "en")])]
)
def test_language_switch_leaves_no_untranslated_key(open_page: Open, kind: str, lang: str) -> None:
    opened = open_page(kind)
    page = opened.page
    page.select_option("#lang", lang)
    for tab in ("node", "case", "prune", "model", "data"):
        page.click(f"#tab-{tab}")
        if tab == "case" and page.locator("button.primary").count():
            page.click("button.primary")
        assert "⟦" not in page.inner_text("body")
    opened.run("() => window.ceibaReport.buildPrint()")
    assert "⟦" not in opened.run("() => document.getElementById('print').textContent")
    assert opened.run("() => document.documentElement.lang") == lang


@pytest.mark.slow
def test_language_user_names_are_not_translated(open_page: Open) -> None:
    opened = open_page("classes")
    opened.page.select_option("#lang", "es")
    opened.page.click("#tab-data")
    assert "income" in opened.page.inner_text("#panel")


def test_narrow_screen_has_no_sideways_scroll_and_answers_touch(open_page: Open) -> None:
    opened = open_page(
        "classes", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = opened.page
    assert opened.run("() => document.documentElement.scrollWidth") <= 390
    for tab in ("case", "prune", "model", "data", "node"):
        page.tap(f"#tab-{tab}")
        assert opened.run("() => document.documentElement.scrollWidth") <= 390, tab
    assert opened.errors == []


@pytest.mark.slow
def test_theme_switch_changes_the_colours(open_page: Open) -> None:
    opened = open_page("classes")
    colour = "() => getComputedStyle(document.body).backgroundColor"
    before = opened.run(colour)
    opened.page.click("#theme")
    assert opened.run(colour) != before
    assert opened.errors == []


def test_print_holds_summary_pictures_and_all_rules(open_page: Open) -> None:
    opened = open_page("classes")
    opened.run("() => window.ceibaReport.buildPrint()")
    opened.page.emulate_media(media="print")
    assert not opened.page.locator("#app").is_visible()
    assert opened.page.locator("#print svg.picture").count() == 2
    leaves = opened.run("() => ceibaReport.model.nLeaves")
    assert opened.page.locator("#print .print-rules tbody tr").count() == leaves


def test_multiway_tree_written_by_hand_opens(open_page: Open) -> None:
    tree = ceiba.tree.build(
        ("Patrons", {"None": "No", "Some": "Yes", "Full": ("x <= 1", "No", "Yes")})
    )
    opened = open_page("by_hand", tree, reports={})
    for tab in ("node", "case", "prune", "model", "data"):
        opened.page.click(f"#tab-{tab}")
    assert opened.errors == []


def test_tree_of_one_leaf_opens(open_page: Open) -> None:
    fitted = ceiba.DecisionTreeClassifier().fit([[1.0], [1.0]], ["a", "a"])
    opened = open_page("one_leaf", fitted, reports={})
    for tab in ("node", "case", "prune", "model", "data"):
        opened.page.click(f"#tab-{tab}")
    assert opened.errors == []


# ---------------------------------------------------------------------- budgets


@pytest.mark.slow
def test_budget_five_thousand_leaves_open_at_once_and_move_smoothly(
    open_page: Open, folder: Path
) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30_000, 6))
    y = X[:, 0] * 3 + np.sin(4 * X[:, 1]) + rng.normal(size=30_000)
    fitted = ceiba.DecisionTreeRegressor(max_leaf_nodes=5000).fit(X, y)
    opened = open_page("large", fitted, reports={"train": (X, y), "test": (X[:5000], y[:5000])})
    assert (folder / "large.html").stat().st_size <= 1_500_000
    entry = "performance.getEntriesByName('first-contentful-paint')[0]"
    opened.until(entry)
    assert opened.run(f"() => {entry}.startTime") < 600 * BUSY
    opened.page.click("#unfold")
    times = opened.run(
        """async () => {
          const found = [];
          for (let k = 0; k < 20; k++) {
            ceibaReport.view.x += 5;
            document.getElementById("outline").dispatchEvent(
              new KeyboardEvent("keydown", { key: k % 2 ? "+" : "-" }));
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            found.push(ceibaReport.view.frameMs);
          }
          return found;
        }"""
    )
    assert opened.run("() => ceibaReport.view.layout.nodes.length") == 9999
    assert float(np.median(times)) <= 8 * BUSY
    assert json.dumps(opened.errors) == "[]"


@pytest.mark.slow
def test_notebook_frame_shows_the_page_without_errors(browser: Any, tmp_path: Path) -> None:
    made = ceiba.tree.build(("x <= 2.5", "a", "b")).report(title="Framed")
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><meta charset=utf-8>{made._repr_html_()}", "utf-8")
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.goto(path.as_uri())
    frame = page.frame_locator("iframe")
    frame.locator("h1").wait_for()
    frame.locator("#tab-case").click()
    assert frame.locator("h1").inner_text() == "Framed"
    assert errors == []
    page.close()
