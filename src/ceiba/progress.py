"""Report the progress of long computations to listeners that a `with` block installs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, Final

#: One listener per kind of work. "search" is called with (objective, lower_bound, seconds), "folds"
#: with (done, total). "bar" is called with (what, total) and yields `advance(done)` in a context.
_LISTENERS: Final[ContextVar[dict[str, Callable[..., Any]]]] = ContextVar("progress")


def find_listener(work: str) -> Callable[..., Any] | None:
    """Return the listener for a kind of work, or None."""
    return _LISTENERS.get({}).get(work)


@contextmanager
def progress_listeners(**listeners: Callable[..., Any]) -> Iterator[None]:
    """Report progress inside the block to these listeners, one per kind of work."""
    token = _LISTENERS.set(_LISTENERS.get({}) | listeners)
    try:
        yield
    finally:
        _LISTENERS.reset(token)


@contextmanager
def progress_bar(what: str, total: int, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Yield a function that takes the amount done; without a listener it does nothing."""
    listener = None if quiet else find_listener("bar")
    if listener is None:
        yield lambda done: None
        return
    bar: AbstractContextManager[Callable[[int], None]] = listener(what, total)
    with bar as advance:
        yield advance
