"""What a reader is told of cases, missing values, pruning and quality, in words."""

from __future__ import annotations

import io
import math
import re
from typing import Any

import numpy as np
import pytest
from PIL import Image

import ceiba
from ceiba.inspection.intervals import wilson
from tests.report.browser import Open
from tests.report.models import answer, classes, held_out, model, table


def percent(text: str) -> list[float]:
    return [float(found) for found in re.findall(r"([\d.]+)%", text)]


# ---------------------------------------------------------------------- the way of a case


def test_case_steps_say_what_holds_and_where_it_leads(open_page: Open) -> None:
    fitted = model("classes")
    tree = fitted.tree_
    opened = open_page("classes")
    page = opened.page
    page.click("#tab-case")
    names = list(tree.schema.names)
    city = tree.schema.columns[names.index("city")].levels.index("Oslo")
    values = {"age": 61.0, "income": 12.0, "city": city, "noise": 0.3}
    case = [values[name] for name in names]
    opened.run("(v) => ceibaReport.update({ values: v, hasCase: true })", case)
    moves = opened.run("(v) => ceibaReport.predict(v)", case)["moves"][:-1]
    answer = opened.run("(v) => ceibaReport.predict(v)", case)["answer"]
    items = page.locator(".steps li").all_inner_texts()
    assert percent(items[0]) == [round(100 * tree.value[0, 0, answer])]
    assert len(items) == len(moves) + 1
    for text, move in zip(items[1:], moves, strict=True):
        child = tree.branch_node[tree.branch_start[move["node"]] + move["branch"]]
        assert percent(text.split("→")[1]) == [round(100 * tree.value[child, 0, answer])]
        name = names[tree.splits.column[move["node"]]]
        assert text.startswith(name)
        if tree.splits.kind[move["node"]] == 1:
            sentence = tree.node(move["node"]).sentence(move["branch"])
            said = sentence.replace("<=", "≤").replace(">=", "≥")
            assert said in text.replace("−", "-")
            assert f"it is {values[name]:g}" in text
    assert "✗" not in page.inner_text("#panel")


@pytest.mark.slow
def test_case_missing_column_is_said_to_be_without_effect_only_if_not_asked(
    open_page: Open,
) -> None:
    fitted = model("classes")
    opened = open_page("classes")
    page = opened.page
    opened.start_case()
    names = list(fitted.tree_.schema.names)
    seen = set()
    for gone in names:
        for age in (20.0, 45.0, 75.0):
            start = opened.run("() => ceibaReport.state.values.slice()")
            case = [
                age if name == "age" else value for name, value in zip(names, start, strict=True)
            ]
            case[names.index(gone)] = None
            opened.run("(v) => ceibaReport.update({ values: v, hasCase: true })", case)
            moves = opened.run("(v) => ceibaReport.predict(v)", case)["moves"][:-1]
            asked = {names[fitted.tree_.splits.column[move["node"]]] for move in moves}
            note = page.locator(".not-asked")
            assert note.count() == (0 if gone in asked else 1)
            if note.count():
                assert gone in note.inner_text()
            seen.add(gone in asked)
            opened.run("(v) => ceibaReport.update({ values: v })", start)
    assert seen == {True, False}


def coloured(page: Any, box: str) -> int:
    """Count the strongly coloured pixels of a slider: its knob and the part before it."""
    with Image.open(io.BytesIO(page.locator(box).screenshot())) as picture:
        pixels = np.asarray(picture.convert("RGB")).astype(int)
    return int((pixels.max(axis=2) - pixels.min(axis=2) > 90).sum())


@pytest.mark.slow
def test_case_slider_of_a_missing_value_shows_no_knob(open_page: Open) -> None:
    fitted = model("classes")
    opened = open_page("classes")
    page = opened.page
    opened.start_case()
    j = list(fitted.tree_.schema.names).index("income")
    box = f".field:has(#case{j}) .range"
    assert page.locator(box + ".blank").count() == 0
    shown = coloured(page, box)
    page.fill(f"#case{j}", "")
    assert page.locator(box + ".blank").count() == 1
    assert coloured(page, box) < 0.2 * shown
    assert page.get_attribute(box + " input", "aria-valuetext") == "missing"
    page.fill(f"#case{j}", "30")
    assert page.locator(box + ".blank").count() == 0
    assert page.input_value(box + " input") == "30"


