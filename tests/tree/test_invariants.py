"""Every rule of `check` has a tree that breaks it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ceiba
from ceiba.errors import TreeError
from ceiba.tree import Cut, LevelSets, SplitTable, Tree, check
from ceiba.tree.splits.surrogates import CompetitorTable, SurrogateTable
from tests.tree.random_trees import random_tree


def tree_of() -> Tree:
    return ceiba.tree.build(
        ("x <= 2", {"a": 4}, ("c", {"u": {"a": 1}, "v": {"b": 3}, "w": {"a": 2}})),
        levels={"c": ["u", "v", "w"]},
        columns=["x", "c"],
    )


def array(*values: float) -> Any:
    return np.array(values)


@given(seed=st.integers(0, 10_000), missing=st.sampled_from(["learn", "surrogate", "fractional"]))
def test_check_random_tree_passes(seed: int, missing: str) -> None:
    check(random_tree(seed, missing=missing))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weight": array(1, 2)}, "weight: length 2"),
        ({"branch_node": array(1, 2, 3)}, "branch_node: length 3"),
        ({"splits": SplitTable.none(2)}, "splits: 2 rows"),
        ({"parent": array(0, 0, 0, 2, 2, 2)}, "node 0: parent 0"),
        ({"parent": array(-1, 0, 0, 4, 2, 2)}, "node 3: parent 4"),
        ({"parent": array(-1, 0, 0, 2, 2, 0)}, "branch_start of node 0"),
        ({"branch_node": array(1, 1, 3, 4, 5)}, "not every node once"),
        ({"branch_node": array(2, 1, 3, 4, 5)}, "node 2: .*out of order"),
        ({"branch_node": array(1, 3, 2, 4, 5)}, "node 3 listed under node 0"),
        ({"default_branch": array(2, -1, 0, -1, -1, -1)}, "node 0: default branch 2"),
        ({"default_branch": array(0, 0, 0, -1, -1, -1)}, "node 1: default branch 0"),
        ({"default_branch": array(-2, -1, 0, -1, -1, -1)}, "node 0: default branch -2"),
        ({"n_rows": array(10, 4, 6, 1, -3, 2)}, "node 4: n_rows -3"),
        ({"n_rows": array(9, 4, 6, 1, 3, 2)}, "node 0: n_rows 9, in its branches 10"),
        ({"weight": array(9, 4, 6, 1, 3, 2)}, "node 0: weight 9"),
        ({"weight": array(np.nan, 4, 6, 1, 3, 2)}, "node 0: weight nan"),
        ({"missing": "guess"}, "missing: 'guess'"),
        ({"unseen": "guess"}, "unseen: 'guess'"),
        ({"counts": np.ones((6, 1, 3))}, "counts: shape"),
        ({"counts": -np.ones((6, 1, 2))}, "node 0: counts"),
        ({"cost_matrix": np.zeros((3, 3))}, "cost_matrix: shape"),
        ({"class_prior": np.ones(3)}, "class_prior: shape"),
        ({"value": np.ones((6, 1, 3))}, "value: shape"),
        ({"value": np.ones((6, 2))}, "value: 2 dimensions"),
        ({"value": np.ones((6, 1, 2))}, "node 0: class probabilities"),
        ({"value": np.full((6, 1, 2), np.nan)}, "node 0: value"),
    ],
)
def test_check_broken_tree_names_the_place(change: dict[str, Any], message: str) -> None:
    with pytest.raises(TreeError, match=message):
        check(replace(tree_of(), **change))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": array(1, 1, 2, 0, 0, 0)}, "node 1: a split but no branches"),
        ({"kind": array(0, 0, 2, 0, 0, 0)}, "node 0: branches but no split"),
        ({"kind": array(9, 0, 2, 0, 0, 0)}, "node 0: split kind 9"),
        ({"column": array(5, -1, 1, -1, -1, -1)}, "node 0: column 5"),
        ({"column": array(1, -1, 1, -1, -1, -1)}, "a cut on the categorical column 'c'"),
        ({"column": array(0, -1, 0, -1, -1, -1)}, "levels on the numeric column 'x'"),
        ({"cut": array(np.inf, 0, 0, 0, 0, 0)}, "node 0: cut inf"),
        ({"low_branch": array(1, 0, 0, 0, 0, 0)}, "node 0: low_branch 1"),
        ({"kind": array(1, 0, 3, 0, 0, 0)}, "node 2: 3 branches"),
        ({"level_code": array(0, 2, 1)}, "node 2: level codes not ascending"),
        ({"level_code": array(0, 1, 7)}, "node 2: level code 7"),
        ({"level_branch": array(0, 1, 1)}, "node 2: levels lead to branches"),
        ({"level_branch": array(0, 1, 3)}, "node 2: levels lead to branches"),
        ({"level_start": array(0, 0, 0, 2, 2, 2, 2)}, "level_start: last offset 2"),
        ({"level_start": array(0, 3, 0, 3, 3, 3, 3)}, "level_start"),
    ],
)
def test_check_broken_split_names_the_place(change: dict[str, Any], message: str) -> None:
    tree = tree_of()
    with pytest.raises(TreeError, match=message):
        check(replace(tree, splits=replace(tree.splits, **change)))


def test_check_single_branch_is_refused() -> None:
    tree = ceiba.tree.build(("x <= 2", "a", "b"))
    broken = replace(
        tree.collapse(0),
        parent=array(-1, 0),
        branch_start=array(0, 1, 1),
        branch_node=array(1),
        splits=tree.splits.take(array(0, 1)),
        **{
            name: np.zeros(2)
            for name in ("default_branch", "n_rows", "weight", "impurity", "gain", "risk")
        },
        sent_default=np.zeros(2),
        value=np.ones((2, 1, 2)) / 2,
    )
    with pytest.raises(TreeError, match="one branch"):
        check(broken)


def test_check_regression_with_counts_is_refused() -> None:
    tree = ceiba.tree.build(("x <= 2", 1.0, 2.0))
    with pytest.raises(TreeError, match="no class counts"):
        check(replace(tree, counts=np.ones((3, 1, 1))))


def surrogates(start: list[int], splits: list[Any]) -> SurrogateTable:
    m = len(splits)
    table = SplitTable.from_splits(splits, tree_of().schema)
    return SurrogateTable(np.array(start), table, np.ones(m), np.ones(m), np.zeros(m))


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (surrogates([0, 1], [Cut("x", 1.0)]), "surrogates.start"),
        (surrogates([0, 1, 1, 2, 2, 2, 2], [Cut("x", 1.0)]), "last offset 2"),
        (surrogates([0, 0, 1, 1, 1, 1, 1], [Cut("x", 1.0)]), "node 1: a leaf with surrogates"),
        (surrogates([0, 1, 1, 1, 1, 1, 1], [None]), "surrogate 0: no split"),
        (
            surrogates([0, 1, 1, 1, 1, 1, 1], [LevelSets("c", (("u",), ("v",), ("w",)))]),
            "surrogate 0: levels lead to branches",
        ),
        (surrogates([0, 0, 0, 1, 1, 1, 1], [Cut("x", 1.0)]), "surrogate 0: 3 branches"),
    ],
)
def test_check_broken_surrogates_name_the_place(extra: SurrogateTable, message: str) -> None:
    with pytest.raises(TreeError, match=message):
        check(replace(tree_of(), surrogates=extra))


def test_check_competitor_with_other_number_of_branches_passes() -> None:
    splits = SplitTable.from_splits([LevelSets("c", (("u",), ("v",), ("w",)))], tree_of().schema)
    check(
        replace(
            tree_of(), competitors=CompetitorTable(array(0, 1, 1, 1, 1, 1, 1), splits, array(1))
        )
    )
