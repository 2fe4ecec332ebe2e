"""Node and Path views."""

from __future__ import annotations

import numpy as np
import pytest

import ceiba
from ceiba.tree import Cut, LevelSets


def restaurant() -> ceiba.Tree:
    return ceiba.tree.build(
        (
            "Patrons",
            {"None": {"No": 2}, "Some": {"Yes": 4}, "Full": ("Wait <= 30", {"Yes": 2}, {"No": 4})},
        )
    )


def test_node_of_root_knows_its_split_and_children() -> None:
    root = restaurant().root
    assert root.split == LevelSets("Patrons", (("None",), ("Some",), ("Full",)))
    assert [child.id for child in root.children] == [1, 2, 3]
    assert root.parent is None
    assert root.branch is None
    assert not root.is_leaf


def test_node_of_leaf_knows_its_content() -> None:
    leaf = restaurant().node(4)
    assert leaf.is_leaf
    assert leaf.split is None
    assert leaf.children == ()
    assert leaf.label == "Yes"
    assert leaf.parent == restaurant_parent(leaf)
    assert (leaf.depth, leaf.branch, leaf.n_rows, leaf.weight) == (2, 0, 2, 2.0)
    assert leaf.counts is not None
    assert leaf.counts.tolist() == [[0.0, 2.0]]
    assert leaf.value.tolist() == [[0.0, 1.0]]
    assert leaf.share == pytest.approx(2 / 12)
    assert (leaf.impurity, leaf.gain, leaf.risk) == (0.0, 0.0, 0.0)
    assert leaf.surrogates == leaf.competitors == ()


def restaurant_parent(leaf: ceiba.tree.Node) -> ceiba.tree.Node:
    return leaf.tree.node(3)


def test_node_leaves_are_those_below() -> None:
    tree = restaurant()
    assert tree.root.leaves.tolist() == [1, 2, 4, 5]
    assert tree.node(3).leaves.tolist() == [4, 5]
    assert tree.node(2).leaves.tolist() == [2]


def test_node_default_branch_that_stays_is_none() -> None:
    tree = restaurant()
    assert tree.root.default_branch == 2
    assert tree.node(1).default_branch is None


def test_node_label_of_regression_is_a_number() -> None:
    assert ceiba.tree.build(("x <= 1", 2.5, 3.5)).node(1).label == 2.5


def test_node_sentence_of_leaf_is_refused() -> None:
    with pytest.raises(IndexError, match="leaf"):
        restaurant().node(1).sentence(0)


def test_node_repr_says_question_or_leaf() -> None:
    assert repr(restaurant().node(3)) == "<Node 3: Wait <= 30>"
    assert repr(restaurant().node(1)) == "<Node 1: leaf>"


def test_nodes_of_same_number_in_other_tree_differ() -> None:
    tree = restaurant()
    assert tree.node(1) == tree.node(1)
    assert hash(tree.node(1)) == hash(tree.node(1))
    assert tree.node(1) != restaurant().node(1)


def test_nodes_sequence_slices_and_iterates() -> None:
    nodes = restaurant().nodes
    assert [node.id for node in nodes] == [0, 1, 2, 3, 4, 5]
    assert [node.id for node in nodes[-2:]] == [4, 5]
    assert nodes[-1].id == 5
    with pytest.raises(IndexError):
        nodes[6]


def test_path_gives_branches_from_the_root() -> None:
    path = restaurant().path(5)
    assert path.nodes == (0, 3, 5)
    assert [(step.node, step.branch) for step in path.steps] == [(0, 2), (3, 1)]
    assert path.steps[1].split == Cut("Wait", 30.0)
    assert path.sentences() == ("Patrons = Full", "Wait > 30")
    assert str(path) == "Patrons = Full and Wait > 30"
    assert len(path) == 2


def test_path_of_root_is_all_rows() -> None:
    path = restaurant().path(0)
    assert (len(path), str(path), path.steps) == (0, "all rows", ())


def test_label_of_numpy_class_is_plain() -> None:
    tree = ceiba.tree.build(("x <= 1", 0, 1), task="classification")
    assert type(tree.node(2).label) is int
    assert tree.target.classes[0].dtype.kind == "i"
    assert isinstance(tree.predict({"x": [2.0]})[0], np.integer)
