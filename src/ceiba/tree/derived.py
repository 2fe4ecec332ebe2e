"""The fields of a tree, and attributes derived from them, such as depth, leaves and risk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from ceiba.errors import TreeError
from ceiba.table import Schema, TargetInfo
from ceiba.task import Task
from ceiba.tree.arrays import Array, read_only
from ceiba.tree.attachments import Attachments
from ceiba.tree.certificate import Certificate
from ceiba.tree.grown import GrownArrays
from ceiba.tree.impurity import scale_by_prior
from ceiba.tree.notes import NodeNote, apply_overrides
from ceiba.tree.routing import route as _route
from ceiba.tree.splits.split_table import SplitKind, SplitTable
from ceiba.tree.splits.surrogates import CompetitorTable, SurrogateTable
from ceiba.tree.splits.tests import SplitTests

Missing = Literal["learn", "majority", "surrogate", "fractional", "error"]
Unseen = Literal["majority", "missing", "error", "default"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class DerivedAttributes:
    """The fields of a `Tree`, and the attributes derived from them."""

    schema: Schema
    parent: Array
    branch_start: Array
    branch_node: Array
    splits: SplitTable
    default_branch: Array
    n_rows: Array
    weight: Array
    impurity: Array
    gain: Array
    value: Array
    risk: Array
    sent_default: Array
    # Use a default factory, because a class attribute would bypass __getattr__.
    counts: Array | None = field(default_factory=lambda: None)
    surrogates: SurrogateTable | None = field(default_factory=lambda: None)
    competitors: CompetitorTable | None = field(default_factory=lambda: None)
    tests: SplitTests | None = None
    criterion: str = "gini"
    missing: Missing = "learn"
    unseen: Unseen = "majority"
    cost_matrix: Array | None = None
    class_prior: Array | None = None
    honest: bool = False
    smoothed: bool = False
    notes: Mapping[int, NodeNote] | None = None
    attachments: Attachments | None = None
    # Not an init field: `replace` must drop it, because an edited tree has no certificate.
    certificate: Certificate | None = field(default=None, init=False)
    # Arrays of the C++ core, from which the fields above are derived on first access.
    _grown: GrownArrays | None = field(default_factory=lambda: None, init=False, compare=False)

    # ------------------------------------------------------------------ shape

    @property
    def target(self) -> TargetInfo:
        """The target, with its task and classes."""
        if self.schema.target is None:
            raise TreeError("The tree's schema has no target. Use Schema(..., target=...).")
        return self.schema.target

    @property
    def task(self) -> Task:
        """The task: "classification", "regression" or "survival"."""
        return self.target.task

    @property
    def n_nodes(self) -> int:
        """Number of nodes of the tree."""
        return len(self.parent)

    @property
    def n_outputs(self) -> int:
        """Number of outputs of the target."""
        return int(self.value.shape[1])

    @cached_property
    def n_branches(self) -> Array:
        """Number of branches of each node, 0 at leaves."""
        return read_only(np.diff(self.branch_start), np.int32)

    @cached_property
    def is_leaf(self) -> Array:
        """Whether each node is a leaf."""
        return read_only(self.n_branches == 0, np.bool_)

    @cached_property
    def is_binary(self) -> bool:
        """Whether every inner node has exactly two branches."""
        return bool(np.all((self.n_branches == 0) | (self.n_branches == 2)))

    @cached_property
    def leaves(self) -> Array:
        """Ids of the leaves in ascending order."""
        return read_only(np.flatnonzero(self.is_leaf), np.int32)

    @cached_property
    def n_leaves(self) -> int:
        """Number of leaves of the tree."""
        return int(np.count_nonzero(self.is_leaf))

    @cached_property
    def subtree_end(self) -> Array:
        """End of each node's subtree: the subtree of node i is the range `i:subtree_end[i]`."""
        # Find the last node of each subtree by pointer doubling: O(n log depth), no recursion.
        last = np.arange(self.n_nodes)
        last[self.parent[1:]] = last[1:].copy()
        for _ in range(self.n_nodes.bit_length()):
            further = last[last]
            if np.array_equal(further, last):
                break
            last = further
        return read_only(last + 1, np.int32)

    @cached_property
    def node_depth(self) -> Array:
        """Depth of each node, which is 0 for the root."""
        # In pre-order all nodes before i are its ancestors, except those whose subtree has ended.
        i = np.arange(self.n_nodes)
        ended = np.searchsorted(np.sort(self.subtree_end), i, side="right")
        return read_only(i - ended, np.int32)

    @cached_property
    def depth(self) -> int:
        """Depth of the deepest leaf, which is 0 in a tree of one leaf."""
        return int(self.node_depth.max())

    @cached_property
    def branch_index(self) -> Array:
        """Position of each node among the branches of its parent, or -1 for the root."""
        index = np.full(self.n_nodes, -1, np.int32)
        within = np.arange(self.n_nodes - 1) - np.repeat(self.branch_start[:-1], self.n_branches)
        index[self.branch_node] = within
        return read_only(index, np.int32)

    # ------------------------------------------------------------------ figures

    @cached_property
    def branch_share(self) -> Array:
        """Weight of each branch as a fraction of its node's branches, in `branch_node` order."""
        weight = self.weight[self.branch_node]
        owner = np.repeat(np.arange(self.n_nodes), self.n_branches)
        total = np.bincount(owner, weights=weight, minlength=self.n_nodes)[owner]
        even = 1.0 / self.n_branches[owner]
        share = np.divide(weight, total, out=even, where=total > 0)
        return read_only(share, np.float64)

    @cached_property
    def majority_branch(self) -> Array:
        """Branch with the largest weight at each node (the first on ties), or -1 at leaves.

        In level splits, a branch for missing values only is not considered.
        """
        best = np.full(self.n_nodes, -1, np.int32)
        size = self.branch_start[1:] - self.branch_start[:-1]
        inner = size.nonzero()[0]
        if len(inner) == 0:
            return read_only(best, np.int32)
        weight = self.weight[self.branch_node]
        if len(self.splits.interval_cut):
            alone = self.splits.has_missing_branch & (self.splits.kind == SplitKind.LEVELS)
            weight[self.branch_start[1:][alone] - 1] = -1.0
        first = self.branch_start[inner]
        heaviest = np.maximum.reduceat(weight, first).repeat(size[inner])
        winners = (weight == heaviest).nonzero()[0]
        best[inner] = winners[winners.searchsorted(first)] - first
        return read_only(best, np.int32)

    @cached_property
    def answer(self) -> Array:
        """Index of the class with the least expected cost at each node (on ties, the lowest index).

        Shape (n_nodes,), or (n_nodes, n_outputs) for several outputs. Overrides take precedence.
        """
        if not self.task.has_classes:
            raise TreeError(f"A {self.task} tree does not predict classes. Use `tree.value`.")
        best = _route.best_class(self.value, self.cost_matrix)
        if self.notes:
            best = apply_overrides(self, best)  # type: ignore[arg-type]
        return read_only(best[:, 0] if self.n_outputs == 1 else best, np.int32)

    @property
    def active_surrogates(self) -> SurrogateTable | None:
        """Surrogates that route rows, or None if there are none or they are only for inspection."""
        surrogates = self.surrogates
        in_use = self.missing == "surrogate" and surrogates is not None and surrogates.in_use
        return surrogates if in_use else None

    @cached_property
    def used_features(self) -> Array:
        """Indices of the columns used by any split or active surrogate."""
        columns = [self.splits.column[~self.is_leaf]]
        if self.active_surrogates is not None:
            columns.append(self.active_surrogates.splits.column)
        return read_only(np.unique(np.concatenate(columns)), np.int32)

    @cached_property
    def class_probability(self) -> Array:
        """Class probabilities of output 0, computed from the nodes' counts (after priors).

        Unlike `value`, they are never smoothed, clipped by constraints or kept by `keep_value`.
        """
        if self.counts is None:
            return read_only(self.value[:, 0, :], np.float64)
        counts = scale_by_prior(self.counts, self.class_prior)[:, 0, :]
        total = counts.sum(axis=1, keepdims=True)
        probability = np.divide(counts, total, out=self.value[:, 0, :].copy(), where=total > 0)
        return read_only(probability, np.float64)

    @cached_property
    def share(self) -> Array:
        """Weight of each node as a fraction of the total; with `class_prior`, its probability."""
        mass = self.weight
        if self.class_prior is not None and self.counts is not None:
            mass = scale_by_prior(self.counts, self.class_prior)[:, 0, :].sum(axis=1)
        return read_only(mass / mass[0] if mass[0] > 0 else np.zeros_like(mass), np.float64)

    @cached_property
    def search_share(self) -> Array:
        """Share of each node under priors altered by the cost matrix, as in the split search.

        Gains and the tree impurity are weighted by it. Equal to `share` without a cost matrix.
        """
        if self.cost_matrix is None:
            return self.share
        mass = self.share * (self.class_probability @ self.cost_matrix.sum(axis=1))
        return read_only(mass / mass[0] if mass[0] > 0 else np.zeros_like(mass), np.float64)

    @cached_property
    def end_share(self) -> Array:
        """Fraction of each node's rows (by weight) that end in it: 1 at leaves, else usually 0.

        Rows stay in an inner node when their value is missing and `default_branch` is -1.
        """
        share = self.is_leaf.astype(np.float64)
        is_end = ~self.is_leaf & (self.default_branch < 0) & (self.sent_default > 0)
        for i in np.flatnonzero(is_end & (self.weight > 0)).tolist():
            branches = self.branch_node[self.branch_start[i] : self.branch_start[i + 1]]
            share[i] = max(1.0 - self.weight[branches].sum() / self.weight[i], 0.0)
        return read_only(share, np.float64)

    @cached_property
    def tree_impurity(self) -> float:
        """Tree impurity I(T): the mean impurity of the leaves, weighted by `search_share`.

        Rows that stay in an inner node count there.
        """
        ends = self.end_share > 0
        return float((self.end_share * self.search_share)[ends] @ self.impurity[ends])

    @cached_property
    def tree_risk(self) -> float:
        """Tree risk R(T): the sum of the risks of all nodes in which rows end, usually leaves.

        Equal to the risk of the whole tree in `pruning_sequence`.
        """
        return float(self.risk[self.is_leaf].sum() + self.stayed_risk.sum())

    @cached_property
    def stayed_risk(self) -> Array:
        """Part of each inner node's risk that comes from rows ending in the node; 0 at leaves.

        The rows that stay are those of the node less those of its branches. For one output, the
        result is exact for class counts and squared error; in other cases, it is the node's risk
        times the share of these rows.
        """
        risk = np.zeros(self.n_nodes)
        at = np.flatnonzero(~self.is_leaf & (self.default_branch < 0) & (self.sent_default > 0))
        if len(at) == 0:
            return read_only(risk, np.float64)
        if self.counts is not None and self.n_outputs == 1:
            risk[at] = self._stayed_cost(self.counts, at)
        elif self.criterion == "squared_error" and self.n_outputs == 1:
            risk[at] = self._stayed_squares(at)
        else:
            risk[at] = self.end_share[at] * self.risk[at]
        return read_only(risk, np.float64)

    def _stayed_cost(self, counts: Array, at: Array) -> Array:
        counts = scale_by_prior(counts, self.class_prior)[:, 0, :]
        in_branches = np.zeros_like(counts)
        np.add.at(in_branches, self.parent[1:], counts[1:])
        left = np.maximum(counts[at] - in_branches[at], 0.0)
        costs = 1.0 - np.eye(left.shape[1]) if self.cost_matrix is None else self.cost_matrix
        total = self.weight[0] if self.weight[0] > 0 else 1.0
        return np.asarray((left * costs[:, self.answer[at]].T).sum(axis=1) / total)

    def _stayed_squares(self, at: Array) -> Array:
        # A child's squared error about its parent's mean is larger by share x (mean difference)^2.
        value, parent, share = self.value[:, 0, 0], self.parent[1:], self.share[1:]
        about_parent = self.risk[1:] + share * (value[1:] - value[parent]) ** 2
        in_branches = np.bincount(parent, weights=about_parent, minlength=self.n_nodes)
        return np.asarray(np.maximum(self.risk[at] - in_branches[at], 0.0))


