"""The Tree: an immutable table of nodes.

Nodes are numbered in pre-order (root 0, the first branch of node i is node i + 1, so
`parent[i] < i` and the subtree of i is the range `i:subtree_end[i]`). The branches of node i are
`branch_node[branch_start[i]:branch_start[i + 1]]`, so binary and multiway trees are one
structure; a leaf is a node without branches. All arrays are read-only; whatever changes a tree
(collapse, recount, pruning) returns a new one. A Tree knows its schema, not the data it came
from. Derived arrays are computed on first use and kept; they are not pickled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np

from ceiba.errors import TreeError
from ceiba.table import Schema
from ceiba.tree.arrays import Array, read_only, same_array
from ceiba.tree.collapse import collapse as _collapse
from ceiba.tree.construct.sample import Container
from ceiba.tree.construct.sample import sample as _sample
from ceiba.tree.methods import TreeMethods
from ceiba.tree.node import Node, NodeSequence
from ceiba.tree.notes import NodeNote
from ceiba.tree.notes import annotate as _annotate
from ceiba.tree.notes import override as _override
from ceiba.tree.path import Path
from ceiba.tree.routing import route as _route
from ceiba.tree.routing.one_row import Answer
from ceiba.tree.routing.one_row import answer_one as _answer_one
from ceiba.tree.routing.one_row import plan_of as _plan_of
from ceiba.tree.routing.recount import recount as _recount
from ceiba.tree.sklearn_names import SklearnNames
from ceiba.tree.splits.split_table import SplitTable
from ceiba.tree.splits.surrogates import CompetitorTable, SurrogateTable
from ceiba.tree.splits.tests import SplitTests

Missing = Literal["learn", "majority", "surrogate", "fractional", "error"]
Unseen = Literal["majority", "missing", "error", "default"]

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
_LATER: Final = frozenset((*_DTYPES, "splits", "counts"))


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Tree(SklearnNames, TreeMethods):
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
        Whether counts and values are those of rows that had no say in the splits.
    smoothed : bool
        Whether values are drawn away from the shares or means of the nodes' own rows.
    notes : mapping of node to NodeNote, optional
        Names, notes and answers that people set: `annotate`, `override`.

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
    counts: Array | None = field(default_factory=lambda: None)  # no default on the class: see later
    surrogates: SurrogateTable | None = None
    competitors: CompetitorTable | None = None
    tests: SplitTests | None = None
    criterion: str = "gini"
    missing: Missing = "learn"
    unseen: Unseen = "majority"
    cost_matrix: Array | None = None
    class_prior: Array | None = None
    honest: bool = False
    smoothed: bool = False
    notes: Mapping[int, NodeNote] | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name, dtype in _DTYPES.items():
            put(self, name, read_only(getattr(self, name), dtype))
        for name in _OPTIONAL:
            if getattr(self, name) is not None:
                put(self, name, read_only(getattr(self, name), np.float64))

    @staticmethod
    def later(known: Mapping[str, Any], rest: Callable[[], Mapping[str, Any]]) -> Tree:
        """Return a tree whose arrays are made when somebody first asks for one of them.

        A small table is fitted in less time than it takes to hand twenty arrays to numpy.

        Parameters
        ----------
        known : mapping
            The fields that are no arrays, by name: all of them.
        rest : callable
            Gives the other fields; it may be called more than once, by threads that ask together.
        """
        tree = object.__new__(Tree)
        tree.__dict__.update(known)
        tree.__dict__["_rest"] = rest
        return tree

    def __getattr__(self, name: str) -> Any:
        mine = self.__dict__
        rest = mine.get("_rest") if name in _LATER else None
        if name in mine:  # another thread made them just now
            return mine[name]
        if rest is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        known = {field.name: mine[field.name] for field in fields(self) if field.name in mine}
        whole = Tree(**{**rest(), **known})
        mine.update(whole.__dict__)
        mine.pop("_rest", None)
        return mine[name]

    # ------------------------------------------------------------------ identity

    # ------------------------------------------------------------------ certificate

    @property
    def certificate(self) -> Any:
        """What is proven about the tree, if it was searched for; a changed tree has none."""
        return self.__dict__.get("_certificate")

    def certified(self, certificate: Any) -> Tree:
        """Return the tree its certificate (used by the search)."""
        self.__dict__["_certificate"] = certificate
        return self

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
            and self.tests == other.tests
            and (self.criterion, self.missing, self.unseen, self.honest, self.smoothed)
            == (other.criterion, other.missing, other.unseen, other.honest, other.smoothed)
            and self.notes == other.notes
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

    # ------------------------------------------------------------------ nodes and paths

    @property
    def nodes(self) -> NodeSequence:
        """All nodes, as views, in pre-order."""
        return NodeSequence(self)

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
        """The root, as a view."""
        return Node(self, 0)

    def path(self, node: int) -> Path:
        """Return the branches from the root to `node`."""
        return self.node(node).path

    # ------------------------------------------------------------------ rows

    @cached_property
    def _router(self) -> Any:
        return _route.make_router(self)

    @cached_property
    def _only_row(self) -> Callable[[Any], int]:
        """Give the node in which the only row of a matrix ends; -1: the ordinary way must tell."""
        return _route.only_row(self)

    @cached_property
    def _plan(self) -> Any:
        return _plan_of(self)

    def predict_one(self, row: Any) -> Answer:
        """Predict one row, in microseconds: for services.

        Parameters
        ----------
        row : dict
            Values by column name, in any order; further keys are ignored, and only the columns
            that the way asks about are needed. None and NaN are missing. Dates may be ISO text. Or
            a sequence with a value for each column.

        Returns
        -------
        Answer
            `answer`, `probability` (a dict by class; do not change it) and `leaf`.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("clouds <= 4.5", "no", ("wind <= 3", "no", "yes")))
        >>> tree.predict_one({"id": 17, "clouds": 2}).answer
        'no'
        """
        return _answer_one(self, row)

    @cached_property
    def _label_table(self) -> Array:
        """What each node predicts, so that prediction is one lookup."""
        return _route.label_table(self, self.value, own=True)

    def apply(self, X: Any, *, n_threads: int = 1) -> Array:
        """Return the node each row of X ends in.

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
        """Return the class probabilities (after priors) of each row of X.

        Returns
        -------
        array of shape (n_rows, n_classes), or a list of such arrays for several outputs
        """
        return _route.predict_proba(self, _route.read(self, X), n_threads=n_threads)

    def decision_path(self, X: Any) -> Any:
        """Return the nodes each row passes through, as a scipy sparse CSR indicator matrix.

        As in scikit-learn; with `missing="fractional"` all nodes the row reaches with any share.
        """
        return _route.decision_path(self, _route.read(self, X))

    def rows(self, node: int, X: Any) -> Array:
        """Return the indices of the rows of X that pass through `node`.

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
        """Return the same tree with the counts, values and risks of other data.

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
        """Return a new tree in which the given nodes are leaves.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("x <= 2.5", "a", ("x <= 4", "b", "a")))
        >>> tree.collapse(2).n_leaves
        2
        """
        return _collapse(self, nodes)

    def annotate(self, node: int, *, name: str | None = None, note: str | None = None) -> Tree:
        """Return a new tree with a name and a note on a node.

        They stay with the tree in its file and are shown wherever the node is.

        Parameters
        ----------
        node : int
        name, note : str, optional
            "" takes one away; None leaves it as it is.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("income <= 20", "refuse", "grant"))
        >>> print(tree.annotate(1, name="poor", note="policy 7").to_text(unicode=False))
        root
        |- income <= 20  -> refuse  # poor: policy 7
        `- income > 20  -> grant
        """
        return _annotate(self, node, name, note)

    def override(self, node: int, answer: Any, reason: str | None = None) -> Tree:
        """Return a new tree in which a node gives another answer than its rows do.

        Probabilities and counts stay as they are. `risk` is that of the new answer.

        Parameters
        ----------
        node : int
        answer : label or number
            None: by its rows again.
        reason : str, optional
            Kept with the tree.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("income <= 20", {"grant": 6, "refuse": 4}, "grant"))
        >>> changed = tree.override(1, "refuse", reason="too few cases")
        >>> changed.predict({"income": [9.0]}).tolist(), changed.node(1).note.reason
        (['refuse'], 'too few cases')
        """
        return _override(self, node, answer, reason)
