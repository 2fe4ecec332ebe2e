"""Contributions of the columns to one prediction, and tables of rows."""

from __future__ import annotations

import pytest

import ceiba
from ceiba.inspection import explain
from ceiba.table.read_for_predict import read_like
from ceiba.tree import build
from tests.tree.random_trees import random_rows, random_tree


@pytest.mark.parametrize("missing", ["learn", "surrogate", "fractional"])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_contributions_baseline_plus_sum_is_the_prediction(missing: str, task: str) -> None:
    tree = random_tree(3, n_inner=9, missing=missing, task=task)
    rows = random_rows(5)
    table = read_like(rows, tree.schema, match="name")
    for row in range(table.n_rows):
        explanation = explain(tree, table, row)
        predicted = (
            explanation.answer
            if explanation.probability is None
            else explanation.probability[explanation.answer]
        )
        assert explanation.baseline + sum(explanation.contributions.values()) == pytest.approx(
            predicted
        )


def test_explain_steps_say_passed_and_the_value_along_the_way() -> None:
    tree = build(("x <= 2", {"a": 3, "b": 1}, ("y <= 1", {"b": 2}, {"a": 2})))
    explanation = tree.explain({"x": [5.0], "y": [0.0]})
    assert [step.passed for step in explanation.steps] == [False, True]
    assert [(step.before, step.after) for step in explanation.steps] == [(0.375, 0.5), (0.5, 1.0)]
    assert explanation.contributions == {"x": 0.125, "y": 0.5}


def test_explain_multiway_step_is_neither_passed_nor_failed() -> None:
    tree = build(("c", {"p": "a", "q": "b", "r": "a"}))
    assert tree.explain({"c": ["q"]}).steps[0].passed is None


def test_explain_of_a_table_gives_one_explanation_per_row() -> None:
    model = ceiba.DecisionTreeRegressor().fit({"x": [1.0, 2.0, 8.0]}, [1.0, 1.0, 4.0])
    explanations = model.explain({"x": [1.5, 9.0]})
    assert [explanation.answer for explanation in explanations] == [1.0, 4.0]
    assert explanations[1].answer == 4.0
    table = explanations.contributions()
    assert (table["baseline"] + table["x"]).tolist() == pytest.approx([1.0, 4.0])


def test_explanation_table_lists_the_steps() -> None:
    tree = build(("x <= 2", "a", ("y <= 1", "b", "a")))
    table = tree.explain({"x": [5.0], "y": [0.0]}).table()
    assert table["branch taken"].tolist() == ["x > 2", "y <= 1"]
