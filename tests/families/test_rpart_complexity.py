"""rpart's complexities and its cp stop, where they differ from the exact weakest links."""

from __future__ import annotations

import numpy as np
import pytest

import ceiba
from ceiba.errors import TreeError
from ceiba.families.rpart.complexity import prune_by_cp, rpart_complexity
from ceiba.grow.option_objects import RpartRules
from ceiba.grow.options import GrowOptions
from ceiba.grow.problem import Problem
from ceiba.prune.cost_complexity import collapse_alpha
from ceiba.table import ColumnInfo, Kind, Schema, TargetInfo
from ceiba.tree import SplitTable, from_arrays

# Misclassified: 17 -> (2, 15 -> (1, 11 -> (5, 4))). rpart takes the grandson out of the root's sum
# and does not put it back.
COUNTS = [[37, 17], [20, 2], [17, 15], [1, 4], [16, 11], [12, 5], [4, 6]]
PARENT = [-1, 0, 0, 2, 2, 4, 4]


@pytest.fixture(scope="module")
def tree():
    target = TargetInfo("y", "classification", (np.array(["a", "b"]),), 1)
    schema = Schema((ColumnInfo("x", Kind.NUMERIC),), target, named=True)
    counts = np.array(COUNTS, float)
    splits = SplitTable.cuts(
        np.array([0, -1, 0, -1, 0, -1, -1]), np.array([1.0, 0, 2.0, 0, 3.0, 0, 0])
    )
    return from_arrays(
        schema,
        parent=PARENT,
        splits=splits,
        value=counts / counts.sum(axis=1, keepdims=True),
        counts=counts,
        n_rows=counts.sum(axis=1),
    )


def test_complexity_of_the_root_is_rparts_not_the_exact_one(tree) -> None:
    assert rpart_complexity(tree, 0.01)[0] == pytest.approx(3 / 2 / 17)
    assert collapse_alpha(tree)[0] / tree.risk[0] == pytest.approx(5 / 3 / 17)


def test_no_node_has_more_than_its_parent_and_leaves_have_cp(tree) -> None:
    complexity = rpart_complexity(tree, 0.01)
    assert (complexity[1:] <= complexity[tree.parent[1:]]).all()
    assert complexity[tree.leaves] == pytest.approx(0.01)


@pytest.mark.parametrize(("cp", "leaves"), [(-1, 4), (0.05, 4), (0.09, 1), (0.5, 1)])
def test_cp_keeps_what_rpart_would_keep(tree, cp, leaves) -> None:
    assert prune_by_cp(tree, cp).n_leaves == leaves


def test_cp_of_zero_removes_splits_that_do_not_lower_the_risk() -> None:
    X, y = [[1.0], [2], [3], [4]], ["a", "a", "a", "b"]
    model = ceiba.DecisionTreeClassifier(min_samples_leaf=2).fit(X, y)
    assert model.tree_.n_leaves == 2
    assert prune_by_cp(model.tree_, 0).n_leaves == 1


def test_cp_of_multiway_trees_is_refused() -> None:
    tree = ceiba.tree.build(("c", {"x": "a", "y": "b", "z": "a"}))
    with pytest.raises(TreeError, match="multiway splits"):
        prune_by_cp(tree, 0.1)


def test_risk_below_which_no_node_is_split_is_a_sum_over_rows() -> None:
    from ceiba.table import read, read_target

    table = read({"x": np.arange(8.0)})
    target = read_target(["a", "b"] * 4, task="classification")
    for least, leaves in ((-1.0, 8), (0.5, 8), (1.5, 6), (4.5, 1)):
        options = GrowOptions(task="classification", rpart=RpartRules(min_risk=least))
        assert Problem(table, target, options).grow().n_leaves == leaves
