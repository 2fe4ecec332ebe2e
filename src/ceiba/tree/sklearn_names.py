"""scikit-learn's names for the arrays of a binary tree, as read-only views.

Code written against `sklearn.tree._tree.Tree` (plots, exporters, traversals) reads ours by
the same names. `value` and `impurity` are the tree's own. Differences that remain: thresholds are
float64 cuts on float64 data; level splits have no threshold, so a tree with any is refused.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ceiba.errors import TreeError
from ceiba.tree.arrays import Array, read_only
from ceiba.tree.figures import Figures
from ceiba.tree.splits.split_table import SplitKind


class SklearnNames(Figures):
    """Properties with scikit-learn's names; mixed into `Tree`."""

    def _child(self, branch: int, name: str) -> Array:
        if not self.is_binary:
            raise TreeError(
                f"Tree.{name}: this tree has nodes with more than two branches, which "
                "scikit-learn's arrays cannot hold. Use `branch_start` and `branch_node`."
            )
        child = np.full(len(self.is_leaf), -1, np.int64)
        inner = ~self.is_leaf
        child[inner] = self.branch_node[self.branch_start[:-1][inner] + branch]
        return read_only(child, np.int64)

    @cached_property
    def children_left(self) -> Array:
        """First branch of each node, -1 at leaves."""
        return self._child(0, "children_left")

    @cached_property
    def children_right(self) -> Array:
        """Second branch of each node, -1 at leaves."""
        return self._child(1, "children_right")

    @cached_property
    def feature(self) -> Array:
        """Column of each split, -2 at leaves."""
        self._child(0, "feature")
        return read_only(np.where(self.is_leaf, -2, self.splits.column), np.int64)

    @cached_property
    def threshold(self) -> Array:
        """Cut of each split, -2 at leaves; infinite for present against missing."""
        self._child(0, "threshold")
        if np.any(self.splits.kind == SplitKind.LEVELS):
            raise TreeError(
                "Tree.threshold: this tree splits on level sets, which have no threshold. "
                "Use `tree.node(i).split`."
            )
        cut = np.where(self.splits.kind == SplitKind.PRESENCE, np.inf, self.splits.cut)
        return read_only(np.where(self.is_leaf, -2.0, cut), np.float64)

    @cached_property
    def missing_go_to_left(self) -> Array:
        """1 where a missing value takes the first branch.

        A row that would stay in the node is shown on the side with more weight; the second branch
        of a presence split takes the missing values.
        """
        self._child(0, "missing_go_to_left")
        branch = np.where(self.default_branch < 0, self.majority_branch, self.default_branch)
        left = ~self.is_leaf & (branch == 0) & (self.splits.kind != SplitKind.PRESENCE)
        return read_only(left, np.uint8)

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self.is_leaf)

    @property
    def max_depth(self) -> int:
        """Depth of the deepest leaf."""
        return self.depth

    @property
    def n_node_samples(self) -> Array:
        """Training rows in each node."""
        return self.n_rows

    @property
    def weighted_n_node_samples(self) -> Array:
        """Weight of the training rows in each node."""
        return self.weight

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.schema.columns)

    @property
    def n_classes(self) -> Array:
        """Number of classes of each output; 1 for regression."""
        target = self.target
        if not target.task.has_classes:
            return np.ones(target.n_outputs, np.int64)
        return np.array([len(classes) for classes in target.classes], np.int64)

    @property
    def max_n_classes(self) -> int:
        """Largest number of classes of an output."""
        return int(self.n_classes.max())
