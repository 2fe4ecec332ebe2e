"""Grow trees with the C++ core, which receives converted options and returns arrays.

`monotonic_cst` and `column_cost` have one number per column: a sequence in column order, or a dict
by column name for a few columns.

Very large or very small targets and weights are scaled by powers of two while a tree is grown,
because products of sums overflow beyond about 1e150 and underflow below 1e-150 in the search.
Scaling changes no digit and no split. `ceiba.tree.grown` undoes it in the arrays of the core.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf, log2, sqrt
from numbers import Integral
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.criteria import ALIASES, quantile_costs, quantile_level
from ceiba.errors import OptionError, did_you_mean
from ceiba.grow.option_objects import GainRatio
from ceiba.grow.options import OPTIONS, GrowOptions, core_limit
from ceiba.grow.priors import ClassScales
from ceiba.table import Schema, Table, TargetInfo, exact_sum
from ceiba.table.targets import HazardTarget
from ceiba.task import Task
from ceiba.tree import GrownArrays, SurvivalSums, Tree, tree_from_grown
from ceiba.tree.routing import RowEnds, attach_survival, find_row_ends, n_threads

if TYPE_CHECKING:
    from ceiba.grow.problem import Problem


Array = npt.NDArray[np.float64]

# With exponents up to this size, fourth powers of sums over 2**32 rows stay finite and normal.
_SAFE = 200
#: Criteria that have a different name in the C++ core.
_CORE_CRITERIA: Final = {**ALIASES, "exponential": "poisson"}
_COUNTS: Final = (int, Integral)  # int is first, because isinstance with ABCs is slow
_MANY_ROWS: Final = 2**53  # limit of row counts, above any table size and exact as a float
#: Tolerance for weights in C4.5 trees, because sums of fractional weights are inexact.
_SLACK: Final = 1e-6


@dataclass(frozen=True)
class Units:
    """Exponents of the powers of two by which extreme targets and weights are divided."""

    target: int = 0
    weight: int = 0

    @classmethod
    def of(cls, target: npt.NDArray[Any], weight: Array | None) -> Units:
        """Return the exponents for a target and weights; class indices are not scaled."""
        return cls(
            _exponent(target) if target.dtype.kind == "f" else 0,
            0 if weight is None else _exponent(weight),
        )

    def shrink_target(self, target: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the target divided by its unit, or the same array if the unit is 1."""
        return np.ldexp(target, -self.target) if self.target else target

    def shrink_weight(self, weight: Array | None) -> Array | None:
        """Return the weights divided by their unit, or the same array if the unit is 1."""
        return np.ldexp(weight, -self.weight) if self.weight and weight is not None else weight


#: Units with all exponents 0, for data that need no scaling.
PLAIN_UNITS = Units()


def _exponent(values: npt.NDArray[Any]) -> int:
    largest = float(max(values.max(initial=0.0), -values.min(initial=0.0)))  # np.abs would copy
    exponent = int(np.frexp(largest)[1])
    return 0 if largest == 0 or abs(exponent) <= _SAFE else exponent


def read_per_column(
    option: str, values: Any, names: Sequence[str], default: float
) -> npt.NDArray[np.float64]:
    """Return one number per column; columns missing from a dict get the default."""
    if isinstance(values, Mapping):
        unknown = [name for name in values if name not in names]
        if unknown:
            raise OptionError(
                f"{option} contains column {unknown[0]!r}, which is not in the table."
                f"{did_you_mean(str(unknown[0]), names)}"
            )
        values = [values.get(name, default) for name in names]
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"{option} must contain one number per column, got {values!r}.") from None
    if numbers.shape != (len(names),):
        # The message begins with the text of scikit-learn's error.
        raise OptionError(
            f"{option} has shape {numbers.size if numbers.ndim == 1 else numbers.shape} but the "
            f"input data X has {len(names)} features. Pass one number per column or a dict by name."
        )
    return numbers


