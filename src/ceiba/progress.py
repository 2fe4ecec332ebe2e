"""Report the progress of long computations to listeners that a `with` block installs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, Final

#: One listener per kind of work, called with (objective, lower_bound, seconds) for "search", (done,
#: total) for "folds", and (what, total) for "bar", whose listener returns a context manager.
_LISTENERS: Final[ContextVar[dict[str, Callable[..., Any]]]] = ContextVar("progress")


def find_listener(work: str) -> Callable[..., Any] | None:
    """Return the listener for a kind of work (such as "folds"), or None if there is none."""
    return _LISTENERS.get({}).get(work)


@contextmanager
def progress_listeners(**listeners: Callable[..., Any]) -> Iterator[None]:
    """Install progress listeners, one per kind of work, for the `with` block."""
    token = _LISTENERS.set(_LISTENERS.get({}) | listeners)
    try:
        yield
    finally:
        _LISTENERS.reset(token)


@contextmanager
def progress_bar(label: str, total: int, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Yield a function that reports progress to the listener, if there is one, unless `quiet`."""
    listener = None if quiet else find_listener("bar")
    if listener is None:
        yield lambda done: None
        return
    bar: AbstractContextManager[Callable[[int], None]] = listener(label, total)
    with bar as advance:
        yield advance
