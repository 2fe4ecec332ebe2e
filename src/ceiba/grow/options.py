"""The options of growing, as one frozen value that travels from the user to the core.

`GrowOptions` keeps what the user said (scikit-learn's spellings: counts or fractions, "sqrt",
None) and refuses what makes no sense. `resolve_*` turn it into plain numbers once the size of the
table is known, by scikit-learn's rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import ceil, log2, sqrt
from numbers import Integral
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

from ceiba.criteria import TEST_CRITERIA, Task, criterion_names
from ceiba.errors import OptionError
from ceiba.options.checks import (
    Check,
    array_like,
    boolean,
    check_options,
    fraction,
    instance,
    integer,
    nothing,
    number,
    one_of,
)

__all__ = [
    "ALLOWED",
    "ALLOWED_FOR",
    "GrowOptions",
    "resolve_max_features",
    "resolve_min_leaf",
    "resolve_min_split",
]

#: What each option of growing may be, by name; estimators use the same rows for their parameters.
ALLOWED: Final[Mapping[str, tuple[Check, ...]]] = MappingProxyType(
    {
        "task": (one_of("classification", "regression"),),
        "criterion": (
            one_of(
                *criterion_names("classification"),
                *criterion_names("regression"),
                *TEST_CRITERIA,
            ),
        ),
        "splitter": (one_of("best", "random"),),
        "max_depth": (integer(1), nothing),
        "min_samples_split": (integer(2), fraction(0.0, 1.0, "(]")),
        "min_samples_leaf": (integer(1), fraction(0.0, 1.0, "()")),
        "min_weight_fraction_leaf": (number(0.0, 0.5, "[]"),),
        "max_features": (integer(1), fraction(0.0, 1.0, "(]"), one_of("sqrt", "log2"), nothing),
        "max_bins": (
            Check("an int from 2 to 255", lambda value: _is_int_in(value, 2, 255)),
            nothing,
        ),
        "max_leaf_nodes": (integer(2), nothing),
        "min_impurity_decrease": (number(0.0),),
        "min_gain_ratio": (number(0.0, 1.0),),
        "monotonic_cst": (
            array_like(),
            instance("a dict of column name to -1, 0 or 1", dict),
            nothing,
        ),
        "seed": (integer(0),),
        "n_jobs": (
            Check(
                "an int that is not 0",
                lambda value: (
                    isinstance(value, Integral) and not isinstance(value, bool) and value != 0
                ),
            ),
            nothing,
        ),
        "missing": (one_of("learn", "majority", "surrogate", "fractional", "error"),),
        "unseen": (one_of("majority", "missing", "error"),),
        "categorical_splits": (one_of("binary", "multiway"),),
        "min_significance": (number(0.0, 1.0, "()"), nothing),
        "alpha_merge": (number(0.0, 1.0, "[]"),),
        "alpha_split": (number(0.0, 1.0, "[]"),),
        "empty_branches": (boolean,),
        "cuts": (one_of("midpoint", "value"),),
        "max_surrogates": (integer(0),),
        "surrogate_style": (Check("0 or 1", lambda value: _is_int_in(value, 0, 1)),),
        "use_surrogate": (Check("0, 1 or 2", lambda value: _is_int_in(value, 0, 2)),),
        "max_competitors": (integer(0),),
        "class_prior": (
            array_like("an array-like of one share per class"),
            instance("a dict of class to share", dict),
            nothing,
        ),
        "cost_matrix": (
            array_like("an array-like of shape (n_classes, n_classes)"),
            instance("a dict of (truth, predicted) to cost", dict),
            nothing,
        ),
        "column_cost": (
            array_like("an array-like of one cost per column"),
            instance("a dict of column name to cost", dict),
            nothing,
        ),
        "frequency_weights": (boolean,),
        "keep_zero_weights": (boolean,),
        "allow_zero_rate": (boolean,),
        "shrink": (number(0.0),),
        "like_rpart": (boolean,),
        "min_risk": (number(-1.0),),
        "min_risk_ratio": (number(-float("inf"), 1.0, "(]"),),
    }
)

#: The same for each task, which has criteria of its own.
ALLOWED_FOR: Final[Mapping[Task, Mapping[str, tuple[Check, ...]]]] = MappingProxyType(
    {
        task: MappingProxyType(
            {
                **ALLOWED,
                "criterion": (
                    one_of(
                        *criterion_names(task),
                        *(name for name, of in TEST_CRITERIA.items() if of == task),
                    ),
                ),
            }
        )
        for task in get_args(Task)
    }
)


def _is_int_in(value: Any, low: int, high: int) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and low <= int(value) <= high


@dataclass(frozen=True, kw_only=True)
class GrowOptions:
    """All that decides how a tree grows, apart from the data.

    The parameters have the names, meanings and defaults of the estimators' parameters; `seed` is
    the resolved `random_state`. `min_significance` is obeyed by
    `ceiba.prune.significant.SignificanceProblem`, not by `grow` itself. Seven are for rpart's
    rules: `min_gain_ratio` (a split must have more than this share of the root's gain; 1e-10
    there), `keep_zero_weights` (rows of weight 0 are counted and routed), `allow_zero_rate`
    (poisson: a branch without events), `shrink` (poisson: see `rates.py`) and `like_rpart` (two
    rules of rpart's code that its manual does not have: a level map is no surrogate unless it goes
    astray on two rows, and with no surrogates at all, rows with a missing value stay in the node
    while growing); `min_risk` and `min_risk_ratio` leave a node unsplit that has no more risk R(t)
    than this, as a sum over rows or as a share of the root's (below 0: off).

    Examples
    --------
    >>> from ceiba.grow import GrowOptions
    >>> GrowOptions(task="regression", criterion="poisson", max_depth=3).max_depth
    3
    """

    task: Task
    criterion: str = ""  # "": gini or squared_error, by the task
    splitter: Literal["best", "random"] = "best"
    max_depth: int | None = None
    min_samples_split: int | float = 2
    min_samples_leaf: int | float = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: int | float | str | None = None
    max_bins: int | None = None
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    min_gain_ratio: float = 0.0
    min_significance: float | None = None
    alpha_merge: float = 0.05
    alpha_split: float = 0.05
    monotonic_cst: Any = None
    seed: int = 0
    n_jobs: int | None = None
    missing: str = "learn"
    unseen: str = "majority"
    categorical_splits: str = "binary"
    empty_branches: bool = False
    cuts: str = "midpoint"
    max_surrogates: int = 5
    surrogate_style: int = 0
    use_surrogate: int = 2
    max_competitors: int = 0
    class_prior: Any = None
    cost_matrix: Any = None
    column_cost: Any = None
    frequency_weights: bool = False
    keep_zero_weights: bool = False
    allow_zero_rate: bool = False
    shrink: float = 0.0
    like_rpart: bool = False
    min_risk: float = -1.0
    min_risk_ratio: float = -1.0

    def __post_init__(self) -> None:
        if self.criterion == "":
            default = "gini" if self.task == "classification" else "squared_error"
            object.__setattr__(self, "criterion", default)
        # Defaults are right by construction: only what was set is looked at (fits of tiny tables).
        stated = {
            name: value
            for name, value in self.__dict__.items()
            if value is not _DEFAULTS.get(name, _UNSET)
        }
        check_options(stated, ALLOWED_FOR.get(self.task, ALLOWED), "GrowOptions")
        for name in _OF_TESTS:
            given = stated.get(name, _DEFAULTS[name])
            if given != _DEFAULTS[name] and self.criterion not in TEST_CRITERIA:
                raise OptionError(
                    f"{name}={given!r} is an option of growing by tests, and criterion="
                    f"{self.criterion!r} has none. Use criterion='chi2' (regression: 'f_test')."
                )
        if self.min_significance is not None and self.criterion in TEST_CRITERIA:
            raise OptionError(
                f"criterion={self.criterion!r} has tests of its own, with the level alpha_split: "
                f"min_significance={self.min_significance!r} has no meaning with it. Leave "
                "min_significance at None, or use a criterion of impurity."
            )

    def __getstate__(self) -> dict[str, Any]:
        # What `core_options` keeps here cannot be pickled and is cheap to make again.
        return {name: value for name, value in self.__dict__.items() if name != "_core"}


_OF_TESTS: Final = ("alpha_merge", "alpha_split")
_UNSET: Final = object()
_DEFAULTS: Final = {field.name: field.default for field in fields(GrowOptions)}


def resolve_min_leaf(value: int | float, n_rows: float) -> int:
    """Rows that a leaf must have: a count, or a fraction of the rows rounded up.

    Examples
    --------
    >>> from ceiba.grow import resolve_min_leaf
    >>> resolve_min_leaf(5, 150), resolve_min_leaf(0.1, 150)
    (5, 15)
    """
    return int(value) if isinstance(value, Integral) else ceil(value * n_rows)


def resolve_min_split(value: int | float, min_leaf: int, n_rows: float) -> int:
    """Rows that a node must have to be split: at least two leaves' worth.

    Examples
    --------
    >>> from ceiba.grow import resolve_min_split
    >>> resolve_min_split(2, 5, 150), resolve_min_split(0.2, 5, 150)
    (10, 30)
    """
    count = int(value) if isinstance(value, Integral) else max(2, ceil(value * n_rows))
    return max(count, 2 * min_leaf)


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
