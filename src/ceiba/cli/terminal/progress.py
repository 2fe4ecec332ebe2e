"""Progress bars: on long work, on a terminal, on the standard error; nowhere else."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

_PATIENCE: Final = 1.0  # seconds before a bar appears


def _wanted(quiet: bool) -> bool:
    return not quiet and sys.stderr.isatty()


def _console() -> Any:
    from rich.console import Console

    return Console(stderr=True)


@contextlib.contextmanager
def progress(what: str, total: int, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Show how much of some work is done, once it has taken a second; the bar goes when it ends."""
    if not _wanted(quiet):
        yield lambda done: None
        return
    began = time.monotonic()
    shown: list[Any] = []

    def tell(done: int) -> None:
        if not shown and time.monotonic() - began > _PATIENCE:
            from rich.progress import (
                BarColumn,
                Progress,
                TaskProgressColumn,
                TextColumn,
                TimeRemainingColumn,
            )

            columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(),
                       TimeRemainingColumn())  # fmt: skip
            shown.append(Progress(*columns, console=_console(), transient=True))
            shown[0].start()
            shown[0].add_task(what, total=total or None)
        if shown:
            shown[0].update(0, completed=done)

    try:
        yield tell
    finally:
        if shown:
            shown[0].stop()


@contextlib.contextmanager
def busy(what: str, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Show that work of unknown length goes on; the sign goes when it ends."""
    if not _wanted(quiet):
        yield lambda words: None
        return
    with _console().status(what) as status:
        yield lambda words: status.update(words)
