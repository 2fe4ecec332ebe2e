"""Numbers attached to nodes go where their nodes go, into files too; other rows drop the user's."""

from __future__ import annotations

import copy
import io
import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris

import ceiba
from ceiba.errors import ModelFileError, TreeError
from ceiba.prune import prune_tree
from ceiba.tree import Attachment, Tree, check

X, Y = load_iris(return_X_y=True, as_frame=True)


def attached_tree() -> Tree:
    """Return a tree whose node i has i numbers i, and its number of rows."""
    tree = ceiba.DecisionTreeClassifier(max_depth=3).fit(X, Y).tree_
    ids = np.arange(tree.n_nodes)
    curve = Attachment(np.concatenate(([0], np.cumsum(ids))), np.repeat(ids, ids))
    rows = Attachment(np.arange(tree.n_nodes + 1), tree.n_rows)
    return replace(tree, attachments={"curve": curve, "rows": rows})


TREE = attached_tree()


def curve_of(tree: Tree, node: int) -> list[float]:
    assert tree.attachments is not None
    return tree.attachments["curve"].of(node).tolist()


def assert_rows_fit(tree: Tree) -> None:
    assert tree.attachments is not None
    assert tree.attachments["rows"].values.tolist() == tree.n_rows.tolist()
    check(tree)


def test_attachment_is_read_only_and_compared_by_value() -> None:
    one = Attachment([0, 1, 3], [0.5, np.nan, 2])
    assert one == Attachment([0, 1, 3], [0.5, np.nan, 2])
    assert one != Attachment([0, 2, 3], [0.5, np.nan, 2])
    with pytest.raises(ValueError, match="read-only"):
        one.values[0] = 1.0


def test_grown_tree_has_none_until_they_are_set() -> None:
    assert ceiba.DecisionTreeClassifier().fit(X, Y).tree_.attachments is None
    assert replace(TREE, attachments=None) != TREE


def test_collapse_keeps_those_of_the_nodes_that_stay() -> None:
    small = TREE.collapse(2)
    assert_rows_fit(small)
    assert [curve_of(small, i) for i in range(3)] == [[], [1.0], [2.0, 2.0]]


@pytest.mark.parametrize("n_leaves", [1, 2, 3])
def test_pruning_keeps_those_of_the_nodes_that_stay(n_leaves: int) -> None:
    small = prune_tree(TREE, n_leaves=n_leaves)
    assert small.n_nodes < TREE.n_nodes
    assert_rows_fit(small)


def test_edit_that_renumbers_nodes_moves_them_and_new_nodes_have_none() -> None:
    edited = TREE.regrow(3, X, Y, max_depth=4)
    grown = edited.n_nodes - TREE.n_nodes
    end = int(TREE.subtree_end[3])
    assert grown > 0
    assert curve_of(edited, 2) == [2.0, 2.0]
    assert all(curve_of(edited, i) == [] for i in range(3, end + grown))
    assert all(curve_of(edited, i + grown) == [i] * i for i in range(end, TREE.n_nodes))
    check(edited)


def test_annotation_keeps_them() -> None:
    assert TREE.annotate(1, name="small").attachments == TREE.attachments


@pytest.mark.parametrize("keep_value", [False, True])
def test_recount_drops_them(keep_value: bool) -> None:
    assert TREE.refit_leaves(X[:90], Y[:90], keep_value=keep_value).attachments is None


@pytest.mark.parametrize("copied", [lambda t: pickle.loads(pickle.dumps(t)), copy.deepcopy])
def test_copies_of_a_tree_are_equal_field_by_field(copied: object) -> None:
    assert copied(TREE) == TREE  # type: ignore[operator]


def test_model_file_holds_them_and_nan() -> None:
    assert TREE.attachments is not None
    curve = TREE.attachments["curve"]
    values = np.where(np.arange(len(curve.values)) == 0, np.nan, curve.values / 3)
    tree = replace(TREE, attachments={"curve": Attachment(curve.start, values)})
    file = io.BytesIO()
    tree.save(file)
    assert ceiba.load(file.getvalue()) == tree


def test_model_file_without_them_has_no_key() -> None:
    file = io.BytesIO()
    replace(TREE, attachments=None).save(file)
    assert "attachments" not in json.loads(file.getvalue())["tree"]


@pytest.mark.parametrize(
    "damage",
    [{"start": [0], "values": []}, {"start": None, "values": []}, {"values": []}, [], 3],
)
def test_model_file_with_damaged_ones_is_refused(damage: object) -> None:
    file = io.BytesIO()
    TREE.save(file)
    document = json.loads(file.getvalue())
    document["tree"]["attachments"]["curve"] = damage
    with pytest.raises(ModelFileError, match=r"tree\.attachments\.curve"):
        ceiba.load(json.dumps(document).encode())


def test_json_export_lists_them_by_node() -> None:
    nodes = json.loads(TREE.export("json"))["nodes"]
    assert [node["attachments"]["curve"] for node in nodes[:3]] == [[], [1.0], [2.0, 2.0]]
    bare = json.loads(replace(TREE, attachments=None).export("json"))["nodes"][0]
    assert "attachments" not in bare


@pytest.mark.parametrize(
    ("start", "values", "message"),
    [
        ([0, 1], [1.0], f"Must be {TREE.n_nodes + 1} offsets"),
        ([0, *[1] * TREE.n_nodes], [], "last offset 1"),
        ([0, *[1] * TREE.n_nodes], [np.inf], "infinite"),
    ],
)
def test_check_refuses_what_does_not_fit_the_nodes(
    start: list[int], values: list[float], message: str
) -> None:
    with pytest.raises(TreeError, match=message):
        check(replace(TREE, attachments={"curve": Attachment(start, values)}))