def read_monotonic(values: Any, names: Sequence[str]) -> list[int]:
    """Return the monotonicity constraints (1, -1 or 0 for none), or [] if all are 0."""
    if values is None:
        return []
    numbers = read_per_column("monotonic_cst", values, names, 0.0)
    if not np.isin(numbers, (-1, 0, 1)).all():
        raise OptionError(
            "monotonic_cst must be None or an array-like of -1, 0 or 1, but got "
            f"{np.unique(numbers)}."
        )
    return [int(number) for number in numbers] if numbers.any() else []


def read_column_cost(values: Any, names: Sequence[str]) -> list[float]:
    """Return the cost by which the gain of each column is divided, or [] if all are 1."""
    numbers = read_per_column("column_cost", values, names, 1.0)
    if not (np.isfinite(numbers).all() and (numbers > 0).all()):
        raise OptionError(f"column_cost must contain positive, finite numbers, got {values!r}.")
    return [] if (numbers == 1).all() else numbers.tolist()


def read_interactions(
    values: Any, names: Sequence[str], path: Sequence[int] = ()
) -> tuple[int, list[list[int]]]:
    """Return the maximum number of columns on a path, and the sets of columns that may interact."""
    # 0 and [] mean no limit. Below splits on `path`, only groups that contain its columns remain.
    used, n_columns = set(path), len(names)
    if values is None:
        return 0, []
    if isinstance(values, str):
        limit = 1 if values == "no_interactions" else 2
        if not used:
            return limit, []
        if len(used) >= limit:
            return 0, [sorted(used) if len(used) == limit else []]
        return 0, [sorted(used | {j}) for j in range(n_columns)]
    places = {name: j for j, name in enumerate(names)}
    groups = []
    for group in values:
        if isinstance(group, str | bytes) or not hasattr(group, "__iter__"):
            raise OptionError(
                f"interaction_cst must contain sets of columns, got {group!r}. Pass nested lists, "
                "such as [[0, 1], [2]]."
            )
        groups.append(sorted({_read_column(column, places) for column in group}))
    others = sorted(set(range(n_columns)).difference(*groups))
    every = [*groups, others] if others else groups
    return 0, [group for group in every if used.issubset(group)] or [[]]


def allowed_columns(options: GrowOptions, names: Sequence[str], path: Sequence[int]) -> list[int]:
    """Return the columns that `interaction_cst` allows below splits on the columns in `path`."""
    _, groups = read_interactions(options.interaction_cst, names, path)
    return sorted(set().union(*groups)) if groups else list(range(len(names)))


def _read_column(column: Any, places: Mapping[str, int]) -> int:
    """Return the index of a column of `interaction_cst`, given by name or index."""
    if isinstance(column, str) and column in places:
        return places[column]
    is_index = isinstance(column, Integral) and not isinstance(column, bool)
    if is_index and 0 <= int(column) < len(places):
        return int(column)
    raise OptionError(
        f"interaction_cst must contain column names or positions from 0 to {len(places) - 1}, got "
        f"{column!r}.{did_you_mean(column, places)}"
    )


@dataclass(frozen=True)
class SubtreeContext:
    """Position of a new subtree in a larger tree, whose stopping rules apply to both."""

    depth: int  # depth of the node that becomes the root of the subtree
    n_rows: int  # number of rows of the larger tree
    weight: float  # total weight of the larger tree
    share: float  # share of the total weight that is in that node, under the altered priors
    seed: int
    leaves: int = 0  # number of leaves elsewhere in the tree, for `max_leaf_nodes`
    low: float = -inf  # bounds on node values, from monotonic constraints on splits above
    high: float = inf
    path: tuple[int, ...] = ()  # columns of the splits above, for `interaction_cst`
    row_weight: Array | None = None  # fractional row weights (missing="fractional")

    def apply(self, core: _core.GrowOptions, options: GrowOptions, units: Units) -> None:
        """Set the options of the C++ core that depend on the larger tree, such as its depth."""
        if options.max_leaf_nodes is not None:
            core.max_leaf_nodes = max(core_limit(options.max_leaf_nodes) - self.leaves, 1)
        if options.max_depth is not None:
            core.max_depth = max(core_limit(options.max_depth) - self.depth, 0)
        if options.min_impurity_decrease:
            core.min_gain = options.min_impurity_decrease / self.share if self.share else inf
        core.seed = self.seed
        core.low, core.high = np.ldexp([self.low, self.high], -units.target).tolist()
        set_sizes(core, options, self.n_rows, float(np.ldexp(self.weight, -units.weight)))


