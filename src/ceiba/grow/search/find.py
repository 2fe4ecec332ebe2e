"""From a table, a target and a search to a `Tree` and its certificate.

Options become numbers, the core searches, its questions become a Tree. Options of greedy growth
that a search does not know are refused. The loss of class k answered by j is q(k) C[k, j] per unit
of weight (see `priors.py`); the penalty per leaf is `penalty` x the total weight, so that the
objective divided by the weight is R(T) + penalty x leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.errors import DataError, OptionError
from ceiba.grow.grow import ClassScales, class_scales
from ceiba.grow.options import GrowOptions, resolve_min_leaf, resolve_min_split
from ceiba.grow.priors import node_risk, node_value
from ceiba.grow.search.certificate import Certificate
from ceiba.grow.search.options import Lookahead, Optimal
from ceiba.grow.threads import n_threads
from ceiba.grow.units import Units
from ceiba.tree import SplitTable, Tree
from ceiba.tree.construct.from_arrays import branches_of

if TYPE_CHECKING:
    from ceiba.table import Table, Target

__all__ = ["Progress", "Searched", "find_tree", "run_search", "tree_of"]

Array = npt.NDArray[np.float64]
Progress = Callable[[float, float, float], None]

_DEEPEST: Final = 50  # of lookahead without max_depth
_REGRESSION_LOSS: Final = {
    "squared_error": "squared_error",
    "friedman_mse": "squared_error",
    "absolute_error": "absolute_error",
}


@dataclass(frozen=True)
class Searched:
    """A tree that was searched for, and what is proven about it.

    Attributes
    ----------
    tree : Tree
    certificate : Certificate
    """

    tree: Tree
    certificate: Certificate


def find_tree(
    table: Table,
    target: Target,
    options: GrowOptions,
    search: Lookahead | Optimal,
    weight: Array | None = None,
    *,
    rows: npt.NDArray[np.uint32] | None = None,
    progress: Progress | None = None,
) -> Searched:
    """Search for a tree.

    Parameters
    ----------
    table : Table
    target : Target
    options : GrowOptions
        `max_depth`, `min_samples_leaf`, `max_leaf_nodes`, priors, costs, the missing rule ("learn"
        or "majority") and threads count; other options of growth are refused.
    search : Lookahead or Optimal
    weight : float64 array of shape (n_rows,), optional
    rows : uint32 array, optional
        Positions of the rows to use, ascending.
    progress : callable, optional
        Called now and then with objective, lower bound and seconds.

    Returns
    -------
    Searched

    Examples
    --------
    >>> import numpy as np
    >>> from ceiba.grow import GrowOptions
    >>> from ceiba.grow.search import Optimal, find_tree
    >>> from ceiba.table import read, read_target
    >>> table = read({"a": [0.0, 0.0, 1.0, 1.0], "b": [0.0, 1.0, 0.0, 1.0]})
    >>> target = read_target(["no", "yes", "yes", "no"], task="classification", n_rows=4)
    >>> options = GrowOptions(task="classification", max_depth=2)
    >>> print(find_tree(table, target, options, Optimal()).certificate)
    No tree of depth 2 has fewer than 0 errors on these rows; this one has 0.
    """
    state = _State.of(table, target, options, search, weight, rows)
    out = run_search(state, progress)
    tree = tree_of(state, out["best"])
    objective = state.objective(tree)
    proven = out["status"] == "proven"
    certificate = Certificate(
        objective=objective,
        lower_bound=objective if proven else min(objective, state.restore(out["lower_bound"])),
        status=out["status"],
        loss=state.request.loss,
        max_depth=options.max_depth,
        penalty=state.penalty,
        n_leaves=tree.n_leaves,
        all_level_sets=out["exact_levels"],
        nodes=out["evaluations"],
        seconds=out["seconds"],
    )
    return Searched(tree, certificate)


@dataclass(frozen=True)
class _State:
    """All that a search needs, in the units of the core."""

    table: Table
    target: Target
    options: GrowOptions
    weight: Array | None
    rows: npt.NDArray[np.uint32] | None
    scales: ClassScales
    units: Units
    request: _core.SearchRequest
    penalty: float

    @classmethod
    def of(
        cls,
        table: Table,
        target: Target,
        options: GrowOptions,
        search: Lookahead | Optimal,
        weight: Array | None,
        rows: npt.NDArray[np.uint32] | None,
    ) -> _State:
        search.check()
        _refuse(options, target, search)
        if options.missing == "error":
            _refuse_missing(table)
        scales = class_scales(target, options, weight)
        units = Units.of(target.values, weight)
        n_rows = table.n_rows if rows is None else len(rows)
        request = _core.SearchRequest()
        _set_limits(request, options, search, table, n_rows)
        own = weight if weight is None or rows is None else weight[rows]
        total = float(n_rows if own is None else own.sum())
        request.loss = _loss(options, search, scales, weight)
        if request.loss == "cost":
            size = len(target.info.classes[0])
            costs = 1.0 - np.eye(size) if scales.costs is None else scales.costs
            costs = costs if scales.factor is None else scales.factor[:, None] * costs
            request.cost = costs.ravel().tolist()
        penalty = search.penalty * total
        state = cls(table, target, options, weight, rows, scales, units, request, penalty)
        request.penalty = penalty / state.restore(1.0)
        return state

    def restore(self, loss: float) -> float:
        """Give a loss of the core in the unit of the data."""
        power = {"squared_error": 2, "absolute_error": 1}.get(self.request.loss, 0)
        with np.errstate(over="ignore"):
            return float(np.ldexp(loss, power * self.units.target + self.units.weight))

    def objective(self, tree: Tree) -> float:
        """Recompute the objective from the counted nodes."""
        leaves = tree.is_leaf
        if self.request.loss in ("gini", "entropy"):
            loss = float((tree.weight * tree.impurity)[leaves].sum())
        else:
            loss = float(tree.risk[leaves].sum() * tree.weight[0])
            if self.request.loss == "error":
                loss = float(round(loss))
        return loss + self.penalty * tree.n_leaves


def run_search(state: _State, progress: Progress | None = None) -> dict[str, Any]:
    """Let the core search; what it found, as a dict."""
    target, units = state.target, state.units
    weight = units.shrink_weight(state.weight)
    shared = (weight, state.rows, state.request, progress)
    if state.options.task == "classification":
        labels = np.ascontiguousarray(target.values[:, 0])
        n_classes = len(target.info.classes[0])
        out = _core.search_classes(state.table.core(), labels, n_classes, *shared)
    else:
        numbers = np.ascontiguousarray(units.shrink_target(target.values)[:, 0])
        out = _core.search_numbers(state.table.core(), numbers, *shared)
    if out["status"] == "memory":
        raise OptionError(
            f"The sorted columns of this table need {out['needed'] / 2**20:.3g} MB, and "
            f"memory_limit={state.request.memory / 2**20:.3g} was given. Raise it, or use "
            "Lookahead()."
        )
    return dict(out)


def tree_of(state: _State, found: dict[str, Any]) -> Tree:
    """Make a Tree of the questions that the core found, counted on the rows."""
    table, target, options = state.table, state.target, state.options
    parent = found["parent"]
    n = len(parent)
    start, node = branches_of(parent)
    classes = options.task == "classification"
    width = len(target.info.classes[0]) if classes else 1
    nothing = np.zeros(n)
    value = np.zeros((n, 1, width))
    if classes:
        value[:, :, 0] = 1.0
    loss = state.request.loss
    criterion = loss if loss in ("gini", "entropy") else options.criterion
    skeleton = Tree(
        schema=table.schema.with_target(target.info),
        parent=parent,
        branch_start=start,
        branch_node=node,
        splits=SplitTable(**found["splits"]),
        default_branch=found["default_branch"],
        n_rows=np.zeros(n, np.int64),
        weight=nothing,
        impurity=nothing,
        gain=nothing,
        value=value,
        risk=nothing,
        sent_default=np.zeros(n, np.int64),
        counts=np.zeros_like(value) if classes else None,
        surrogates=None,
        competitors=None,
        criterion=criterion,
        missing=options.missing,  # type: ignore[arg-type]
        unseen=options.unseen,  # type: ignore[arg-type]
        cost_matrix=state.scales.costs,
        class_prior=state.scales.prior,
    )
    tree = _counted(state, skeleton)
    if not classes or state.scales.factor is None:
        return tree
    assert tree.counts is not None
    counts = tree.counts
    risk = node_risk(counts[:, 0, :], state.scales.factor, state.scales.costs) / tree.weight[0]
    return replace(tree, value=node_value(counts, state.scales.factor), risk=risk)


def _counted(state: _State, skeleton: Tree) -> Tree:
    y = state.target.values[:, 0]
    if state.options.task == "classification":
        y = state.target.info.classes[0][y]
    table, weight = state.table, state.weight
    if state.rows is not None:
        taken = np.zeros(table.n_rows, bool)
        taken[state.rows] = True
        table, y = table.take(taken), y[taken]
        weight = None if weight is None else weight[taken]
    return skeleton.recount(table, y, sample_weight=weight)


def _set_limits(
    request: _core.SearchRequest,
    options: GrowOptions,
    search: Lookahead | Optimal,
    table: Table,
    n_rows: int,
) -> None:
    request.max_depth = _DEEPEST if options.max_depth is None else options.max_depth
    if options.max_leaf_nodes is not None:
        request.max_leaves = options.max_leaf_nodes
    request.min_rows = resolve_min_leaf(options.min_samples_leaf, n_rows)
    request.learn_missing = options.missing != "majority"
    request.n_threads = n_threads(options.n_jobs, n_rows * table.n_columns)
    if isinstance(search, Lookahead):
        request.horizon = search.depth
        request.time_limit = np.inf
        request.memory = 2**62
    else:
        request.time_limit, request.gap = float(search.time_limit), float(search.gap)
        request.memory = int(search.memory_limit * 2**20)


def _loss(
    options: GrowOptions,
    search: Lookahead | Optimal,
    scales: ClassScales,
    weight: Array | None,
) -> str:
    name = type(search).__name__
    if options.task == "regression":
        if search.loss is not None:
            raise OptionError(
                f"{name}(loss={search.loss!r}) is for classification. A regression tree is "
                "searched for by its criterion: leave loss at None."
            )
        if options.criterion not in _REGRESSION_LOSS:
            raise OptionError(
                f"{name} minimises the squared or the absolute error. Got criterion="
                f"{options.criterion!r}. Use criterion='squared_error' or 'absolute_error'."
            )
        return _REGRESSION_LOSS[options.criterion]
    plain = scales.factor is None and scales.costs is None
    if search.loss in ("gini", "entropy"):
        if not plain:
            raise OptionError(
                f"{name}(loss={search.loss!r}) does not know class_prior and cost_matrix. Use "
                "loss='error', which does."
            )
        return search.loss
    return "error" if plain and weight is None else "cost"


#: Options of greedy growth that a search does not know, with the value that changes nothing.
_GREEDY_ONLY: Final = {
    "splitter": "best",
    "max_features": None,
    "max_bins": None,
    "min_impurity_decrease": 0.0,
    "min_weight_fraction_leaf": 0.0,
    "min_significance": None,
    "monotonic_cst": None,
    "column_cost": None,
    "categorical_splits": "binary",
    "max_competitors": 0,
}


def _refuse(options: GrowOptions, target: Target, search: Lookahead | Optimal) -> None:
    name = type(search).__name__
    for option, neutral in _GREEDY_ONLY.items():
        value = getattr(options, option)
        if value != neutral:
            raise OptionError(
                f"{name} has no use for {option}: {option}={value!r} would have no effect. Leave "
                f"{option} at {neutral!r}, or use search='greedy'."
            )
    if target.info.n_outputs > 1:
        raise OptionError(
            f"{name} needs a target with one output; this one has {target.info.n_outputs}. Fit "
            "one tree per output."
        )
    if options.missing not in ("learn", "majority", "error"):
        raise OptionError(
            f"{name} works with missing='learn', 'majority' or 'error'. Got {options.missing!r}."
        )
    if isinstance(search, Optimal) and options.max_depth is None:
        raise OptionError(
            "Optimal needs max_depth: the time grows steeply with it. Use max_depth=3, or "
            "Lookahead(), which can do without."
        )
    if isinstance(search, Lookahead) and options.max_leaf_nodes is not None:
        raise OptionError(
            f"Lookahead has no use for max_leaf_nodes={options.max_leaf_nodes}. Use penalty, "
            "or Optimal(), which knows it."
        )
    min_leaf = resolve_min_leaf(options.min_samples_leaf, len(target.values))
    min_split = resolve_min_split(options.min_samples_split, min_leaf, len(target.values))
    if min_split > 2 * min_leaf:
        raise OptionError(
            f"{name} has no use for min_samples_split={options.min_samples_split!r}. Use "
            "min_samples_leaf."
        )


def _refuse_missing(table: Table) -> None:
    for column in table.columns:
        if column.missing.any():
            raise DataError(
                f"Column {column.info.name!r}: {np.count_nonzero(column.missing)} values are "
                "missing, and missing='error' was asked for. Use missing='learn'."
            )
