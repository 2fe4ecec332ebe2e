"""The Tree value: shape, derived arrays, identity, scikit-learn's names."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ceiba
from ceiba.errors import TreeError
from ceiba.tree import LevelSets
from tests.tree.random_trees import random_tree

SEEDS = st.integers(0, 10_000)


def small() -> ceiba.Tree:
    return ceiba.tree.build(
        ("x <= 2", {"a": 40, "b": 10}, ("y <= 1", {"a": 5, "b": 25}, {"b": 20})), target="t"
    )


@given(seed=SEEDS)
def test_subtree_end_and_depth_of_random_tree_follow_from_parents(seed: int) -> None:
    tree = random_tree(seed)
    for i in range(tree.n_nodes):
        above, chain = i, []
        while above >= 0:
            chain.append(above)
            above = int(tree.parent[above])
        assert tree.node_depth[i] == len(chain) - 1
        below = [j for j in range(tree.n_nodes) if i in tree.path(j).nodes]
        assert below == list(range(i, tree.subtree_end[i]))


@given(seed=SEEDS)
def test_majority_branch_of_random_tree_is_first_heaviest(seed: int) -> None:
    tree = random_tree(seed)
    for node in tree.nodes:
        weights = [child.weight for child in node.children]
        if isinstance(node.split, LevelSets) and node.split.missing_branch:
            weights.pop()  # missing values alone are no majority of those that are there
        expected = weights.index(max(weights)) if weights else -1
        assert tree.majority_branch[node.id] == expected


@given(seed=SEEDS)
def test_branch_weight_of_random_tree_sums_to_one_per_node(seed: int) -> None:
    tree = random_tree(seed)
    owner = np.repeat(np.arange(tree.n_nodes), tree.n_branches)
    total = np.bincount(owner, weights=tree.branch_share, minlength=tree.n_nodes)
    assert total[~tree.is_leaf] == pytest.approx(1.0)


def test_derived_counts_of_small_tree() -> None:
    tree = small()
    assert (tree.n_nodes, tree.n_leaves, tree.depth, tree.n_outputs) == (5, 3, 2, 1)
    assert tree.leaves.tolist() == [1, 3, 4]
    assert tree.branch_index.tolist() == [-1, 0, 1, 0, 1]
    assert tree.used_features.tolist() == [0, 1]
    assert tree.answer.tolist() == [1, 0, 1, 1, 1]


def test_tree_impurity_is_leaf_impurity_by_share() -> None:
    # gini of the leaves: 0.32, 10/36, 0
    assert small().tree_impurity == pytest.approx(0.5 * 0.32 + 0.3 * 10 / 36)


def test_tree_risk_is_error_of_the_leaves() -> None:
    assert small().tree_risk == pytest.approx(15 / 100)
    assert small().risk[0] == pytest.approx(45 / 100)


def test_tree_impurity_counts_rows_that_stayed() -> None:
    tree = small()
    weight = tree.weight.copy()
    weight[0] = 125.0  # 25 rows stayed in the root
    stayed = replace(
        tree,
        weight=weight,
        counts=None,
        default_branch=np.full(5, -1),
        sent_default=np.array([25, 0, 0, 0, 0]),
    )
    leaves = (50 * 0.32 + 30 * 10 / 36) / 125
    assert stayed.tree_impurity == pytest.approx(leaves + 0.2 * tree.impurity[0])


def test_share_under_prior_is_probability_of_the_node() -> None:
    tree = replace(small(), class_prior=np.array([0.5, 0.5]))
    # 45 a and 55 b in all; node 1 holds 40 a and 10 b
    assert tree.share[1] == pytest.approx(0.5 * 40 / 45 + 0.5 * 10 / 55)
    assert tree.share[0] == pytest.approx(1.0)


def test_search_share_with_costs_is_that_of_altered_priors() -> None:
    tree = replace(small(), cost_matrix=np.array([[0.0, 1.0], [3.0, 0.0]]))
    # altered masses: 45 * 1 + 55 * 3 in all, 40 * 1 + 10 * 3 in node 1
    assert tree.search_share[1] == pytest.approx(70 / 210)


def test_arrays_are_read_only() -> None:
    tree = small()
    for name in ("parent", "value", "counts", "leaves", "node_depth", "children_left"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(tree, name)[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        tree.splits.cut[0] = 1


def test_construction_leaves_the_callers_array_writable() -> None:
    tree, weight = small(), np.ones(5)
    replace(tree, weight=weight)
    weight[0] = 2.0


def test_fields_cannot_be_assigned() -> None:
    with pytest.raises(FrozenInstanceError):
        small().weight = np.zeros(5)  # type: ignore[misc]


@given(seed=SEEDS)
def test_pickle_of_random_tree_gives_an_equal_read_only_tree(seed: int) -> None:
    tree = random_tree(seed, missing="surrogate")
    _ = tree.majority_branch
    back = pickle.loads(pickle.dumps(tree))
    assert back == tree
    assert hash(back) == hash(tree)
    assert not back.value.flags.writeable
    assert not back.splits.cut.flags.writeable
    assert set(back.__dict__) == {field.name for field in fields(tree)}


def test_deepcopy_gives_an_equal_tree() -> None:
    assert copy.deepcopy(small()) == small()


@pytest.mark.parametrize(
    "change",
    [
        {"weight": np.ones(5)},
        {"criterion": "entropy"},
        {"counts": None},
        {"cost_matrix": np.eye(2)},
        {"unseen": "missing"},
    ],
)
def test_equality_of_changed_tree_is_false(change: dict[str, object]) -> None:
    assert replace(small(), **change) != small()  # type: ignore[arg-type]


def test_equality_of_other_classes_is_false() -> None:
    one = ceiba.tree.build(("x <= 2", "a", "b"))
    other = ceiba.tree.build(("x <= 2", "a", "c"))
    assert one != other
    assert one == ceiba.tree.build(("x <= 2", "a", "b"))


def test_repr_is_one_line() -> None:
    assert repr(small()) == "<Tree: classification of 't', 3 leaves, depth 2, 100 rows>"
    assert repr(ceiba.tree.build(1.0)) == "<Tree: regression, 1 leaf, depth 0>"


def test_str_is_the_text_tree() -> None:
    assert str(small()) == small().to_text()


def test_sklearn_names_of_binary_tree() -> None:
    tree = small()
    assert tree.children_left.tolist() == [1, -1, 3, -1, -1]
    assert tree.children_right.tolist() == [2, -1, 4, -1, -1]
    assert tree.feature.tolist() == [0, -2, 1, -2, -2]
    assert tree.threshold.tolist() == [2.0, -2.0, 1.0, -2.0, -2.0]
    assert tree.n_node_samples.tolist() == [100, 50, 50, 30, 20]
    assert tree.weighted_n_node_samples.tolist() == [100, 50, 50, 30, 20]
    assert (tree.node_count, tree.max_depth, tree.n_features) == (5, 2, 2)
    assert (tree.n_classes.tolist(), tree.max_n_classes) == ([2], 2)
    assert tree.missing_go_to_left.tolist() == [1, 0, 1, 0, 0]


@pytest.mark.parametrize("name", ["children_left", "children_right", "feature", "threshold"])
def test_sklearn_names_of_multiway_tree_are_refused(name: str) -> None:
    tree = ceiba.tree.build(("c", {"u": "a", "v": "b", "w": "a"}))
    with pytest.raises(TreeError, match="more than two branches"):
        getattr(tree, name)


def test_threshold_of_level_split_is_refused_children_are_not() -> None:
    tree = ceiba.tree.build(("c", {"u": "a", "v": "b"}))
    assert tree.children_left.tolist() == [1, -1, -1]
    with pytest.raises(TreeError, match="level"):
        _ = tree.threshold


def test_node_that_does_not_exist_is_refused() -> None:
    with pytest.raises(TreeError, match="nodes 0 to 4"):
        small().node(5)
    with pytest.raises(TreeError, match="nodes 0 to 4"):
        small().rows(-1, {"x": [1.0], "y": [1.0]})
