"""Commands typed into a real terminal (a pty), one after another, and what then stands on it.

One process runs them all, as a shell would, so that the libraries are loaded once.
"""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
import time
from pathlib import Path

_DRIVER = """
import json, shlex, sys
from ceiba.cli.main import main
for line in json.loads(sys.argv[1]):
    print(f"$ {line}", flush=True)
    line, _, source = line.partition(" < ")
    sys.stdin = open(source) if source else sys.__stdin__
    sys.argv = shlex.split(line)
    code = 0
    try:
        main()
    except SystemExit as end:
        code = end.code or 0
    sys.stdout.flush()
    if code:
        print(f"[exit {code}]", flush=True)
"""


def session(lines: list[str], cwd: Path, seconds: float = 600, columns: int = 100) -> str:
    """Type command lines; give the text on the terminal, as it stands in the end."""
    raw = typed([sys.executable, "-c", _DRIVER, json.dumps(lines)], cwd, seconds, columns)
    return on_screen(raw)


def typed(command: list[str], cwd: Path, seconds: float = 600, columns: int = 100) -> str:
    """Run one command in a terminal of so many columns; give all that it sent there."""
    import fcntl
    import pty
    import struct
    import termios

    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    env = {**os.environ, "PYTHONUTF8": "1", "TERM": "xterm-256color", "COLUMNS": str(columns)}
    process = subprocess.Popen(
        command, cwd=cwd, stdin=follower, stdout=follower, stderr=follower, env=env
    )
    os.close(follower)
    found = b""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if not select.select([leader], [], [], 1.0)[0]:
            continue
        try:
            block = os.read(leader, 65536)
        except OSError:  # Linux: the other side has gone
            break
        if not block:
            break
        found += block
    os.close(leader)
    process.wait(timeout=60)
    return found.decode("utf-8")


def on_screen(raw: str) -> str:
    """Give what stands on the terminal in the end: no colours, no bar that has been wiped off."""
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
