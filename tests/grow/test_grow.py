"""Problem.grow: the tree it assembles, what priors and costs do to it, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from ceiba.errors import DataError, OptionError
from ceiba.grow.options import GrowOptions
from ceiba.grow.problem import Problem
from ceiba.table import read, read_target
from ceiba.tree import check


def grown(X, y, task="classification", weight=None, **options):
    table = read(X)
    target = read_target(y, task=task, n_rows=table.n_rows)
    weight = None if weight is None else np.asarray(weight, float)
    return Problem(table, target, GrowOptions(task=task, **options), weight).grow()


X = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]])
Y = ["a", "a", "b", "b", "b", "c"]


def test_tree_keeps_all_invariants():
    check(grown(X, Y))


def test_tree_has_counts_value_and_risk():
    tree = grown(X, Y, max_depth=1)
    assert tree.counts[0, 0].tolist() == [2, 3, 1]
    assert tree.value[0, 0].tolist() == pytest.approx([2 / 6, 3 / 6, 1 / 6])
    assert tree.risk[0] == pytest.approx(3 / 6)


def test_regression_risk_is_impurity_times_share():
    tree = grown(X, [1.0, 2.0, 2.0, 5.0, 6.0, 9.0], task="regression")
    assert tree.risk == pytest.approx(tree.impurity * tree.weight / tree.weight[0])
    assert tree.counts is None


def test_several_class_outputs_have_no_single_risk():
    tree = grown(X, [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"], ["b", "x"], ["c", "y"]])
    assert np.isnan(tree.risk).all()
    assert tree.value.shape[1:] == (2, 3)


def test_schema_of_the_tree_knows_the_target():
    assert grown(X, Y).target.classes[0].tolist() == ["a", "b", "c"]


def test_prior_changes_probabilities_and_risk():
    tree = grown(X, Y, class_prior=[0.2, 0.2, 0.6], max_depth=1)
    assert tree.value[0, 0].tolist() == pytest.approx([0.2, 0.2, 0.6])
    assert tree.risk[0] == pytest.approx(0.4)
    assert tree.class_prior.tolist() == [0.2, 0.2, 0.6]


def test_cost_matrix_is_truth_by_predicted():
    """Only mistaking truth c for another is dear: the root answers c, and pays for the rest."""
    costs = [[0, 1, 1], [1, 0, 1], [50, 70, 0]]
    tree = grown(X, Y, cost_matrix=costs, max_depth=1)
    assert tree.answer[0] == 2
    assert tree.risk[0] == pytest.approx(5 / 6)
    transposed = grown(X, Y, cost_matrix=np.transpose(costs), max_depth=1)
    assert transposed.answer[0] == 1


def test_missing_error_names_column_and_row():
    with pytest.raises(DataError, match=r"Column 'age': missing .* got 1 \(first in row 1\)"):
        grown({"age": [1.0, np.nan, 3.0]}, ["a", "b", "a"], missing="error")


@pytest.mark.parametrize("name", ["class_prior", "cost_matrix"])
def test_prior_or_cost_for_several_outputs_is_refused(name):
    y = [["a", "x"], ["b", "y"]]
    with pytest.raises(OptionError, match=f"{name} requires a single-output target"):
        grown([[1], [2]], y, **{name: [0.5, 0.5]})


def test_prior_for_regression_is_refused():
    with pytest.raises(OptionError, match="class_prior is not supported for regression"):
        grown(X, np.arange(6.0), task="regression", class_prior=[0.5, 0.5])


def test_surrogates_for_several_outputs_are_refused():
    with pytest.raises(OptionError, match="surrogate"):
        grown([[1], [2]], [["a", "x"], ["b", "y"]], missing="surrogate")


def test_monotonic_for_several_outputs_is_refused():
    with pytest.raises(OptionError, match="multiple outputs"):
        grown([[1], [2]], [["a", "x"], ["b", "y"]], monotonic_cst=[1])


def test_monotonic_for_three_classes_is_refused():
    with pytest.raises(OptionError, match="multiclass"):
        grown(X, Y, monotonic_cst=[1])


@pytest.mark.parametrize(
    ("y", "message"), [([1.0, -1.0], "negative"), ([0.0, 0.0], "Sum of y is not positive")]
)
def test_poisson_target_without_deviance_is_refused(y, message):
    with pytest.raises(DataError, match=message):
        grown([[1], [2]], y, task="regression", criterion="poisson")


def test_task_of_target_and_options_must_agree():
    table = read([[1], [2]])
    target = read_target([1.0, 2.0], task="regression")
    with pytest.raises(OptionError, match="for classification, got a target for regression"):
        Problem(table, target, GrowOptions(task="classification")).grow()


def test_competitors_are_stored_on_demand():
    two = np.column_stack([X[:, 0], X[::-1, 0] ** 2])
    assert grown(two, Y).competitors is None
    assert len(grown(two, Y, max_competitors=1).competitors) > 0


def test_surrogates_are_stored_with_the_rule():
    two = np.column_stack([X[:, 0], X[:, 0] + 10])
    tree = grown(two, Y, missing="surrogate")
    assert tree.surrogates.agreement[0] == 1.0


def test_multiway_split_has_a_branch_per_level():
    column = {"color": ["red", "green", "blue", "red", "green", "blue"]}
    tree = grown(column, ["a", "b", "c", "a", "b", "c"], categorical_splits="multiway")
    assert tree.n_branches[0] == 3


@pytest.mark.parametrize("min_split", [8, 21])
def test_frequency_weights_equal_repeated_rows(min_split):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (30, 2)).astype(float)
    y, w = rng.integers(0, 2, 30), rng.integers(1, 4, 30)
    options = {"min_samples_leaf": 4, "min_samples_split": min_split}
    weighted = grown(X, y, weight=w, frequency_weights=True, **options)
    repeated = grown(np.repeat(X, w, axis=0), np.repeat(y, w), **options)
    assert weighted.splits == repeated.splits
    assert weighted.counts.tolist() == repeated.counts.tolist()
    assert weighted.n_rows.tolist() == repeated.n_rows.tolist()


def test_column_cost_sends_the_search_to_the_cheaper_column():
    two = np.column_stack([X[:, 0], X[:, 0]])
    assert grown(two, Y).splits.column[0] == 0
    assert grown(two, Y, column_cost=[2.0, 1.0]).splits.column[0] == 1