@pytest.mark.slow
def test_case_nearest_other_answer_says_how_many_rows_it_rests_on(open_page: Open) -> None:
    fitted = model("classes")
    opened = open_page("classes")
    opened.start_case()
    near = opened.run("() => ceibaReport.nearest(ceibaReport.state.values)")
    rows = int(fitted.tree_.n_rows[near["node"]])
    assert f"({rows} training row" in opened.page.inner_text("p.flip")


@pytest.mark.slow
def test_case_way_is_brought_into_view_where_nothing_unfolds(open_page: Open) -> None:
    opened = open_page("cv")
    opened.page.click("#unfold")
    opened.start_case()
    opened.run("() => { const { view } = ceibaReport; view.x -= 5000; view.touched = true; }")
    way = opened.run("() => ceibaReport.state.casePath.slice()")
    names = list(model("cv").tree_.schema.names)
    for age in (20.0, 35.0, 50.0, 65.0, 79.0):
        case = opened.run("() => ceibaReport.state.values.slice()")
        case[names.index("age")] = age
        opened.run("(v) => ceibaReport.update({ values: v })", case)
        if opened.run("() => ceibaReport.state.casePath.slice()") != way:
            break
    place, size = opened.run(
        """() => {
          const { view, state, place } = ceibaReport;
          const end = state.casePath[state.casePath.length - 1];
          return [place(view.layout.place[end]), [view.width, view.height]];
        }"""
    )
    assert 0 < place[0] < size[0]
    assert 0 < place[1] < size[1]


# ---------------------------------------------------------------------- missing values, rules


@pytest.mark.slow
def test_node_says_where_missing_values_go_to_what_and_how_many_did(open_page: Open) -> None:
    fitted = model("classes")
    tree = fitted.tree_
    opened = open_page("classes")
    j = list(tree.schema.names).index("income")
    node = next(i for i in range(tree.n_nodes) if tree.splits.column[i] == j)
    opened.run("(i) => ceibaReport.reveal(i)", node)
    said = opened.page.inner_text(".missing-branch")
    child = int(tree.branch_node[tree.branch_start[node] + tree.default_branch[node]])
    answer = str(tree.target.classes[0][np.argmax(tree.value[child, 0])])
    assert "“income”" in said
    assert answer in said
    inside = np.isnan(table(500)["income"][tree.rows(node, table(500))]).sum()
    assert f"{int(inside)} of the {int(tree.n_rows[node])} training rows" in said
    assert inside > 0


@pytest.mark.slow
def test_rule_or_missing_stands_in_brackets_beside_an_and(open_page: Open) -> None:
    opened = open_page("classes")
    rules = opened.run(
        """() => {
          const { model, ruleText, ruleParts } = ceibaReport;
          return Array.from({ length: model.n }, (_, i) => [ruleText(i), ruleParts(i).length]);
        }"""
    )
    checked = 0
    for text, parts in rules:
        for part in text.split(" and "):
            if "or missing" in part:
                enclosed = part.startswith("(") and part.endswith(")")
                assert enclosed == (parts > 1), text
                checked += parts > 1
    assert checked > 3


@pytest.mark.slow
def test_node_of_a_tree_grown_by_tests_names_statistic_and_p_value(open_page: Open) -> None:
    frame = table(500)
    fitted = ceiba.chaid().fit({"city": frame["city"], "age": frame["age"]}, classes(frame, 3))
    tests = fitted.tree_.tests
    opened = open_page("chaid", fitted, reports={})
    for i in np.flatnonzero(~np.isnan(tests.p_value)).tolist():
        opened.run("(i) => ceibaReport.reveal(i)", i)
        test = tests.of(i)
        found = re.match(
            r"χ²\((\d+)\) = ([\d.,]+), p ([<=]) ([\d.e-]+), corrected",
            opened.page.inner_text("#split-test"),
        )
        assert found is not None
        assert float(found[1]) == test.df[0]
        assert float(found[2].replace(",", "")) == pytest.approx(test.statistic, rel=1e-3)
        if found[3] == "<":
            assert test.adjusted_p_value < float(found[4]) == 0.001
        else:
            assert float(found[4]) == pytest.approx(test.adjusted_p_value, rel=6e-2)
    opened.page.click("#tab-data")
    assert "chi2" in opened.page.locator(".facts").first.inner_text()
    assert "gini" not in opened.page.locator(".facts").first.inner_text()


# ---------------------------------------------------------------------- pruning


