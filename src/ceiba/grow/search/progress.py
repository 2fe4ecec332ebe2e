"""Who is told how far a search is: whoever asks, for as long as the `with` block lasts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

#: Called with objective, lower bound and seconds.
Progress = Callable[[float, float, float], None]

_LISTENER: Final[ContextVar[Progress | None]] = ContextVar("search progress", default=None)


def listener() -> Progress | None:
    """Give the function that wants to be told, if there is one."""
    return _LISTENER.get()


@contextmanager
def watching(tell: Progress) -> Iterator[None]:
    """Have `tell(objective, lower_bound, seconds)` called now and then by searches in the block.

    Examples
    --------
    >>> from ceiba.grow.search.progress import listener, watching
    >>> with watching(print):
    ...     listener() is print
    True
    """
    token = _LISTENER.set(tell)
    try:
        yield
    finally:
        _LISTENER.reset(token)