def core_options(
    table: Table,
    options: GrowOptions,
    weight: Array | None,
    scales: ClassScales,
    rows: npt.NDArray[np.uint32] | None,
    path: Sequence[int] = (),
) -> _core.GrowOptions:
    """Return the options of the C++ core for a table, below splits on the columns `path`."""
    n_columns = table.n_columns
    n_rows = table.n_rows if rows is None else len(rows)
    if weight is None:
        total_weight = float(n_rows)
    else:
        total_weight = exact_sum(weight if rows is None else weight[rows])
    # Copy the options: a copy takes one microsecond, and twenty assignments take six.
    ready, by_table = _table_independent_options(options)
    core = _core.GrowOptions(ready)
    core.max_features = min(n_columns, resolve_max_features(options.max_features, n_columns))
    core.n_threads = n_threads(options.n_jobs, n_rows * n_columns)
    if options.monotonic_cst is not None:
        core.monotonic = read_monotonic(options.monotonic_cst, table.schema.names)
    if options.interaction_cst is not None:
        limits = read_interactions(options.interaction_cst, table.schema.names, path)
        core.max_interaction, core.interactions = limits
    if options.column_cost is not None:
        core.column_cost = read_column_cost(options.column_cost, table.schema.names)
    if scales.search is not None:
        core.class_scale = scales.search.tolist()
    rules = options.rpart
    if rules is not None:  # rpart does not split nodes with a risk below these limits
        core.min_risk = max(rules.min_risk, -1.0)
        core.min_risk_ratio = max(rules.min_risk_ratio, -1.0)
        core.prior_events = 1.0 / max(rules.shrink**2, 1e-300) if rules.shrink else 0.0
        if scales.search is not None:  # priors or costs
            core.class_cost = scales.weighted_costs(len(scales.search)).ravel().tolist()
    if by_table:
        set_sizes(core, options, n_rows, total_weight)
    return core


def _table_independent_options(options: GrowOptions) -> tuple[_core.GrowOptions, bool]:
    """Return the table-independent core options, and whether minimum sizes depend on the table."""
    if (ready := options.__dict__.get("_core")) is not None:
        return ready  # type: ignore[no-any-return]
    core = _core.GrowOptions()
    name = options.criterion_name
    if name.startswith("quantile"):
        core.quantile = list(quantile_costs(quantile_level(name) or 0.5))
        name = "absolute_error"
    core.set_criterion(_CORE_CRITERIA.get(name, name))
    core.set_missing(options.missing_rule)
    for name, row in OPTIONS[options.task].items():
        if row.core is not None:
            value = getattr(options, name)
            setattr(core, row.core, value if row.to_core is None else row.to_core(value))
    if options.max_bins is not None:
        core.max_bins, core.approximate = options.max_bins, True
    core.seed = options.seed
    core.multiway = options.categorical_splits != "binary"
    core.empty_branches = options.value_rules.empty_branches
    core.cuts_at_values = (
        isinstance(options.criterion, GainRatio) and options.criterion.cuts == "value"
    )
    if options.missing_rule == "surrogate":
        core.max_surrogates = core_limit(options.surrogates.keep)
        core.surrogate_style = int(options.surrogates.agreement == "both")
        core.use_surrogate = options.use_surrogate
    core.weights_count_rows = options.frequency_weights
    if options.rpart is not None:
        core.min_gain_ratio = options.rpart.min_gain_ratio
        core.like_rpart = True
    counts = isinstance(options.min_samples_leaf, _COUNTS)
    counts = counts and isinstance(options.min_samples_split, _COUNTS)
    by_table = bool(options.frequency_weights or options.min_weight_fraction_leaf or not counts)
    if not by_table:
        set_sizes(core, options, 0, 0.0)
    options.__dict__["_core"] = core, by_table
    return core, by_table


