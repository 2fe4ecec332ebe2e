"""The Tree: an immutable table of nodes.

Nodes are numbered in pre-order (root 0, the first branch of node i is node i + 1, so
`parent[i] < i` and the subtree of i is the range `i:subtree_end[i]`). The branches of node i are
`branch_node[branch_start[i]:branch_start[i + 1]]`, so binary and multiway trees are one
structure; a leaf is a node without branches. All arrays are read-only; whatever changes a tree
(collapse, recount, pruning) returns a new one. A Tree knows its schema, not the data it came
from. Derived arrays are computed on first use and kept; they are not pickled.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from ceiba.errors import TreeError
from ceiba.tree import route as _route
from ceiba.tree.arrays import Array, read_only, same_array
from ceiba.tree.collapse import collapse as _collapse
from ceiba.tree.face import Face
from ceiba.tree.impurity import scale_by_prior
from ceiba.tree.node import Node, NodeSequence
from ceiba.tree.recount import recount as _recount
from ceiba.tree.sample import Container
from ceiba.tree.sample import sample as _sample
from ceiba.tree.sklearn_names import SklearnNames

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ceiba.table import Schema, TargetInfo
    from ceiba.tree.path import Path
    from ceiba.tree.splits import SplitTable
    from ceiba.tree.surrogates import Competitors, Surrogates

__all__ = ["Missing", "Tree", "Unseen"]

Missing = Literal["learn", "majority", "surrogate", "fractional", "error"]
Unseen = Literal["majority", "missing", "error"]

_DTYPES: Final = {
    "parent": np.int32,
    "branch_start": np.int32,
    "branch_node": np.int32,
    "default_branch": np.int32,
    "n_rows": np.int64,
    "weight": np.float64,
    "impurity": np.float64,
    "gain": np.float64,
    "value": np.float64,
    "risk": np.float64,
    "sent_default": np.int64,
}
_OPTIONAL: Final = ("counts", "cost_matrix", "class_prior")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Tree(SklearnNames, Face):
    """A grown, loaded or hand-written decision tree: a frozen table of nodes.

    Users rarely call this constructor: `model.tree_`, `ceiba.tree.build`,
    `ceiba.tree.from_arrays` and `ceiba.tree.from_sklearn` make trees. The arrays handed over
    belong to the tree from then on. Nothing is checked here; `ceiba.tree.check` does that.

    Parameters
    ----------
    schema : Schema
        Columns (names, kinds, levels) and the target.
    parent : int32 array of shape (n,)
        Parent of each node, -1 at the root.
    branch_start, branch_node : int32 arrays of shape (n + 1,) and (n - 1,)
        Branches of node i: `branch_node[branch_start[i]:branch_start[i + 1]]`.
    splits : SplitTable
        The split of each node, n rows.
    default_branch : int32 array of shape (n,)
        Branch of a missing value when nothing else decides; -1: the row stays in the node.
    n_rows, weight : int64 and float64 arrays of shape (n,)
        Training rows in each node, and their total weight.
    impurity, gain : float64 arrays of shape (n,)
        Impurity of the node; its decrease by the node's split per unit of node weight.
    value : float64 array of shape (n, n_outputs, max_classes)
        Class probabilities (after priors), or the node's value with last dimension 1.
    counts : float64 array of shape (n, n_outputs, max_classes), optional
        Weighted class counts (classification).
    risk : float64 array of shape (n,)
        R(t): risk of the node taken as a leaf, as a share of the whole; NaN if unknown.
    sent_default : int64 array of shape (n,)
        Training rows that went the default way, or stayed.
    surrogates, competitors : Surrogates, Competitors, optional
    criterion : str
    missing, unseen : str
        How missing values and unseen levels are routed.
    cost_matrix : float64 array of shape (K, K), optional
        Cost of truth i predicted as j.
    class_prior : float64 array of shape (K,), optional

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("x <= 2.5", "a", ("x <= 4", "b", "a")))
    >>> tree.n_leaves, tree.depth
    (3, 2)
    >>> tree.predict({"x": [1.0, 3.0, 5.0]}).tolist()
    ['a', 'b', 'a']
    """

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
    counts: Array | None = None
    surrogates: Surrogates | None = None
    competitors: Competitors | None = None
    criterion: str = "gini"
    missing: Missing = "learn"
    unseen: Unseen = "majority"
    cost_matrix: Array | None = None
    class_prior: Array | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name, dtype in _DTYPES.items():
            put(self, name, read_only(getattr(self, name), dtype))
        for name in _OPTIONAL:
            if getattr(self, name) is not None:
                put(self, name, read_only(getattr(self, name), np.float64))

    # ------------------------------------------------------------------ identity

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Through __init__, because numpy does not pickle the read-only flag.
        self.__init__(**state)  # type: ignore[misc]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return (
            all(same_array(getattr(self, a), getattr(other, a)) for a in (*_DTYPES, *_OPTIONAL))
            and self.splits == other.splits
            and self.surrogates == other.surrogates
            and self.competitors == other.competitors
            and (self.criterion, self.missing, self.unseen)
            == (other.criterion, other.missing, other.unseen)
            and self.schema == other.schema
        )

    def __hash__(self) -> int:
        return hash((self.n_nodes, self.criterion, self.splits))

    def __repr__(self) -> str:
        target = self.schema.target
        named = f" of {target.name!r}" if target is not None and target.name is not None else ""
        leaves = f"{self.n_leaves} {'leaf' if self.n_leaves == 1 else 'leaves'}"
        rows = f", {self.n_rows[0]} rows" if self.n_rows[0] else ""
        return f"<Tree: {self.task}{named}, {leaves}, depth {self.depth}{rows}>"

    def __str__(self) -> str:
        return self.to_text()

    # ------------------------------------------------------------------ shape

    @property
    def target(self) -> TargetInfo:
        """What the tree predicts."""
        if self.schema.target is None:
            raise TreeError("The tree's schema has no target. Give Schema(..., target=...).")
        return self.schema.target

    @property
    def task(self) -> Literal["classification", "regression"]:
        """Either "classification" or "regression"."""
        return self.target.task

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
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
        """Ids of the leaves, ascending."""
        return read_only(np.flatnonzero(self.is_leaf), np.int32)

    @cached_property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.is_leaf))

    @cached_property
    def subtree_end(self) -> Array:
        """End of each node's subtree: the subtree of node i is the range `i:subtree_end[i]`."""
        size = [1] * self.n_nodes
        parent = self.parent.tolist()
        for i in range(self.n_nodes - 1, 0, -1):
            size[parent[i]] += size[i]
        return read_only(np.arange(self.n_nodes) + np.array(size), np.int32)

    @cached_property
    def node_depth(self) -> Array:
        """Depth of each node; 0 at the root."""
        # In pre-order all nodes before i are its ancestors, except those whose subtree has ended.
        i = np.arange(self.n_nodes)
        ended = np.searchsorted(np.sort(self.subtree_end), i, side="right")
        return read_only(i - ended, np.int32)

    @cached_property
    def depth(self) -> int:
        """Depth of the deepest leaf; 0 for a tree of one leaf."""
        return int(self.node_depth.max())

    @cached_property
    def branch_index(self) -> Array:
        """Which branch of its parent each node is; -1 at the root."""
        index = np.full(self.n_nodes, -1, np.int32)
        within = np.arange(self.n_nodes - 1) - np.repeat(self.branch_start[:-1], self.n_branches)
        index[self.branch_node] = within
        return read_only(index, np.int32)

    # ------------------------------------------------------------------ what the nodes say

    @cached_property
    def branch_weight(self) -> Array:
        """Share of each branch in the weight of all branches of its node, flat as `branch_node`."""
        weight = self.weight[self.branch_node]
        owner = np.repeat(np.arange(self.n_nodes), self.n_branches)
        total = np.bincount(owner, weights=weight, minlength=self.n_nodes)[owner]
        even = 1.0 / self.n_branches[owner]
        share = np.divide(weight, total, out=even, where=total > 0)
        return read_only(share, np.float64)

    @cached_property
    def majority_branch(self) -> Array:
        """Branch with the most weight, the first on ties; -1 at leaves."""
        best = np.full(self.n_nodes, -1, np.int32)
        inner = np.flatnonzero(~self.is_leaf)
        if len(inner) == 0:
            return read_only(best, np.int32)
        weight = self.weight[self.branch_node]
        first = self.branch_start[inner]
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
        return read_only(best[:, 0] if self.n_outputs == 1 else best, np.int32)

    @property
    def stand_ins(self) -> Surrogates | None:
        """The surrogates that send rows: None unless `missing="surrogate"` and they are in use."""
        stored = self.surrogates
        in_use = self.missing == "surrogate" and stored is not None and stored.in_use
        return stored if in_use else None

    @cached_property
    def used_columns(self) -> Array:
        """Indices of the columns that any split, or surrogate in use, asks about."""
        asked = [self.splits.column[~self.is_leaf]]
        if self.stand_ins is not None:
            asked.append(self.stand_ins.splits.column)
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
    def part_ending(self) -> Array:
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
        ends = self.part_ending > 0
        return float((self.part_ending * self.search_share)[ends] @ self.impurity[ends])

    @cached_property
    def tree_risk(self) -> float:
        """R(T): sum of the risks of the leaves; rows that stayed in an inner node count there."""
        ends = self.part_ending > 0
        return float(self.part_ending[ends] @ self.risk[ends])

    # ------------------------------------------------------------------ nodes and paths

    @property
    def nodes(self) -> NodeSequence:
        """All nodes, as views, in pre-order."""
        return NodeSequence(self)

    def node(self, i: int) -> Node:
        """Give a view of node `i`.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
        >>> tree.node(1).is_leaf
        True
        """
        if not 0 <= i < self.n_nodes:
            raise TreeError(
                f"Node {i} does not exist. This tree has nodes 0 to {self.n_nodes - 1}."
            )
        return Node(self, int(i))

    @property
    def root(self) -> Node:
        """The root, as a view."""
        return Node(self, 0)

    def path(self, node: int) -> Path:
        """Give the branches from the root to `node`."""
        return self.node(node).path

    # ------------------------------------------------------------------ rows

    @cached_property
    def _router(self) -> Any:
        return _route.make_router(self)

    @cached_property
    def _label_table(self) -> Array:
        """What each node predicts, so that prediction is one lookup."""
        return _route.label_table(self, self.value)

    def apply(self, X: Any, *, n_threads: int = 1) -> Array:
        """Give the node each row of X ends in.

        That is a leaf, except for rows that stay in an inner node (`default_branch` -1); with
        `missing="fractional"` the heaviest leaf.

        Parameters
        ----------
        X : table
            numpy, pandas, polars, Arrow, dict of lists, list of dicts. Named columns are matched
            by name; further columns are ignored.
        n_threads : int
            The result does not depend on it.

        Returns
        -------
        int32 array of shape (n_rows,)
        """
        return _route.apply(self, _route.read(self, X), n_threads=n_threads)

    def predict(self, X: Any, *, n_threads: int = 1) -> Array:
        """Predict the class (of least expected cost) or the value of each row of X.

        Returns
        -------
        array of shape (n_rows,), or (n_rows, n_outputs) for several outputs
        """
        return _route.predict(self, _route.read(self, X), n_threads=n_threads)

    def predict_proba(self, X: Any, *, n_threads: int = 1) -> Array | list[Array]:
        """Give the class probabilities (after priors) of each row of X.

        Returns
        -------
        array of shape (n_rows, n_classes), or a list of such arrays for several outputs
        """
        return _route.predict_proba(self, _route.read(self, X), n_threads=n_threads)

    def decision_path(self, X: Any) -> Any:
        """Give the nodes each row passes through, as a scipy sparse CSR indicator matrix.

        As in scikit-learn; with `missing="fractional"` all nodes the row reaches with any share.
        """
        return _route.decision_path(self, _route.read(self, X))

    def rows(self, node: int, X: Any) -> Array:
        """Give the indices of the rows of X that pass through `node`.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
        >>> tree.rows(2, {"x": [1.0, 3.0, 2.0, 9.0]}).tolist()
        [1, 3]
        """
        self.node(node)
        return _route.rows(self, node, _route.read(self, X))

    def sample(
        self, n: int, *, random_state: Any = None, container: Container = "dict"
    ) -> tuple[Any, Array]:
        """Draw `n` random rows and label them by this tree.

        Each column is drawn evenly and independently: a categorical or ordered one from its
        levels, a numeric one from its range (as seen when fitting, or around the tree's cuts).

        Parameters
        ----------
        n : int
        random_state : int, numpy Generator or RandomState, optional
            None is the fixed seed 0.
        container : {"dict", "numpy", "pandas", "polars", "pyarrow"}
            What X comes in; "dict" is a dict of numpy arrays by column name.

        Returns
        -------
        X, y

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("Patrons", {"None": "No", "Some": "Yes", "Full": "No"}))
        >>> X, y = tree.sample(100, random_state=1)
        >>> bool((tree.predict(X) == y).all())
        True
        """
        return _sample(self, n, random_state=random_state, container=container)

    # ------------------------------------------------------------------ other trees

    def recount(
        self, X: Any, y: Any, *, sample_weight: Any = None, keep_value: bool = False
    ) -> Tree:
        """Give the same tree with the counts, values and risks of other data.

        Shape and splits stay. Recomputed: `n_rows`, `weight`, `counts`, `value`, `impurity`,
        `gain` (plain impurity decrease), `risk`, `sent_default`, rows sent by surrogates;
        competitors are dropped, being gains on the old data. A node that no row reaches keeps its
        value, with impurity, gain and risk 0.

        Parameters
        ----------
        X, y : table and target
            y may be the name of a column of X. Classes must be known to the tree.
        sample_weight : array of shape (n_rows,), optional
        keep_value : bool
            Keep the nodes' values, so that the tree predicts as before; impurity and counts are
            those of the new data and `risk` is the error of the old answers on it (what
            reduced-error pruning needs).

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
        >>> tree.recount({"x": [1.0, 2.0, 3.0]}, ["a", "b", "b"]).counts[:, 0].tolist()
        [[1.0, 2.0], [1.0, 1.0], [0.0, 1.0]]
        """
        return _recount(self, X, y, sample_weight=sample_weight, keep_value=keep_value)

    def collapse(self, nodes: int | Iterable[int]) -> Tree:
        """Give a new tree in which the given nodes are leaves.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("x <= 2.5", "a", ("x <= 4", "b", "a")))
        >>> tree.collapse(2).n_leaves
        2
        """
        return _collapse(self, nodes)


def _over_root(mass: Array) -> Array:
    """Give masses as shares of the root's."""
    return mass / mass[0] if mass[0] > 0 else np.zeros(len(mass))
