"""The training rows of nodes, kept: who asks twice about a node does not send all rows down again.

A node is known by the questions above it and the branches taken, not by its number, so rows stay
known when the tree changes elsewhere.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

import numpy as np

from ceiba.edit.forced.here import Here
from ceiba.grow.problem import Problem
from ceiba.tree import Tree

_TABLES: Final = 3  # so many times all rows are kept


class Places:
    """Rows of nodes of trees on one prepared table."""

    def __init__(self, n_rows: int) -> None:
        self._most = _TABLES * n_rows
        self._kept: OrderedDict[Any, Here] = OrderedDict()
        self._lock = threading.Lock()

    def at(self, tree: Tree, node: int, problem: Problem) -> Here:
        """Give a node with the rows in it."""
        with self._lock:
            return self._at(tree, node, problem)

    def _at(self, tree: Tree, node: int, problem: Problem) -> Here:
        path = tree.path(node).nodes
        keys = [self.key(tree, problem, path[: k + 1]) for k in range(len(path))]
        known = max((k for k in range(len(path)) if keys[k] in self._kept), default=None)
        here = Here.at(tree, 0, problem) if known is None else self._kept[keys[known]]
        if known is not None:
            self._kept.move_to_end(keys[known])  # the last to be given up
        here = replace(here, problem=problem)
        for k in range(0 if known is None else known + 1, len(path)):
            here = here.down(tree, path[k]) if k else here
            self._keep(keys[k], here)
        return here

    def _keep(self, key: Any, here: Here) -> None:
        self._kept[key] = here
        while (
            len(self._kept) > 1 and sum(len(one.rows) for one in self._kept.values()) > self._most
        ):
            self._kept.popitem(last=False)

    @staticmethod
    def key(tree: Tree, problem: Problem, path: tuple[int, ...]) -> Any:
        """Return what tells the rows of a node: the questions above it, the branches taken."""
        steps = []
        for above, below in pairwise(path):
            splits = tree.splits.take(np.array([above]))
            what = (splits.kind, splits.column, splits.cut, splits.level_code, splits.level_branch,
                    splits.interval_cut)  # fmt: skip
            steps.append(
                (
                    *(part.tobytes() for part in what),
                    int(tree.default_branch[above]),
                    int(tree.branch_index[below]),
                )
            )
        rule = problem.options.missing_rule
        whole = id(tree) if rule in ("surrogate", "fractional") and len(path) > 1 else 0
        monotone = repr(problem.options.monotonic_cst)
        return rule, monotone, whole, problem.options.seed, tuple(steps)
