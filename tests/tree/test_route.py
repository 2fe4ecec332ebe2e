"""Routing: the fast paths against the plain one, and each rule on its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ceiba
from ceiba.errors import DataError, TreeError
from ceiba.table import Table
from ceiba.table.read_for_predict import read_like
from ceiba.tree import Cut, LevelSets, SplitTable, Tree
from ceiba.tree.routing.branches import visit_nodes
from ceiba.tree.routing.route import spread
from ceiba.tree.routing.trace import trace
from ceiba.tree.splits.surrogates import SurrogateTable
from tests.tree.random_trees import random_rows, random_tree

SEEDS = st.integers(0, 10_000)


def table_of(tree: Tree, X: object) -> Table:
    return read_like(X, tree.schema, match="name")


def ends_by_trace(tree: Tree, table: Table) -> list[int]:
    return [trace(tree, table, row)[-1].node for row in range(table.n_rows)]


@given(
    seed=SEEDS,
    missing=st.sampled_from(["learn", "majority", "surrogate"]),
    unseen=st.sampled_from(["majority", "missing"]),
    stays=st.booleans(),
)
def test_apply_random_tree_equals_trace(seed: int, missing: str, unseen: str, stays: bool) -> None:
    tree = random_tree(seed, missing=missing, unseen=unseen, stays=stays)
    X = random_rows(seed + 1)
    expected = ends_by_trace(tree, table_of(tree, X))
    assert tree.apply(X).tolist() == expected
    assert tree.apply(X, n_threads=2).tolist() == expected


@given(seed=SEEDS, missing=st.sampled_from(["learn", "surrogate"]), stays=st.booleans())
def test_decision_path_random_tree_equals_trace(seed: int, missing: str, stays: bool) -> None:
    tree = random_tree(seed, missing=missing, stays=stays)
    X = random_rows(seed + 1)
    table = table_of(tree, X)
    path = tree.decision_path(X)
    assert path.shape == (table.n_rows, tree.n_nodes)
    for row in range(table.n_rows):
        nodes = [move.node for move in trace(tree, table, row)]
        assert path.indices[path.indptr[row] : path.indptr[row + 1]].tolist() == nodes


@given(
    seed=SEEDS,
    missing=st.sampled_from(["learn", "surrogate"]),
    unseen=st.sampled_from(["majority", "missing"]),
)
def test_visits_of_a_random_tree_end_as_the_trace_does(
    seed: int, missing: str, unseen: str
) -> None:
    tree = random_tree(seed, missing=missing, unseen=unseen, stays=True)
    table = table_of(tree, random_rows(seed + 1))
    end = np.full(table.n_rows, -1)
    for visit in visit_nodes(tree, table, np.arange(table.n_rows)):
        end[visit.ending] = visit.node
    assert end.tolist() == ends_by_trace(tree, table)


@given(seed=SEEDS, unseen=st.sampled_from(["majority", "missing"]))
def test_spread_of_a_random_tree_equals_trace(seed: int, unseen: str) -> None:
    tree = random_tree(seed, missing="fractional", unseen=unseen, stays=True)
    table = table_of(tree, random_rows(seed + 1))
    start, node, share = spread(tree, table)
    for row in range(table.n_rows):
        here = slice(start[row], start[row + 1])
        ends = {
            move.node: move.share
            for move in trace(tree, table, row)
            if move.branch is None and move.by != "share"
        }
        assert dict(zip(node[here].tolist(), share[here].tolist(), strict=True)) == pytest.approx(
            ends
        )
        assert sum(share[here]) == pytest.approx(1.0)


@given(seed=SEEDS, task=st.sampled_from(["classification", "regression"]))
def test_predict_fractional_is_mean_of_the_leaves(seed: int, task: str) -> None:
    tree = random_tree(seed, missing="fractional", task=task)
    X = random_rows(seed + 1, 10)
    table = table_of(tree, X)
    mixed = np.zeros((table.n_rows, tree.value.shape[2]))
    for row in range(table.n_rows):
        for move in trace(tree, table, row):
            if move.branch is None and move.by is None:
                mixed[row] += move.share * tree.value[move.node, 0]
    if task == "regression":
        assert tree.predict(X) == pytest.approx(mixed[:, 0])
    else:
        assert tree.predict_proba(X) == pytest.approx(mixed)


@given(seed=SEEDS, missing=st.sampled_from(["learn", "fractional"]))
def test_rows_of_node_equals_decision_path(seed: int, missing: str) -> None:
    tree = random_tree(seed, missing=missing)
    X = random_rows(seed + 1)
    path = tree.decision_path(X).toarray()
    for node in range(tree.n_nodes):
        assert tree.rows(node, X).tolist() == np.flatnonzero(path[:, node]).tolist()


def fractional_tree() -> Tree:
    literal = ("x <= 2", {"a": 30}, ("y <= 1", {"a": 5, "b": 5}, {"b": 60}))
    return ceiba.tree.build(literal, missing="fractional")


def test_apply_fractional_gives_heaviest_leaf() -> None:
    assert fractional_tree().apply({"x": [np.nan], "y": [5.0]}).tolist() == [4]


def test_decision_path_fractional_gives_all_nodes() -> None:
    path = fractional_tree().decision_path({"x": [np.nan, 1.0], "y": [5.0, 5.0]})
    assert path.toarray().tolist() == [[1, 1, 1, 0, 1], [1, 1, 0, 0, 0]]


def test_predict_proba_fractional_weighs_branches() -> None:
    proba = fractional_tree().predict_proba({"x": [np.nan], "y": [5.0]})
    assert proba[0].tolist() == pytest.approx([0.3, 0.7])


def surrogate_tree(**changes: object) -> Tree:
    tree = ceiba.tree.build(
        ("x <= 2", "a", "b"), columns=["x", "y", "c"], levels={"c": ["u", "v", "w"]}
    )
    stand_ins = [Cut("y", 10.0, low_branch=1), LevelSets("c", (("u",), ("v",)))]
    surrogates = SurrogateTable(
        np.array([0, 2, 2, 2]),
        SplitTable.from_splits(stand_ins, tree.schema),
        np.array([0.9, 0.8]),
        np.array([0.5, 0.4]),
        np.array([0, 0]),
    )
    return replace(tree, missing="surrogate", surrogates=surrogates, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("y", "c", "leaf"),
    [
        (9.0, "u", 2),  # reversed surrogate: low goes to branch 1
        (11.0, "v", 1),
        (np.nan, "v", 2),  # first is missing too, second decides
        (np.nan, "w", 1),  # level that the surrogate does not know, default decides
        (np.nan, None, 1),
    ],
)
def test_apply_missing_primary_follows_first_usable_surrogate(
    y: float, c: str | None, leaf: int
) -> None:
    assert surrogate_tree().apply({"x": [np.nan], "y": [y], "c": [c]}).tolist() == [leaf]


def test_apply_missing_learn_ignores_surrogates() -> None:
    tree = replace(surrogate_tree(), missing="learn", default_branch=np.array([1, -1, -1]))
    assert tree.apply({"x": [np.nan], "y": [11.0], "c": ["u"]}).tolist() == [2]


def test_apply_surrogates_not_in_use_are_only_shown() -> None:
    tree = surrogate_tree(default_branch=np.array([-1, -1, -1]))
    assert tree.surrogates is not None
    shown = replace(tree, surrogates=replace(tree.surrogates, in_use=False))
    X = {"x": [np.nan], "y": [9.0], "c": ["u"]}
    assert (tree.apply(X).tolist(), shown.apply(X).tolist()) == ([2], [0])
    assert len(shown.root.surrogates) == 2
    assert shown.used_features.tolist() == [0]


def test_predict_default_minus_one_row_stays_and_node_predicts() -> None:
    tree = surrogate_tree(default_branch=np.array([-1, -1, -1]))
    X = {"x": [np.nan, 1.0], "y": [np.nan, 1.0], "c": [None, "u"]}
    assert tree.apply(X).tolist() == [0, 1]
    assert tree.predict_proba(X).tolist() == [[0.5, 0.5], [1.0, 0.0]]


def level_tree(unseen: str) -> Tree:
    tree = ceiba.tree.build(
        ("c", {"u": {"a": 1}, ("v", "w"): {"b": 3}}),
        levels={"c": ["u", "v", "w", "z"]},
        unseen=unseen,  # type: ignore[arg-type]
    )
    return replace(tree, default_branch=np.array([0, -1, -1]))


def test_apply_unseen_majority_goes_to_heavier_branch() -> None:
    assert level_tree("majority").apply({"c": ["z", "new", None]}).tolist() == [2, 2, 1]


def test_apply_unseen_missing_goes_the_default_way() -> None:
    assert level_tree("missing").apply({"c": ["z", "new", None]}).tolist() == [1, 1, 1]


def test_apply_unseen_error_refuses_never_seen_level_only() -> None:
    tree = level_tree("error")
    assert tree.apply({"c": ["z"]}).tolist() == [2]
    with pytest.raises(DataError, match="'c'"):
        tree.apply({"c": ["u", "new"]})


def test_apply_unseen_level_of_ordered_column_goes_to_heavier_branch() -> None:
    tree = ceiba.tree.build(
        ("s <= M", {"a": 5}, {"b": 3}), levels={"s": ["S", "M", "L"]}, ordered=["s"]
    )
    assert tree.apply({"s": ["L", "XXL"]}).tolist() == [2, 1]


def test_apply_missing_error_refuses_missing_value() -> None:
    tree = ceiba.tree.build(("x <= 2", "a", "b"), columns=["x", "y"], missing="error")
    assert tree.apply({"x": [1.0], "y": [np.nan]}).tolist() == [1]
    with pytest.raises(DataError, match=r"'x'.*row 1"):
        tree.apply({"x": [1.0, np.nan], "y": [1.0, 1.0]})


def test_apply_presence_split_missing_takes_branch_one() -> None:
    tree = ceiba.tree.build(("x is missing", "gone", "there"))
    assert tree.predict({"x": [np.nan, 3.0, np.inf]}).tolist() == ["gone", "there", "there"]


def test_apply_infinite_values_compare_as_numbers() -> None:
    tree = ceiba.tree.build(("x <= 2", "low", "high"))
    assert tree.predict({"x": [-np.inf, np.inf, 2.0]}).tolist() == ["low", "high", "low"]


def test_predict_cost_matrix_gives_class_of_least_cost() -> None:
    costs = [[0.0, 1.0], [10.0, 0.0]]
    literal = ("x <= 2", {"ill": 8, "well": 92}, {"ill": 1, "well": 99})
    tree = ceiba.tree.build(literal, classes=["well", "ill"], cost_matrix=costs)
    # 0.08 * 10 < 0.92: well; 0.12 would be ill
    assert tree.predict({"x": [1.0, 3.0]}).tolist() == ["well", "well"]
    tree = ceiba.tree.build(
        ("x <= 2", {"ill": 12, "well": 88}, "well"), classes=["well", "ill"], cost_matrix=costs
    )
    assert tree.predict({"x": [1.0, 3.0]}).tolist() == ["ill", "well"]


def test_answer_tied_costs_gives_lowest_class() -> None:
    costs = [[0.0, 0.3], [0.1, 0.0]]
    tree = ceiba.tree.build({"a": 1, "b": 3}, cost_matrix=costs)
    assert tree.answer.tolist() == [0]


def test_predict_proba_of_regression_tree_is_refused() -> None:
    with pytest.raises(TreeError, match="predict"):
        ceiba.tree.build(("x <= 2", 1.0, 2.0)).predict_proba({"x": [1.0]})


def test_apply_no_rows_gives_no_nodes() -> None:
    assert ceiba.tree.build(("x <= 2", 1.0, 2.0)).apply({"x": np.zeros(0)}).shape == (0,)


def test_apply_one_leaf_tree_gives_root() -> None:
    tree = ceiba.tree.build("yes", columns=["x"])
    assert tree.apply({"x": [1.0, np.nan]}).tolist() == [0, 0]


@pytest.mark.parametrize("container", ["dict", "numpy", "pandas", "polars", "pyarrow"])
def test_predict_any_container_gives_the_same(container: str) -> None:
    tree = ceiba.tree.build(("x <= 2", "a", ("y <= 1", "b", "a")))
    X, y = tree.sample(50, random_state=3, container=container)  # type: ignore[arg-type]
    assert tree.predict(X).tolist() == y.tolist()


def test_apply_frame_with_other_order_and_more_columns_is_matched_by_name() -> None:
    tree = ceiba.tree.build(("x <= 2", "a", ("y <= 1", "b", "a")))
    X, y = tree.sample(50, random_state=3, container="pandas")
    X["z"] = 1
    assert tree.predict(X[["z", "y", "x"]]).tolist() == y.tolist()