@pytest.mark.slow
def test_prune_trial_tree_is_named_compared_and_left_again(open_page: Open) -> None:
    opened = open_page("cv")
    page = opened.page
    page.click("#tab-prune")
    assert page.locator("#trial").count() == 0
    start = opened.run("() => ceibaReport.state.step")
    opened.run("() => ceibaReport.update({ step: 1 })")
    steps = opened.run("() => ceibaReport.model.steps")
    now, was = steps[1], steps[start]
    assert now["leaves"] != was["leaves"]
    mark = page.inner_text("#trial")
    assert f"{now['leaves']} leaves" in mark
    assert f"(fitted: {was['leaves']})" in mark
    height = opened.run("() => document.querySelector('header').getBoundingClientRect().height")
    a, b = (opened.run("(k) => ceibaReport.metricsAt(k, 'test')", k) for k in (1, start))
    lines = [row.split("\t") for row in page.locator(".against tbody tr").all_inner_texts()]
    shown = {line[0].lower(): line[1:] for line in lines}
    small, large = (round(100 * m["accuracy"], 2) for m in (a, b))
    assert percent(" ".join(shown["accuracy"][:2])) == [small, large]
    apart = float(shown["accuracy"][2].replace("−", "-").replace("+", "").split()[0])
    assert apart == pytest.approx(small - large, abs=1e-9)
    crossed = shown["error (cross-validated)"]
    assert percent(" ".join(crossed[:2])) == [round(100 * s["cv"], 2) for s in (now, was)]
    trade = page.inner_text("#trade")
    assert f"{now['leaves']} leaves instead of the fitted {was['leaves']}" in trade
    assert percent(trade)[:2] == [small, large]
    page.click("#trial")
    assert opened.run("() => ceibaReport.state.step") == start
    # The page does not move under the hand when a trial begins or ends.
    assert height == opened.run(
        "() => document.querySelector('header').getBoundingClientRect().height"
    )
    assert page.locator("#trial").count() == page.locator(".against").count() == 0


@pytest.mark.slow
def test_prune_chart_marks_the_fitted_tree_and_its_keys_look_like_its_lines(
    open_page: Open,
) -> None:
    opened = open_page("cv")
    page = opened.page
    page.click("#tab-prune")
    opened.run("() => ceibaReport.update({ step: 0 })")
    found = opened.run(
        """() => {
          const chart = document.querySelector("#prune-chart");
          const look = (node) => {
            const s = getComputedStyle(node);
            return [s.strokeDasharray, s.stroke];
          };
          const lines = ["line.train", "line.cv", "line.test", "limit"].map((kind) => [
            look(chart.querySelector("." + kind)),
            look(document.querySelector(".legend .line-key ." + kind)),
          ]);
          const now = document.getElementById("prune-now").getAttribute("x1");
          const mark = chart.querySelector("path.fitted").getAttribute("d");
          return { lines, now, mark };
        }"""
    )
    for line, key in found["lines"]:
        assert line == key
    assert len({str(line) for line, _ in found["lines"]}) == 4
    page.click("button:has-text('As fitted')")
    at = opened.run("() => Number(document.getElementById('prune-now').getAttribute('x1'))")
    middle = float(found["mark"].split("L")[-1].split(",")[0])
    assert middle == pytest.approx(at, abs=1e-6)
    assert middle != pytest.approx(float(found["now"]), abs=1)
    assert "logarithmic scale" in opened.run(
        "() => document.querySelector('#prune-chart svg').textContent"
    )


@pytest.mark.slow
def test_prune_errors_of_numbers_are_shown_as_roots(open_page: Open) -> None:
    frame = table(500)
    pruning = ceiba.prune.CostComplexity(folds=4, rule="1se", keep_unpruned=True)
    fitted = ceiba.DecisionTreeRegressor(prune=pruning).fit(frame, answer(frame))
    opened = open_page("numbers_cv", fitted, reports={"test": held_out("regression")})
    opened.page.click("#tab-prune")
    step = opened.run("() => ceibaReport.model.steps[ceibaReport.state.step]")
    said = opened.page.inner_text("#prune-figures .answer")
    root = float(said.split("cross-validated)")[1].split("±")[0])
    assert root == pytest.approx(math.sqrt(step["cv"]), rel=1e-3)
    opened.page.click("#tab-model")
    assert "squared" not in opened.page.inner_text(".metrics").lower()


# ---------------------------------------------------------------------- quality


