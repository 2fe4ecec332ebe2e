"""Monotone trees edited by hand equal a brute-force tree with that split forced."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

import ceiba
from ceiba.errors import TreeError
from ceiba.tree import Cut

DEPTH = 4


def table(seed, n=60, *, classes=False):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, (n, 3)).astype(float)
    y = X[:, 0] - 0.5 * X[:, 1] + 4 * np.sin(X[:, 2]) + rng.normal(scale=3, size=n)
    y = (y > np.median(y)).astype(float) if classes else np.round(y, 2)
    return X, y


def loss(values, criterion):
    if criterion == "absolute_error":
        return np.abs(values - np.median(values)).sum()
    if criterion == "gini":
        return 2 * len(values) * values.mean() * (1 - values.mean())
    return ((values - values.mean()) ** 2).sum()


def number(values, criterion):
    return float(np.median(values) if criterion == "absolute_error" else values.mean())


def brute_force(X, y, criterion, directions, forced, rows=None, low=-inf, high=inf, path=()):
    """Nodes in pre-order: (rows, column, cut, answer); every cut of every column is tried.

    `forced` has the split of a path, given as branches from the root. A split below which all
    leaves answer alike is none, unless it is forced.
    """
    rows = np.arange(len(y)) if rows is None else rows
    answer = float(np.clip(number(y[rows], criterion), low, high))
    here = [(rows.tolist(), None, None, answer)]
    if path not in forced and (len(path) == DEPTH or np.ptp(y[rows]) == 0):
        return here
    best, most = forced.get(path), 1e-9
    for column in range(X.shape[1]) if best is None else ():
        values = np.unique(X[rows, column])
        for cut in 0.5 * (values[1:] + values[:-1]):
            left = X[rows, column] <= cut
            sides = y[rows[left]], y[rows[~left]]
            a, b = (number(side, criterion) for side in sides)
            way = directions[column]
            if way and not ((b - a) * way >= 0 and low <= min(a, b) and max(a, b) <= high):
                continue
            gain = loss(y[rows], criterion) - sum(loss(side, criterion) for side in sides)
            if gain > most + 1e-9:
                best, most = (column, cut), gain
            elif best is None:
                best = (column, cut)
    if best is None:
        return here
    column, cut = best
    left = X[rows, column] <= cut
    parts = rows[left], rows[~left]
    a, b = (float(np.clip(number(y[part], criterion), low, high)) for part in parts)
    limits = [(low, high), (low, high)]
    way = directions[column]
    if way:
        middle = 0.5 * (a + b)
        under, over = (low, min(high, middle)), (max(low, middle), high)
        limits = [under, over] if way > 0 else [over, under]
    here = [(rows.tolist(), column, float(cut), answer)]
    for branch, (part, (bottom, top)) in enumerate(zip(parts, limits, strict=True)):
        here += brute_force(X, y, criterion, directions, forced, part, bottom, top, (*path, branch))
    answers = {answer for _, asked, _, answer in here if asked is None}
    alike = len(answers) == 1 and not any(known[: len(path)] == path for known in forced)
    return [(rows.tolist(), None, None, answers.pop())] if alike else here


def nodes_of(tree, X):
    results = []
    for i in range(tree.n_nodes):
        leaf = bool(tree.is_leaf[i])
        question = (None, None) if leaf else (int(tree.splits.column[i]), float(tree.splits.cut[i]))
        results.append((tree.rows(i, X).tolist(), *question))
    return results


def path_to(tree, node):
    path = []
    while node:
        path.append(int(tree.branch_index[node]))
        node = int(tree.parent[node])
    return tuple(path[::-1])


def fitted(seed, criterion, directions):
    X, y = table(seed, classes=criterion == "gini")
    name = "DecisionTreeClassifier" if criterion == "gini" else "DecisionTreeRegressor"
    options = {"criterion": criterion, "monotonic_cst": directions, "max_depth": DEPTH}
    tree = getattr(ceiba, name)(**options).fit(X, y).tree_
    return tree, X, y, {"monotonic_cst": directions, "max_depth": DEPTH}


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "gini"])
@pytest.mark.parametrize("seed", range(4))
def test_forced_split_below_the_root_equals_brute_force_with_it(criterion, seed):
    directions = [1, -1, 0]
    tree, X, y, options = fitted(seed, criterion, directions)
    forced_some, refused = 0, set()
    for node in np.flatnonzero(tree.node_depth < DEPTH)[1:]:
        rows = tree.rows(node, X)
        for column in range(3):
            values = np.unique(X[rows, column])
            if len(values) < 2:
                continue
            cut = float(0.5 * (values[len(values) // 2 - 1] + values[len(values) // 2]))
            try:
                forced = tree.set_split(int(node), Cut(f"x{column}", cut), X, y, **options)
            except TreeError:
                refused.add(column)
                continue
            forced_some += 1
            kept = own_splits_above(tree, int(node))
            kept[path_to(tree, int(node))] = (column, cut)
            expected = [node[:3] for node in brute_force(X, y, criterion, directions, kept)]
            got = nodes_of(forced, X)
            end = int(forced.subtree_end[node])
            start = [rows for rows, _, _ in expected].index(rows.tolist(), 0)
            assert got[node:end] == expected[start : start + end - node]
    assert forced_some > 5
    assert 2 not in refused  # a free column never is


def own_splits_above(tree, node):
    """The splits of the tree on the way to a node, by path: ties may have decided them."""
    kept = {}
    while node:
        node = int(tree.parent[node])
        kept[path_to(tree, node)] = (int(tree.splits.column[node]), float(tree.splits.cut[node]))
    return kept


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "gini"])
@pytest.mark.parametrize("directions", [[1, -1, 0], [1, 1, 1], [0, 0, -1]], ids=str)
def test_regrowing_any_node_gives_the_same_tree(criterion, directions):
    tree, X, y, options = fitted(11, criterion, directions)
    assert tree.n_leaves > 3
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        assert tree.collapse(node).regrow(node, X, y, **options) == tree
        again = tree.set_split(node, tree.node(node).split, X, y, **options)
        assert again.splits == tree.splits
        np.testing.assert_allclose(again.value, tree.value, rtol=1e-12)
        np.testing.assert_allclose(again.risk, tree.risk, rtol=1e-12, atol=1e-15)


def test_split_against_the_direction_is_refused():
    X = [[float(i)] for i in range(8)]
    y = [0.0, 0, 0, 0, 1, 1, 1, 1]
    tree = ceiba.DecisionTreeRegressor(max_depth=1).fit(X, y).tree_
    with pytest.raises(TreeError, match="requires predictions to decrease with 'x0'"):
        tree.set_split(0, "x0 <= 3.5", X, y, monotonic_cst=[-1])
    with pytest.raises(TreeError, match="requires predictions to decrease with 'x0'"):
        tree.regrow(1, X, y, monotonic_cst=[-1])


def test_split_beyond_the_limits_above_is_refused():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], float)
    y = np.array([0.0, 30.0, 20.0, 21.0])
    tree = ceiba.DecisionTreeRegressor(max_depth=1).fit(X, y).tree_
    tree = tree.set_split(0, "x0 <= 0.5", X, y, max_depth=1, monotonic_cst=[1, 1])
    assert tree.value[1:, 0, 0].tolist() == [15.0, 20.5]
    with pytest.raises(TreeError, match=r"predictions from -inf to 17\.75, .* predicts 30"):
        tree.set_split(1, "x1 <= 0.5", X, y, monotonic_cst=[1, 1])
