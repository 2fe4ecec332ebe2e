"""Trees written by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import TreeError
from ceiba.table import Kind
from ceiba.tree import Cut, Leaf, LevelSets, Presence, build, check


def test_build_levels_keep_branch_order_as_written() -> None:
    tree = build(("Patrons", {"None": "No", "Some": "Yes", "Full": "No"}))
    assert tree.root.split == LevelSets("Patrons", (("None",), ("Some",), ("Full",)))
    assert tree.schema.columns[0].levels == ("None", "Some", "Full")
    assert tree.schema.columns[0].kind == Kind.CATEGORICAL
    assert tree.target.classes[0].tolist() == ["No", "Yes"]


def test_build_tuple_of_levels_is_one_branch() -> None:
    tree = build(("Type", {("French", "Thai"): "a", "Burger": "b"}))
    assert tree.root.split == LevelSets("Type", (("French", "Thai"), ("Burger",)))
    assert tree.predict({"Type": ["Thai", "Burger", "French"]}).tolist() == ["a", "b", "a"]


def test_build_cut_sends_lower_or_equal_to_the_first() -> None:
    tree = build(("x <= 2.5", "low", "high"))
    assert tree.root.split == Cut("x", 2.5)
    assert tree.predict({"x": [2.5, 2.6]}).tolist() == ["low", "high"]


def test_build_column_name_with_spaces_and_signs_is_read() -> None:
    assert build(("price <= 3 (USD) <= -1e3", 1.0, 2.0)).root.split == Cut(
        "price <= 3 (USD)", -1000.0
    )


@pytest.mark.parametrize(
    ("literal", "labels"),
    [
        (("x is missing", "gone", "there"), ["there", "gone"]),
        (("x is present", "there", "gone"), ["there", "gone"]),
    ],
)
def test_build_presence_branch_zero_is_present(literal: Any, labels: list[str]) -> None:
    tree = build(literal)
    assert tree.root.split == Presence("x")
    assert [child.label for child in tree.root.children] == labels


def test_build_ordered_column_cut_by_level_name() -> None:
    tree = build(
        ("Price <= $$", "cheap", "dear"), levels={"Price": ["$", "$$", "$$$"]}, ordered=["Price"]
    )
    assert tree.root.split == Cut("Price", 1.5)
    assert tree.schema.columns[0].kind == Kind.ORDERED
    assert tree.predict({"Price": ["$", "$$", "$$$"]}).tolist() == ["cheap", "cheap", "dear"]


def test_build_split_values_and_lists_are_accepted() -> None:
    tree = build(
        [Cut("x", 1.0, low_branch=1), "high", [LevelSets("c", (("u",), ("v",))), "a", "b"]]
    )
    assert tree.root.split == Cut("x", 1.0)
    assert [child.is_leaf for child in tree.root.children] == [False, True]
    assert tree.predict({"x": [2.0, 0.0], "c": ["u", "v"]}).tolist() == ["high", "b"]


def test_build_columns_come_from_levels_ranges_then_literal() -> None:
    tree = build(
        ("z <= 1", "a", ("c", {"u": "a", "w": "b"})),
        levels={"unused": ["p", "q"], "c": ["u", "v"]},
        ranges={"t": (0, 9)},
    )
    assert tree.schema.names == ("unused", "c", "t", "z")
    assert tree.schema.columns[1].levels == ("u", "v", "w")
    assert (tree.schema.columns[2].minimum, tree.schema.columns[2].maximum) == (0, 9)


def test_build_columns_given_set_the_order() -> None:
    assert build(("b <= 1", 1.0, 2.0), columns=["a", "b"]).schema.names == ("a", "b")


def test_build_numbers_as_leaves_are_regression() -> None:
    tree = build(("x <= 1", 2, ("x <= 5", 4.0, 6.0)))
    assert tree.task == "regression"
    assert tree.counts is None
    assert tree.criterion == "squared_error"
    assert tree.value[:, 0, 0].tolist() == [4.0, 2.0, 5.0, 4.0, 6.0]
    assert tree.impurity == pytest.approx([8 / 3, 0, 1, 0, 0])


def test_build_numbers_with_task_classification_are_labels() -> None:
    tree = build(("x <= 1", 2, 7), task="classification")
    assert tree.predict({"x": [0.0, 3.0]}).tolist() == [2, 7]


def test_build_bools_as_leaves_are_labels() -> None:
    tree = build(("x <= 1", True, False))
    assert tree.task == "classification"
    assert tree.predict({"x": [0.0, 3.0]}).tolist() == [True, False]


def test_build_whole_counts_give_rows_and_weights() -> None:
    tree = build(("x <= 1", {"a": 3, "b": 1}, {"b": 6}))
    assert tree.n_rows.tolist() == [10, 4, 6]
    assert tree.weight.tolist() == [10, 4, 6]
    assert tree.counts is not None
    assert tree.counts[:, 0].tolist() == [[3, 7], [3, 1], [0, 6]]
    assert tree.value[0, 0] == pytest.approx([0.3, 0.7])
    assert tree.gain[0] == pytest.approx(0.42 - 0.4 * 0.375)
    assert tree.risk == pytest.approx([0.3, 0.1, 0.0])


def test_build_probabilities_give_no_rows() -> None:
    tree = build(("x <= 1", {"a": 0.75, "b": 0.25}, {"b": 1.0}))
    assert tree.n_rows.tolist() == [0, 0, 0]
    assert tree.weight.tolist() == [2, 1, 1]
    assert tree.value[1, 0].tolist() == [0.75, 0.25]


def test_build_leaf_weight_scales_its_counts() -> None:
    tree = build(("x <= 1", Leaf(counts={"a": 1, "b": 3}, weight=8.0), "a"))
    assert tree.counts is not None
    assert tree.counts[1, 0].tolist() == [2.0, 6.0]


def test_build_regression_leaf_with_rows_and_impurity() -> None:
    tree = build(("x <= 1", Leaf(1.0, rows=30, impurity=2.0), Leaf(4.0, rows=10, impurity=1.0)))
    assert tree.n_rows.tolist() == [40, 30, 10]
    assert tree.value[0, 0, 0] == pytest.approx(1.75)


def test_build_missing_default_is_the_heavier_branch() -> None:
    tree = build(("x <= 1", {"a": 1}, {"b": 6}))
    assert tree.default_branch.tolist() == [1, -1, -1]
    assert tree.missing == "majority"


def test_build_classes_given_set_the_order() -> None:
    assert build(("x <= 1", "b", "a"), classes=["b", "a", "c"]).target.classes[0].tolist() == [
        "b",
        "a",
        "c",
    ]


def test_build_mixed_labels_stay_what_they_are() -> None:
    tree = build(("x <= 1", "b", 3))
    assert tree.predict({"x": [0.0, 2.0]}).tolist() == ["b", 3]


def test_build_one_leaf_is_a_tree() -> None:
    tree = build("yes")
    assert (tree.n_nodes, tree.depth) == (1, 0)


@pytest.mark.parametrize(
    ("literal", "message"),
    [
        (("x about 2", "a", "b"), "is not a valid split"),
        (("x <= two", "a", "b"), "'two' is not a finite number"),
        (("c = u", "a", "b"), "the second branch is empty"),
        (("c = u | c = u", "a", "b"), "in two branches"),
        (("c = u | x = v", "a", "b"), "must use one column"),
        (("x <= 2 | x <= 3", "a", "b"), "do not form one split"),
        (("x <= 2", "a"), "is not a valid split"),
        (("x <= 2", "a", "b", "c"), "is not a valid split"),
        ((), "is not a valid split"),
        (("<= 2", "a", "b"), "is not a valid split"),
        (("x <= 2", "a", ("y <= 1", None, "b")), r"under x \(branch 1\), y \(branch 0\).*None"),
        (("c", {"u": "a", ("u", "v"): "b"}), "two branches"),
        (("c", {"u": "a"}), "one branch"),
        (("c", {"u": "a", "v": ("c <= 3", "a", "b")}), "levels and a numeric cut"),
        (("x <= inf", "a", "b"), "finite"),
        (("x <= 2", {"a": -1, "b": 2}, "b"), "at least 0"),
        (("x <= 2", {"a": 0}, "b"), "at least 0 and not all 0"),
    ],
)
def test_build_wrong_literal_is_refused_with_the_place(literal: Any, message: str) -> None:
    with pytest.raises(TreeError, match=message):
        build(literal)


def test_build_number_that_is_not_one_is_refused() -> None:
    with pytest.raises(TreeError, match="finite number"):
        build(("x <= 2", 1.0, "many"), task="regression")
    with pytest.raises(TreeError, match="finite number"):
        build(("x <= 2", 1.0, float("nan")))


def test_build_class_not_in_classes_is_refused() -> None:
    with pytest.raises(TreeError, match="'c'"):
        build(("x <= 2", "a", "c"), classes=["a", "b"])


def test_build_ordered_without_levels_is_refused() -> None:
    with pytest.raises(TreeError, match="levels"):
        build(("s <= M", "a", "b"), ordered=["s"])


def test_build_unknown_level_of_ordered_column_is_refused() -> None:
    with pytest.raises(TreeError, match="'XL'"):
        build(("s <= XL", "a", "b"), ordered=["s"], levels={"s": ["S", "M"]})


def test_build_column_not_in_columns_is_refused() -> None:
    with pytest.raises(TreeError, match="'y'"):
        build(("y <= 1", "a", "b"), columns=["x"])


def test_from_arrays_fills_in_weights_and_inner_values() -> None:
    tree = build(("x <= 1", "a", ("x <= 2", "b", "b")))
    again = ceiba.tree.from_arrays(
        tree.schema,
        parent=tree.parent,
        splits=tree.splits,
        value=np.where(tree.is_leaf[:, None, None], tree.value, np.nan),
    )
    assert again.weight.tolist() == [3, 1, 2, 1, 1]
    assert again.value[0, 0] == pytest.approx([1 / 3, 2 / 3])
    check(again)
