"""Folds of cross-validation, that is, sets of rows that are held out together.

By default the core assigns rows to folds at random. It spreads the rows of each class evenly
(`stratify`; rpart does not) or keeps groups of rows together (`groups`). Folds are as equal in size
as possible, and there are at most as many folds as rows. Folds can also be an id for each row, any
splitter of scikit-learn, or pairs of training and test rows. The default seed is 0; each repeat
assigns the rows again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.errors import OptionError
from ceiba.grow import GrowOptions, Problem
from ceiba.tree import Tree

Rows = npt.NDArray[np.uint32]
Ids = npt.NDArray[np.intp]
#: Maximum number of folds for a table that is read in shards.
_MOST_FOLDS: Final = 1000
_LEAVE_ONE_OUT: Final = ("leave-one-out", "loo")  # each fold is one row or one group

_ALLOWED: Final = (
    "an integer of at least 2, 'leave-one-out', an array of one fold id per row, a splitter of "
    "scikit-learn, or pairs (training rows, test rows)"
)


@dataclass(frozen=True)
class Fold:
    """Training rows and held-out (test) rows of a fold, as row indices."""

    train: Rows
    test: Rows

    def has_weight(self, weight: npt.NDArray[np.float64]) -> bool:
        """Whether any training row has a positive weight."""
        return bool(weight[self.train].any())


@dataclass(frozen=True)
class GrownFold(Fold):
    """Test rows of a fold, a tree grown on all other rows, and the end nodes of the test rows."""

    tree: Tree = field(repr=False)
    ends: npt.NDArray[np.int32] = field(repr=False)

    def has_weight(self, weight: npt.NDArray[np.float64]) -> bool:
        """Whether any row outside the fold has a positive weight."""
        return bool(np.count_nonzero(weight) > np.count_nonzero(weight[self.test]))


def read_folds(
    folds: Any,
    problem: Problem,
    *,
    stratify: bool = True,
    groups: Any = None,
    random_state: Any = None,
    repeat: int = 0,
) -> list[Fold]:
    """Return the folds that the option `folds` specifies, in order."""
    n = problem.n_rows
    is_array = hasattr(folds, "dtype") or not isinstance(folds, Iterable)
    folds = folds if is_array or isinstance(folds, str | bytes) else list(folds)
    ids = fold_ids(
        folds, problem, stratify=stratify, groups=groups, random_state=random_state, repeat=repeat
    )
    if ids is not None:  # each fold holds out the rows of one id
        order = np.argsort(ids, kind="stable").astype(np.uint32)
        keep = np.ones(n, bool)
        held_out = []
        for test in np.split(order, np.cumsum(np.bincount(ids))[:-1]):
            keep[test] = False
            held_out.append(Fold(np.flatnonzero(keep).astype(np.uint32), test))
            keep[test] = True
        return held_out
    if hasattr(folds, "split"):
        codes = None if groups is None else encode_ids("groups", groups, n)
        folds = folds.split(np.zeros((n, 1)), problem.target.values[:, 0], codes)
    return [_read_pair(pair, n) for pair in folds]


def fold_ids(
    folds: Any, problem: Problem, *, stratify: bool, groups: Any, random_state: Any, repeat: int
) -> Ids | Rows | None:
    """Return the fold id of each row, or None if `folds` is a splitter or pairs of rows."""
    n = problem.n_rows
    codes = None if groups is None else encode_ids("groups", groups, n)
    if isinstance(folds, str) and folds in _LEAVE_ONE_OUT:
        return np.arange(n) if codes is None else codes
    if not isinstance(folds, Integral) or isinstance(folds, bool):
        if isinstance(folds, str | bytes | bool | float) or folds is None:
            raise OptionError(f"folds must be {_ALLOWED}, got {folds!r}.")
        if repeat:
            raise OptionError("repeats requires random folds. Pass an integer as folds.")
        return encode_ids("folds", folds, n) if _are_ids(folds) else None
    seed = read_seed(random_state)
    if folds < 2:
        raise OptionError(f"folds must be at least 2, got {int(folds)}.")
    units = n if codes is None else int(codes.max()) + 1
    if units < 2:
        raise OptionError(f"Folds require at least 2 samples (rows or groups), got {units} sample.")
    strata: Any = None
    ids: Any = None if codes is None else codes.astype(np.uint32)
    if ids is None and stratify and problem.options.task.has_classes:
        classes = problem.target.values
        strata = classes[:, 0]
        if classes.shape[1] > 1:
            strata = np.unique(classes, axis=0, return_inverse=True)[1].reshape(n)
        strata = strata.astype(np.uint32)
    fold: Any = _core.deal_folds(
        n, min(int(folds), units), seed % 2**64, repeat, strata=strata, groups=ids
    )
    return np.asarray(fold)


def _are_ids(folds: Any) -> bool:
    """Whether `folds` contains one id per row, and is not a splitter or pairs of rows."""
    pairs = isinstance(folds, list) and folds and isinstance(folds[0], tuple | list)
    return not (pairs or hasattr(folds, "split"))


def check_shard_folds(folds: Any, groups: Any, options: GrowOptions) -> None:
    """Raise an error for folds and options that require a table in memory."""
    if options.missing_rule == "fractional":
        raise OptionError(
            "Cross-validation with missing='fractional' is not supported for tables larger than "
            "memory. Use missing='learn' or 'majority'."
        )
    if isinstance(folds, Integral) and not isinstance(folds, bool):
        n_folds = int(folds)
    elif isinstance(folds, str) and folds in _LEAVE_ONE_OUT:
        n_folds = _MOST_FOLDS + 1 if groups is None else len(np.unique(groups))
    else:
        n_folds = len(np.unique(folds)) if _are_ids(folds) else _MOST_FOLDS + 1
    if n_folds > _MOST_FOLDS:
        raise OptionError(
            f"folds={folds!r} is not supported for tables larger than memory. Pass an integer from "
            f"2 to {_MOST_FOLDS}, or an array of one fold id per row with at most {_MOST_FOLDS} "
            "different ids."
        )


def read_seed(random_state: Any) -> int:
    """Return an integer seed: the given integer, 0 for None, or a draw from a generator."""
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(np.iinfo(np.int32).max))
    is_integer = isinstance(random_state, Integral) and not isinstance(random_state, bool)
    if is_integer and int(random_state) >= 0:
        return int(random_state)
    raise OptionError(
        "random_state must be None, a non-negative int, a RandomState or a Generator, got "
        f"{random_state!r}."
    )


def encode_ids(name: Literal["folds", "groups"], labels: Any, n: int) -> Ids:
    """Return the index of each label among the sorted distinct labels."""
    values = np.asarray(labels)
    if values.shape != (n,):
        raise OptionError(
            f"{name} must have one id for each of the {n} rows, got shape {values.shape}."
        )
    try:
        codes: Ids = np.unique(values, return_inverse=True)[1]
    except TypeError:
        codes = np.unique(values.astype(str), return_inverse=True)[1]
    if int(codes.max()) == 0:
        raise OptionError(f"{name} must have at least 2 different ids, got only {values[0]!r}.")
    return codes


def _read_pair(pair: Any, n: int) -> Fold:
    if len(pair) != 2:
        raise OptionError(f"folds must be {_ALLOWED}, got an entry of length {len(pair)}.")
    train, test = (np.asarray(indices) for indices in pair)
    rows = []
    for name, indices in (("training", train), ("test", test)):
        if indices.dtype == bool and indices.shape == (n,):
            indices = np.flatnonzero(indices)
        if indices.dtype.kind not in "iu" or indices.ndim != 1 or len(indices) == 0:
            raise OptionError(
                f"The {name} rows of a fold must be row numbers or {n} booleans, got {indices!r}."
            )
        outside = indices[(indices < 0) | (indices >= n)]
        if len(outside):
            raise OptionError(
                f"The {name} rows of a fold must be from 0 to {n - 1}, got {int(outside[0])}."
            )
        rows.append(indices)
    if len(np.unique(rows[0])) != len(rows[0]):
        raise OptionError("Training rows of a fold must be distinct. Use weights to repeat rows.")
    return Fold(np.sort(rows[0]).astype(np.uint32), rows[1].astype(np.uint32))
