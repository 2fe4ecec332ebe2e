"""The class `Tree`: an immutable decision tree, stored as a table of nodes.

Nodes are numbered in pre-order (root 0, the first branch of node i is node i + 1, so
`parent[i] < i` and the subtree of i is the range `i:subtree_end[i]`). The branches of node i are
`branch_node[branch_start[i]:branch_start[i + 1]]`, so binary and multiway trees are one structure;
a leaf is a node without branches. All arrays are read-only. Operations (collapse, refit_leaves,
pruning) return a new tree. A `Tree` contains its schema but no training data. Derived arrays are
computed on first use and cached, but not pickled.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np

from ceiba.errors import TreeError
from ceiba.table import Table
from ceiba.tree.arrays import Array, read_only, same_array
from ceiba.tree.certificate import Certificate
from ceiba.tree.derived import Missing as Missing
from ceiba.tree.derived import SklearnAttributes
from ceiba.tree.derived import Unseen as Unseen
from ceiba.tree.grown import GrownArrays, derive_node_arrays, most_frequent_classes
from ceiba.tree.methods import TreeMethods
from ceiba.tree.methods import prune as _prune
from ceiba.tree.node import Node
from ceiba.tree.routing import route as _route
from ceiba.tree.routing.one_row import RowPlan as _RowPlan

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
_DERIVED: Final = frozenset((*_DTYPES, "splits", "counts", "surrogates", "competitors"))


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Tree(SklearnAttributes, TreeMethods):
    """Immutable decision tree, stored as arrays over its nodes.

    Users rarely call this constructor: `model.tree_`, `ceiba.tree.build`,
    `ceiba.tree.from_arrays` and `ceiba.tree.from_sklearn` return trees. The tree owns the arrays
    passed to it. Nothing is validated here; `ceiba.tree.check` does that.

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
        Training rows that took the default branch, or stayed.
    surrogates, competitors : SurrogateTable, CompetitorTable, optional
    tests : SplitTests, optional
        The test of each split, in trees that grow by tests.
    criterion : str
    missing, unseen : str
        How missing values and unseen levels are routed.
    cost_matrix : float64 array of shape (K, K), optional
        Cost of truth i predicted as j.
    class_prior : float64 array of shape (K,), optional
    honest : bool
        Whether counts and values come from rows that were not used to find the splits.
    smoothed : bool
        Whether values are smoothed, so that they differ from the shares or means of the rows.
    notes : mapping of node to NodeNote, optional
        Names, notes and overridden predictions: `annotate`, `override`.
    attachments : mapping of str to Attachment, optional
        Further values of nodes, by name; `refit_leaves` recomputes or drops them.

    Attributes
    ----------
    certificate : Certificate or None
        What the search has proven about the tree; None for an edited tree.

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("x <= 2.5", "a", ("x <= 4", "b", "a")))
    >>> tree.n_leaves, tree.depth
    (3, 2)
    >>> tree.predict({"x": [1.0, 3.0, 5.0]}).tolist()
    ['a', 'b', 'a']
    """

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name, dtype in _DTYPES.items():
            put(self, name, read_only(getattr(self, name), dtype))
        for name in _OPTIONAL:
            if getattr(self, name) is not None:
                put(self, name, read_only(getattr(self, name), np.float64))

    def __getattr__(self, name: str) -> Any:
        """Derive the arrays of a grown tree when one is first accessed."""
        mine = self.__dict__
        grown = mine.get("_grown") if name in _DERIVED else None
        if name in mine:  # another thread has derived the arrays in the meantime
            return mine[name]
        if grown is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        arrays = derive_node_arrays(grown)
        for key, dtype in _DTYPES.items():
            arrays[key] = read_only(arrays[key], dtype)
        if arrays["counts"] is not None:
            arrays["counts"] = read_only(arrays["counts"], np.float64)
        mine.update(arrays, _grown=None)
        return mine[name]

    # ------------------------------------------------------------------ identity

    def with_certificate(self, certificate: Certificate | None) -> Tree:
        """Return a copy of the tree with this certificate, or without one if it is None."""
        tree = replace(self)
        object.__setattr__(tree, "certificate", certificate)
        return tree

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in (*_ARGUMENTS, "certificate")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Unpickle through __init__, because numpy does not pickle the read-only flag.
        certificate = state.pop("certificate", None)
        self.__init__(**state)  # type: ignore[misc]
        object.__setattr__(self, "certificate", certificate)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        arrays = {*_DTYPES, *_OPTIONAL}
        names = (*_ARGUMENTS, "certificate")
        pairs = ((name, getattr(self, name), getattr(other, name)) for name in names)
        return all(same_array(a, b) if name in arrays else a == b for name, a, b in pairs)

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

    def _repr_html_(self) -> str:
        return self._notebook_html()

    def __rich__(self) -> Any:
        from rich.text import Text

        return Text.from_ansi(self.to_text(color=True))

    # ------------------------------------------------------------------ hooks of TreeMethods

    @property
    def _tree(self) -> Tree:
        return self

    def _read_rows(self, X: Any, check_input: bool = True) -> Table:
        return _route.read(self, X)

    def _with_tree(self, tree: Tree, *, pruning: bool = False) -> Tree:
        return tree

    # ------------------------------------------------------------------ nodes and paths

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """Views of all nodes, in pre-order."""
        return tuple(Node(self, i) for i in range(self.n_nodes))

    def node(self, i: int) -> Node:
        """Return a view of node `i`.

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
        """A view of the root."""
        return Node(self, 0)

    # ------------------------------------------------------------------ rows

    _router = cached_property(_route.make_router)

    _single_row_router = cached_property(_route.single_row_router)
    _plan = cached_property(_RowPlan)

    @cached_property
    def _label_table(self) -> Array:
        """The label or number that each node predicts (cached)."""
        grown = self.__dict__.get("_grown")
        best = None if grown is None or self.notes else most_frequent_classes(grown)
        if best is not None:
            return np.asarray(self.target.classes[0][best])
        return _route.label_table(self, self.value, of_nodes=True)

    def apply(self, X: Any, *, n_threads: int = 1) -> Array:
        """Return the node in which each row of X ends.

        That is a leaf, unless the row stays in an inner node (`default_branch` -1); with
        `missing="fractional"` it is the leaf with the largest share.

        Parameters
        ----------
        X : table
            numpy, pandas, polars, Arrow, dict of lists, list of dicts. Named columns are matched
            by name; other columns are ignored.
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
        """Return the class probabilities (after priors) of each row of X.

        Returns
        -------
        array of shape (n_rows, n_classes), or a list of such arrays for several outputs
        """
        return _route.predict_proba(self, _route.read(self, X), n_threads=n_threads)

    def decision_path(self, X: Any) -> Any:
        """Return the nodes that each row passes through, as a scipy CSR indicator matrix.

        As in scikit-learn; with `missing="fractional"`, all nodes that a share of the row reaches.
        """
        return _route.decision_path(self, _route.read(self, X))

    # ------------------------------------------------------------------ other trees

    def prune(
        self,
        alpha: float | None = None,
        *,
        cp: float | None = None,
        n_leaves: int | None = None,
        risk: Literal["cost", "impurity"] = "cost",
    ) -> Tree:
        """Return the smallest subtree that minimizes risk + alpha * number of leaves.

        `cp` is alpha as a share of the root's risk, as in rpart. With `n_leaves`, return the tree
        of the pruning sequence with that many leaves (or the largest one with fewer); see
        `ceiba.prune.prune_tree`. Estimators have `reprune`.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
        >>> model.tree_.prune(0.5).n_leaves
        1
        """
        return _prune(self, alpha, cp=cp, n_leaves=n_leaves, risk=risk)


_ARGUMENTS: Final = tuple(field.name for field in fields(Tree) if field.init)


def tree_from_grown(grown: GrownArrays, **arguments: Any) -> Tree:
    """Return a tree over arrays of the C++ core; `arguments` are its other fields."""
    # Leave the arrays in the core until they are used, because wrapping them takes longer than
    # a small fit.
    tree = object.__new__(Tree)
    arguments["_grown"] = grown
    tree.__dict__.update(arguments)
    return tree