def test_baseline_of_classes_is_the_most_frequent_class(open_page: Open) -> None:
    opened = open_page("classes")
    y = classes(table(500), 3)
    names, counts = np.unique(y, return_counts=True)
    most = str(names[np.argmax(counts)])
    _, held = held_out("classes")
    share = round(100 * float(np.mean(held == most)), 1)
    assert f"always “{most}”: {share}%" in opened.page.inner_text("#summary")
    opened.page.click("#tab-model")
    line = opened.page.locator(".metrics tr", has_text=f"always “{most}”").inner_text()
    assert percent(line) == [round(100 * float(np.mean(v == most)), 2) for v in (y, held)]


def test_baseline_of_numbers_is_the_error_of_the_mean(open_page: Open) -> None:
    opened = open_page("regression")
    mean = float(np.mean(answer(table(500))))
    _, held = held_out("regression")
    opened.page.click("#tab-model")
    line = opened.page.locator(".metrics tr", has_text="RMSE of the mean alone").inner_text()
    assert float(line.split("\t")[-1]) == pytest.approx(
        math.sqrt(np.mean((held - mean) ** 2)), rel=1e-3
    )


def test_overfitting_is_said_when_training_flatters(open_page: Open) -> None:
    opened = open_page("cv")
    opened.page.click("#tab-model")
    for step in opened.run("() => ceibaReport.model.steps.map((_, k) => k)"):
        opened.run("(k) => ceibaReport.update({ step: k })", step)
        train, test = (
            opened.run("([k, s]) => ceibaReport.metricsAt(k, s)", [step, s])["accuracy"]
            for s in ("train", "test")
        )
        beyond = train > wilson(test, 300)[1]  # what 300 test rows would show by chance
        assert opened.page.locator(".overfit").count() == (train - test > 0.05 and beyond)
    assert train - test > 0.05
    assert beyond


@pytest.mark.slow
def test_overfitting_is_not_said_of_what_few_test_rows_show_by_chance(open_page: Open) -> None:
    X, y = held_out("cv")
    fitted = model("cv")
    said = np.asarray(fitted.predict(X)) == y
    # Eight rows of which two are wrong: far below the training figure, but that may be chance.
    few = np.concatenate([np.flatnonzero(said)[:6], np.flatnonzero(~said)[:2]])
    some = {name: column[few] for name, column in X.items()}
    opened = open_page("few_tests", fitted, reports={"test": (some, y[few])})
    opened.page.click("#tab-model")
    step = opened.run("() => ceibaReport.state.step")
    train, test = (
        opened.run("([k, s]) => ceibaReport.metricsAt(k, s)", [step, s])["accuracy"]
        for s in ("train", "test")
    )
    assert train - test > 0.05
    assert opened.page.locator(".overfit").count() == 0


@pytest.mark.slow
def test_importance_bars_stand_on_a_track_of_all_and_zero_is_named(open_page: Open) -> None:
    opened = open_page("cv")
    opened.page.click("#tab-model")
    opened.run("() => ceibaReport.update({ step: 1 })")
    worth = dict(
        zip(
            opened.run("() => ceibaReport.model.columns.name"),
            opened.run("() => ceibaReport.importanceAt(1)"),
            strict=True,
        )
    )
    bars = opened.run(
        """() => [...document.querySelectorAll(".importance .bar-row")].map((row) => {
          const track = row.querySelector(".bar-track").getBoundingClientRect().width;
          const fill = row.querySelector(".bar-fill").getBoundingClientRect().width;
          return [row.querySelector(".bar-name").textContent, fill / track];
        })"""
    )
    assert {name for name, _ in bars} == {name for name, share in worth.items() if share > 0}
    for name, share in bars:
        assert share == pytest.approx(worth[name], abs=0.01)
    none = opened.page.inner_text(".importance .none")
    assert all(name in none for name, share in worth.items() if share == 0)
    assert "training rows" in opened.page.inner_text(".importance")


def test_leaf_table_counts_the_test_rows_behind_each_share(open_page: Open) -> None:
    fitted = model("classes")
    X, y = held_out("classes")
    ends = fitted.tree_.apply(X)
    said = np.asarray(fitted.predict(X))
    opened = open_page("classes")
    opened.page.click("#tab-model")
    whole = opened.run("() => ceibaReport.model.steps.findIndex((s) => s.isFull)")
    opened.run("(k) => ceibaReport.update({ step: k })", whole)
    lines = opened.page.locator("table.leaves tbody tr:nth-child(even)").all_inner_texts()
    assert len(lines) == fitted.tree_.n_leaves
    for line in lines:
        cells = line.split("\t")
        here = ends == int(cells[0][1:])
        if here.any():
            right = round(100 * float(np.mean(said[here] == np.asarray(y)[here])), 1)
            assert f"{right}% of {here.sum()}" in line
        else:
            assert "–" in line