def set_sizes(
    core: _core.GrowOptions, options: GrowOptions, n_rows: int, total_weight: float
) -> None:
    """Set the minimum sizes of nodes and leaves; a row with frequency weight k counts as k rows."""
    core.min_weight_leaf = options.min_weight_fraction_leaf * total_weight
    n = total_weight if options.frequency_weights else n_rows
    min_leaf = resolve_min_leaf(options.min_samples_leaf, n)
    min_split = resolve_min_split(options.min_samples_split, min_leaf, n)
    if options.criterion_name == "gain_ratio":
        core.min_branch = float(min_leaf)
        core.min_weight_split = float(min_split) - _SLACK
        return
    if not options.frequency_weights:
        core.min_samples_leaf = min_leaf
        core.min_samples_split = min_split
        return
    core.min_weight_leaf = max(core.min_weight_leaf, float(min_leaf))
    core.min_weight_split = float(min_split)


def resolve_min_leaf(value: int | float, n_rows: float) -> int:
    """Return the minimum number of rows in a leaf, from a count or a fraction of all rows."""
    return min(int(value) if isinstance(value, _COUNTS) else ceil(value * n_rows), _MANY_ROWS)


def resolve_min_split(value: int | float, min_leaf: int, n_rows: float) -> int:
    """Return the minimum number of rows in a node that is split, at least twice `min_leaf`."""
    count = int(value) if isinstance(value, _COUNTS) else max(2, ceil(value * n_rows))
    return min(max(count, 2 * min_leaf), _MANY_ROWS)


def resolve_max_features(value: int | float | str | None, n_columns: int) -> int:
    """Return the number of columns tried at each node, from `max_features`."""
    if value is None:
        return n_columns
    if value == "sqrt":
        return max(1, int(sqrt(n_columns)))
    if value == "log2":
        return max(1, int(log2(n_columns)))
    if isinstance(value, Integral):
        return int(value)
    return max(1, int(float(value) * n_columns))


def grow_plain(X: Any, y: Any, options: GrowOptions) -> Tree | None:
    """Return the tree of `Problem.grow`, or None if it requires the general path.

    One call to the core reads and grows small arrays. Only sizes in `options` may be non-default.
    """
    core, by_table = _table_independent_options(options)
    plain = options.task.has_classes and not by_table
    if not plain or (grown := _core.grow_if_plain(X, y, core)) is None:
        return None
    arrays, classes, ranges = grown
    return tree_from_grown(
        GrownArrays(arrays, options.value_rules, 1),
        schema=Schema.from_ranges(ranges, target=TargetInfo(None, options.task, (classes,), 1)),
        criterion=options.criterion_name,
        missing=options.missing_rule,
        unseen=options.unseen,
    )


def grow_by_search(
    problem: Problem, rows: npt.NDArray[np.uint32] | None, subtree: SubtreeContext | None
) -> Tree:
    """Grow a tree with the greedy search of the C++ core."""
    if problem.options.task is Task.SURVIVAL:
        return _grow_survival(problem, rows, subtree)
    table, target, options, weight = problem.table, problem.target, problem.options, problem.weight
    scales = problem.scales
    if weight is None and options.task.has_classes:
        units, core_target, core_weight = PLAIN_UNITS, target.values, None
    else:
        units = Units.of(target.values, weight)
        core_target, core_weight = units.shrink_target(target.values), units.shrink_weight(weight)
    path = () if subtree is None else subtree.path
    core = core_options(table, options, core_weight, scales, rows, path)
    if subtree is not None:
        subtree.apply(core, options, units)
    if options.task.has_classes:
        n_classes = [len(labels) for labels in target.info.classes]
        arrays = _core.grow_classes(table.core(), core_target, n_classes, core_weight, core, rows)
    else:
        options.task.require((Task.REGRESSION,), "Growing")
        arrays = _core.grow_numbers(
            table.core(), core_target, core_weight, core, rows, problem.case_weight
        )
    return tree_from_arrays(arrays, problem, units, subtree)


