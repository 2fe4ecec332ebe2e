"""What the commands say: answers on the standard output, remarks on the standard error.

Exit codes: 0 done, 2 wrong usage, 3 something wrong with the data, 4 with the model or its file,
5 drift above --fail-psi, 1 anything else, 130 interrupted.
"""

from __future__ import annotations

import errno
import json
import math
import shutil
import sys
import textwrap
import warnings
from pathlib import Path
from typing import Any

from ceiba.visible import visible


def answer(text: str, data: Any, as_json: bool) -> None:
    """Print an answer as text, or as JSON."""
    print(json.dumps(plain(data), ensure_ascii=False, indent=1) if as_json else visible(text))


def remark(text: str, quiet: bool = False) -> None:
    """Print a remark, unless silence was asked for."""
    if not quiet:
        print(visible(text), file=sys.stderr)


def wrapped(text: str) -> str:
    """Break prose into lines as wide as the terminal, at most 100 characters.

    Examples
    --------
    >>> from ceiba.cli.output import wrapped
    >>> max(map(len, wrapped("word " * 50).splitlines())) <= 100
    True
    """
    width = min(shutil.get_terminal_size().columns, 100)
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)


def check_out(path: Path | None, option: str = "--out") -> None:
    """Refuse a file that cannot be written before the work is done."""
    from ceiba.errors import OptionError

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
    >>> from ceiba.cli.output import plain
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
    """Show warnings of ceiba as one line each, and no others."""
    from ceiba.errors import CeibaWarning

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        remark(f"warning: {message}", quiet)

    warnings.resetwarnings()
    warnings.simplefilter("ignore")
    warnings.simplefilter("always", CeibaWarning)
    warnings.showwarning = show


def is_full(error: BaseException) -> bool:
    """Tell whether there was no room for what was written, be it to the standard output."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)


def exit_code(error: BaseException) -> int:
    """Give the exit code of an error.

    Examples
    --------
    >>> from ceiba.cli.output import exit_code
    >>> from ceiba.errors import DataError, OptionError
    >>> exit_code(OptionError("x")), exit_code(DataError("x"))
    (2, 3)
    """
    from ceiba.errors import DataError, ModelFileError, OptionError, OutputError, TreeError

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
