"""Priors and costs: how they are read, and the formulas of values, risks and the search."""

from __future__ import annotations

import numpy as np
import pytest

from ceiba.errors import DataError, OptionError
from ceiba.grow.core_grower import read_column_cost, read_monotonic
from ceiba.grow.priors import altered_scale, class_factor, read_costs, read_prior
from ceiba.tree.grown import node_risk, node_value

CLASSES = np.array(["a", "b", "c"])


def test_prior_as_dict_is_put_in_class_order():
    assert read_prior({"c": 0.2, "a": 0.5, "b": 0.3}, CLASSES).tolist() == [0.5, 0.3, 0.2]


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ([0.5, 0.5], "one share for each of the 3 classes"),
        ([0.5, 0.4, 0.2], "sum to 1"),
        ([1.5, -0.5, 0.0], "non-negative"),
        ({"a": 0.5, "b": 0.5}, "got none for 'c'"),
        ({"a": 0.5, "b": 0.3, "d": 0.2}, "unknown class 'd'"),
        (["x", "y", "z"], "must contain numbers"),
        ([0.5, 0.5, np.nan], "finite"),
    ],
)
def test_wrong_prior_is_refused(prior, message):
    with pytest.raises(OptionError, match=message):
        read_prior(prior, CLASSES)


def test_costs_as_dict_are_truth_then_predicted():
    expected = [[0, 5, 1], [1, 0, 1], [1, 1, 0]]
    assert read_costs({("a", "b"): 5}, CLASSES).tolist() == expected


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([[0, 1], [1, 0]], r"shape \(3, 3\)"),
        ([[1, 1, 1], [1, 0, 1], [1, 1, 0]], "zeros on the diagonal"),
        ([[0, -1, 1], [1, 0, 1], [1, 1, 0]], "non-negative"),
        ([[0, 0, 0], [1, 0, 1], [1, 1, 0]], "only zeros for 'a'"),
        ({"a": 5}, r"pairs \(truth, predicted\)"),
        ({("a", "x"): 5}, "unknown class 'x'"),
        ({("a", "b"): "much"}, "must contain numbers"),
    ],
)
def test_wrong_costs_are_refused(costs, message):
    with pytest.raises(OptionError, match=message):
        read_costs(costs, CLASSES)


def test_factor_turns_counts_into_prior_shares():
    totals, prior = np.array([80.0, 20.0]), np.array([0.5, 0.5])
    factor = class_factor(totals, prior, ["a", "b"])
    assert (totals * factor).tolist() == [50.0, 50.0]


def test_factor_of_a_class_without_weight_is_refused():
    with pytest.raises(DataError, match=r"must be 0 for class 'b'.* got 0\.5"):
        class_factor(np.array([10.0, 0.0]), np.array([0.5, 0.5]), ["a", "b"])


def test_value_is_proportional_to_adjusted_counts():
    counts = np.array([[[30.0, 10.0]]])
    assert node_value(counts, np.array([1.0, 3.0])).tolist() == [[[0.5, 0.5]]]


def test_risk_takes_the_cheapest_answer():
    counts, costs = np.array([[90.0, 10.0]]), np.array([[0.0, 1.0], [20.0, 0.0]])
    # always "0" costs 10 * 20, always "1" costs 90 * 1
    assert node_risk(counts, None, costs).tolist() == [90.0]


def test_risk_without_costs_counts_the_minority():
    assert node_risk(np.array([[47.0, 2.0, 1.0]]), None, None).tolist() == [3.0]


def test_altered_scale_is_none_without_priors_and_costs():
    assert altered_scale(np.array([1.0, 2.0]), None, None) is None


def test_altered_scale_follows_rpart():
    totals, costs = np.array([60.0, 40.0]), np.array([[0.0, 1.0], [3.0, 0.0]])
    scale = altered_scale(totals, None, costs)
    altered = np.array([0.6 * 1, 0.4 * 3]) / (0.6 + 1.2)
    assert (scale * totals / 100).tolist() == pytest.approx(altered.tolist())


def test_equal_costs_do_not_alter_the_search():
    scale = altered_scale(np.array([60.0, 40.0]), None, np.array([[0.0, 7.0], [7.0, 0.0]]))
    assert scale.tolist() == pytest.approx([1.0, 1.0])


def test_monotonic_as_dict_leaves_other_columns_free():
    assert read_monotonic({"b": -1}, ["a", "b"]) == [0, -1]


def test_monotonic_all_free_is_none():
    assert read_monotonic([0, 0], ["a", "b"]) == []


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1], "has 2 features"),
        ([1, 2], "-1, 0 or 1"),
        ({"c": 1}, "contains column 'c'"),
        (["up", "down"], "one number per column"),
    ],
)
def test_wrong_monotonic_is_refused(values, message):
    with pytest.raises(OptionError, match=message):
        read_monotonic(values, ["a", "b"])


@pytest.mark.parametrize("values", [[1.0, 0.0], [1.0, -2.0], [1.0, np.inf]])
def test_column_cost_that_is_not_positive_is_refused(values):
    with pytest.raises(OptionError, match="positive"):
        read_column_cost(values, ["a", "b"])


def test_column_cost_of_ones_is_none():
    assert read_column_cost([1, 1], ["a", "b"]) == []
