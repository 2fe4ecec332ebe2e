"""Commands typed into a real terminal (a pty), one after another, and what then stands on it."""

from __future__ import annotations

import io
import os
import re
import shlex
import signal
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest


def session(lines: list[str], cwd: Path, columns: int = 100) -> str:
    """Type command lines; return the text that stands on the terminal in the end."""
    return on_screen(raw_session(lines, cwd, columns))


def raw_session(lines: list[str], cwd: Path, columns: int = 100) -> str:
    """Run command lines in this process, in a terminal of so many columns; return all they sent."""
    leader, follower = _open_terminal(columns)
    blocks: list[bytes] = []
    reader = threading.Thread(target=_read_all, args=(leader, blocks))
    reader.start()
    with (
        pytest.MonkeyPatch.context() as patch,
        os.fdopen(follower, "r", encoding="utf-8") as keys,
        os.fdopen(os.dup(follower), "w", encoding="utf-8", buffering=1) as screen,
    ):
        patch.setattr(sys, "stdout", screen)
        patch.setattr(sys, "stderr", screen)
        patch.setenv("TERM", "xterm-256color")
        patch.setenv("COLUMNS", str(columns))
        patch.chdir(cwd)
        for line in lines:
            print(f"$ {line}", flush=True)
            words, _, source = line.partition(" < ")
            answers = io.StringIO((cwd / source).read_text("utf-8")) if source else keys
            patch.setattr(sys, "stdin", answers)
            patch.setattr(sys, "argv", shlex.split(words))
            if code := _exit_code():
                print(f"[exit {code}]", flush=True)
    reader.join(60)
    os.close(leader)
    return b"".join(blocks).decode("utf-8")


def _exit_code() -> Any:
    from ceiba.cli.main import main

    handler = signal.getsignal(signal.SIGINT)
    with warnings.catch_warnings():
        try:
            main()
        except SystemExit as end:
            return end.code or 0
        finally:
            signal.signal(signal.SIGINT, handler)  # main ignores it in the end
    return 0


def _open_terminal(columns: int) -> tuple[int, int]:
    import fcntl
    import pty
    import struct
    import termios

    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    return leader, follower


def _read_all(leader: int, blocks: list[bytes]) -> None:
    try:
        while block := os.read(leader, 65536):
            blocks.append(block)
    except OSError:  # Linux: the other side has gone
        pass


def on_screen(raw: str) -> str:
    """Return what stands on the terminal in the end: no colours, no bar that has been wiped off."""
    lines = [""]
    at = 0
    for part in re.split(r"(\x1b\[[0-9;?]*[A-Za-z]|\r\n|\n|\r)", raw):
        if part in ("\n", "\r\n"):
            at += 1
            if at == len(lines):
                lines.append("")
        elif part.endswith("A") and part.startswith("\x1b"):  # the line above
            at = max(at - int(part[2:-1] or 1), 0)
        elif part == "\r" or (part.startswith("\x1b") and part.endswith("K")):
            lines[at] = ""  # whatever comes next is as long as what was there, or wipes it first
        elif not part.startswith("\x1b"):
            lines[at] += part
    return "\n".join(lines)
