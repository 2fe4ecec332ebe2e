"""Rules and formulas: simplified, and true of exactly the rows of their leaves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import OptionError
from ceiba.inspection.intervals import wilson
from ceiba.paths.from_tree import node_condition
from ceiba.tree import Leaf, build
from tests.tree.random_trees import random_rows, random_tree

WAYS = [
    ("learn", "majority", False),
    ("learn", "missing", False),
    ("majority", "majority", True),
    ("surrogate", "majority", False),
    ("surrogate", "missing", True),
    ("fractional", "majority", False),
    ("fractional", "missing", False),
]


def as_dicts(rows: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(rows, values, strict=True)) for values in zip(*rows.values(), strict=True)]


@pytest.mark.parametrize(("missing", "unseen", "stays"), WAYS)
@pytest.mark.parametrize("seed", range(12))
def test_condition_of_every_node_selects_its_rows(
    seed: int, missing: str, unseen: str, stays: bool
) -> None:
    tree = random_tree(seed, n_inner=8, missing=missing, unseen=unseen, stays=stays)
    rows = random_rows(seed + 100)
    dicts = as_dicts(rows)
    for node in range(tree.n_nodes):
        condition = node_condition(tree, node)
        expected = np.zeros(len(dicts), bool)
        expected[tree.rows(node, rows)] = True
        assert condition.select(rows).tolist() == expected.tolist()
        code = compile(condition.python(), "rule", "eval")
        answers = [bool(eval(code, {"row": row})) for row in dicts]
        assert answers == expected.tolist(), condition.python()


@pytest.mark.parametrize(("missing", "unseen", "stays"), WAYS[:5])
@pytest.mark.parametrize("seed", range(12))
def test_formula_of_each_class_selects_the_rows_predicted_so(
    seed: int, missing: str, unseen: str, stays: bool
) -> None:
    tree = random_tree(seed, n_inner=8, missing=missing, unseen=unseen, stays=stays)
    rows = random_rows(seed + 200)
    predicted = tree.predict(rows)
    for label in ("no", "perhaps", "yes"):
        formula = tree.formula(label)
        assert formula.select(rows).tolist() == (predicted == label).tolist()
        code = compile(formula.python(), "formula", "eval")
        answers = [bool(eval(code, {"row": row})) for row in as_dicts(rows)]
        assert answers == (predicted == label).tolist()


def test_rules_same_column_twice_bounds_are_merged() -> None:
    tree = build(("x <= 9", ("x <= 5", ("x <= 7", "a", "b"), "b"), "a"))
    assert tree.rules()["condition"].tolist() == ["x <= 5", "never", "5 < x <= 9", "x > 9"]


def test_rules_level_sets_are_intersected() -> None:
    inner = ("c", {("p", "q"): "yes", ("r",): "no"})
    tree = build(("c", {("p", "r"): inner, ("q",): "no"}))
    assert tree.rules()["condition"].tolist() == ["c = p", "c = r", "c = q"]


def test_rules_of_classes_give_share_confidence_and_lift() -> None:
    tree = build(("x <= 1", {"a": 9, "b": 1}, {"b": 10}))
    first = tree.rules().rules[0]
    assert (first.rows, first.share, first.value) == (10, 0.5, "a")
    assert first.confidence == pytest.approx(0.9)
    assert first.lift == pytest.approx(0.9 / 0.45)
    assert (first.low, first.high) == pytest.approx((0.5958, 0.9821), abs=1e-4)


def test_rules_of_weighted_rows_have_no_interval() -> None:
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(200, 2)), rng.integers(1, 4, 200).astype(float)
    number = X[:, 0] + rng.normal(size=200)
    label = np.where(number > 0, "a", "b")
    classes = ceiba.DecisionTreeClassifier(max_leaf_nodes=4)
    numbers = ceiba.DecisionTreeRegressor(max_leaf_nodes=4)
    balanced = ceiba.DecisionTreeClassifier(max_leaf_nodes=4, class_weight={"a": 1, "b": 5})
    for plain in (classes.fit(X, label), numbers.fit(X, number)):
        table = plain.tree_.rules()
        assert np.isfinite(table["low"]).all()
        assert "optimistic" in table.legend
    halved = classes.fit(X, label, sample_weight=np.full(200, 0.5))  # not worth 200 rows for sure
    for fitted in (
        halved,
        numbers.fit(X, number, sample_weight=weight),
        balanced.fit(X, label),
    ):
        table = fitted.tree_.rules()
        assert np.isnan([table["low"], table["high"]]).all()
        assert "unknown, because rows are weighted" in table.legend
        assert "nan" not in table.to_text()


def test_rules_under_priors_carry_the_interval_of_the_rows_over() -> None:
    """Bayes: odds under the priors are the odds of the rows times one factor."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    label = np.where(X[:, 0] + rng.normal(size=200) > 0, "a", "b")
    model = ceiba.DecisionTreeClassifier(max_leaf_nodes=4, class_prior={"a": 0.9, "b": 0.1})
    tree = model.fit(X, label).tree_
    table = tree.rules()
    prior, whole = np.array([0.9, 0.1]), tree.counts[0, 0]
    for row, node in enumerate(np.flatnonzero(tree.is_leaf)):
        k = int(tree.answer[node])
        counts = tree.counts[node, 0]
        factor = prior[k] / whole[k] / (prior[1 - k] / whole[1 - k])
        expected = [
            factor * p / (factor * p + 1 - p)
            for p in wilson(counts[k] / counts.sum(), counts.sum())
        ]
        assert [table["low"][row], table["high"][row]] == pytest.approx(expected)
        assert table["low"][row] <= table["confidence"][row] <= table["high"][row]
    assert "prior-weighted" in table.legend


