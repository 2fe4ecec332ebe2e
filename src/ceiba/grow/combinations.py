"""Reject options that conflict with each other, with the search method or with the data.

Options that a grower does not support are rejected, never ignored. The row of an option in
`options.py` lists its growers; `_VALUES` lists the values that a grower supports, if not all.
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
from ceiba.task import Task

#: The supported values of an option, for search methods that do not support all values.
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

#: The core indexes rows in memory with 32-bit integers.
MAX_ROWS: Final = 2**32 - 1


def check_combinations(
    table: Table, target: Target, options: GrowOptions, weight: Any = None
) -> None:
    """Raise an error if options conflict with each other or with the data."""
    if target.info.task != options.task:
        task = target.info.task
        raise OptionError(f"y must be a target for {options.task}, got a target for {task}.")
    if "_known" not in options.__dict__:  # each options object is checked only once
        _check_growers(options)
        options.__dict__["_known"] = True
    if options.monotonic_cst is not None:
        _check_monotonic(table, target, options)
    if options.interaction_cst is not None and options.missing_rule == "surrogate":
        raise OptionError(  # surrogates may use columns that `interaction_cst` forbids
            f"interaction_cst is not supported with missing={options.missing!r}. Use "
            "missing='learn' or 'majority'."
        )
    if target.info.n_outputs > 1 and (texts := single_output_options(options)):
        raise OptionError(
            f"{texts[0]} requires a single-output target, got {target.info.n_outputs} outputs. Fit "
            "one tree per output."
        )
    if table.n_rows > MAX_ROWS and table.grower != "shards":
        raise DataError(
            f"A table in memory must have at most {MAX_ROWS:,} rows, got {table.n_rows:,}. Read it "
            "in pieces with ceiba.scan(), or pass a dask DataFrame."
        )
    if table.sparse is not None and (texts := dense_only_options(options)):
        other = "leave it at its default" if options.rpart is None else "use a DecisionTree class"
        raise OptionError(
            f"{texts[0]} is not supported for sparse X. Pass X.toarray() (it must fit into "
            f"memory), or {other}."
        )
    if options.frequency_weights and weight is not None and weight.sum() >= 2.0**63:
        raise DataError(
            f"Frequency weights must sum to less than 2**63, got {weight.sum():.4g}. Divide them "
            "by a common factor, or pass them as sample_weight."
        )
    if options.task is Task.SURVIVAL:
        _check_survival(options)
    if options.criterion == "poisson" and table.grower != "shards":
        check_counts(target.values)
    if options.missing == "error":
        advice = "Impute them, or use missing='learn'."
        _refuse_missing(table, "missing='error'", advice, DataError)
    elif refuses_missing(options):
        # Split information treats missing values as a separate branch, unlike missing='learn'.
        advice = "Use missing='fractional' (C4.5) or missing='majority'."
        why = "criterion='gain_ratio' and missing='learn'"
        _refuse_missing(table, why, advice, OptionError)


def _check_growers(options: GrowOptions) -> None:
    rows = OPTIONS[options.task]
    for name, value in options.non_default.items():
        row = rows.get(name)
        if row is None or row.growers is None:
            continue
        for grower in options.growers:
            if grower not in row.growers:
                raise OptionError(
                    f"{name}={value!r} is not supported with {_option_for(grower, options)}. Leave "
                    f"{name} at {row.default!r}."
                )
            supported = _VALUES.get((grower, name))
            if supported is not None and value not in supported:
                names_text = f"{', '.join(map(repr, supported[:-1]))} or {supported[-1]!r}"
                raise OptionError(
                    f"{_option_for(grower, options)} requires {name}={names_text}, got {value!r}."
                )
    if options.categorical_splits != "binary" and split_gain(options.criterion_name) is not None:
        raise OptionError(
            "categorical_splits='multiway' is not supported with criterion="
            f"{options.criterion_name!r}, which scores only binary splits. Use categorical_splits="
            "'binary', or a criterion such as 'gini'."
        )
    if "significance" in options.growers and options.value_rules.empty_branches:
        raise OptionError(
            f"Multiway(empty=True) is not supported with {_option_for('significance', options)}: "
            "an empty branch cannot be tested. Use categorical_splits='multiway'."
        )


def _check_survival(options: GrowOptions) -> None:
    """Raise an error for options that survival trees do not support."""
    if options.missing_rule == "fractional":
        raise OptionError(
            "missing='fractional' is not supported for survival trees. Use missing='learn' "
            "or 'surrogate'."
        )
    if options.criterion_name == "logrank" and options.categorical_splits != "binary":
        raise OptionError(
            "categorical_splits='multiway' is not supported with criterion='logrank', which "
            "compares two branches. Use categorical_splits='binary', or criterion='exponential'."
        )


def _option_for(grower: Grower, options: GrowOptions) -> str:
    """Return the option that selects a search method as text, such as "max_bins=64"."""
    name = {"bins": "max_bins", "significance": "min_significance", "best": "search"}.get(
        grower, "criterion"
    )
    value = getattr(options, name)
    if name == "criterion" and not isinstance(value, OptionObject):
        value = options.criterion_name
    return f"{name}={value!r}"


def _check_monotonic(table: Table, target: Target, options: GrowOptions) -> None:
    """Raise an error for monotonic constraints that the target or a column does not support."""
    if target.info.n_outputs > 1:
        raise OptionError("Monotonicity constraints are not supported with multiple outputs.")
    if options.task.has_classes and len(target.info.classes[0]) > 2:
        raise OptionError(
            "Monotonicity constraints are not supported with multiclass classification; got "
            f"{len(target.info.classes[0])} classes."
        )
    columns = table.schema.columns
    directions = read_monotonic(options.monotonic_cst, table.schema.names)
    for info, direction in zip(columns, directions or [0] * len(columns), strict=True):
        if direction and info.kind == Kind.CATEGORICAL:
            raise OptionError(
                f"monotonic_cst must be 0 for column {info.name!r}, whose levels have no order, "
                f"got {direction}. Pass 0, or convert the column to an ordered category."
            )


def single_output_options(options: GrowOptions) -> list[str]:
    """Return the options in use that require a single-output target, as text."""
    texts = [_option_for(grower, options) for grower in options.growers if grower != "search"]
    if options.missing_rule == "surrogate":
        texts.append(f"missing={options.missing!r}")
    names = ("class_prior", "cost_matrix", "monotonic_cst")
    return texts + [name for name in names if getattr(options, name) is not None]


def dense_only_options(options: GrowOptions) -> list[str]:
    """Return the options in use that require a dense table, as text."""
    texts = [_option_for(grower, options) for grower in options.growers if grower != "search"]
    if options.missing_rule in ("surrogate", "fractional"):
        texts.append(f"missing={options.missing!r}")
    return texts if options.rpart is None else ["ceiba.rpart"]


def refuses_missing(options: GrowOptions) -> bool:
    """Whether the options reject tables with missing values."""
    by_ratio = options.missing == "learn" and options.growers[-2:-1] == ("gain_ratio",)
    return options.missing == "error" or by_ratio


def _refuse_missing(table: Table, why: str, advice: str, error: type[Exception]) -> None:
    if table.sparse is not None or table.grower == "shards":
        return  # sparse tables have no missing values; shards/grower.py checks sharded tables
    for column in table.columns:
        missing = column.missing
        if missing.any():
            raise error(
                f"Column {column.info.name!r}: missing values are not supported with {why}, got "
                f"{np.count_nonzero(missing)} (first in row {int(np.argmax(missing))}). {advice}"
            )


def check_counts(values: Any) -> None:
    """Raise scikit-learn's errors for a Poisson target that is negative or sums to 0."""
    if (values < 0).any():
        row = int(np.argmax((values < 0).any(axis=1)))
        raise DataError(
            "Some value(s) of y are negative which is not allowed for Poisson regression "
            f"(first in row {row}). Use criterion='squared_error'."
        )
    if (values.sum(axis=0) <= 0).any():
        raise DataError("Sum of y is not positive which is necessary for Poisson regression.")
