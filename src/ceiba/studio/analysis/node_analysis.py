"""The tree and the data of a workspace state, with a cache of the rows of each node."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

import numpy as np

from ceiba.edit import rules_at
from ceiba.edit.forced import NodeSite
from ceiba.errors import TreeError
from ceiba.grow import Problem
from ceiba.studio.analysis.branches import check_one_output
from ceiba.studio.prepare import Prepared
from ceiba.studio.work.state import State
from ceiba.tree import Tree
from ceiba.tree.routing import route

_MAX_TABLES: Final = 3  # maximum number of cached row indices, as a multiple of the table's rows


class NodeError(TreeError):
    """Exception raised if a node does not exist."""


@dataclass(frozen=True, eq=False)
class NodeAnalysis:
    """A workspace state with its prepared data, for analyses of the nodes of its tree."""

    state: State
    data: Prepared
    row_cache: NodeRowCache

    @property
    def tree(self) -> Tree:
        """The tree of the analyzed state."""
        return self.state.fitted_tree

    @cached_property
    def problem(self) -> Problem:
        """Table, target, weights and options from which the tree is grown."""
        problem: Problem
        problem, _ = self.state.model._read_problem(self.data.X, self.data.y, self.data.weight)
        check_one_output(problem)
        return problem

    def check(self, node: int) -> None:
        """Raise an error if the node does not exist."""
        if not 0 <= node < self.tree.n_nodes:
            raise NodeError(f"Node {node} does not exist: the tree has {self.tree.n_nodes} nodes.")

    def at(self, node: int) -> NodeSite:
        """Return a node and its training rows."""
        self.check(node)
        return self.row_cache.at(self.tree, node, self.problem)

    def key(self, node: int) -> Any:
        """Return a cache key for the rows, split, growing rules and options of a node."""
        tree = self.tree
        rows_key = NodeRowCache.key(tree, self.problem, tree.path(node).nodes)
        split = repr(tree.node(node).split)
        return repr(self.state.setup), rows_key, split, rules_at(tree, node)

    @cached_property
    def held_out_leaf_ids(self) -> Any:
        """Leaf id of each held-out row, or None if there are no held-out rows."""
        held_out = self.data.held_out
        return None if held_out is None else np.asarray(route.apply(self.tree, held_out.X))

    def scale_times(self, time: Any) -> Any:
        """Scale survival times like the training times, whose overall hazard is 1."""
        training, scaled = self.problem.target.values[:, 0], self.problem.hazard.time
        order = np.argsort(training)
        return np.interp(time, training[order], scaled[order])

    def held_out_rows(self, node: int) -> Any:
        """Return the held-out rows that pass through a node."""
        leaf_ids = self.held_out_leaf_ids
        return np.flatnonzero((leaf_ids >= node) & (leaf_ids < self.tree.subtree_end[node]))


class NodeRowCache:
    """A cache of rows by node, shared by all trees on one prepared table.

    A node is identified by the splits above it and the branches taken, not by its number, so
    entries stay valid when the tree changes elsewhere.
    """

    def __init__(self, n_rows: int) -> None:
        self._max_rows = _MAX_TABLES * n_rows
        self._cache: OrderedDict[Any, NodeSite] = OrderedDict()
        self._lock = threading.Lock()

    def at(self, tree: Tree, node: int, problem: Problem) -> NodeSite:
        """Return a node and its training rows, from the cache if possible."""
        path = tree.path(node).nodes
        keys = [self.key(tree, problem, path[: k + 1]) for k in range(len(path))]
        with self._lock:
            # Start from the deepest cached ancestor: only the rows below it must be partitioned.
            row_cache = self._cache
            deepest = max((k for k in range(len(path)) if keys[k] in row_cache), default=None)
            site = NodeSite.at(tree, 0, problem) if deepest is None else row_cache[keys[deepest]]
            if deepest is not None:
                row_cache.move_to_end(keys[deepest])  # evicted last
            site = replace(site, problem=problem)
            for k in range(0 if deepest is None else deepest + 1, len(path)):
                site = site.descend(tree, path[k]) if k else site
                row_cache[keys[k]] = site
                while (
                    len(row_cache) > 1
                    and sum(len(cached.rows) for cached in row_cache.values()) > self._max_rows
                ):
                    row_cache.popitem(last=False)
        return site

    @staticmethod
    def key(tree: Tree, problem: Problem, path: tuple[int, ...]) -> Any:
        """Return a cache key for the rows of a node: the splits above it and the branches taken."""
        steps = []
        for above, below in pairwise(path):
            splits = tree.splits.take(np.array([above]))
            arrays = (splits.kind, splits.column, splits.cut, splits.level_code,
                      splits.level_branch, splits.interval_cut)  # fmt: skip
            steps.append(
                (
                    *(array.tobytes() for array in arrays),
                    int(tree.default_branch[above]),
                    int(tree.branch_index[below]),
                )
            )
        rule = problem.options.missing_rule
        # Surrogates and branch weights affect the rows but are not in `steps`: add the tree id.
        tree_id = id(tree) if rule in ("surrogate", "fractional") and len(path) > 1 else 0
        monotone = repr(problem.options.monotonic_cst)
        return rule, monotone, tree_id, problem.options.seed, tuple(steps)
