"""Progress of long work, reported to listeners while a `with` block lasts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, Final

#: By kind of work: "search" calls `listener(objective, lower_bound, seconds)`, "folds" calls
#: `listener(done, total)`, "bar" returns a context of `advance(done)` for `listener(what, total)`.
_LISTENERS: Final[ContextVar[dict[str, Callable[..., Any]]]] = ContextVar("progress")


def find_listener(work: str) -> Callable[..., Any] | None:
    """Return the listener of a kind of work, if there is one."""
    return _LISTENERS.get({}).get(work)


@contextmanager
def progress_listeners(**listeners: Callable[..., Any]) -> Iterator[None]:
    """Report the progress of work done in the block to listeners, by kind of work."""
    token = _LISTENERS.set(_LISTENERS.get({}) | listeners)
    try:
        yield
    finally:
        _LISTENERS.reset(token)


@contextmanager
def progress_bar(what: str, total: int, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Yield a function of the amount done, which moves a bar where somebody shows one."""
    listener = None if quiet else find_listener("bar")
    if listener is None:
        yield lambda done: None
        return
    bar: AbstractContextManager[Callable[[int], None]] = listener(what, total)
    with bar as advance:
        yield advance
