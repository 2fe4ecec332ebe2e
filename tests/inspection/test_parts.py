"""impurity, gain, split_curve and split_table on their own."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ceiba
from ceiba import DataError, OptionError
from ceiba.inspection import split_curve, split_table
from tests.marks import examples

LABELS = ["a", "a", "b", "b", "b", "c"]


# ---------------------------------------------------------------------- impurity


def test_impurity_of_labels_equals_that_of_their_counts():
    assert ceiba.impurity(LABELS) == ceiba.impurity(counts=[2, 3, 1])
    assert ceiba.impurity(LABELS) == ceiba.impurity({"a": 2, "b": 3, "c": 1})


def test_impurity_takes_shares():
    assert ceiba.impurity(counts=[0.25, 0.75]) == pytest.approx(0.375)


def test_impurity_with_weights_equals_repeated_labels():
    weighted = ceiba.impurity(["a", "b"], "entropy", weight=[3, 1])
    assert weighted == ceiba.impurity(["a", "a", "a", "b"], "entropy")


@pytest.mark.parametrize(
    ("criterion", "expected"), [("squared_error", 2 / 3), ("absolute_error", 2 / 3)]
)
def test_impurity_of_numbers(criterion, expected):
    assert ceiba.impurity([1.0, 2.0, 3.0], criterion) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "Pass either labels"),
        ({"labels": LABELS, "counts": [1]}, "Pass either labels"),
        ({"labels": {"a": 1}, "counts": [1]}, "cannot be combined"),
        ({"labels": LABELS, "criterion": "twoing"}, "it only scores splits"),
        ({"labels": LABELS, "criterion": "entropie"}, "Did you mean 'entropy'"),
        ({"counts": [1, 2], "criterion": "poisson"}, "counts is not supported"),
    ],
)
def test_impurity_of_the_wrong_thing_is_refused(arguments, message):
    with pytest.raises(OptionError, match=message):
        ceiba.impurity(**arguments)


@pytest.mark.parametrize("counts", [[-1, 2], [[1, 2]], [0, 0], [np.nan, 1]])
def test_impurity_of_impossible_counts_is_refused(counts):
    with pytest.raises(DataError, match="counts must"):
        ceiba.impurity(counts=counts)


def test_impurity_of_continuous_labels_is_refused():
    """Shares given as labels would be read as so many different classes."""
    with pytest.raises(DataError, match="Unknown label type"):
        ceiba.impurity([0.25, 0.75])


# ---------------------------------------------------------------------- gain


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error", "twoing"])
def test_gain_of_the_best_cut_is_the_gain_of_the_tree(criterion):
    x = [1, 2, 3, 4, 5, 6]
    tree = ceiba.DecisionTreeClassifier(criterion=criterion, max_depth=1)
    tree = tree.fit(np.reshape(x, (-1, 1)), LABELS).tree_
    assert ceiba.gain(x, LABELS, criterion=criterion) == pytest.approx(tree.gain[0], rel=1e-13)
    at_cut = ceiba.gain(x, LABELS, split=float(tree.splits.cut[0]), criterion=criterion)
    assert at_cut == pytest.approx(tree.gain[0], rel=1e-13)


def test_gain_of_a_level_set_does_not_depend_on_the_side():
    city = ["Oslo", "Lima", "Rome", "Oslo", "Lima", "Rome"]
    assert ceiba.gain(city, LABELS, ["Oslo"]) == ceiba.gain(city, LABELS, {"Lima", "Rome"})


def test_gain_of_the_best_level_set_is_the_largest():
    city = ["Oslo", "Lima", "Rome", "Oslo", "Lima", "Rome"]
    each = [ceiba.gain(city, LABELS, [level]) for level in ("Oslo", "Lima", "Rome")]
    assert ceiba.gain(city, LABELS) == pytest.approx(max(each))


def test_gain_of_every_distinct_number_is_multiway():
    assert ceiba.gain([1, 2, 3], ["a", "b", "c"], "multiway") == ceiba.impurity(["a", "b", "c"])


def test_gain_with_missing_values_is_times_their_share():
    full = ceiba.gain([1, 2, 3, 4], ["a", "a", "b", "b"], 2.5)
    holes = ceiba.gain([1, 2, 3, 4, None, None], ["a", "a", "b", "b", "a", "b"], 2.5)
    assert holes == pytest.approx(full * 4 / 6)
    best = ceiba.gain([1, 2, 3, 4, None, None], ["a", "a", "b", "b", "a", "b"])
    assert best == pytest.approx(holes)


def test_gain_with_weights_equals_repeated_rows():
    weighted = ceiba.gain([1, 2, 3], ["a", "b", "b"], 1.5, weight=[2, 1, 3])
    repeated = ceiba.gain([1, 1, 2, 3, 3, 3], ["a", "a", "b", "b", "b", "b"], 1.5)
    assert weighted == pytest.approx(repeated)


def test_gain_of_numbers_by_squared_error():
    assert ceiba.gain([1, 2], [1.0, 3.0], criterion="squared_error") == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("column", "split", "message"),
    [
        ([1, 2, 3, 4], "best", "a cut"),
        ([1, 2, 3, 4], ["Oslo"], "for a numeric column"),
        (["x", "y", "x", "y"], ["z"], "must contain only levels of the column, got 'z'"),
        (["x", "y", "x", "y"], 2.5, "Cuts are not supported"),
    ],
)
def test_gain_of_a_split_that_does_not_fit_is_refused(column, split, message):
    with pytest.raises(OptionError, match=message):
        ceiba.gain(column, ["a", "a", "b", "b"], split)


def test_twoing_of_many_branches_is_refused():
    with pytest.raises(OptionError, match="two branches"):
        ceiba.gain(["x", "y", "z"], ["a", "b", "c"], "multiway", "twoing")


def test_gain_with_wrong_weights_is_refused():
    with pytest.raises(DataError, match="one weight per row"):
        ceiba.gain([1, 2], ["a", "b"], weight=[1])


# ---------------------------------------------------------------------- curve


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error"])
@given(data=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=2, max_size=15))
@settings(max_examples=examples(30))
def test_curve_of_classes_agrees_with_gain_at_every_cut(criterion, data):
    x, y = [row[0] for row in data], [row[1] for row in data]
    curve = split_curve(x, y, criterion)
    for row in curve:
        expected = ceiba.gain(x, y, row["cut"], criterion)
        assert row["gain"] == pytest.approx(expected, abs=1e-13)
        assert row["n_left"] == sum(v <= row["cut"] for v in x)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@given(data=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), min_size=2, max_size=15))
@settings(max_examples=examples(30))
def test_curve_of_numbers_agrees_with_gain_at_every_cut(criterion, data):
    x, y = [row[0] for row in data], [float(row[1]) for row in data]
    weight = [1.0 + k % 3 for k in range(len(x))]
    curve = split_curve(x, y, criterion, weight=weight)
    for row in curve:
        expected = ceiba.gain(x, y, row["cut"], criterion, weight=weight)
        assert row["gain"] == pytest.approx(expected, abs=1e-11)


def test_curve_gain_and_cost_add_up_to_the_impurity():
    curve = split_curve([1, 2, 3, 4, 5, 6], LABELS)
    assert curve["gain"] + curve["cost"] == pytest.approx(ceiba.impurity(LABELS))


def test_curve_of_a_constant_column_is_empty():
    assert len(split_curve([1, 1, 1], ["a", "b", "a"])) == 0


def test_curve_leaves_missing_values_out():
    curve = split_curve([1, None, 2], ["a", "a", "b"])
    assert (curve["n_left"].tolist(), curve["n_right"].tolist()) == ([1], [1])
    assert curve["gain"][0] == pytest.approx(0.5 * 2 / 3)


def test_curve_of_adjacent_floats_cuts_between_them():
    low, high = 1.0, np.nextafter(1.0, 2.0)
    cut = split_curve([low, high], ["a", "b"])["cut"][0]
    assert low <= cut < high


def test_curve_of_an_ordered_column_cuts_between_codes():
    size = pd.Categorical(["s", "m", "l"], categories=["s", "m", "l"], ordered=True)
    assert split_curve(pd.Series(size), ["a", "a", "b"])["cut"].tolist() == [0.5, 1.5]


def test_curve_of_levels_is_refused():
    with pytest.raises(OptionError, match="Cuts are not supported"):
        split_curve(["x", "y"], ["a", "b"])


def test_curve_by_twoing_is_refused():
    with pytest.raises(OptionError, match="twoing"):
        split_curve([1, 2], ["a", "b"], "twoing")


# ---------------------------------------------------------------------- table


def test_table_is_sorted_by_gain_and_ties_stay_in_order():
    X = {"flat": [1, 1, 1, 1], "good": [1, 1, 2, 2], "same": [5, 5, 9, 9]}
    table = split_table(X, ["a", "a", "b", "b"])
    assert table["column"].tolist() == ["good", "same", "flat"]
    assert table["split"].tolist() == ["good <= 1.5", "same <= 7", ""]
    assert table["gain"].tolist() == [0.5, 0.5, 0.0]
    assert table["sizes"].tolist() == [(2, 2), (2, 2), (4,)]


def test_table_of_levels_names_the_set():
    table = split_table({"city": ["Oslo", "Lima", "Rome", "Oslo"]}, ["a", "b", "b", "a"])
    assert table["split"][0] == "city in {Lima, Rome}"


def test_table_multiway_has_a_branch_per_level():
    X = {"city": ["Oslo", "Lima", "Rome", "Oslo"], "n": [1, 2, 3, 4]}
    table = split_table(X, ["a", "b", "b", "a"], categorical_splits="multiway")
    row = table.row(table["column"].tolist().index("city"))
    assert (row["n_branches"], row["sizes"]) == (3, (1, 2, 1))


def test_table_with_missing_values_measures_the_present_rows():
    X = {"x": [1, 2, 3, 4, None, None]}
    y = ["a", "b", "b", "b", "a", "b"]
    row = split_table(X, y).row(0)
    curve = split_curve(X["x"], y)
    assert row["gain"] == pytest.approx(curve["gain"].max())
    assert row["cost"] == pytest.approx(curve["cost"].min())
    assert row["sizes"] == (1, 5)


def test_table_by_twoing_has_no_cost():
    row = split_table([[1], [2]], ["a", "b"], "twoing").row(0)
    assert np.isnan(row["cost"])
    assert row["gain"] == 0.25


def test_table_names_criterion_and_unit():
    assert split_table([[1], [2]], ["a", "b"], "entropy").title.endswith("by entropy (bits)")


def test_table_root_equals_the_tree():
    rng = np.random.default_rng(0)
    X, y = rng.random((80, 4)), rng.integers(0, 3, 80)
    tree = ceiba.DecisionTreeClassifier(max_depth=1).fit(X, y).tree_
    table = split_table(X, y)
    assert table["column"][0] == f"x{tree.splits.column[0]}"
    assert table["gain"][0] == tree.gain[0]
