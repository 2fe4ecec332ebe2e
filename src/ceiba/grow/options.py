"""The growing options as fields of `GrowOptions`, and tables of them by task.

A field of `GrowOptions` declares its option: default, allowed values, documentation, the growers
that support it and its name in the core. The estimators' parameters, their checks and docstrings,
and the flags of the command line are generated from these rows. Fields hold what the user wrote
(scikit-learn's spellings: counts or fractions, "sqrt", None, short forms); properties resolve it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from numbers import Integral
from types import MappingProxyType
from typing import Any, Final, Literal

from ceiba.criteria import (
    DEFAULT_CRITERION,
    DEFAULT_TEST,
    TEST_CRITERIA,
    criterion_names,
    quantile_level,
)
from ceiba.grow.option_objects import (
    FORCED_SPLITS,
    Chaid,
    GainRatio,
    Lookahead,
    Multiway,
    Optimal,
    Quantile,
    RpartRules,
    Significance,
    Surrogates,
    expand,
)
from ceiba.options import (
    Check,
    Option,
    OptionObject,
    array_like,
    boolean,
    check_options,
    fraction,
    instance,
    integer,
    is_default,
    nothing,
    number,
    one_of,
)
from ceiba.task import Task
from ceiba.tree import ValueRules

#: Search methods. "search" is the greedy search, to which "bins", "gain_ratio" and "significance"
#: add rules. "tests" (CHAID) and "best" (lookahead and exact search) replace it.
Grower = Literal["search", "bins", "gain_ratio", "significance", "tests", "best"]

_ALL: Final = frozenset({"search", "bins", "gain_ratio", "significance", "tests", "best"})


def _without(*growers: Grower) -> frozenset[str]:
    return _ALL - set(growers)


def _option(  # returns a dataclass field whose metadata describes the option
    default: Any,
    *allowed: Check,
    kind: str,
    help: str,  # noqa: A002
    flag: Any = None,
    growers: frozenset[str] = _ALL,
    core: str | None = None,
    to_core: Callable[[Any], Any] | None = None,
) -> Any:
    option = Option("", default, allowed, kind, help, flag, growers, core, to_core)
    return field(default=default, metadata={"option": option})


def core_limit(limit: int | None) -> int:
    """Return a limit as int32 for the core: -1 for None, at most 2**31 - 1."""
    return -1 if limit is None else min(int(limit), 2**31 - 1)


def _is_int(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


@dataclass(frozen=True, kw_only=True)
class GrowOptions:
    """The growing options of a tree."""

    task: Task
    criterion: Any = ""  # "" means the default criterion of the task
    splitter: str = _option(
        "best",
        one_of("best", "random"),
        kind='{"best", "random"}',
        help='Cuts tried for each column: all cuts ("best"), or one random cut ("random").',
        flag=str,
        growers=_without("best", "bins", "gain_ratio", "significance", "tests"),
        core="random_splitter",
        to_core=lambda value: value == "random",
    )
    max_depth: int | None = _option(
        None,
        integer(1),
        nothing,
        kind="int",
        help="Maximum depth of the tree. None: no limit.",
        flag=int,
        core="max_depth",
        to_core=core_limit,
    )
    min_samples_split: int | float = _option(
        2,
        integer(2),
        fraction(0.0, 1.0, "(]"),
        kind="int or float",
        help="Rows required to split a node. A float is a fraction of all rows, rounded up.",
        flag=float,
        growers=_without("best"),
    )
    min_samples_leaf: int | float = _option(
        1,
        integer(1),
        fraction(0.0, 1.0, "()"),
        kind="int or float",
        help="Rows required in each branch. A float is a fraction of all rows, rounded up.",
        flag=float,
    )
    min_events_leaf: int = _option(
        0,
        integer(0),
        kind="int",
        help="Minimum number of observed events, by weight, in each branch of a split.",
        flag=int,
        growers=_without("best", "bins", "gain_ratio", "tests"),
        core="min_events_leaf",
    )
    min_weight_fraction_leaf: float = _option(
        0.0,
        number(0.0, 0.5, "[]"),
        kind="float",
        help="Minimum fraction of the total weight in each branch of a split.",
        flag=float,
        growers=_without("best"),
    )
    max_features: int | float | str | None = _option(
        None,
        integer(1),
        fraction(0.0, 1.0, "(]"),
        one_of("sqrt", "log2"),
        nothing,
        kind='int, float or {"sqrt", "log2"}',
        help="Number of columns tried at each node, drawn at random. None: all columns.",
        flag=float,
        growers=_without("best", "bins", "gain_ratio", "significance", "tests"),
    )
    max_leaf_nodes: int | None = _option(
        None,
        integer(2),
        nothing,
        kind="int",
        help="Maximum number of leaves. The node whose split has the largest gain is split first.",
        flag=int,
        growers=_without("significance", "tests"),
        core="max_leaf_nodes",
        to_core=core_limit,
    )
    min_impurity_decrease: float = _option(
        0.0,
        number(0.0),
        kind="float",
        help="Minimum decrease in the impurity of the tree by a split.",
        flag=float,
        growers=_without("best", "tests"),
        core="min_gain",
    )
    max_bins: int | None = _option(
        None,
        Check("an int from 2 to 255", lambda value: _is_int(value) and 2 <= value <= 255),
        nothing,
        kind="int",
        help="Number of quantile bins (2 to 255) at whose edges numeric columns are cut, which is "
        "faster. None: the exact search.",
        flag=int,
        growers=_without("best", "gain_ratio", "tests"),
    )
    min_significance: Any = _option(
        None,
        number(0.0, 1.0, "()"),
        instance("a Significance object", Significance),
        nothing,
        kind="float or Significance",
        help="Largest p-value at which a node is split. The column whose best split has the "
        "smallest p-value splits the node. P-values are corrected for the search over cuts, level "
        "sets and columns.",
        flag=float,
        growers=_without("best", "tests"),
    )
    monotonic_cst: Any = _option(
        None,
        array_like(),
        instance("a dict of column name to -1, 0 or 1", dict),
        nothing,
        kind="array-like of int or dict",
        help="For each column 1 (the prediction, or the probability of the second of two classes, "
        "never decreases with the column), -1 (never increases) or 0 (no constraint).",
        growers=_without("best", "gain_ratio", "significance", "tests"),
    )
    interaction_cst: Any = _option(
        None,
        one_of("pairwise", "no_interactions"),
        array_like("a sequence of sets of columns"),
        nothing,
        kind='{"pairwise", "no_interactions"} or sequence of sets of columns',
        help="Columns that may be on one path: sets of names or indices, as in scikit-learn. One "
        "of the sets must contain all columns of a path. Unlisted columns form another set. "
        '"no_interactions": one column per path; "pairwise": two. Forced splits may use any '
        "column.",
        flag=list,
        growers=_without("best", "significance", "tests"),
    )
    n_jobs: int | None = _option(
        None,
        Check("an int that is not 0", lambda value: _is_int(value) and value != 0),
        nothing,
        kind="int",
        help="Maximum threads; small tables use fewer. None: all cores. The tree is the same.",
        flag=int,
    )
    missing: Any = _option(
        "learn",
        one_of("learn", "majority", "surrogate", "fractional", "error"),
        instance("a Surrogates object", Surrogates),
        kind='{"learn", "majority", "surrogate", "fractional", "error"} or Surrogates',
        help='Rule for rows with a missing value. "learn": tried on both sides of each split '
        '(scikit-learn). "majority": the branch with more weight. "surrogate": where surrogate '
        'splits send them (rpart). "fractional": down every branch by its share (C4.5). "error": '
        "an error is raised.",
        flag=str,
    )
    unseen: str = _option(
        "majority",
        one_of("majority", "missing", "error", "default"),
        kind='{"majority", "missing", "error", "default"}',
        help="Rule for levels that no training row of a node has: the branch with more rows, the "
        'rule for missing values, an error, or the prediction of the root ("default").',
        flag=str,
    )
    categorical_splits: Any = _option(
        "binary",
        one_of("binary", "multiway"),
        instance("a Multiway object", Multiway),
        kind='{"binary", "multiway"} or Multiway',
        help='Two branches with a set of levels each ("binary"), or one per level ("multiway").',
        flag=str,
        growers=_without("best", "tests"),
    )
    max_competitors: int = _option(
        0,
        integer(0),
        kind="int",
        help="Number of runner-up splits that are stored for each node.",
        flag=int,
        growers=_without("best", "significance", "tests"),
        core="max_competitors",
        to_core=core_limit,
    )
    class_prior: Any = _option(
        None,
        array_like("an array-like of one share per class"),
        instance("a dict of class to share", dict),
        nothing,
        kind="array-like or dict",
        help="Class shares in the population, if they differ from those in the table. Cannot be "
        "combined with `class_weight`.",
        growers=_without("gain_ratio", "significance", "tests"),
    )
    cost_matrix: Any = _option(
        None,
        array_like("an array-like of shape (n_classes, n_classes)"),
        instance("a dict of (truth, predicted) to cost", dict),
        one_of("ordinal"),
        nothing,
        kind='array-like of shape (n_classes, n_classes), dict or "ordinal"',
        help="`cost_matrix[i, j]`: cost of predicting j when the truth is i; or "
        '`{(truth, predicted): cost}`. "ordinal": the number of classes from i to j, in the order '
        "of a categorical target, else in sorted order.",
        growers=_without("gain_ratio", "significance", "tests"),
    )
    column_cost: Any = _option(
        None,
        array_like("an array-like of one cost per column"),
        instance("a dict of column name to cost", dict),
        nothing,
        kind="array-like or dict",
        help="Cost of measuring a column. The gain of each split is divided by this cost.",
        growers=_without("best", "significance", "tests"),
    )
    frequency_weights: bool = _option(
        False,
        boolean,
        kind="bool",
        help="Count a row of weight k as k rows in every rule that counts rows.",
        growers=_without("best"),
    )
    search: Any = _option(
        "greedy",
        one_of("greedy", "lookahead", "optimal"),
        instance("a Lookahead or an Optimal object", Lookahead, Optimal),
        kind='{"greedy", "lookahead", "optimal"} or object',
        help='Search method. "greedy": split by split. "lookahead": the first split of the best '
        'tree of depth 2, node by node. "optimal": the tree with the lowest training loss, with a '
        "proof; requires `max_depth`.",
        flag=str,
        growers=frozenset({"search", "best"}),
    )
    forced_splits: Any = _option(
        None,
        FORCED_SPLITS,
        nothing,
        kind="str, split or tuple",
        help='Splits at the top of the tree: "age <= 30", or a nested tuple as in '
        '`ceiba.tree.build`, such as `("age <= 30", None, ("city = Oslo", None, None))`, in which '
        "None is a branch that grows freely. The trees of cross-validation have these splits too.",
        growers=_without("best"),
    )
    seed: int = 0
    rpart: RpartRules | None = None

    def __post_init__(self) -> None:
        if self.criterion == "":
            object.__setattr__(self, "criterion", DEFAULT_CRITERION.get(self.task, "gini"))
        # Check only options that were set, because defaults are valid and tiny fits must be fast.
        check_options(self.non_default, _ALLOWED.get(self.task, _INTERNAL), "GrowOptions")
        object.__setattr__(self, "task", Task(self.task))
        for name in _WITH_OBJECTS:
            value = getattr(self, name)
            if isinstance(value, OptionObject):
                value.check()

    @property
    def non_default(self) -> dict[str, Any]:
        """The options that differ from their defaults, by name."""
        mine = self.__dict__
        return {
            name: mine[name]
            for name, default in _DEFAULTS.items()
            if mine[name] is not default and not is_default(mine[name], default)
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, task=Task(state["task"]))

    # Cache derived values, because repeated fits with equal options share one object.

    @cached_property
    def criterion_name(self) -> str:
        """The name of the criterion, which may be given as a string or as an option object."""
        if isinstance(self.criterion, GainRatio):
            return "gain_ratio"
        if isinstance(self.criterion, Quantile):
            return f"quantile({float(self.criterion.level)!r})"
        if isinstance(self.criterion, Chaid):
            return self.criterion.test or self.task.lookup(DEFAULT_TEST, "CHAID")
        return str(self.criterion)

    @cached_property
    def value_rules(self) -> ValueRules:
        """The options that determine how node values are computed."""
        return ValueRules(
            self.criterion_name,
            self.task.has_classes,
            isinstance(self.categorical_splits, Multiway) and self.categorical_splits.empty,
            self.frequency_weights,
            0.0 if self.rpart is None else self.rpart.shrink,
            self.use_surrogate > 0 if self.missing_rule == "surrogate" else None,
            bool(self.max_competitors),
        )

    @cached_property
    def missing_rule(self) -> str:
        """The name of the rule for missing values."""
        return "surrogate" if isinstance(self.missing, Surrogates) else str(self.missing)

    @property
    def surrogates(self) -> Surrogates:
        """The `Surrogates` object in `missing`, or the default one."""
        return self.missing if isinstance(self.missing, Surrogates) else Surrogates()

    @property
    def use_surrogate(self) -> int:
        """The `usesurrogate` parameter of rpart (see `RpartRules`)."""
        if self.rpart is not None:
            return self.rpart.use_surrogate
        return 2 if self.surrogates.otherwise == "majority" else 1

    @property
    def search_method(self) -> Lookahead | Optimal | None:
        """The `Lookahead` or `Optimal` object in `search`, or None for the greedy search."""
        search = expand("search", self.search)
        return search if isinstance(search, Lookahead | Optimal) else None

    @property
    def significance(self) -> float | None:
        """The largest p-value at which a node is split, or None for no limit."""
        rule = self.min_significance
        return float(rule.level) if isinstance(rule, Significance) else rule

    @cached_property
    def growers(self) -> tuple[Grower, ...]:
        """The search methods that these options select; the first one includes the others."""
        if isinstance(expand("criterion", self.criterion), Chaid):
            return ("tests",) if self.search_method is None else ("tests", "best")
        if self.search_method is not None:
            return ("best",)
        rules: list[tuple[Grower, bool]] = [
            ("significance", self.min_significance is not None),
            ("gain_ratio", self.criterion_name == "gain_ratio"),
            ("bins", self.max_bins is not None),
        ]
        return (*(name for name, is_set in rules if is_set), "search")

    def __getstate__(self) -> dict[str, Any]:
        # The cached core options cannot be pickled and are cheap to create again.
        return {name: value for name, value in self.__dict__.items() if name != "_core"}


_CRITERION_OBJECTS: Final = {
    Task.CLASSIFICATION: (GainRatio, Chaid),
    Task.REGRESSION: (Quantile, Chaid),
    Task.SURVIVAL: (),
}
_CRITERION_HELP: Final = {
    Task.CLASSIFICATION: '"log_loss" is an alias of "entropy", which is in bits. "hellinger" is '
    'for rare classes. "gain_ratio" is the criterion of C4.5, see `ceiba.c45`. "chi2" and '
    '"likelihood_ratio" are the tests of CHAID, see `ceiba.chaid`.',
    Task.REGRESSION: '"friedman_mse" is an alias of "squared_error". "quantile(0.9)" is the '
    'pinball loss of a quantile, which nodes predict. "f_test" is the test of CHAID, see '
    "`ceiba.chaid`.",
    Task.SURVIVAL: '"logrank": the log-rank test of the branches. "exponential": the deviance of '
    'constant relative hazards, as in rpart (method="exp").',
}
_QUANTILE_NAME: Final = Check(
    "'quantile(LEVEL)'", lambda value: isinstance(value, str) and quantile_level(value) is not None
)


def _criterion_option(task: Task) -> Option:
    impurities = criterion_names(task)
    tests = tuple(name for name, of in TEST_CRITERIA.items() if of == task)
    objects = task.lookup(_CRITERION_OBJECTS, "Growing")
    kinds = " or ".join(cls.__name__ for cls in objects)
    names = ", ".join(f'"{name}"' for name in (*impurities, *tests))
    return Option(
        "criterion",
        DEFAULT_CRITERION[task],
        (
            one_of(*impurities, *tests),
            *([_QUANTILE_NAME] * (Quantile in objects)),
            *([instance(f"a {kinds} object", *objects)] * bool(objects)),
        ),
        f"{{{names}}}" + f" or {kinds}" * bool(objects),
        f"Measure of split quality. {_CRITERION_HELP[task]}",
        flag=str,
        growers=_ALL,
    )


#: Options that a task does not support.
_ABSENT: Final = {
    Task.CLASSIFICATION: frozenset({"min_events_leaf"}),
    Task.REGRESSION: frozenset({"class_prior", "cost_matrix", "min_events_leaf"}),
    Task.SURVIVAL: frozenset(
        {"class_prior", "cost_matrix", "max_bins", "min_weight_fraction_leaf", "search"}
    ),
}


def _task_options(task: Task) -> Mapping[str, Option]:
    rows = {"criterion": _criterion_option(task)}
    for entry in fields(GrowOptions):
        row = entry.metadata.get("option")
        if row is not None and entry.name not in _ABSENT[task]:
            rows[entry.name] = replace(row, name=entry.name)
    return MappingProxyType(rows)


OPTIONS: Final[Mapping[Task, Mapping[str, Option]]] = MappingProxyType(
    {task: _task_options(task) for task in DEFAULT_CRITERION}
)

_INTERNAL: Final = {
    "task": (one_of(*OPTIONS),),
    "seed": (integer(0),),
    "rpart": (instance("RpartRules", RpartRules), nothing),
}
_ALLOWED: Final = {
    task: {
        **_INTERNAL,
        **{name: row.allowed for table in OPTIONS.values() for name, row in table.items()},
        "criterion": rows["criterion"].allowed,
    }
    for task, rows in OPTIONS.items()
}
_WITH_OBJECTS: Final = ("criterion", "missing", "categorical_splits", "min_significance", "search")
_DEFAULTS: Final = {entry.name: entry.default for entry in fields(GrowOptions)}
