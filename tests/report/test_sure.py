"""How sure the page says a leaf is: true with and without priors, weights and costs."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.inspection.intervals import wilson
from tests.report.browser import Open
from tests.report.models import answer, classes, model, table


def percents(text: str) -> list[float]:
    """List the figures of a sentence, but for the level of its interval."""
    return [float(found) for found in re.findall(r"([\d.]+)%(?! interval)", text)]


def fitted(k: int = 2, weight: Any = None, **options: Any) -> Any:
    frame = table(500)
    tree = ceiba.DecisionTreeClassifier(max_leaf_nodes=9, min_samples_leaf=5, **options)
    return tree.fit(frame, classes(frame, k), sample_weight=weight)


def ends(fit: Any, k: int) -> list[tuple[int, np.ndarray[Any, Any], float]]:
    """List leaf, rows of each class there by counting them, and the probability of the answer."""
    frame = table(500)
    names = fit.tree_.target.classes[0]
    at, y = fit.tree_.apply(frame), classes(frame, k)
    found = []
    for i in fit.tree_.leaves.tolist():
        rows = np.array([np.sum(y[at == i] == name) for name in names])
        found.append((i, rows, int(np.flatnonzero(names == fit.predict(frame)[at == i][0])[0])))
    return found


def said_of(opened: Any, i: int) -> dict[str, Any]:
    said: dict[str, Any] = opened.run("(i) => ceibaReport.confidenceText(i)", i)
    return said


@pytest.mark.parametrize("kind", ["cv", "classes"])
def test_doubt_is_said_of_every_leaf_whose_interval_reaches_another_class(
    open_page: Open, kind: str
) -> None:
    opened = open_page(kind)
    fitted = model(kind)
    tree = getattr(fitted, "unpruned_tree_", fitted.tree_)
    doubts = []
    for i in tree.leaves.tolist():
        said = opened.run("(i) => ceibaReport.confidenceText(i)", i)
        p = np.sort(tree.value[i, 0])[::-1]
        rows = int(tree.n_rows[i])
        isUncertain = wilson(p[0], rows)[0] <= wilson(p[1], rows)[1]
        assert said["isUncertain"] == isUncertain
        assert said["text"].startswith("Not certain:" if isUncertain else "Clear:")
        counted = f"of the {rows} training rows" if rows > 1 else "of the one training row"
        assert counted in said["text"]
        if kind == "cv":
            assert ("includes 50%" in said["text"]) == isUncertain
        doubts.append(isUncertain)
    assert any(doubts)
    assert not all(doubts)


@pytest.mark.slow
def test_doubt_of_a_case_is_as_large_as_other_text(open_page: Open) -> None:
    opened = open_page("cv")
    opened.start_case()
    sizes = opened.run(
        """() => ["#case-sure", "#panel .steps li"].map(
          (s) => parseFloat(getComputedStyle(document.querySelector(s)).fontSize))"""
    )
    assert sizes[0] >= sizes[1] >= 14


# ---------------------------------------------------------------------- priors, weights, costs


@pytest.mark.slow
def test_sure_under_priors_gives_the_probability_and_the_share_of_rows(open_page: Open) -> None:
    fit = fitted(class_prior=[0.8, 0.2])
    opened = open_page("sure_prior", fit, reports={})
    doubts = set()
    for i, rows, k in ends(fit, 2):
        n, p = rows.sum(), float(fit.tree_.value[i, 0, k])
        said = said_of(opened, i)
        shares = percents(said["text"])
        assert "under the class priors" in said["text"]
        assert f"of the {n} training rows" in said["text"]
        assert shares[:2] == pytest.approx([100 * p, 100 * rows[k] / n], abs=0.051)
        # The interval of the rows, with the odds that priors make of it.
        turn = (p / (1 - p)) / (rows[k] / rows[1 - k]) if 0 < rows[k] < n else None
        if turn is not None:
            low, high = (s * turn / (s * turn + 1 - s) for s in wilson(rows[k] / n, n))
            assert shares[2:4] == pytest.approx([100 * low, 100 * high], abs=0.51)
            assert said["isUncertain"] == (low <= 0.5)
            doubts.add(said["isUncertain"])
    assert doubts == {True, False}


@pytest.mark.slow
@pytest.mark.parametrize("by", ["class_weight", "sample_weight"])
def test_sure_under_weights_speaks_of_weight_and_gives_no_interval(
    open_page: Open, by: str
) -> None:
    weight = np.random.default_rng(0).uniform(0.2, 3, 500)
    fit = fitted(class_weight="balanced", k=3) if by == "class_weight" else fitted(3, weight)
    opened = open_page(f"sure_{by}", fit, reports={})
    for i, rows, k in ends(fit, 3):
        said = said_of(opened, i)
        p = float(fit.tree_.value[i, 0, k])
        assert f"{100 * p:.1f}% of the weight of the {rows.sum()} training rows" in said["text"]
        assert "95%" not in said["text"]
        assert "no interval" in said["text"]
        assert not said["isUncertain"]
    opened.run("() => ceibaReport.reveal(0)")
    assert "95%" not in opened.page.inner_text("#panel .answer")
    assert "train (weight)" in opened.page.inner_text("#panel .last-sum").lower()


@pytest.mark.slow
def test_sure_under_weights_that_sum_to_the_rows_is_not_taken_for_rows(open_page: Open) -> None:
    frame = table(500)
    y = np.where(np.arange(500) < 100, "few", "many")
    stump = ceiba.DecisionTreeClassifier(class_weight="balanced", max_leaf_nodes=2)
    fit = stump.fit({"noise": frame["noise"]}, y)
    opened = open_page("sure_balanced", fit, reports={})
    opened.run("() => ceibaReport.update({ step: 0 })")
    assert "of the weight of the 500 training rows" in said_of(opened, 0)["text"]


@pytest.mark.slow
def test_sure_under_costs_doubts_where_the_costs_tip_the_answer(open_page: Open) -> None:
    fit = fitted(cost_matrix=[[0, 1], [4, 0]])  # truth, predicted: class 1 is said from 20 % on
    opened = open_page("sure_cost", fit, reports={})
    seen = set()
    for i, rows, k in ends(fit, 2):
        said = said_of(opened, i)
        n, limit = rows.sum(), [0.8, 0.2][k]
        low, high = wilson(rows[k] / n, n)
        assert f"{100 * rows[k] / n:.1f}% of the {n} training rows".replace(".0%", "%") in said[
            "text"
        ].replace(".0%", "%")
        assert said["isUncertain"] == (low <= limit)
        assert (f"includes {100 * limit:.0f}%" in said["text"]) == said["isUncertain"]
        assert f"from {100 * limit:.0f}% on" in said["text"]
        if said["isUncertain"]:
            assert low <= limit <= high
        seen.add((k, said["isUncertain"], rows[k] < rows[1 - k]))
    assert {isUncertain for _, isUncertain, _ in seen} == {True, False}
    assert any(rare for _, _, rare in seen)  # the less frequent class is said somewhere


@pytest.mark.slow
def test_sure_under_costs_of_many_classes_compares_the_cheapest_answers(open_page: Open) -> None:
    costs = np.array([[0, 1, 2], [1, 0, 1], [6, 2, 0]], float)
    fit = fitted(3, cost_matrix=costs)
    opened = open_page("sure_costs", fit, reports={})
    for i, rows, k in ends(fit, 3):
        text = said_of(opened, i)["text"]
        each = np.sort(rows / rows.sum() @ costs)
        numbers = [float(v) for v in re.findall(r"(?:least: |cost )([\d.]+\d|\d)", text)]
        assert numbers == pytest.approx(each[:2], rel=6e-3, abs=1e-9)
        assert np.isclose((rows / rows.sum() @ costs)[k], each[0])


@pytest.mark.slow
def test_sure_under_priors_and_costs_tips_by_probability(open_page: Open) -> None:
    fit = fitted(class_prior=[0.7, 0.3], cost_matrix=[[0, 1], [3, 0]])
    opened = open_page("sure_both", fit, reports={})
    for i, rows, k in ends(fit, 2):
        text = said_of(opened, i)["text"]
        assert percents(text)[0] == pytest.approx(100 * fit.tree_.value[i, 0, k], abs=0.051)
        assert f"from {[75, 25][k]}% on" in text
        assert f"of the {rows.sum()} training rows" in text


@pytest.mark.slow
def test_sure_under_monotone_limits_does_not_call_it_a_share_of_rows(open_page: Open) -> None:
    fit = fitted(monotonic_cst=[-1, 0, 0, 0])
    opened = open_page("sure_monotone", fit, reports={})
    for i in fit.tree_.leaves.tolist():
        text = said_of(opened, i)["text"]
        assert text.startswith("The tree gives")
        assert "95%" not in text


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
def test_sure_of_a_mean_names_the_weights(open_page: Open, weighted: bool) -> None:
    frame = table(500)
    weight = np.random.default_rng(0).uniform(0.2, 3, 500) if weighted else None
    fit = ceiba.DecisionTreeRegressor(max_leaf_nodes=5).fit(
        frame, answer(frame), sample_weight=weight
    )
    opened = open_page(f"sure_mean_{weighted}", fit, reports={})
    for i in fit.tree_.leaves.tolist():
        text = said_of(opened, i)["text"]
        n = fit.tree_.n_rows[i]
        assert text.startswith(
            f"The {'weighted ' if weighted else ''}mean of the {n} training rows"
        )
        assert ("95% interval (optimistic) is" in text) == (not weighted)


@pytest.mark.slow
def test_sure_of_a_mean_under_monotone_limits_claims_no_mean(open_page: Open) -> None:
    frame = table(500)
    y = answer(frame)
    tree = ceiba.DecisionTreeRegressor(max_leaf_nodes=20, monotonic_cst=[1, 0, 0, 0])
    fit = tree.fit(frame, y)
    at = fit.tree_.apply(frame)
    apart = [abs(fit.tree_.value[i, 0, 0] - y[at == i].mean()) for i in fit.tree_.leaves]
    assert max(apart) > 0.1
    opened = open_page("sure_monotone_mean", fit, reports={})
    for i in fit.tree_.leaves.tolist():
        assert "mean" not in said_of(opened, i)["text"]
    opened.page.click("#tab-model")
    said = opened.page.inner_text("#panel")
    assert "figures on training rows are not available" in said
    assert "RMSE" not in said
    opened.page.click("#tab-prune")
    assert opened.page.locator("#prune-chart .line").count() == 0


@pytest.mark.slow
def test_rows_under_weights_and_priors_are_counted_as_rows(open_page: Open) -> None:
    for name, fit in (
        ("sure_prior", fitted(class_prior=[0.8, 0.2])),
        ("sure_class_weight", fitted(class_weight="balanced", k=3)),
    ):
        opened = open_page(name, fit, reports={})
        opened.page.click("#tab-model")
        lines = opened.page.locator("table.leaves tbody tr:nth-child(even)").all_inner_texts()
        for line in lines:
            rows, share = re.search(r"(\d+) \(([\d.]+)%\)", line).groups()  # type: ignore[union-attr]
            assert int(rows) == fit.tree_.n_rows[int(line.split("\t")[0][1:])]
            assert float(share) == pytest.approx(100 * int(rows) / 500, abs=0.051)
        assert "500" in opened.page.locator(".metrics tr").last.inner_text()


def test_interval_of_honest_leaves_is_not_called_optimistic(open_page: Open) -> None:
    for honest in (False, True):
        fit = fitted(leaf_values="honest" if honest else "share")
        opened = open_page(f"sure_honest_{honest}", fit, reports={})
        said = [said_of(opened, i)["text"] for i in fit.tree_.leaves.tolist()]
        intervals = [text for text in said if "95% interval" in text]
        assert len(intervals) > 3
        assert all(("95% interval (optimistic)" in text) != honest for text in intervals)
        opened.run("() => ceibaReport.reveal(0)")
        shown = opened.page.inner_text("#panel .sure")
        assert shown.endswith("(optimistic)") != honest
