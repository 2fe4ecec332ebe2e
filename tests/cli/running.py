"""Commands run in this process, or in one of their own, for the tests of the command line."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

CSV = (
    "clouds,wind,day,RAIN\n8,west,2024-05-01,yes\n7,west,2024-05-02,yes\n6,east,2024-05-03,no\n"
    "1,east,2024-05-04,no\n0,west,2024-05-05,no\nNA,?,2024-05-06,no\n"
)


def run(*arguments: Any, cwd: Path, stdin: bytes | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command line in this process (a process each would take minutes in all)."""
    from ceiba.cli.main import main

    words = [str(one) for one in arguments]
    streams = [io.TextIOWrapper(io.BytesIO(stdin or b""), "utf-8")]
    streams += [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
    code: Any = 0
    before = signal.getsignal(signal.SIGINT)
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.setattr(sys, "argv", ["ceiba", *words])
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        patch.setenv("COLUMNS", "100")
        patch.setenv("CEIBA_DEBUG", "")
        patch.chdir(cwd)
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        finally:
            signal.signal(signal.SIGINT, before)  # main ignores it in the end
    out, error = (stream.buffer.getvalue().decode() for stream in streams[1:])  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(words, code, out, error)


def in_process_of_its_own(*arguments: Any, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ceiba", *map(str, arguments)], cwd=cwd, capture_output=True,
        text=True, check=False, encoding="utf-8", env={**os.environ, "PYTHONUTF8": "1"},
    )  # fmt: skip


def ok(*arguments: Any, cwd: Path, stdin: bytes | None = None) -> str:
    done = run(*arguments, cwd=cwd, stdin=stdin)
    assert done.returncode == 0, done.stderr
    return done.stdout
