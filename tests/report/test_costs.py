"""Costs, priors, node numbers, names of classes, nearest answers: what the page says is so."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.prune import CostComplexity
from tests.marks import slow
from tests.report.browser import Open
from tests.report.models import classes, table

COSTS = [[0, 1], [5, 0]]


def credit(**options: Any) -> tuple[Any, Any]:
    frame, other = table(500), table(300, seed=7)
    fitted = ceiba.DecisionTreeClassifier(max_leaf_nodes=8, **options)
    return fitted.fit(frame, classes(frame, 2)), (other, classes(other, 2))


def test_headline_under_costs_is_expected_cost_beside_the_best_constant(open_page: Open) -> None:
    fitted, test = credit(cost_matrix=COSTS)
    opened = open_page("headline_costs", fitted, reports={"test": test})
    line = opened.page.inner_text("#summary")
    judged = fitted.evaluate(*test)
    assert f"Expected cost (test) {judged.cost:.3g}" in line
    assert f"(always “{judged.baseline}”: {judged.baseline_cost:.3g})" in line
    assert "Accuracy" not in line
    opened.page.click("#tab-model")
    assert "Baseline cost" in opened.page.inner_text("#panel")


@pytest.mark.slow
def test_figures_under_priors_say_what_they_are_of(open_page: Open) -> None:
    fitted, test = credit(class_prior={"mid": 0.8, "high": 0.2}, cost_matrix=COSTS)
    opened = open_page("figures_priors", fitted, reports={"test": test})
    judged = fitted.evaluate(*test)
    last = opened.run("() => ceibaReport.model.steps.length - 1")
    found = opened.run("(k) => ceibaReport.metricsAt(k, 'test')", last)
    assert found["cost"] == pytest.approx(judged.cost, abs=1e-9)
    assert found["error"] == pytest.approx(judged.error, abs=1e-9)
    opened.page.click("#tab-model")
    names = opened.page.locator("#panel .metrics tbody td:first-child").all_inner_texts()
    told = [name for name in names if not name.startswith(("Rows", "Baseline"))]
    assert told[0] == "Mean cost (prior-weighted)"
    assert all(name.endswith("(of the sample)") for name in told[1:])
    assert "prior-weighted" in opened.page.inner_text("#summary")
    opened.page.click("#tab-node")
    assert "prior-weighted" in opened.page.inner_text("#panel .answer")
    assert "of the sample" in opened.page.inner_text("#panel")


def test_node_numbers_are_those_of_apply_whatever_is_kept(open_page: Open) -> None:
    frame = table(500)
    pruning = CostComplexity(folds=4, rule="1se", keep_unpruned=True)
    fitted = ceiba.DecisionTreeClassifier(prune=pruning).fit(frame, classes(frame, 2))
    assert fitted.unpruned_tree_.n_nodes > fitted.tree_.n_nodes > 3
    opened = open_page("numbered", fitted, reports={})
    opened.page.click("#tab-model")
    shown = opened.page.locator(".leaves button.link").all_inner_texts()
    assert sorted(int(text[1:]) for text in shown) == sorted(set(fitted.apply(frame).tolist()))
    target = max(fitted.tree_.leaves.tolist())
    opened.page.fill("#search", f"#{target}")
    opened.page.keyboard.press("Enter")
    opened.page.click("#tab-node")
    assert f"#{target}" in opened.page.inner_text(".node-head")
    opened.until(f"location.hash.includes('node={target}&')")
    opened.page.reload()
    opened.until("window.ceibaReport && window.ceibaReport.ready")
    assert f"#{target}" in opened.page.inner_text(".node-head")


@pytest.mark.slow
def test_classes_that_are_bare_numbers_carry_the_name_of_the_target(open_page: Open) -> None:
    frame = table(300)
    frame["Survived"] = (classes(frame, 2) == "high").astype(int)
    fitted = ceiba.DecisionTreeClassifier(max_depth=2).fit(frame, "Survived")
    opened = open_page("bare", fitted, reports={})
    assert "Survived = 1" in opened.page.inner_text(".key")
    assert opened.page.inner_text(".answer strong").startswith("Survived = ")
    words = opened.run(
        "() => [...ceibaReport.viewSvg().querySelectorAll('text')].map((t) => t.textContent)"
    )
    assert any(word.startswith("Survived = 1 · ") for word in words)


@pytest.mark.slow
def test_why_shows_every_step_without_an_inner_scroll(open_page: Open) -> None:
    x = np.arange(400.0)
    y = np.where((x // 25) % 2 == 0, "even", "odd")
    fitted = ceiba.DecisionTreeClassifier().fit({"x": x, "z": x % 7}, y)
    opened = open_page("deep", fitted, reports={}, viewport={"width": 1280, "height": 700})
    opened.start_case()
    depth = fitted.tree_.node_depth[fitted.apply({"x": x, "z": x % 7})]
    opened.page.fill("#case0", str(x[int(depth.argmax())]))
    if opened.page.locator("#case1").count():
        opened.page.fill("#case1", str(x[int(depth.argmax())] % 7))
    whole, seen = opened.run(
        "() => ['scrollHeight', 'clientHeight'].map((k) => document.querySelector('ol.steps')[k])"
    )
    assert opened.page.locator("ol.steps li").count() > 5
    assert whole <= seen + 1


@pytest.mark.parametrize("seed", [*range(2), *slow(range(2, 6))])
def test_nearest_answer_changes_the_fewest_columns(open_page: Open, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(300, 5)).astype(float)
    y = (X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] + rng.normal(0, 1, 300) > 5).astype(int)
    fitted = ceiba.DecisionTreeClassifier(max_leaf_nodes=24).fit(X, y)
    opened = open_page(f"nearest_{seed}", fitted, reports={})
    cases = X[:12]
    grid = np.array(list(itertools.product(range(4), repeat=5)), float)
    answers, mine = fitted.predict(grid), fitted.predict(cases)
    for case, said in zip(cases, mine, strict=True):
        found = opened.run("(v) => ceibaReport.nearest(v)", case.tolist())
        fewest = int((grid[answers != said] != case).sum(axis=1).min())
        assert len(found["sets"]) == fewest


@pytest.mark.slow
def test_nearest_answer_one_far_column_beats_two_near_ones(open_page: Open) -> None:
    tree = ceiba.tree.build(
        (
            "a <= 99",
            ("b <= 1", ("c <= 1", {"no": 9}, {"no": 9}), ("c <= 1", {"no": 9}, {"yes": 9})),
            {"yes": 9},
        )
    )
    opened = open_page("one_far", tree, reports={})
    found = opened.run("() => ceibaReport.nearest([0, 0.99, 0.99])")
    assert [one["j"] for one in found["sets"]] == [0]


@pytest.mark.slow
def test_nearest_answer_two_far_columns_beat_three_near_ones(open_page: Open) -> None:
    far, near = (0.0, 95.0, 100.0), (0.0, 2.0, 100.0)
    X = np.array(list(itertools.product(far, far, near, near, near)))
    y = (X[:, :2] > 99).all(axis=1) | (X[:, 2:] > 1).all(axis=1)
    opened = open_page("two_far", ceiba.DecisionTreeClassifier().fit(X, y), reports={})
    nearest = opened.run("() => ceibaReport.nearest([0, 0, 0, 0, 0])")
    assert sorted(one["j"] for one in nearest["sets"]) == [0, 1]


@pytest.mark.slow
def test_prune_chart_of_many_trees_has_labels_apart(open_page: Open) -> None:
    frame = table(4000, seed=2)
    pruning = CostComplexity(folds=3, rule="1se", keep_unpruned=True)
    y = classes(frame, 2)
    y[np.random.default_rng(0).random(4000) < 0.2] = "mid"
    fitted = ceiba.DecisionTreeClassifier(prune=pruning).fit(frame, y)
    assert len(fitted.pruning_table_["alpha"]) > 30
    opened = open_page("many_trees", fitted, reports={})
    opened.page.click("#tab-prune")
    boxes = opened.run(
        """() => [...document.querySelectorAll("#prune-chart text.tick:not(.label)")].map((one) => {
          const r = one.getBoundingClientRect();
          return [one.textContent, r.left, r.top, r.right, r.bottom];
        })"""
    )
    for one, other in itertools.combinations(boxes, 2):
        apart = one[3] <= other[1] or other[3] <= one[1] or one[4] <= other[2] or other[4] <= one[2]
        assert apart, (one, other)
    # The knob stands under the line of the shown tree, whatever the scale.
    fitted_leaves = fitted.tree_.n_leaves
    at = opened.run("() => Number(document.getElementById('prune-slider').value)")
    assert at == pytest.approx(
        np.log(fitted_leaves) / np.log(fitted.unpruned_tree_.n_leaves), abs=1e-6
    )
