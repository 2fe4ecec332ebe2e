"""Progress of cross-validation: the folds done, reported to whoever asks inside a `with` block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_LISTENER: Final[ContextVar[Callable[[int, int], None] | None]] = ContextVar("folds", default=None)


def fold_listener() -> Callable[[int, int], None] | None:
    """Give the function that wants to be told, if there is one."""
    return _LISTENER.get()


@contextmanager
def watching_folds(tell: Callable[[int, int], None]) -> Iterator[None]:
    """Have `tell(done, total)` called after each fold of cross-validations in the block.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.prune.cross_validation.progress import watching_folds
    >>> X, y = [[i] for i in range(20)], ["a", "b"] * 10
    >>> with watching_folds(lambda done, total: print(f"{done} of {total}")):
    ...     _ = ceiba.DecisionTreeClassifier(prune=ceiba.CostComplexity(folds=2)).fit(X, y)
    1 of 2
    2 of 2
    """
    token = _LISTENER.set(tell)
    try:
        yield
    finally:
        _LISTENER.reset(token)
