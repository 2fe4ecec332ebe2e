"""Grow trees with the searches `Lookahead` and `Optimal`.

The loss of predicting j for class k is q(k) C[k, j] per unit of weight (see `priors.py`); the
penalty per leaf is `penalty` x the total weight, so that the objective divided by the weight is
R(T) + penalty x leaves. An alternative is the best tree below a given first split, if its objective
is close to the optimum; two trees that partition the training rows alike count as one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, overload

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.criteria import ALIASES
from ceiba.errors import OptionError
from ceiba.grow.combinations import check_combinations
from ceiba.grow.core_grower import Units, resolve_min_leaf
from ceiba.grow.option_objects import Lookahead, Optimal
from ceiba.grow.options import GrowOptions, core_limit
from ceiba.grow.priors import ClassScales
from ceiba.progress import find_listener
from ceiba.tree import Certificate, SplitTable, Tree, node_risk, node_value
from ceiba.tree.construct import build_empty_tree
from ceiba.tree.routing import n_threads
from ceiba.tree.splits import with_cut_digits

if TYPE_CHECKING:
    from ceiba.grow.core_grower import SubtreeContext
    from ceiba.grow.problem import Problem
Rows = npt.NDArray[np.uint32]

_MAX_DEPTH: Final = 50  # maximum depth of the tree if max_depth is None
_UNLIMITED_MEMORY: Final = 2**62  # in bytes
_MAX_PENALTY: Final = 1e300  # larger than any scaled loss
_REGRESSION_LOSS: Final = {
    "squared_error": "squared_error",
    "friedman_mse": "squared_error",
    "absolute_error": "absolute_error",
}


def grow_best(problem: Problem, rows: Rows | None, subtree: SubtreeContext | None) -> Tree:
    """Search for the best tree, and return it with a certificate of optimality."""
    state = SearchState.of(problem, rows, subtree)
    out = run_search(state)
    tree = tree_from_splits(state, out["best"])
    objective = state.objective(tree)
    status, bound = out["status"], min(objective, state.unscale_loss(out["lower_bound"]))
    if status == "gap" and bound == objective:  # the optimality gap was only a rounding error
        status = "proven"
    certificate = Certificate(
        objective=objective,
        lower_bound=objective if status == "proven" else bound,
        status=status,
        loss=state.request.loss,
        max_depth=problem.options.max_depth,
        penalty=state.penalty,
        n_leaves=tree.n_leaves,
        all_level_sets=out["exact_levels"],
        nodes=out["evaluations"],
        seconds=out["seconds"],
    )
    return tree.with_certificate(certificate)


@dataclass(frozen=True)
class SearchState:
    """Input of a search: data, rows, scaling units, search settings and penalty per leaf."""

    problem: Problem
    rows: Rows | None
    units: Units
    request: _core.SearchRequest
    penalty: float

    @classmethod
    def of(
        cls, problem: Problem, rows: Rows | None, subtree: SubtreeContext | None = None
    ) -> SearchState:
        """Set up the search for the given problem; raise an error for unsupported options."""
        options, scales, weight = problem.options, problem.scales, problem.weight
        search = options.search_method
        assert search is not None
        search.check()
        _check_supported(options, search)
        units = Units.of(problem.target.values, weight)
        n_rows = problem.n_rows if rows is None else len(rows)
        request = _core.SearchRequest()
        _set_limits(request, options, search, n_rows, problem.table.n_columns)
        total = float(n_rows)
        if weight is not None:
            total = float((weight if rows is None else weight[rows]).sum())
        if subtree is not None:
            request.max_depth = max(request.max_depth - subtree.depth, 0)
            request.min_rows = resolve_min_leaf(options.min_samples_leaf, subtree.n_rows)
            total = subtree.weight
        request.loss = _resolve_loss(options, search, scales, weighted=weight is not None)
        if request.loss == "cost":
            costs = scales.weighted_costs(len(problem.target.info.classes[0]))
            request.cost = costs.ravel().tolist()
        penalty = search.penalty * total
        state = cls(problem, rows, units, request, penalty)
        with np.errstate(over="ignore", under="ignore"):
            request.penalty = min(float(np.ldexp(penalty, -state._exponent)), _MAX_PENALTY)
        return state

    @property
    def _exponent(self) -> int:
        power = {"squared_error": 2, "absolute_error": 1}.get(self.request.loss, 0)
        return power * self.units.target + self.units.weight

    def unscale_loss(self, loss: float) -> float:
        """Convert a scaled loss to the units of the data."""
        with np.errstate(over="ignore"):
            return float(np.ldexp(loss, self._exponent))

    def objective(self, tree: Tree) -> float:
        """Return the objective of a tree, which is the loss plus the penalty of its leaves."""
        leaves = tree.is_leaf
        if self.request.loss in ("gini", "entropy"):
            loss = float((tree.weight * tree.impurity)[leaves].sum())
        else:
            loss = float(tree.risk[leaves].sum() * tree.weight[0])
            if self.request.loss == "error":
                loss = float(round(loss))
        return loss + self.penalty * tree.n_leaves


def run_search(state: SearchState) -> dict[str, Any]:
    """Run the search of the C++ core, and return its results by name."""
    problem, units = state.problem, state.units
    weight = units.shrink_weight(problem.weight)
    shared = (weight, state.rows, state.request, find_listener("search"))
    table, target = problem.table.core(), problem.target
    if problem.options.task.is_classification("The search for the best tree"):
        labels = np.ascontiguousarray(target.values[:, 0])
        out = _core.search_classes(table, labels, len(target.info.classes[0]), *shared)
    else:
        numbers = np.ascontiguousarray(units.shrink_target(target.values)[:, 0])
        out = _core.search_numbers(table, numbers, *shared)
    if out["status"] == "memory":
        raise OptionError(
            f"memory_limit must be at least {-(-out['needed'] // 2**20)} MB for the sorted columns "
            f"of this table, got {state.request.memory / 2**20:g} MB. Increase it, or use "
            "search='lookahead'."
        )
    return dict(out)


def tree_from_splits(state: SearchState, questions: dict[str, Any]) -> Tree:
    """Build a tree from the splits that the search found, and recount its rows."""
    problem, options = state.problem, state.problem.options
    target, scales = problem.target, problem.scales
    parent = questions["parent"]
    loss = state.request.loss
    criterion = loss if loss in ("gini", "entropy") else options.criterion_name
    bare = build_empty_tree(
        problem.table.schema.with_target(target.info),
        parent,
        SplitTable(**questions["splits"]),
        questions["default_branch"],
        criterion=ALIASES.get(criterion, criterion),
        missing=options.missing_rule,
        unseen=options.unseen,
        cost_matrix=scales.costs,
        class_prior=scales.prior,
    )
    tree = _count_rows(state, with_cut_digits(bare, problem.table, state.rows))
    if not options.task.has_classes or scales.factor is None:
        return tree
    assert tree.counts is not None
    counts = tree.counts
    risk = node_risk(counts[:, 0, :], scales.factor, scales.costs) / tree.weight[0]
    return replace(tree, value=node_value(counts, scales.factor), risk=risk)


def _count_rows(state: SearchState, skeleton: Tree) -> Tree:
    problem = state.problem
    table, weight, y = problem.table, problem.weight, problem.target.values[:, 0]
    if problem.options.task.has_classes:
        y = problem.target.info.classes[0][y]
    if state.rows is not None:
        in_sample = np.zeros(table.n_rows, bool)
        in_sample[state.rows] = True
        table, y = table.take(in_sample), y[in_sample]
        weight = None if weight is None else weight[in_sample]
    return skeleton.refit_leaves(table, y, sample_weight=weight)


def _set_limits(
    request: _core.SearchRequest,
    options: GrowOptions,
    search: Lookahead | Optimal,
    n_rows: int,
    n_columns: int,
) -> None:
    request.max_depth = _MAX_DEPTH if options.max_depth is None else core_limit(options.max_depth)
    if options.max_leaf_nodes is not None:
        request.max_leaves = core_limit(options.max_leaf_nodes)
    request.min_rows = resolve_min_leaf(options.min_samples_leaf, n_rows)
    request.learn_missing = options.missing != "majority"
    request.n_threads = n_threads(options.n_jobs, n_rows * n_columns, n_columns)
    if isinstance(search, Lookahead):
        request.horizon = core_limit(search.depth)
        request.time_limit = np.inf
        request.memory = _UNLIMITED_MEMORY
    else:
        request.time_limit, request.gap = float(search.time_limit), float(search.gap)
        request.memory = int(min(search.memory_limit * 2**20, _UNLIMITED_MEMORY))


def _resolve_loss(
    options: GrowOptions, search: Lookahead | Optimal, scales: ClassScales, *, weighted: bool
) -> str:
    name = type(search).__name__
    if options.task.is_regression("The search for the best tree"):
        if search.loss is not None:
            raise OptionError(
                f"{name}(loss={search.loss!r}) is not supported for regression, whose loss is the "
                "criterion. Leave loss at None."
            )
        if options.criterion_name not in _REGRESSION_LOSS:
            raise OptionError(
                f"{name} requires criterion='squared_error', 'friedman_mse' or 'absolute_error', "
                f"got {options.criterion_name!r}."
            )
        return _REGRESSION_LOSS[options.criterion_name]
    plain = scales.factor is None and scales.costs is None
    if search.loss in ("gini", "entropy"):
        if not plain:
            raise OptionError(
                f"{name}(loss={search.loss!r}) is not supported with class_prior or cost_matrix. "
                "Use loss='error'."
            )
        return search.loss
    return "cost" if weighted or not plain else "error"


def _check_supported(options: GrowOptions, search: Lookahead | Optimal) -> None:
    if isinstance(search, Optimal) and options.max_depth is None:
        raise OptionError(
            "search='optimal' requires max_depth, because its running time grows steeply with "
            "depth. Use max_depth=3, or search='lookahead'."
        )
    if isinstance(search, Lookahead) and options.max_leaf_nodes is not None:
        raise OptionError(
            f"max_leaf_nodes={options.max_leaf_nodes} is not supported with search='lookahead'. "
            "Use Lookahead(penalty=...), or search='optimal'."
        )


@dataclass(frozen=True)
class Alternative:
    """A tree whose objective is close to the optimum.

    Attributes
    ----------
    tree : Tree
    objective : float
    question : str
        The split of its root.
    agreement : float
        Share of training rows for which it predicts as the best tree does (regression: the squared
        correlation of the two predictions).
    """

    tree: Tree
    objective: float
    question: str
    agreement: float


@dataclass(frozen=True)
class Alternatives(Sequence[Alternative]):
    """Trees whose objective is close to the optimum, best first.

    Attributes
    ----------
    trees : tuple of Alternative
    complete : bool
        Whether these are all such trees. False: there are more than `k`, the time limit was
        reached, or a column has too many levels to try all level sets.
    """

    trees: tuple[Alternative, ...]
    complete: bool

    def __len__(self) -> int:
        return len(self.trees)

    @overload
    def __getitem__(self, index: int) -> Alternative: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Alternative, ...]: ...
    def __getitem__(self, index: int | slice) -> Alternative | tuple[Alternative, ...]:
        return self.trees[index]

    def __str__(self) -> str:
        lines = ["objective  agreement  first question"]
        lines += [f"{a.objective:9.6g}  {a.agreement:9.3f}  {a.question}" for a in self.trees]
        if not self.complete:
            lines.append("... and perhaps more")
        return "\n".join(lines)


def find_alternatives(problem: Problem, *, within: float = 0.01, k: int = 50) -> Alternatives:
    """Return up to `k` trees whose objective is at most (1 + `within`) times the optimum."""
    if not within >= 0 or k < 1:
        raise OptionError(
            f"`within` must be at least 0 and `k` at least 1, got within={within!r}, k={k!r}."
        )
    if not isinstance(problem.options.search_method, Optimal):
        raise OptionError(
            f"Alternatives require search='optimal', got search={problem.options.search!r}."
        )
    check_combinations(problem.table, problem.target, problem.options, problem.weight)
    state = SearchState.of(problem, None)
    state.request.within = float(within)
    state.request.gap = 0.0  # the loss limit of alternatives is relative to the optimum
    state.request.n_alternatives = k - 1
    out = run_search(state)
    trees = [tree_from_splits(state, splits) for splits in (out["best"], *out["alternatives"])]
    alternatives, answers = [], []
    for tree in trees:
        by_node = tree.answer if tree.task.has_classes else tree.value[:, 0, :]
        answer = np.asarray(by_node).reshape(tree.n_nodes, -1)[tree.apply(problem.table), 0]
        answers.append(answer)
        agreement = float(np.mean(answer == answers[0]))
        if not tree.task.has_classes:
            constant = np.ptp(answers[0]) == 0 or np.ptp(answer) == 0
            agreement = float(agreement == 1)
            if not constant:
                agreement = float(np.corrcoef(answers[0], answer)[0, 1] ** 2)
        question = "none: a leaf" if tree.n_nodes == 1 else tree.root.sentence(0)
        alternatives.append(Alternative(tree, state.objective(tree), question, agreement))
    return Alternatives(tuple(alternatives), out["all_alternatives"] and out["exact_levels"])
