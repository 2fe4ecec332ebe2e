"""Figures of the nodes of a tree: shares, answers; and the impurity and risk of the whole."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ceiba.errors import TreeError
from ceiba.tree.arrays import Array, read_only
from ceiba.tree.impurity import scale_by_prior
from ceiba.tree.notes import NodeNote, overridden
from ceiba.tree.routing import route as _route
from ceiba.tree.shape import Shape
from ceiba.tree.splits.split_table import SplitKind, SplitTable
from ceiba.tree.splits.surrogates import SurrogateTable


def rows_by_weight(tree: Figures) -> Array:
    """Return the rows of each node by its weight: weights scaled so that a row counts 1."""
    n_rows, weight = float(tree.n_rows[0]), float(tree.weight[0])
    if weight == 0.0:  # recounted, and no row was there
        return np.zeros(tree.n_nodes)
    if np.isinf(n_rows / weight):  # the smallest weights
        return np.asarray(tree.weight / weight * n_rows)
    return np.asarray(tree.weight * (n_rows / weight))


class Figures(Shape):
    """Figures derived from the arrays of the nodes; mixed into `Tree`."""

    if TYPE_CHECKING:
        splits: SplitTable
        default_branch: Array
        n_rows: Array
        weight: Array
        impurity: Array
        risk: Array
        sent_default: Array
        counts: Array | None
        surrogates: SurrogateTable | None
        criterion: str
        missing: str
        cost_matrix: Array | None
        class_prior: Array | None
        notes: Mapping[int, NodeNote] | None

    @cached_property
    def branch_share(self) -> Array:
        """Share of each branch in the weight of all branches of its node, flat as `branch_node`."""
        weight = self.weight[self.branch_node]
        owner = np.repeat(np.arange(self.n_nodes), self.n_branches)
        total = np.bincount(owner, weights=weight, minlength=self.n_nodes)[owner]
        even = 1.0 / self.n_branches[owner]
        share = np.divide(weight, total, out=even, where=total > 0)
        return read_only(share, np.float64)

    @cached_property
    def majority_branch(self) -> Array:
        """Branch with the most weight, the first on ties; -1 at leaves.

        A branch for missing values alone is no majority of the values that are there.
        """
        best = np.full(self.n_nodes, -1, np.int32)
        inner = np.flatnonzero(~self.is_leaf)
        if len(inner) == 0:
            return read_only(best, np.int32)
        weight = self.weight[self.branch_node]
        first = self.branch_start[inner]
        alone = self.splits.parts_missing & (self.splits.kind == SplitKind.LEVELS)
        weight[self.branch_start[1:][alone] - 1] = -1.0
        most = np.repeat(np.maximum.reduceat(weight, first), self.n_branches[inner])
        # Among the heaviest branches of a node, written from last to first, the first one stays.
        winners = np.flatnonzero(weight == most)[::-1]
        best[self.parent[self.branch_node[winners]]] = self.branch_index[self.branch_node[winners]]
        return read_only(best, np.int32)

    @cached_property
    def answer(self) -> Array:
        """Class index each node predicts, per output: least expected cost, the lowest on ties.

        Shape (n_nodes,), or (n_nodes, n_outputs) for several outputs.
        """
        if self.task != "classification":
            raise TreeError("A regression tree has no class to answer with. Use `tree.value`.")
        best = _route.best_class(self.value, self.cost_matrix)
        if self.notes:
            best = overridden(self, best)  # type: ignore[arg-type]
        return read_only(best[:, 0] if self.n_outputs == 1 else best, np.int32)

    @property
    def active_surrogates(self) -> SurrogateTable | None:
        """The surrogates that send rows: None unless `missing="surrogate"` and they are in use."""
        stored = self.surrogates
        in_use = self.missing == "surrogate" and stored is not None and stored.in_use
        return stored if in_use else None

    @cached_property
    def used_features(self) -> Array:
        """Indices of the columns that any split, or surrogate in use, asks about."""
        asked = [self.splits.column[~self.is_leaf]]
        if self.active_surrogates is not None:
            asked.append(self.active_surrogates.splits.column)
        return read_only(np.unique(np.concatenate(asked)), np.int32)

    @cached_property
    def class_probability(self) -> Array:
        """Class probabilities of the nodes by their own counts (after priors), output 0.

        The same as `value[:, 0]`, except in a tree recounted with `keep_value=True`.
        """
        if self.counts is None:
            return read_only(self.value[:, 0, :], np.float64)
        counts = scale_by_prior(self.counts, self.class_prior)[:, 0, :]
        total = counts.sum(axis=1, keepdims=True)
        own = np.divide(counts, total, out=self.value[:, 0, :].copy(), where=total > 0)
        return read_only(own, np.float64)

    @cached_property
    def share(self) -> Array:
        """Share of the whole in each node: of the weight, or p(t) under `class_prior`."""
        mass = self.weight
        if self.class_prior is not None and self.counts is not None:
            mass = scale_by_prior(self.counts, self.class_prior)[:, 0, :].sum(axis=1)
        return read_only(_over_root(mass), np.float64)

    @cached_property
    def search_share(self) -> Array:
        """Share of the whole as the split search saw it: under altered priors with costs.

        Impurity and gain are in these terms; the same as `share` without a cost matrix.
        """
        if self.cost_matrix is None:
            return self.share
        mass = self.share * (self.class_probability @ self.cost_matrix.sum(axis=1))
        return read_only(_over_root(mass), np.float64)

    @cached_property
    def end_share(self) -> Array:
        """How much of each node ends there: 1 at leaves, in inner nodes the part that stayed.

        Rows stay in an inner node when their value is missing and `default_branch` is -1.
        """
        part = self.is_leaf.astype(np.float64)
        stayed = ~self.is_leaf & (self.default_branch < 0) & (self.sent_default > 0)
        for i in np.flatnonzero(stayed & (self.weight > 0)).tolist():
            branches = self.branch_node[self.branch_start[i] : self.branch_start[i + 1]]
            part[i] = max(1.0 - self.weight[branches].sum() / self.weight[i], 0.0)
        return read_only(part, np.float64)

    @cached_property
    def tree_impurity(self) -> float:
        """I(T): impurity of the leaves, weighted by their share of the whole.

        Rows that stayed in an inner node count there.
        """
        ends = self.end_share > 0
        return float((self.end_share * self.search_share)[ends] @ self.impurity[ends])

    @cached_property
    def tree_risk(self) -> float:
        """R(T): sum of the risks of the leaves; rows that stayed in an inner node count there.

        The same as the risk of the whole tree in `pruning_sequence`.
        """
        return float(self.risk[self.is_leaf].sum() + self.stayed_risk.sum())

    @cached_property
    def stayed_risk(self) -> Array:
        """The part of R(t) of rows that stay in inner node t; 0 where none do.

        A node counts all its rows, its branches theirs; the difference is the rows that stayed.
        Exact for class counts and for the squared error. Other losses cannot be separated so:
        there the rows take their share of the node's risk.
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
        gone = np.zeros_like(counts)
        np.add.at(gone, self.parent[1:], counts[1:])
        left = np.maximum(counts[at] - gone[at], 0.0)
        costs = 1.0 - np.eye(left.shape[1]) if self.cost_matrix is None else self.cost_matrix
        whole = self.weight[0] if self.weight[0] > 0 else 1.0
        return np.asarray((left * costs[:, self.answer[at]].T).sum(axis=1) / whole)

    def _stayed_squares(self, at: Array) -> Array:
        # The squared error of a branch about the node's mean: its own plus weight x distance^2.
        value, parent, share = self.value[:, 0, 0], self.parent[1:], self.share[1:]
        about_parent = self.risk[1:] + share * (value[1:] - value[parent]) ** 2
        gone = np.bincount(parent, weights=about_parent, minlength=self.n_nodes)
        return np.asarray(np.maximum(self.risk[at] - gone[at], 0.0))


def _over_root(mass: Array) -> Array:
    """Return masses as shares of the root's."""
    return mass / mass[0] if mass[0] > 0 else np.zeros(len(mass))
