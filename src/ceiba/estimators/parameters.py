"""Parameters of the estimators: allowed values, the seed, and how they become `GrowOptions`.

Only parameters that differ from their default are looked at, so a fit of a tiny table does not pay
for thirty checks.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache
from numbers import Integral
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from ceiba.criteria import Task
from ceiba.errors import CeibaWarning, OptionError
from ceiba.grow import GrowOptions, resolve_min_leaf, resolve_min_split
from ceiba.grow.options import ALLOWED_FOR
from ceiba.options import Check, check_options
from ceiba.options.checks import array_like, boolean, instance, nothing, number, one_of
from ceiba.prune import PRUNING_NAMES, Pruning

__all__ = ["ALLOWED_BY_TASK", "check_stated", "grow_options", "seed_of", "warn_of_idle_split"]

_SHARED: Final[dict[str, tuple[Check, ...]]] = {
    "random_state": (
        Check(
            "an int in the range [0, 4294967295]",
            lambda value: (
                isinstance(value, Integral)
                and not isinstance(value, bool)
                and 0 <= int(value) < 2**32
            ),
        ),
        instance("an instance of 'numpy.random.mtrand.RandomState'", np.random.RandomState),
        nothing,
    ),
    "ccp_alpha": (number(0.0),),
    "categorical_features": (one_of("from_dtype"), array_like(), nothing),
    "prune": (
        nothing,
        one_of(*PRUNING_NAMES),
        instance("a pruning object of ceiba.prune", Pruning),
    ),
    "drop_missing_target": (boolean,),
}

_CLASSIFIER: Final[dict[str, tuple[Check, ...]]] = {
    "class_weight": (
        instance("a dict", dict),
        instance("a list of dicts", list),
        one_of("balanced"),
        nothing,
    ),
}


#: What each parameter of an estimator may be, by task and name.
ALLOWED_BY_TASK: Final[Mapping[Task, Mapping[str, tuple[Check, ...]]]] = MappingProxyType(
    {
        "classification": {**ALLOWED_FOR["classification"], **_SHARED, **_CLASSIFIER},
        "regression": {**ALLOWED_FOR["regression"], **_SHARED},
    }
)

_GROW_FIELDS: Final = frozenset(field.name for field in fields(GrowOptions))


def check_stated(stated: Mapping[str, Any], task: Task, owner: str) -> None:
    """Refuse wrong values, and values that exclude each other.

    Parameters
    ----------
    stated : mapping
        The parameters that are not at their default.
    """
    if not stated:
        return
    check_options(stated, ALLOWED_BY_TASK[task], owner)
    if stated.get("class_weight") is not None and stated.get("class_prior") is not None:
        raise OptionError(
            "class_weight and class_prior both change how much a class counts. Give one of them."
        )
    if stated.get("prune") is not None and stated.get("ccp_alpha", 0.0) > 0:
        raise OptionError(
            f"prune={stated['prune']!r} and ccp_alpha={stated['ccp_alpha']!r} both prune the tree. "
            "Give one of them."
        )


def grow_options(stated: Mapping[str, Any], task: Task) -> GrowOptions:
    """Give the options of growing that the stated parameters mean."""
    chosen = {name: value for name, value in stated.items() if name in _GROW_FIELDS}
    if "random_state" in stated:
        chosen["seed"] = seed_of(stated["random_state"])
    if all(type(value) in _PLAIN for value in chosen.values()):
        return _shared_options(task, **chosen)
    return GrowOptions(task=task, **chosen)


_PLAIN: Final = (int, float, str, bool)  # the others need not have a hash, or a lasting one


@lru_cache(maxsize=64, typed=True)  # typed: 2 rows are not the fraction 2.0
def _shared_options(task: Task, **chosen: Any) -> GrowOptions:
    """Give the same object for the same options: what follows from them is kept there."""
    return GrowOptions(task=task, **chosen)


def seed_of(random_state: Any) -> int:
    """Give the seed: None is 0, a RandomState draws one (so the next fit gets another).

    Examples
    --------
    >>> from ceiba.estimators.parameters import seed_of
    >>> seed_of(None), seed_of(42)
    (0, 42)
    """
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    return int(random_state)


def warn_of_idle_split(stated: Mapping[str, Any], n_rows: int) -> None:
    """Say that `min_samples_split` does nothing when `min_samples_leaf` asks for as much."""
    if "min_samples_split" not in stated or "min_samples_leaf" not in stated:
        return
    leaf = resolve_min_leaf(stated["min_samples_leaf"], n_rows)
    split = resolve_min_split(stated["min_samples_split"], 0, n_rows)
    if leaf >= split:
        warnings.warn(
            f"min_samples_split={stated['min_samples_split']!r} has no effect: "
            f"min_samples_leaf={stated['min_samples_leaf']!r} lets only nodes of at least "
            f"{2 * leaf} rows be split. Leave one of them out.",
            CeibaWarning,
            stacklevel=4,
        )
