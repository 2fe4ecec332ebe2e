"""What the commands say: answers on the standard output, remarks on the standard error.

Exit codes: 0 done, 2 wrong usage, 3 something wrong with the data, 4 with the model or its file,
5 drift above --fail-psi, 1 anything else, 130 interrupted.
"""

from __future__ import annotations

import errno
import json
import math
import sys
import warnings
from pathlib import Path
from typing import Any

from ceiba.cli.terminal.screen import colored, fitted
from ceiba.errors import (
    CeibaWarning,
    DataError,
    ModelFileError,
    OptionError,
    OutputError,
    TreeError,
)


def answer(text: Any, data: Any, as_json: bool) -> None:
    """Print an answer as text that fits the terminal, or as JSON."""
    if as_json:
        print(json.dumps(plain(data), ensure_ascii=False, indent=1))
    else:
        print(fitted(text))


def can_unicode() -> bool:
    """Tell whether the standard output takes more than ASCII."""
    return (sys.stdout.encoding or "").lower().replace("-", "") in ("utf8", "utf16")


def remark(text: str, quiet: bool = False) -> None:
    """Print a remark, unless silence was asked for."""
    if not text or quiet:
        return
    shown = fitted(text, sys.stderr)
    head = "warning:"
    if shown.startswith(head):
        shown = colored(head, "yellow", sys.stderr) + shown[len(head) :]
    print(shown, file=sys.stderr)


def check_out(path: Path | None, option: str = "--out") -> None:
    """Refuse a file that cannot be written before the work is done."""
    if path is None:
        return
    folder = path.parent
    if not folder.is_dir():
        raise OptionError(f"{option} {path}: there is no folder {str(folder)!r}. Make it first.")
    if path.is_dir():
        raise OptionError(f"{option} {path}: that is a folder. Name a file.")


def plain(value: Any) -> Any:
    """Give figures as JSON has them: arrays as lists, NaN and infinities as null.

    Examples
    --------
    >>> from ceiba.cli.terminal.output import plain
    >>> plain({"a": (1.5, float("nan")), 2: "x"})
    {'a': [1.5, None], '2': 'x'}
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {key if isinstance(key, str) else str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)


def warn_in_words(quiet: bool = False) -> None:
    """Show warnings of ceiba once each, in the words of the command line, and no others."""
    from ceiba.cli.options.option_words import in_flag_words

    shown: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        text = in_flag_words(str(message))
        if text not in shown:
            shown.add(text)
            remark(f"warning: {text}", quiet)

    warnings.resetwarnings()
    warnings.simplefilter("ignore")
    warnings.simplefilter("always", CeibaWarning)
    # What is said after reading says this with the option that helps.
    warnings.filterwarnings("ignore", message=".*nearly every row has a level of its own")
    warnings.showwarning = show


def is_full(error: BaseException) -> bool:
    """Tell whether there was no room for what was written, be it to the standard output."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)


def of_system(error: OSError) -> str:
    """Say in our words what the system refused: reading a file, or writing what is printed.

    Examples
    --------
    >>> from ceiba.cli.terminal.output import of_system
    >>> of_system(PermissionError(13, "Permission denied", "data.csv"))
    "Cannot read 'data.csv': Permission denied."
    """
    if is_full(error):
        return f"Cannot write the output: {error.strerror}."
    if error.strerror is None or error.filename is None:
        return str(error) or type(error).__name__
    return f"Cannot read {error.filename!r}: {error.strerror}."


def exit_code(error: BaseException) -> int:
    """Give the exit code of an error.

    Examples
    --------
    >>> from ceiba.cli.terminal.output import exit_code
    >>> from ceiba.errors import DataError, OptionError
    >>> exit_code(OptionError("x")), exit_code(DataError("x"))
    (2, 3)
    """
    if isinstance(error, KeyboardInterrupt):
        return 130
    if isinstance(error, OptionError):
        return 2
    if isinstance(error, OutputError) or is_full(error):
        return 1
    if isinstance(error, DataError | OSError):
        return 3
    if isinstance(error, ModelFileError | TreeError):
        return 4
    return 1
