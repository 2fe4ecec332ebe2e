"""Write results to standard output, and messages and progress bars to standard error.

Exit codes: 0 success, 2 usage error, 3 data error, 4 model error, 5 drift above --fail-psi, 1 any
other error, 130 interrupted.
"""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import re
import shutil
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from ceiba.errors import (
    CeibaWarning,
    DataError,
    ModelFileError,
    OptionError,
    OutputError,
    TreeError,
)
from ceiba.formatting import escape_control

if TYPE_CHECKING:
    from ceiba.listing import Block

#: Significant digits of printed numbers.
DIGITS: Final = 4
#: The language of trees, rules, explanations and figures (--lang).
LANG: Final[ContextVar[str]] = ContextVar("language", default="en")
_BAR_DELAY: Final = 1.0  # delay in seconds before a progress bar appears
_CODE: Final = re.compile("(\x1b\\[[0-9;]*m)")
#: Exit codes by error type. The first match applies, and any other error exits with 1.
_EXIT_CODES: Final[tuple[tuple[Any, int], ...]] = (
    (KeyboardInterrupt, 130),
    (OptionError, 2),
    (OutputError, 1),
    (DataError | OSError, 3),
    (ModelFileError | TreeError, 4),
)
_CODES: Final = {"bold": "1", "red": "31", "yellow": "33"}


def get_width(stream: IO[str] | None = None) -> int | None:
    """Return the width of a stream's terminal, or None if it is not a terminal."""
    if not (stream or sys.stdout).isatty():
        return None
    return max(shutil.get_terminal_size().columns, 20)


def has_color(stream: IO[str] | None = None) -> bool:
    """Whether NO_COLOR is unset and a stream is a terminal that supports colors."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return (stream or sys.stdout).isatty() and not plain


def colorize(text: str, code: str, stream: IO[str] | None = None) -> str:
    """Return text in bold or in a color if the stream supports it."""
    return f"\x1b[{_CODES[code]}m{text}\x1b[0m" if has_color(stream) else text


def tree_style() -> dict[str, Any]:
    """Return the options of `Tree.to_text` that suit standard output."""
    return {"unicode": supports_unicode(), "color": has_color(), "width": get_width(),
            "digits": DIGITS, "lang": LANG.get()}  # fmt: skip


def render(value: Any, stream: IO[str] | None = None) -> str:
    """Format a value as text that fits the stream, with escaped control characters.

    A value is a string, a table, an object with `blocks`, or a list of these. Color codes are kept
    if the stream supports them.
    """
    from ceiba.listing import format_blocks  # import late: --help does not need numpy

    return format_blocks(_list_blocks(value, has_color(stream)), get_width(stream))


def _list_blocks(value: Any, has_codes: bool) -> list[Block]:
    from ceiba.listing import Grid

    if isinstance(value, Grid):
        return [value]
    items = value.blocks() if hasattr(value, "blocks") else value
    if isinstance(items, list | tuple):
        return [block for item in items for block in _list_blocks(item, has_codes)]
    parts = _CODE.split(str(value)) if has_codes else [str(value)]
    return ["".join(text if k % 2 else escape_control(text) for k, text in enumerate(parts))]


def answer(value: Any, data: Any, as_json: bool) -> None:
    """Print a result as text (see `render`) or as JSON."""
    if as_json:
        print(json.dumps(plain(data), ensure_ascii=False, indent=1))
    else:
        print(render(value))


def supports_unicode() -> bool:
    """Whether standard output is encoded as UTF-8 or UTF-16."""
    return (sys.stdout.encoding or "").lower().replace("-", "") in ("utf8", "utf16")


def remark(text: str, quiet: bool = False) -> None:
    """Print a message on standard error unless `quiet`."""
    if not text or quiet:
        return
    message = render(text, sys.stderr)
    head = "warning:"
    if message.startswith(head):
        message = colorize(head, "yellow", sys.stderr) + message[len(head) :]
    print(message, file=sys.stderr)


def check_out_path(path: Path | None, option: str = "--out") -> None:
    """Raise an error if an output path is a directory or in a missing directory."""
    if path is None:
        return
    folder = path.parent
    if not folder.is_dir():
        raise OptionError(f"{option} {path}: directory not found: {str(folder)!r}.")
    if path.is_dir():
        raise OptionError(f"{option} must be a file, got the directory {str(path)!r}.")


def plain(value: Any) -> Any:
    """Convert a value to JSON types: arrays to lists, NaN and infinities to None."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {
            key if isinstance(key, str) else str(key): plain(item) for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)


def show_warnings(quiet: bool = False) -> None:
    """Print each ceiba warning once, with flag names; ignore warnings from other packages."""
    from ceiba.cli.options.flags import use_flag_names

    texts: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        text = use_flag_names(str(message))
        if text not in texts:
            texts.add(text)
            remark(f"warning: {text}", quiet)

    warnings.resetwarnings()
    warnings.simplefilter("ignore")
    warnings.simplefilter("always", CeibaWarning)
    # `learn` prints a warning about identifiers that names a flag, so ignore this warning.
    warnings.filterwarnings("ignore", message=".* is an identifier: at least")
    warnings.showwarning = show


def is_disk_full(error: BaseException) -> bool:
    """Whether an error was caused by a full disk."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)


def format_os_error(error: OSError) -> str:
    """Return the message of an operating system error for an input or output file."""
    if is_disk_full(error):
        return f"Cannot write the output: {error.strerror}."
    if error.strerror is None or error.filename is None:
        return str(error) or type(error).__name__
    return f"Cannot read {error.filename!r}: {error.strerror}."


def exit_code(error: BaseException) -> int:
    """Return the exit code of an error."""
    if is_disk_full(error):
        return 1
    return next((code for kinds, code in _EXIT_CODES if isinstance(error, kinds)), 1)


@contextlib.contextmanager
def progress(label: str, total: int, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Show a transient progress bar if the work takes longer than a second."""
    if quiet or not sys.stderr.isatty():
        yield lambda done: None
        return
    began = time.monotonic()
    bars: list[Any] = []

    def advance(done: int) -> None:
        if not bars and time.monotonic() - began > _BAR_DELAY:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                Progress,
                TaskProgressColumn,
                TextColumn,
                TimeRemainingColumn,
            )

            columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(),
                       TimeRemainingColumn())  # fmt: skip
            bars.append(Progress(*columns, console=Console(stderr=True), transient=True))
            bars[0].start()
            bars[0].add_task(label, total=total or None)
        if bars:
            bars[0].update(0, completed=done)

    try:
        yield advance
    finally:
        if bars:
            bars[0].stop()


@contextlib.contextmanager
def spinner(label: str, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Show a spinner during work of unknown length."""
    if quiet or not sys.stderr.isatty():
        yield lambda words: None
        return
    from rich.console import Console

    with Console(stderr=True).status(label) as status:
        yield lambda words: status.update(words)