class SklearnAttributes(DerivedAttributes):
    """The attributes of scikit-learn's trees; some are undefined for multiway or level splits."""

    def _child(self, branch: int, name: str) -> Array:
        if not self.is_binary:
            raise TreeError(
                f"Tree.{name} is not supported for trees with more than two branches per node. "
                f"Use `branch_start` and `branch_node`."
            )
        child = np.full(len(self.is_leaf), -1, np.int64)
        inner = ~self.is_leaf
        child[inner] = self.branch_node[self.branch_start[:-1][inner] + branch]
        return read_only(child, np.int64)

    @cached_property
    def children_left(self) -> Array:
        """Id of the first child of each node, or -1 at leaves."""
        return self._child(0, "children_left")

    @cached_property
    def children_right(self) -> Array:
        """Id of the second child of each node, or -1 at leaves."""
        return self._child(1, "children_right")

    @cached_property
    def feature(self) -> Array:
        """Column index of each split, or -2 at leaves."""
        self._child(0, "feature")
        return read_only(np.where(self.is_leaf, -2, self.splits.column), np.int64)

    @cached_property
    def threshold(self) -> Array:
        """Threshold of each split, infinite if it only separates missing values; -2 at leaves."""
        self._child(0, "threshold")
        if np.any(self.splits.kind == SplitKind.LEVELS):
            raise TreeError(
                "Tree.threshold is not supported for trees with splits on level sets. "
                "Use `tree.node(i).split`."
            )
        cut = np.where(self.splits.kind == SplitKind.PRESENCE, np.inf, self.splits.cut)
        return read_only(np.where(self.is_leaf, -2.0, cut), np.float64)

    @cached_property
    def missing_go_to_left(self) -> Array:
        """Whether missing values take the first branch of each node (1) or not (0).

        A row that would stay in the node goes to the heavier branch. The second branch of a
        presence split takes the missing values.
        """
        self._child(0, "missing_go_to_left")
        branch = np.where(self.default_branch < 0, self.majority_branch, self.default_branch)
        left = ~self.is_leaf & (branch == 0) & (self.splits.kind != SplitKind.PRESENCE)
        return read_only(left, np.uint8)

    @property
    def node_count(self) -> int:
        """Number of nodes, the same as `n_nodes`."""
        return len(self.is_leaf)

    @property
    def max_depth(self) -> int:
        """Depth of the deepest leaf, the same as `depth`."""
        return self.depth

    @property
    def n_node_samples(self) -> Array:
        """Number of training rows in each node."""
        return self.n_rows

    @property
    def weighted_n_node_samples(self) -> Array:
        """Total weight of the training rows in each node."""
        return self.weight

    @property
    def n_features(self) -> int:
        """Number of columns of the training table."""
        return len(self.schema.columns)

    @property
    def n_classes(self) -> Array:
        """Number of classes of each output, or 1 if the task has no classes."""
        target = self.target
        if not target.task.has_classes:
            return np.ones(target.n_outputs, np.int64)
        return np.array([len(classes) for classes in target.classes], np.int64)

    @property
    def max_n_classes(self) -> int:
        """Largest number of classes of an output."""
        return int(self.n_classes.max())


def rows_by_weight(tree: DerivedAttributes) -> Array:
    """Return node weights, scaled so that the weight of the root equals its number of rows."""
    n_rows, weight = float(tree.n_rows[0]), float(tree.weight[0])
    if weight == 0.0:  # recounted without rows
        return np.zeros(tree.n_nodes)
    if np.isinf(n_rows / weight):  # subnormal weights
        return np.asarray(tree.weight / weight * n_rows)
    return np.asarray(tree.weight * (n_rows / weight))
