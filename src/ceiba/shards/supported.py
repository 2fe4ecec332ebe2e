"""What growing over shards knows; all else is refused by name, before any pass over the data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ceiba.errors import OptionError
from ceiba.grow.grow_options import GrowOptions
from ceiba.task import Task

_CRITERIA: Final = {
    Task.CLASSIFICATION: (
        "gini",
        "entropy",
        "log_loss",
        "error",
        "hellinger",
    ),
    Task.REGRESSION: ("squared_error", "friedman_mse", "poisson"),
}
#: Fractional only where nothing is missing: see `grower.py`.
_MISSING: Final = ("learn", "majority", "error", "fractional")
#: Options of growing that hold over shards, besides the criterion and the rule for missing values.
_KNOWN: Final = frozenset(
    {
        "task",
        "criterion",
        "missing",
        "max_depth",
        "max_leaf_nodes",
        "max_bins",
        "min_samples_split",
        "min_samples_leaf",
        "min_weight_fraction_leaf",
        "min_impurity_decrease",
        "class_prior",
        "cost_matrix",
        "column_cost",
        "monotonic_cst",
        "categorical_splits",
        "unseen",
        "n_jobs",
        "seed",
    }
)


def check_supported(options: GrowOptions) -> None:
    """Refuse options that a table beyond memory does not know."""
    criteria = options.task.of(_CRITERIA, "A table beyond memory")
    _refuse_value("criterion", options.criterion_name, criteria)
    _refuse_value("missing", options.missing_rule, _MISSING)
    for name, value in options.stated.items():
        if name not in _KNOWN:
            raise refusal(name, value)
    if options.empty_branches and not options.task.has_classes:
        raise refusal("categorical_splits", options.categorical_splits)


def check_parameters(stated: Mapping[str, Any], known: frozenset[str]) -> None:
    """Refuse parameters of an estimator, by name, that are not options of growing and not known."""
    for name, value in stated.items():
        if name not in known and name not in _KNOWN and name != "random_state":
            raise refusal(name, value)


def refusal(name: str, value: Any) -> OptionError:
    """Give the error for an option that needs the whole table."""
    return OptionError(
        f"{name}={value!r} needs a table in memory, and this one is beyond it. Leave {name} out, "
        "or read the table, or a sample of it."
    )


def _refuse_value(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        listed = ", ".join(map(repr, known))
        raise OptionError(
            f"{name}={value!r} needs a table in memory, and this one is beyond it. There, {name} "
            f"is one of {listed}."
        )