def test_rules_of_rows_in_parts_have_an_interval() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 1))
    label = np.where(x[:, 0] + rng.normal(size=200) > 0, "a", "b")
    x[rng.random(200) < 0.1] = np.nan
    model = ceiba.DecisionTreeClassifier(max_leaf_nodes=3, missing="fractional").fit(x, label)
    tree = model.tree_
    for rule in tree.rules().rules:
        assert tree.weight[rule.node] < rule.rows
        assert (rule.low, rule.high) == wilson(rule.confidence, tree.weight[rule.node])


def test_rules_of_numbers_give_students_interval() -> None:
    X, y = np.arange(8.0).reshape(-1, 1), np.array([1, 2, 3, 4, 11, 12, 13, 14.0])
    tree = ceiba.DecisionTreeRegressor(max_depth=1).fit(X, y).tree_
    table = tree.rules()
    assert "confidence" not in table.columns
    half = 3.182446 * y[:4].std(ddof=1) / 2
    assert table["low"][0] == pytest.approx(2.5 - half, rel=1e-6)


def test_rules_sort_and_filter_give_new_tables() -> None:
    tree = build(("x <= 1", {"a": 3}, ("x <= 2", {"b": 9}, {"a": 5})))
    assert tree.rules(sort="rows")["rows"].tolist() == [9, 5, 3]
    assert tree.rules(value="a", min_rows=4)["rows"].tolist() == [5]
    assert len(tree.rules().filter(column="x")) == 3


def test_rules_sort_by_unknown_column_is_a_clear_error() -> None:
    with pytest.raises(OptionError, match="Did you mean 'lift'"):
        build(("x <= 1", "a", "b")).rules(sort="lft")


def test_rules_to_frames_hold_the_same_figures() -> None:
    table = build(("x <= 1", {"a": 3}, {"b": 9})).rules()
    assert table.to_pandas()["rows"].tolist() == [3, 9]
    assert table.to_polars()["condition"].to_list() == ["x <= 1", "x > 1"]


def test_rules_missing_went_one_way_the_rule_says_so() -> None:
    X = {"x": [1.0, 2.0, None, 8.0, 9.0, None]}
    tree = ceiba.DecisionTreeClassifier().fit(X, ["a", "a", "b", "b", "b", "b"]).tree_
    assert tree.rules()["condition"].tolist() == ["x <= 5", "x > 5 or missing"]


