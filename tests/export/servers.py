"""Runtimes that run beside this process: a PostgreSQL server, and the Java evaluator of PMML.

Each is started once, on first use, and ends with this process, however that ends.
"""

from __future__ import annotations

import atexit
import getpass
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

#: Runs the server until the pipe to this process closes, which it does even when that is killed.
_WATCHED = '"$@" & read -r _; kill -QUIT $!; wait $!; rm -rf "$PGFOLDER"'


def postgres_folder() -> Path | None:
    """Where PostgreSQL's programs are, or None if a server cannot be started here."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    tool = shutil.which("initdb") or (str(installed[-1]) if installed else None)
    if tool is None or shutil.which("psql") is None:
        return None
    if getpass.getuser() == "root" and shutil.which("runuser") is None:
        return None  # the server refuses to run as root
    return Path(tool).parent


@cache
def psql() -> list[str]:
    """Start a server of our own; give the command that runs psql against it."""
    programs = postgres_folder()
    assert programs is not None
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))  # paths of sockets must be short
    as_user: list[str] = []
    if getpass.getuser() == "root":
        as_user = ["runuser", "-u", "nobody", "--"]
        shutil.chown(folder, "nobody")
    environment = {**os.environ, "HOME": str(folder), "PGFOLDER": str(folder)}
    where = ["-D", str(folder / "data")]
    rules = ["-A", "trust", "-U", "tester", "-E", "UTF8", "--locale=C.UTF-8"]
    made = [*as_user, str(programs / "initdb"), *where, *rules]
    subprocess.run(made, env=environment, cwd=folder, check=True, capture_output=True)
    options = ["listen_addresses=", f"unix_socket_directories={folder}", "fsync=off"]
    words = [str(programs / "postgres"), *where, *(word for one in options for word in ("-c", one))]
    server = subprocess.Popen(
        [*as_user, "sh", "-c", _WATCHED, "sh", *words],
        env=environment,
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert server.stdin is not None
    atexit.register(server.wait)
    atexit.register(server.stdin.close)  # functions registered last run first
    command = ["psql", "-h", str(folder), "-U", "tester", "-d", "postgres", "-X", "-q", "-At"]
    _wait_for(command)
    return command


def _wait_for(command: list[str]) -> None:
    end = time.monotonic() + 120
    while subprocess.run([*command, "-c", "SELECT 1"], capture_output=True, check=False).returncode:
        if time.monotonic() > end:
            raise RuntimeError("PostgreSQL did not start within two minutes")
        time.sleep(0.1)


def has_pmml_evaluator() -> bool:
    """Whether PMML can be run here."""
    packages = ("jpype", "jpmml_evaluator")
    return shutil.which("java") is not None and all(find_spec(name) for name in packages)


@cache
def pmml_evaluator() -> Callable[[Path], Any]:
    """Start Java; give the function that loads a PMML file."""
    import jpmml_evaluator
    from jpmml_evaluator.jpype import JPypeBackend

    backend = JPypeBackend()
    return lambda path: jpmml_evaluator.make_evaluator(str(path), backend=backend).verify()
