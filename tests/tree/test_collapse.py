"""Collapse: nodes turned into leaves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ceiba
from ceiba.errors import TreeError
from ceiba.tree import Cut, SplitTable, check
from ceiba.tree.splits.surrogates import CompetitorTable
from tests.tree.random_trees import random_rows, random_tree

SEEDS = st.integers(0, 10_000)


@given(seed=SEEDS, data=st.data())
def test_collapse_random_tree_keeps_paths_and_content(seed: int, data: st.DataObject) -> None:
    tree = random_tree(seed, n_inner=8, missing="surrogate")
    chosen = data.draw(st.lists(st.integers(0, tree.n_nodes - 1), max_size=4))
    small = tree.collapse(chosen)
    check(small)
    gone = {j for i in chosen for j in range(i + 1, tree.subtree_end[i])}
    kept = [i for i in range(tree.n_nodes) if i not in gone]
    assert small.n_nodes == len(kept)
    for new, old in enumerate(kept):
        a, b = small.node(new), tree.node(old)
        assert a.path.sentences() == b.path.sentences()
        assert (a.weight, a.value.tolist()) == (b.weight, b.value.tolist())
        leaf = b.is_leaf or old in chosen
        assert a.is_leaf == leaf
        assert a.split == (None if leaf else b.split)
        assert a.surrogates == (() if leaf else b.surrogates)
        assert a.gain == (0.0 if leaf else b.gain)
        assert a.default_branch == (None if leaf else b.default_branch)


@given(seed=SEEDS, data=st.data())
def test_collapse_random_tree_routes_to_the_collapsed_ancestor(
    seed: int, data: st.DataObject
) -> None:
    tree = random_tree(seed, n_inner=8)
    chosen = data.draw(st.lists(st.integers(0, tree.n_nodes - 1), min_size=1, max_size=3))
    X = random_rows(seed)
    small = tree.collapse(chosen)
    gone = {j for i in chosen for j in range(i + 1, tree.subtree_end[i])}
    new_id = {old: new for new, old in enumerate(i for i in range(tree.n_nodes) if i not in gone)}
    expected = []
    for end in tree.apply(X).tolist():
        node = end
        while node in gone:
            node = int(tree.parent[node])
        expected.append(new_id[node])
    assert small.apply(X).tolist() == expected


def test_collapse_root_leaves_one_leaf() -> None:
    tree = ceiba.tree.build(("x <= 2", {"a": 4}, ("x <= 3", {"b": 1}, {"a": 5})))
    small = tree.collapse(0)
    assert (small.n_nodes, small.n_rows.tolist(), small.root.label) == (1, [10], "a")
    check(small)


def test_collapse_leaf_or_nothing_gives_the_same_tree() -> None:
    tree = ceiba.tree.build(("x <= 2", "a", "b"))
    assert tree.collapse(1) is tree
    assert tree.collapse([]) is tree


def test_collapse_does_not_change_the_tree_itself() -> None:
    tree = ceiba.tree.build(("x <= 2", "a", ("x <= 3", "b", "a")))
    tree.collapse(2)
    assert tree.n_leaves == 3


def test_collapse_mask_and_generator_are_accepted() -> None:
    tree = ceiba.tree.build(("x <= 2", "a", ("x <= 3", "b", "a")))
    assert tree.collapse(np.array([False, False, True, False, False])).n_leaves == 2
    assert tree.collapse(i for i in [2]).n_leaves == 2
    assert tree.collapse(np.int64(2)).n_leaves == 2


@pytest.mark.parametrize("nodes", [5, -1, [1, 9], 1.5, ["a"]])
def test_collapse_wrong_node_is_refused(nodes: object) -> None:
    with pytest.raises(TreeError, match=r"does not exist|must be integer ids"):
        ceiba.tree.build(("x <= 2", "a", ("x <= 3", "b", "a"))).collapse(nodes)  # type: ignore[arg-type]


def test_collapse_drops_competitors_of_the_new_leaf() -> None:
    tree = ceiba.tree.build(("x <= 2", "a", ("x <= 3", "b", "a")))
    splits = SplitTable.from_splits([Cut("x", 1.0), Cut("x", 5.0)], tree.schema)
    start = np.array([0, 1, 1, 2, 2, 2])
    tree = replace(tree, competitors=CompetitorTable(start, splits, np.array([0.2, 0.1])))
    small = tree.collapse(2)
    assert [c.gain for c in small.root.competitors] == [0.2]
    assert small.node(2).competitors == ()
