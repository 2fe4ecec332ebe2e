"""Trees of plain cuts are routed by a fast path: any layout and type ends where a walk does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import ceiba
from ceiba import _core
from ceiba.table import ColumnInfo, Kind, Schema, TargetInfo
from ceiba.table.read_for_predict import read_like
from ceiba.tree import Presence, SplitTable, Tree
from ceiba.tree.routing.trace import trace

SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e300, -1e300, 1e-300, 3.4e38, 0.1])


@pytest.fixture(params=["wide", "lanes"], autouse=True)
def way_down(request):
    """Try both: sixteen rows in a register, where the processor is good at it, and eight."""
    _core.allow_wide_registers(request.param == "wide")
    yield
    _core.allow_wide_registers(True)


def random_cut_tree(rng: np.random.Generator, n_inner: int, n_columns: int, *, chain: bool = False):
    """Make a tree of random cuts in pre-order; missing goes either way."""
    parent, column, cut = [-1], [-1], [np.nan]
    stack = [(0, n_inner)]
    while stack:
        node, inner = stack.pop()
        if inner == 0:
            continue
        column[node] = int(rng.integers(n_columns))
        cut[node] = float(rng.choice([rng.normal(), rng.choice(SPECIAL[3:])]))
        left = 0 if chain else int(rng.integers(inner))
        children = []
        for share in (left, inner - 1 - left):
            parent.append(node)
            column.append(-1)
            cut.append(np.nan)
            children.append((len(parent) - 1, share))
        stack.extend(reversed(children))
    order, number = preorder(parent)
    n = len(order)
    old_parent = np.array(parent)[order]
    parents = np.array([-1 if p < 0 else number[p] for p in old_parent], np.int32)
    columns, cuts = np.array(column, np.int32)[order], np.array(cut)[order]
    inner_nodes = columns >= 0
    branches = [np.flatnonzero(parents == i) for i in range(n)]
    start = np.concatenate(([0], np.cumsum([len(b) for b in branches]))).astype(np.int32)
    infos = tuple(ColumnInfo(f"x{j}", Kind.NUMERIC) for j in range(n_columns))
    value = rng.random((n, 1, 2))
    return Tree(
        schema=Schema(infos, TargetInfo(None, "classification", (np.array([3, 8]),), 1), False),
        parent=parents,
        branch_start=start,
        branch_node=np.concatenate(branches).astype(np.int32),
        splits=SplitTable.cuts(columns, cuts),
        default_branch=np.where(inner_nodes, rng.integers(0, 2, n), -1).astype(np.int32),
        n_rows=np.ones(n, np.int64),
        weight=np.ones(n),
        impurity=np.zeros(n),
        gain=np.zeros(n),
        value=value / value.sum(axis=2, keepdims=True),
        risk=np.zeros(n),
        sent_default=np.zeros(n, np.int64),
    )


def preorder(parent: list[int]) -> tuple[list[int], dict[int, int]]:
    children: dict[int, list[int]] = {}
    for node, above in enumerate(parent):
        children.setdefault(above, []).append(node)
    order, stack = [], [0]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(reversed(children.get(node, [])))
    return order, {node: i for i, node in enumerate(order)}


def walk(tree: Tree, X: np.ndarray) -> list[int]:
    """Send every row down by hand, in float64."""
    ends = []
    for row in X.astype(np.float64):
        node = 0
        while tree.branch_start[node] != tree.branch_start[node + 1]:
            x = row[tree.splits.column[node]]
            branch = (
                tree.default_branch[node] if np.isnan(x) else int(not x <= tree.splits.cut[node])
            )
            node = int(tree.branch_node[tree.branch_start[node] + branch])
        ends.append(node)
    return ends


def layouts(X: np.ndarray) -> dict[str, object]:
    wide = np.zeros((2 * X.shape[0], X.shape[1] + 3), X.dtype)
    wide[::2, 1:-2] = X
    mixed = {f"x{j}": X[:, j].astype(np.float64 if j % 2 else X.dtype) for j in range(X.shape[1])}
    return {
        "C": np.ascontiguousarray(X),
        "F": np.asfortranarray(X),
        "reversed": np.ascontiguousarray(X[::-1])[::-1],
        "part of a matrix": wide[::2, 1:-2],
        "columns": {f"x{j}": X[:, j].copy() for j in range(X.shape[1])},
        "mixed types": mixed,
    }


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 7, 8, 9, 531])
@pytest.mark.parametrize(("n_inner", "n_columns"), [(0, 2), (1, 1), (40, 5), (300, 3), (60, 700)])
def test_rows_in_every_layout_end_where_a_walk_ends(dtype, n, n_inner, n_columns):
    rng = np.random.default_rng([n, n_inner])
    tree = random_cut_tree(rng, n_inner, n_columns)
    with np.errstate(over="ignore"):
        X = rng.normal(size=(n, n_columns)).astype(dtype)
        special = rng.random(X.shape) < 0.2
        X[special] = rng.choice(SPECIAL, int(special.sum())).astype(dtype)
    ends = walk(tree, X)
    for name, rows in layouts(X).items():
        assert tree.apply(rows).tolist() == ends, name
        assert tree.predict_proba(rows).tobytes() == tree.value[ends, 0].tobytes(), name
        assert tree.predict(rows).tolist() == tree._label_table[ends].tolist(), name


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_columns", [3, 20, 40, 90, 300])
def test_rows_without_missing_values_end_where_a_walk_ends(dtype, n_columns):
    """The short step, in blocks of 256 to 32 and few rows; then a missing value in the last one."""
    rng = np.random.default_rng(n_columns)
    tree = random_cut_tree(rng, 400, n_columns)
    X = rng.normal(size=(700, n_columns)).astype(dtype)
    for spoilt in (False, True):
        if spoilt:
            X[-1, tree.splits.column[0]] = np.nan
        ends = walk(tree, X)
        for name, rows in layouts(X).items():
            assert tree.apply(rows).tolist() == ends, name


def test_rows_of_a_tree_with_more_than_65536_nodes_end_where_a_walk_ends():
    rng = np.random.default_rng(9)
    X = rng.normal(size=(600, 5)).astype(np.float32)
    tree = random_cut_tree(rng, 60_000, 5)
    ends = walk(tree, X)
    assert max(ends) > 65_536
    for rows in (X, np.asfortranarray(X)):
        assert tree.apply(rows).tolist() == ends


@pytest.mark.parametrize("share", [0.0, 0.02, 1.0], ids=["never", "sometimes", "always"])
def test_float64_rows_that_float32_cannot_tell_from_a_cut_go_as_in_float64(share):
    """Columns of float64 are rounded on the way: what then equals a cut must be looked at again."""
    rng = np.random.default_rng(5)
    tree = random_cut_tree(rng, 300, 4)
    X = rng.normal(size=(900, 4))
    at_cut = rng.random(X.shape) < share
    cuts = tree.splits.cut[(tree.splits.column >= 0) & np.isfinite(tree.splits.cut)]
    nearly = rng.choice(cuts, X.shape) * (1 + rng.choice([-1e-12, 0.0, 1e-12], X.shape))
    X[at_cut] = nearly[at_cut]
    ends = walk(tree, X)
    for name, rows in layouts(X).items():
        assert tree.apply(rows).tolist() == ends, name


@pytest.mark.parametrize("depth", range(1, 10))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_leaf_of_a_complete_tree_gets_the_rows_of_its_interval(dtype, depth):
    """The leaf of a row is the number of cuts below it, in any number of steps of three levels."""
    n_leaves = 2**depth
    X = np.arange(n_leaves, dtype=dtype).repeat(600 // n_leaves + 1)[:, None]
    model = ceiba.DecisionTreeRegressor().fit(X, X[:, 0])
    assert model.tree_.max_depth == depth
    assert model.tree_.n_leaves == n_leaves
    rows = np.random.default_rng(depth).permutation(X)
    leaf = np.flatnonzero(model.tree_.is_leaf)
    assert model.apply(rows).tolist() == leaf[rows[:, 0].astype(int)].tolist()


def traced(tree: Tree, X: np.ndarray) -> list[int]:
    table = read_like(X, tree.schema)
    return [trace(tree, table, row)[-1].node for row in range(len(X))]


def test_splits_of_presence_go_as_a_trace_does():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(600, 3))
    y = (X[:, 0] > 0.3) ^ (rng.random(600) < 0.2)
    X[y & (rng.random(600) < 0.8), 1] = np.nan  # whether it is there tells most
    tree = ceiba.DecisionTreeClassifier(max_depth=6).fit(X, y).tree_
    assert any(isinstance(node.split, Presence) for node in tree.nodes)
    X[:9, 1] = np.inf
    ends = traced(tree, X)
    for name, rows in layouts(X).items():
        assert tree.apply(rows).tolist() == ends, name


def test_cuts_with_the_low_side_second_go_as_a_trace_does():
    rng = np.random.default_rng(7)
    tree = random_cut_tree(rng, 60, 3)
    second = np.where(tree.splits.column >= 0, rng.integers(0, 2, tree.n_nodes), 0)
    tree = replace(tree, splits=replace(tree.splits, low_branch=second.astype(np.int8)))
    X = rng.normal(size=(300, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    ends = traced(tree, X)
    for name, rows in layouts(X).items():
        assert tree.apply(rows).tolist() == ends, name


def test_float32_rows_beside_a_cut_of_float64_go_as_in_float64():
    """The cut lies between two neighbours in float32, or is one of them."""
    rng = np.random.default_rng(0)
    below = rng.normal(size=50).astype(np.float32)
    above = np.nextafter(below, np.float32(np.inf))
    for low, high in zip(below.tolist(), above.tolist(), strict=True):
        for cut in (low, high, 0.5 * (low + high), np.nextafter(high, -np.inf)):
            tree = ceiba.tree.build((f"x <= {float(cut)!r}", "a", "b"))
            X = np.array([[low], [high]], np.float32)
            assert tree.apply(X).tolist() == tree.apply(X.astype(np.float64)).tolist()


def test_chain_of_cuts_is_walked_to_its_end():
    tree = random_cut_tree(np.random.default_rng(1), 3000, 2, chain=True)
    X = np.random.default_rng(2).normal(size=(40, 2))
    assert tree.apply(X).tolist() == walk(tree, X)


@pytest.mark.parametrize("n_threads", [2, 3])
def test_threads_write_the_same_answers(n_threads):
    rng = np.random.default_rng(3)
    tree = random_cut_tree(rng, 50, 4)
    X = rng.normal(size=(50_000, 4))
    table = read_like(X, tree.schema)
    assert np.array_equal(
        ceiba.tree.routing.route.predict(tree, table, n_threads=n_threads), tree.predict(X)
    )
    result = ceiba.tree.routing.route.predict_proba(tree, table, n_threads=n_threads)
    assert np.array_equal(result, tree.predict_proba(X))
