"""Folds of cross-validation: which rows are held out together.

A number of folds is dealt out at random: rows of one class spread evenly (`stratify`), or whole
groups of rows kept together (`groups`), sizes as equal as that allows; there are never more folds
than rows. Folds can also be given: an id for each row, any splitter of scikit-learn, or pairs of
training and test rows. rpart deals rows out without regard to their class (`stratify=False`).
Random means seeded: without a random state the seed is 0, and repeat r of several draws from the
sequence (seed, r).
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError
from ceiba.grow.problem import Problem

Rows = npt.NDArray[np.uint32]
Ids = npt.NDArray[np.intp]

_ALLOWED: Final = (
    "a whole number of at least 2, 'leave-one-out', an array of one fold id per row, a splitter of "
    "scikit-learn, or pairs (training rows, test rows)"
)


@dataclass(frozen=True)
class Fold:
    """Rows to grow a tree on, and rows to try it with."""

    train: Rows
    test: Rows

    def has_weight(self, weight: npt.NDArray[np.float64]) -> bool:
        """Tell whether a row to grow on has a weight above 0."""
        return bool(weight[self.train].any())


def read_folds(
    folds: Any,
    problem: Problem,
    *,
    stratify: bool = True,
    groups: Any = None,
    random_state: Any = None,
    repeat: int = 0,
) -> list[Fold]:
    """Give the folds, in order.

    Parameters
    ----------
    folds : int, "leave-one-out", array-like, splitter, or iterable of (train, test)
    problem : Problem
        Whose rows these are.
    stratify : bool, default=True
        Classification, a number of folds: spread the rows of each class evenly.
    groups : array-like of shape (n_rows,), optional
        Rows of one group stay together.
    random_state : int, RandomState, Generator or None, default=None
        None is the seed 0.
    repeat : int, default=0
        Which of several repetitions.

    Examples
    --------
    >>> from ceiba.grow import GrowOptions
    >>> from ceiba.grow import Problem
    >>> from ceiba.prune.cross_validation.folds import read_folds
    >>> from ceiba.table import read, read_target
    >>> X, y = {"x": [1.0, 2.0, 3.0, 4.0]}, ["a", "b", "a", "b"]
    >>> target = read_target(y, task="classification")
    >>> problem = Problem(read(X), target, GrowOptions(task="classification"))
    >>> [fold.test.tolist() for fold in read_folds(["p", "p", "q", "q"], problem)]
    [[0, 1], [2, 3]]
    """
    n = problem.n_rows
    groups = None if groups is None else ids_of("groups", groups, n)
    if leaves_one_out(folds):
        return _of_ids(np.arange(n)) if groups is None else _of_ids(groups)
    if is_random(folds):
        rng = np.random.default_rng([seed_of(random_state), repeat])
        return _of_ids(_dealt(int(folds), problem, stratify, groups, rng))
    if isinstance(folds, str | bytes | bool | float) or folds is None:
        raise OptionError(f"folds must be {_ALLOWED}. Got {folds!r}.")
    if repeat:
        raise the_same_each_time()
    if hasattr(folds, "split"):
        labels = problem.target.values[:, 0]
        return [_pair(p, n) for p in folds.split(np.zeros((n, 1)), labels, groups)]
    return _given(folds, n)


def leaves_one_out(folds: Any) -> bool:
    """Tell whether every row, or every group of rows, is a fold."""
    return isinstance(folds, str) and folds in ("leave-one-out", "loo")


def the_same_each_time() -> OptionError:
    """Give the error for repeats of folds that are not random."""
    return OptionError("repeats needs a number of folds: other folds are the same each time.")


def is_random(folds: Any) -> bool:
    """Tell whether the folds are a number, dealt out at random."""
    return isinstance(folds, Integral) and not isinstance(folds, bool | np.bool_)


def seed_of(random_state: Any) -> int:
    """Give the seed: None is 0; a generator draws one, so that the next call gets another.

    Examples
    --------
    >>> from ceiba.prune.cross_validation.folds import seed_of
    >>> seed_of(None), seed_of(7)
    (0, 7)
    """
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(np.iinfo(np.int32).max))
    whole = isinstance(random_state, Integral) and not isinstance(random_state, bool)
    if whole and int(random_state) >= 0:
        return int(random_state)
    raise OptionError(
        f"random_state must be None, an int of at least 0, or a numpy generator. Got "
        f"{random_state!r}."
    )


def _dealt(
    n_folds: int, problem: Problem, stratify: bool, groups: Ids | None, rng: np.random.Generator
) -> Ids:
    """Deal rows (or groups) out to the folds."""
    n = problem.n_rows
    if n_folds < 2:
        raise OptionError(f"folds must be at least 2. Got {n_folds}.")
    units = n if groups is None else int(groups.max()) + 1
    if units < 2:
        raise OptionError(f"Folds need at least 2 rows, or groups of rows. There is {units}.")
    n_folds = min(n_folds, units)
    if groups is not None:
        return dealt_groups(groups, n_folds, rng)
    order = rng.permutation(n)
    if stratify and problem.options.task == "classification":
        codes = problem.target.values[order]
        order = order[np.lexsort(codes.T)]
    ids = np.empty(n, np.intp)
    ids[order] = np.arange(n) % n_folds
    return ids


def dealt_groups(groups: Ids, n_folds: int, rng: np.random.Generator) -> Ids:
    """Deal groups of rows out to folds; give the fold of each row."""
    return _lightest_first(np.bincount(groups), n_folds, rng)[groups]


def _lightest_first(sizes: Ids, n_folds: int, rng: np.random.Generator) -> Ids:
    """Put groups, the largest first, each into the fold that has the fewest rows so far."""
    order = rng.permutation(len(sizes))
    order = order[np.argsort(-sizes[order], kind="stable")]
    load = [(0, fold) for fold in range(n_folds)]
    fold_of = np.empty(len(sizes), np.intp)
    for group in order.tolist():
        rows, fold = heapq.heappop(load)
        fold_of[group] = fold
        heapq.heappush(load, (rows + int(sizes[group]), fold))
    return fold_of


def _given(folds: Any, n: int) -> list[Fold]:
    """Read one id per row, or pairs of rows."""
    listed = folds if isinstance(folds, np.ndarray) or hasattr(folds, "dtype") else list(folds)
    if isinstance(listed, list) and listed and isinstance(listed[0], tuple | list):
        return [_pair(pair, n) for pair in listed]
    return _of_ids(ids_of("folds", listed, n))


def ids_of(name: Literal["folds", "groups"], labels: Any, n: int) -> Ids:
    """Give a number to each distinct label."""
    values = np.asarray(labels)
    if values.shape != (n,):
        raise OptionError(
            f"{name} must hold one id for each of the {n} rows. Got shape {values.shape}."
        )
    try:
        codes: Ids = np.unique(values, return_inverse=True)[1]
    except TypeError:
        codes = np.unique(values.astype(str), return_inverse=True)[1]
    if int(codes.max()) == 0:
        raise OptionError(f"{name} must hold at least 2 different ids. All are {values[0]!r}.")
    return codes


def _of_ids(ids: Ids) -> list[Fold]:
    """Hold out the rows of each id in turn."""
    order = np.argsort(ids, kind="stable").astype(np.uint32)
    ends = np.cumsum(np.bincount(ids))
    keep = np.ones(len(ids), bool)
    result = []
    for start, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True):
        test = order[start:end]
        keep[test] = False
        result.append(Fold(np.flatnonzero(keep).astype(np.uint32), test))
        keep[test] = True
    return result


def _pair(pair: Any, n: int) -> Fold:
    if len(pair) != 2:
        raise OptionError(f"folds must be {_ALLOWED}. Got an entry of length {len(pair)}.")
    train, test = (np.asarray(part) for part in pair)
    rows = []
    for name, part in (("training", train), ("test", test)):
        if part.dtype == bool and part.shape == (n,):
            part = np.flatnonzero(part)
        if part.dtype.kind not in "iu" or part.ndim != 1 or len(part) == 0:
            raise OptionError(f"A fold needs {name} rows, as positions. Got {part!r}.")
        if part.min() < 0 or part.max() >= n:
            raise OptionError(f"A fold names {name} row {int(part.max())}; there are {n} rows.")
        rows.append(part)
    if len(np.unique(rows[0])) != len(rows[0]):
        raise OptionError("A fold names a training row twice. Use weights to count rows twice.")
    return Fold(np.sort(rows[0]).astype(np.uint32), rows[1].astype(np.uint32))
