"""`GrowOptions`: the options of growing as one frozen value that travels from user to core.

It keeps what the user wrote (scikit-learn's spellings: counts or fractions, "sqrt", None, short
forms); its properties and `resolve_*` turn that into plain values. The rows are in `options.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from math import ceil, log2, sqrt
from numbers import Integral
from types import MappingProxyType
from typing import Any, Final

from ceiba.criteria import Task
from ceiba.grow.option_objects import Chaid, GainRatio, Multiway, Significance, Surrogates, expand
from ceiba.grow.options import CRITERION_OPTION, Grower, OptionRows, RpartRules
from ceiba.grow.search.options import Lookahead, Optimal
from ceiba.options import (
    Check,
    Option,
    OptionObject,
    check_options,
    instance,
    integer,
    is_same,
    nothing,
    one_of,
)
from ceiba.tree.grown import ValueRules

_MANY_ROWS: Final = 2**53  # more than any table has, and whole as a float too


@dataclass(frozen=True, kw_only=True)
class GrowOptions(OptionRows):
    """All that decides how a tree grows, apart from the data.

    The parameters are those of the estimators; `seed` is the resolved `random_state`, and `rpart`
    holds the rules that only rpart has.

    Examples
    --------
    >>> from ceiba.grow import GrowOptions
    >>> GrowOptions(task="regression", criterion="poisson", max_depth=3).max_depth
    3
    """

    def __post_init__(self) -> None:
        if self.criterion == "":
            default = "gini" if self.task == "classification" else "squared_error"
            object.__setattr__(self, "criterion", default)
        # Defaults are right by construction: only what was set is checked (fits of tiny tables).
        check_options(self.stated, _ALLOWED_FOR.get(self.task, ALLOWED), "GrowOptions")
        for name in _WITH_OBJECTS:
            value = getattr(self, name)
            if isinstance(value, OptionObject):
                value.check()

    @property
    def stated(self) -> dict[str, Any]:
        """The options that are not at their default, by name."""
        mine = self.__dict__
        return {
            name: mine[name]
            for name, default in _DEFAULTS.items()
            if mine[name] is not default and not is_same(mine[name], default)
        }

    # What follows from the options is kept: fits with the same plain options share one object.

    @cached_property
    def criterion_name(self) -> str:
        """The criterion's own name."""
        if isinstance(self.criterion, GainRatio):
            return "gain_ratio"
        if isinstance(self.criterion, Chaid):
            by_task = "chi2" if self.task == "classification" else "f_test"
            return self.criterion.test or by_task
        return str(self.criterion)

    @property
    def chaid(self) -> Chaid | None:
        """The options of growing by tests, if that is how the tree grows."""
        criterion = expand("criterion", self.criterion)
        return criterion if isinstance(criterion, Chaid) else None

    @property
    def cuts_at_values(self) -> bool:
        """Whether cuts are values of the column (C4.5)."""
        return isinstance(self.criterion, GainRatio) and self.criterion.cuts == "value"

    @cached_property
    def value_rules(self) -> ValueRules:
        """How the values of grown nodes follow from the core's arrays."""
        return ValueRules(
            self.criterion_name,
            self.task == "classification",
            self.empty_branches,
            self.frequency_weights,
            0.0 if self.rpart is None else self.rpart.shrink,
            self.use_surrogate > 0 if self.missing_rule == "surrogate" else None,
            bool(self.max_competitors),
        )

    @cached_property
    def missing_rule(self) -> str:
        """The rule for missing values by name."""
        return "surrogate" if isinstance(self.missing, Surrogates) else str(self.missing)

    @property
    def surrogates(self) -> Surrogates:
        """How surrogates are kept and used; only with `missing_rule == "surrogate"`."""
        return self.missing if isinstance(self.missing, Surrogates) else Surrogates()

    @property
    def use_surrogate(self) -> int:
        """The code of rpart: 0 list surrogates only, 1 else stay, 2 else go with the majority."""
        if self.rpart is not None:
            return self.rpart.use_surrogate
        return 2 if self.surrogates.otherwise == "majority" else 1

    @property
    def multiway(self) -> bool:
        """Whether levels get a branch each."""
        return bool(self.categorical_splits != "binary")

    @property
    def empty_branches(self) -> bool:
        """Whether levels that are not in the node get a branch too."""
        return isinstance(self.categorical_splits, Multiway) and self.categorical_splits.empty

    @property
    def searched(self) -> Lookahead | Optimal | None:
        """How the tree is searched for, if not greedily."""
        search = expand("search", self.search)
        return search if isinstance(search, Lookahead | Optimal) else None

    @property
    def significance(self) -> float | None:
        """Largest p-value at which a node is split; None: no such rule."""
        given = self.min_significance
        return float(given.level) if isinstance(given, Significance) else given

    @cached_property
    def growers(self) -> tuple[Grower, ...]:
        """The ways to grow that these options ask for, the ruling one first."""
        if self.chaid is not None:
            return ("tests",) if self.searched is None else ("tests", "best")
        if self.searched is not None:
            return ("best",)
        rules: list[tuple[Grower, bool]] = [
            ("significance", self.min_significance is not None),
            ("gain_ratio", self.criterion_name == "gain_ratio"),
            ("bins", self.max_bins is not None),
        ]
        return (*(name for name, asked in rules if asked), "search")

    def __getstate__(self) -> dict[str, Any]:
        # What the core's options keep here cannot be pickled and is cheap to make again.
        return {name: value for name, value in self.__dict__.items() if name != "_core"}