def _grow_survival(
    problem: Problem, rows: npt.NDArray[np.uint32] | None, subtree: SubtreeContext | None
) -> Tree:
    """Grow a survival tree as a tree of event rates on a rescaled time axis."""
    table, options, hazard = problem.table, problem.options, problem.hazard
    units, rate, exposure, cases = survival_rates(hazard)
    path = () if subtree is None else subtree.path
    core = core_options(table, options, None, problem.scales, rows, path)
    if subtree is not None:
        subtree.apply(core, options, PLAIN_UNITS)
    selection = slice(None) if rows is None else rows
    set_survival_options(core, exposure[selection], cases[selection])
    ranks = hazard.event_rank if options.criterion_name == "logrank" else None
    grown = tree_from_arrays(
        _core.grow_numbers(table.core(), rate[:, None], exposure, core, rows, cases, ranks),
        problem,
        units,
        subtree,
    )
    sample = table if rows is None else table.take(rows.astype(np.intp))
    ends = find_row_ends(grown, sample, hazard.cases[selection])
    if rows is not None:
        ends = replace(ends, row=rows.astype(np.intp)[ends.row])
    return with_survival_figures(grown, problem, ends, subtree)


def set_survival_options(core: _core.GrowOptions, exposure: Array, cases: Array) -> None:
    """Allow leaves with a rate of 0, and scale `min_gain` per unit of time instead of weight."""
    core.allow_zero_rate = True
    core.min_gain *= exact_sum(cases) / exact_sum(exposure)


def survival_rates(hazard: HazardTarget) -> tuple[Units, Array, Array, Array]:
    """Return the scaling units, and the scaled event rate, time and weight of each row."""
    units = Units.of(hazard.rate, hazard.cases)
    cases = np.ldexp(hazard.cases, -units.weight)
    return units, np.ldexp(hazard.rate, -units.target), cases * hazard.time, cases


def with_survival_figures(
    grown: Tree, problem: Problem, ends: RowEnds, subtree: SubtreeContext | None = None
) -> Tree:
    """Add hazards and survival curves, computed from the rows, to a tree of event rates."""
    hazard = problem.hazard
    sums = SurvivalSums.of(grown, hazard, ends)
    overall = hazard.overall if subtree is not None else float(sums.events[0] / sums.time[0])
    value = sums.shrunken_hazard(overall)
    if problem.options.monotonic_cst is not None:
        # Shrinkage may violate the constraints, so use the unshrunken rates, kept above zero.
        value = np.maximum(grown.value[:, 0, 0], value.min())
    factor = np.divide(grown.weight, sums.weight, out=np.zeros_like(sums.weight),
                       where=sums.weight > 0)  # fmt: skip
    runners_up = grown.competitors
    if runners_up is not None:
        owner = np.repeat(np.arange(grown.n_nodes), np.diff(runners_up.start))
        runners_up = replace(runners_up, gain=runners_up.gain * factor[owner])
    tree = replace(
        grown,
        weight=sums.weight,
        value=value[:, None, None],
        impurity=sums.impurity(),
        gain=grown.gain * factor,
        risk=sums.losses(value) / (sums.weight[0] if subtree is None else subtree.weight),
        competitors=runners_up,
    )
    is_root = subtree is None or subtree.depth == 0
    return attach_survival(tree, problem.target.values, ends, censoring=is_root)


def tree_from_arrays(
    arrays: _core.TreeArrays, problem: Problem, units: Units, subtree: SubtreeContext | None
) -> Tree:
    """Convert the arrays that the C++ core returns to a tree."""
    target, options, scales = problem.target, problem.options, problem.scales
    return tree_from_grown(
        GrownArrays(
            arrays,
            options.value_rules,
            target.info.n_outputs,
            units.target,
            units.weight,
            scales.factor,
            scales.costs,
            None if subtree is None else subtree.weight,
        ),
        schema=problem.table.schema.with_target(target.info),
        criterion=ALIASES.get(options.criterion_name, options.criterion_name),
        missing=options.missing_rule,
        unseen=options.unseen,
        cost_matrix=scales.costs,
        class_prior=scales.prior,
    )