@pytest.mark.slow
def test_confusion_matrix_has_no_hue_and_frames_right_answers(open_page: Open) -> None:
    opened = open_page("classes")
    opened.page.click("#tab-model")
    cells = opened.run(
        """() => [...document.querySelectorAll(".matrix td")].map((cell) => {
          const s = getComputedStyle(cell);
          return [s.backgroundColor.match(/\\d+/g).map(Number), s.boxShadow !== "none"];
        })"""
    )
    assert len(cells) == 9
    for k, (colour, framed) in enumerate(cells):
        assert max(colour) - min(colour) <= 8
        assert framed == (k % 4 == 0)


@pytest.mark.slow
def test_words_of_every_metric_are_explained(open_page: Open) -> None:
    frame = table(500)
    costly = ceiba.DecisionTreeClassifier(max_depth=3, cost_matrix=[[0, 1], [3, 0]])
    robust = ceiba.DecisionTreeRegressor(max_depth=3, criterion="absolute_error")
    others = {
        "costly": costly.fit(frame, classes(frame, 2)),
        "robust": robust.fit(frame, answer(frame)),
    }
    for kind in ("classes", "regression", "costly", "robust"):
        opened = open_page(kind, others.get(kind), reports={} if kind in others else None)
        opened.page.click("#tab-model")
        opened.page.click(".gloss summary")
        rows = opened.page.locator(".metrics tbody td:first-child").all_inner_texts()
        known = opened.page.locator(".gloss dt").all_inner_texts()
        plain = {"Error", "Rows"}
        for row in rows:
            assert row in plain or any(row.startswith(word) for word in known), row
        assert all(opened.page.locator(".gloss dd").all_inner_texts())


@pytest.mark.slow
def test_rows_of_a_node_last_line_says_what_its_share_is_of(open_page: Open) -> None:
    opened = open_page("classes")
    opened.run("() => ceibaReport.reveal(1)")
    last = opened.page.locator(".last-sum tbody tr").last.inner_text()
    assert last.startswith("node (% of all)")


@pytest.mark.slow
def test_print_of_a_dark_page_is_light(open_page: Open) -> None:
    opened = open_page("classes", color_scheme="dark")
    opened.run("() => window.ceibaReport.buildPrint()")
    opened.page.emulate_media(media="print", color_scheme="dark")
    colours = opened.run(
        """() => ["#print .bar-track", "body"].map((s) =>
          getComputedStyle(document.querySelector(s)).backgroundColor.match(/\\d+/g).map(Number))"""
    )
    assert all(min(colour[:3]) > 220 for colour in colours)


@pytest.mark.slow
def test_full_size_after_a_squeezed_fit_lays_no_card_on_another(open_page: Open) -> None:
    opened = open_page("cv")
    last = opened.run("() => ceibaReport.model.steps.length - 1")
    opened.run("(k) => ceibaReport.update({ step: k })", last)
    for orientation in ("right", "down"):
        opened.run(
            """(way) => {
              ceibaReport.state.orientation = way;
              document.getElementById("fit").click();
            }""",
            orientation,
        )
        opened.page.click("#one")
        places = opened.run(
            "() => ceibaReport.view.layout.nodes.map((_, k) => ceibaReport.place(k))"
        )
        for k, (x, y) in enumerate(places):
            for a, b in places[:k]:
                assert abs(x - a) >= 196 or abs(y - b) >= 70, orientation


@pytest.mark.slow
def test_panel_shows_that_it_goes_on_until_its_end_is_seen(open_page: Open) -> None:
    opened = open_page("classes")
    opened.page.click("#tab-model")
    more = opened.page.locator("#more")
    opened.until("!document.getElementById('more').classList.contains('gone')")
    assert more.is_visible()
    opened.run(
        "() => { const p = document.getElementById('panel'); p.scrollTop = p.scrollHeight; }"
    )
    opened.until("document.getElementById('more').classList.contains('gone')")
    assert not more.is_visible()