_CLASSES_ONLY: Final = frozenset({"class_prior", "cost_matrix"})


def _rows_of(task: Task) -> Mapping[str, Option]:
    made = {"criterion": CRITERION_OPTION[task]}
    for one in fields(GrowOptions):
        row = one.metadata.get("option")
        if row is not None and (task == "classification" or one.name not in _CLASSES_ONLY):
            made[one.name] = replace(row, name=one.name)
    return MappingProxyType(made)


#: The rows of the options of growing, by task and name.
OPTIONS: Final[Mapping[Task, Mapping[str, Option]]] = MappingProxyType(
    {"classification": _rows_of("classification"), "regression": _rows_of("regression")}
)

_INTERNAL: Final = {
    "task": (one_of("classification", "regression"),),
    "seed": (integer(0),),
    "rpart": (instance("RpartRules", RpartRules), nothing),
}
_ALLOWED_FOR: Final = {
    task: {
        **_INTERNAL,
        **{name: row.allowed for name, row in OPTIONS["classification"].items()},
        "criterion": rows["criterion"].allowed,
    }
    for task, rows in OPTIONS.items()
}
#: What each option may be where the task is not known.
ALLOWED: Final[Mapping[str, tuple[Check, ...]]] = MappingProxyType(
    {
        **_ALLOWED_FOR["classification"],
        "criterion": tuple(
            check for rows in OPTIONS.values() for check in rows["criterion"].allowed
        ),
    }
)
_WITH_OBJECTS: Final = ("criterion", "missing", "categorical_splits", "min_significance", "search")
_DEFAULTS: Final = {one.name: one.default for one in fields(GrowOptions)}


def _is_count(value: float) -> bool:
    return type(value) is int or isinstance(value, Integral)  # abstract classes are slow to ask


def resolve_min_leaf(value: int | float, n_rows: float) -> int:
    """Rows that a leaf must have: a count, or a fraction of the rows rounded up.

    Examples
    --------
    >>> from ceiba.grow import resolve_min_leaf
    >>> resolve_min_leaf(5, 150), resolve_min_leaf(0.1, 150)
    (5, 15)
    """
    return min(int(value) if _is_count(value) else ceil(value * n_rows), _MANY_ROWS)


def resolve_min_split(value: int | float, min_leaf: int, n_rows: float) -> int:
    """Rows that a node must have to be split: at least two leaves' worth.

    Examples
    --------
    >>> from ceiba.grow import resolve_min_split
    >>> resolve_min_split(2, 5, 150), resolve_min_split(0.2, 5, 150)
    (10, 30)
    """
    count = int(value) if _is_count(value) else max(2, ceil(value * n_rows))
    return min(max(count, 2 * min_leaf), _MANY_ROWS)


def resolve_max_features(value: int | float | str | None, n_columns: int) -> int:
    """Columns tried at each node.

    Examples
    --------
    >>> from ceiba.grow import resolve_max_features
    >>> [resolve_max_features(v, 10) for v in (None, 3, 0.25, "sqrt", "log2")]
    [10, 3, 2, 3, 3]
    """
    if value is None:
        return n_columns
    if value == "sqrt":
        return max(1, int(sqrt(n_columns)))
    if value == "log2":
        return max(1, int(log2(n_columns)))
    if isinstance(value, Integral):
        return int(value)
    return max(1, int(float(value) * n_columns))
