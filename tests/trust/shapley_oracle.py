"""Shapley values by their definition: every coalition of columns, one by one."""

from __future__ import annotations

from itertools import combinations
from math import factorial
from typing import Any

import numpy as np

from ceiba.table import Table
from ceiba.tree import Tree
from ceiba.tree.routing import route
from ceiba.tree.routing.trace import _choose_branch

Array = np.ndarray[Any, Any]


def shapley(worth: dict[frozenset[int], Array], p: int) -> Array:
    """phi_j = sum over S without j of |S|! (p - |S| - 1)! / p! (v(S + j) - v(S))."""
    phi = np.zeros((p, *np.shape(worth[frozenset()])))
    for j in range(p):
        for coalition, value in worth.items():
            if j not in coalition:
                s = len(coalition)
                weight = factorial(s) * factorial(p - s - 1) / factorial(p)
                phi[j] += weight * (worth[coalition | {j}] - value)
    return phi


def interactions(worth: dict[frozenset[int], Array], p: int) -> Array:
    """Half of each Shapley interaction on either side, the rest of a column on the diagonal."""
    found = np.zeros((p, p, *np.shape(worth[frozenset()])))
    for i, j in combinations(range(p), 2):
        for coalition, value in worth.items():
            if i not in coalition and j not in coalition:
                s = len(coalition)
                weight = factorial(s) * factorial(p - s - 2) / (2 * factorial(p - 1))
                both = worth[coalition | {i, j}] - worth[coalition | {i}]
                found[i, j] += weight * (both - worth[coalition | {j}] + value)
        found[j, i] = found[i, j]
    single = shapley(worth, p)
    for i in range(p):
        found[i, i] = single[i] - found[i].sum(axis=0)
    return found


def coalitions(p: int) -> list[frozenset[int]]:
    return [frozenset(c) for size in range(p + 1) for c in combinations(range(p), size)]


def path_dependent(tree: Tree, table: Table, row: int) -> dict[frozenset[int], Array]:
    """Worth of each coalition: open questions go down every branch by training shares."""
    return {known: _walk(tree, table, row, known) for known in coalitions(table.n_columns)}


def _walk(tree: Tree, table: Table, row: int, known: frozenset[int]) -> Array:
    total = np.zeros(tree.value.shape[1:])
    waiting = [(0, 1.0)]
    while waiting:
        node, share = waiting.pop()
        start, end = tree.branch_start[node : node + 2].tolist()
        if start == end:
            total += share * tree.value[node]
            continue
        if int(tree.splits.column[node]) in known:
            branch, by, _ = _choose_branch(tree, table, row, node)
            if by != "share":
                if branch is None:
                    total += share * tree.value[node]
                else:
                    waiting.append((int(tree.branch_node[start + branch]), share))
                continue
        waiting += [
            (int(tree.branch_node[at]), share * float(tree.branch_share[at]))
            for at in range(start, end)
        ]
    return total


def interventional(
    tree: Tree, table: Table, row: int, background: Table
) -> dict[frozenset[int], Array]:
    """Worth of each coalition: columns that are not in it are those of each background row."""
    n = background.n_rows
    found = {}
    for known in coalitions(table.n_columns):
        columns = []
        for j, column in enumerate(background.columns):
            values = np.array(column.values)
            if j in known:
                values[:] = table.columns[j].values[row]
            columns.append(type(column)(column.info, values))
        found[known] = mean_value(tree, Table(tuple(columns), n, background.schema))
    return found


def mean_value(tree: Tree, table: Table) -> Array:
    if tree.missing != "fractional":
        return np.asarray(tree.value[route.apply(tree, table)].mean(axis=0))
    start, node, share = route.spread(tree, table)
    return np.asarray((share[:, None, None] * tree.value[node]).sum(axis=0) / (len(start) - 1))