def test_rules_and_formula_put_an_or_beside_others_in_brackets() -> None:
    X = {"x": [1.0, 2.0, None, 8.0, 9.0, None] * 2, "z": [0.0] * 6 + [1.0] * 6}
    y = ["a", "a", "b", "b", "b", "b", "a", "a", "c", "c", "c", "c"]
    tree = ceiba.DecisionTreeClassifier().fit(X, y).tree_
    answers = {"(x > 5 or missing) and z <= 0.5", "(x > 5 or missing) and z > 0.5"}
    assert answers < set(tree.rules()["condition"].tolist())
    assert str(tree.formula("b")) == "(x > 5 or missing) ∧ z <= 0.5"


def test_rules_rows_that_stay_have_a_rule() -> None:
    X = {"x": [1.0, 2.0, None, 8.0, 9.0, None], "z": [1.0] * 6}
    model = ceiba.rpart(minsplit=2, cp=0, usesurrogate=0, xval=0)
    tree = model.fit(X, ["a", "a", "b", "b", "b", "b"]).tree_
    assert int(tree.rules()["rows"].sum()) == 6


def test_formula_subtree_of_one_class_is_one_conjunction() -> None:
    tree = build(("x <= 1", ("y <= 2", "a", "a"), "b"))
    assert str(tree.formula("a")) == "x <= 1"


def test_formula_neighbouring_intervals_become_one() -> None:
    tree = build(("x <= 1", "a", ("x <= 2", "a", "b")))
    assert str(tree.formula("a")) == "x <= 2"


def test_formula_restaurant_is_the_documents() -> None:
    full = ("Hungry", {"No": "No", "Yes": ("Type", {"Thai": "Yes", "French": "No"})})
    tree = build(("Patrons", {"None": "No", "Some": "Yes", "Full": full}))
    expected = "Patrons = Some or (Patrons = Full and Hungry = Yes and Type = Thai)"
    assert str(tree.formula("Yes", unicode=False)) == expected


def test_formula_class_never_answered_is_never() -> None:
    tree = build(("x <= 1", {"a": 2, "b": 1}, {"a": 2}))
    assert str(tree.formula("b")) == "never"
    assert tree.formula("b").select({"x": [1.0]}).tolist() == [False]


def test_formula_unknown_class_names_the_classes() -> None:
    with pytest.raises(OptionError, match="Classes: a, b"):
        build(("x <= 1", "a", "b")).formula("c")


def test_formula_of_regression_points_to_rules() -> None:
    with pytest.raises(OptionError, match=r"rules\(\)"):
        build(("x <= 1", Leaf(1.0), Leaf(2.0))).formula(1.0)


def test_rule_of_dates_is_written_with_dates() -> None:
    import datetime

    import pandas as pd

    days = pd.date_range("2024-01-01", periods=10)
    X = pd.DataFrame({"day": days})
    tree = ceiba.DecisionTreeClassifier().fit(X, ["a"] * 4 + ["b"] * 6).tree_
    rule = tree.rules().rules[0]
    assert rule.condition.select(X).sum() == 4
    answers = [
        eval(rule.condition.python(), {"row": {"day": d.date()}, "datetime": datetime})
        for d in days
    ]
    assert sum(answers) == 4


def test_rules_confidence_of_hand_written_tree_has_no_interval() -> None:
    rule = build(("x <= 1", "a", "b")).rules().rules[0]
    assert rule.rows == 0
    assert math.isnan(rule.low)


def test_rules_cut_just_below_a_whole_number_reads_as_what_it_means() -> None:
    low, high = np.nextafter(31, 0), np.nextafter(64, 0)
    inner = (f"age <= {float(low)!r}", "a", (f"age <= {float(high)!r}", "b", "a"))
    assert build(inner).rules()["condition"].tolist() == ["age < 31", "31 <= age < 64", "age >= 64"]


def test_rules_of_booleans_say_yes_and_no() -> None:
    X = {"smokes": [True, True, False, False], "x": [1.0, 2.0, 3.0, 4.0]}
    tree = ceiba.DecisionTreeClassifier().fit(X, ["a", "a", "b", "b"]).tree_
    assert tree.rules()["condition"].tolist() == ["smokes = no", "smokes = yes"]
