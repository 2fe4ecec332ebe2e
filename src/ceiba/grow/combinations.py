"""What cannot be combined: options with growers, options with each other, options with a target.

An option that a grower does not know is refused, never ignored. Which growers know an option stands
in its row (`options.py`); which values of it stands in `_VALUES`; what needs a target with one
output in `_ONE_OUTPUT`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from ceiba import _core
from ceiba.criteria import split_gain
from ceiba.errors import DataError, OptionError
from ceiba.grow.core_grower import read_monotonic
from ceiba.grow.options import OPTIONS, Grower, GrowOptions
from ceiba.options import OptionObject
from ceiba.table import Kind, Table, Target

#: Values of an option that a grower knows, where it does not know them all.
_VALUES: Final[Mapping[tuple[Grower, str], tuple[Any, ...]]] = {
    ("bins", "criterion"): (*_core.counted_criteria(), "log_loss"),
    ("bins", "missing"): ("learn", "majority", "error"),
    ("significance", "missing"): ("learn", "majority", "error"),
    ("tests", "missing"): ("learn", "error"),
    ("best", "missing"): ("learn", "majority", "error"),
    ("best", "criterion"): (
        "gini",
        "entropy",
        "log_loss",
        "error",
        "squared_error",
        "friedman_mse",
        "absolute_error",
    ),
}

#: The core numbers rows in memory by 32 bits.
MOST_ROWS: Final = 2**32 - 1


def check_combinations(
    table: Table, target: Target, options: GrowOptions, weight: Any = None
) -> None:
    """Refuse options that contradict each other, the target, the weights or the table."""
    if target.info.task != options.task:
        raise OptionError(f"The target is for {target.info.task}, the options for {options.task}.")
    if "_known" not in options.__dict__:  # once per options: fits of small tables take microseconds
        _check_growers(options)
        options.__dict__["_known"] = True
    if options.monotonic_cst is not None:
        _check_monotonic(table, target, options)
    if target.info.n_outputs > 1 and (asks := needs_one_output(options)):
        raise OptionError(
            f"{asks[0]} needs a target with one output; this one has {target.info.n_outputs}. "
            "Fit one tree per output."
        )
    if table.n_rows > MOST_ROWS and table.grower != "shards":
        raise DataError(
            f"A table in memory can have {MOST_ROWS:,} rows; this one has {table.n_rows:,}. "
            "Read it in pieces with ceiba.scan(), or give a dask DataFrame."
        )
    if table.sparse is not None and (asks := needs_dense(options)):
        raise OptionError(
            f"{asks[0]} needs a dense table, and X is sparse. Use X.toarray() (it must fit into "
            "memory), or leave that option at its default."
        )
    if options.frequency_weights and weight is not None and weight.sum() >= 2.0**63:
        raise DataError(
            f"frequency_weights=True: the weights add up to {weight.sum():.4g} rows, and rows are "
            "counted up to 9.2e18. Divide the weights, or leave frequency_weights at False."
        )
    if options.criterion == "poisson" and table.grower != "shards":
        check_counts(target.values)
    if options.missing == "error":
        advice = "Fill them in, or use missing='learn'."
        _refuse_missing(table, "missing='error'", advice, DataError)
    elif needs_present(options):
        # C4.5 counts missing values as a branch of their own, so there is nothing to try.
        advice = "Use missing='fractional' (C4.5) or missing='majority'."
        why = "criterion='gain_ratio' does not know missing='learn'"
        _refuse_missing(table, why, advice, OptionError)


def _check_growers(options: GrowOptions) -> None:
    rows = OPTIONS[options.task]
    for name, value in options.stated.items():
        row = rows.get(name)
        if row is None or row.growers is None:
            continue
        for grower in options.growers:
            if grower not in row.growers:
                raise OptionError(
                    f"{name}={value!r} is not supported with {_asked_by(grower, options)}. Leave "
                    f"{name} at {row.default!r}."
                )
            supported = _VALUES.get((grower, name))
            if supported is not None and value not in supported:
                listed = " or ".join(map(repr, supported))
                raise OptionError(
                    f"{_asked_by(grower, options)} works with {name}={listed}. "
                    f"Got {name}={value!r}."
                )
    if options.categorical_splits != "binary" and split_gain(options.criterion_name) is not None:
        raise OptionError(
            f"criterion={options.criterion_name!r} values splits in two, and categorical_splits="
            "'multiway' makes more branches. Use categorical_splits='binary', or a criterion that "
            "values nodes, such as 'gini'."
        )
    if options.empty_branches and "significance" in options.growers:
        raise OptionError(
            f"{_asked_by('significance', options)} tests the branches of a split, and an empty one "
            "cannot be tested. Use categorical_splits='multiway'."
        )


def _asked_by(grower: Grower, options: GrowOptions) -> str:
    """Name the option that asks for a grower."""
    name = {"bins": "max_bins", "significance": "min_significance", "best": "search"}.get(
        grower, "criterion"
    )
    value = getattr(options, name)
    if name == "criterion" and not isinstance(value, OptionObject):
        value = options.criterion_name
    return f"{name}={value!r}"


def _check_monotonic(table: Table, target: Target, options: GrowOptions) -> None:
    """Refuse directions of several outputs or classes, and of levels without an order."""
    if target.info.n_outputs > 1:
        raise OptionError("Monotonicity constraints are not supported with multiple outputs.")
    if options.task.has_classes and len(target.info.classes[0]) > 2:
        raise OptionError(
            "Monotonicity constraints are not supported with multiclass classification: they "
            f"need two classes, the target has {len(target.info.classes[0])}."
        )
    columns = table.schema.columns
    directions = read_monotonic(options.monotonic_cst, table.schema.names)
    for info, direction in zip(columns, directions or [0] * len(columns), strict=True):
        if direction and info.kind == Kind.CATEGORICAL:
            raise OptionError(
                f"monotonic_cst must be 0 for column {info.name!r}, whose levels have no order; "
                f"got {direction}. Pass 0, or the column as numbers or an ordered category."
            )


def needs_one_output(options: GrowOptions) -> list[str]:
    """Return the options that need a target with one output, as they are written."""
    asks = [_asked_by(grower, options) for grower in options.growers if grower != "search"]
    if options.missing_rule == "surrogate":
        asks.append(f"missing={options.missing!r}")
    names = ("class_prior", "cost_matrix", "monotonic_cst")
    return asks + [name for name in names if getattr(options, name) is not None]


def needs_dense(options: GrowOptions) -> list[str]:
    """Return the options that need every value of a table, zeros included."""
    asks = [_asked_by(grower, options) for grower in options.growers if grower != "search"]
    if options.missing_rule in ("surrogate", "fractional"):
        asks.append(f"missing={options.missing!r}")
    return asks if options.rpart is None else [*asks, "rpart"]


def needs_present(options: GrowOptions) -> bool:
    """Return whether a missing value of the table is refused."""
    by_ratio = options.missing == "learn" and options.growers[-2:-1] == ("gain_ratio",)
    return options.missing == "error" or by_ratio


def _refuse_missing(table: Table, why: str, advice: str, error: type[Exception]) -> None:
    if table.sparse is not None or table.grower == "shards":  # has none; was looked at
        return
    for column in table.columns:
        missing = column.missing
        if missing.any():
            raise error(
                f"Column {column.info.name!r}: {np.count_nonzero(missing)} values are missing "
                f"(first in row {int(np.argmax(missing))}), and {why}. {advice}"
            )


def check_counts(values: Any) -> None:
    """Refuse a target without a Poisson deviance (scikit-learn's words)."""
    if (values < 0).any():
        row = int(np.argmax((values < 0).any(axis=1)))
        raise DataError(
            "Some value(s) of y are negative which is not allowed for Poisson regression "
            f"(first in row {row}). Use criterion='squared_error'."
        )
    if (values.sum(axis=0) <= 0).any():
        raise DataError("Sum of y is not positive which is necessary for Poisson regression.")
