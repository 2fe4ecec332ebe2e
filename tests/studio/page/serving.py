"""The studio as a person starts it: `ceiba studio` in a process of its own."""

from __future__ import annotations

import queue
import re
import subprocess
import sys
import threading
import urllib.request
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ceiba.cli.options.shared_options import ReadingFlags
from ceiba.cli.studio_job import open_table
from ceiba.studio.launch import Address, initial_setup, open_workspace, run
from ceiba.studio.work.workspace import Workspace


@dataclass(frozen=True)
class Served:
    """A running studio.

    Attributes
    ----------
    address : str
        Of its page, with the token.
    process : Popen
    """

    address: str
    process: subprocess.Popen[str]


@contextmanager
def serve(data: Path | str, *flags: str, folder: Path | None = None) -> Iterator[Served]:
    """Start a studio on a table, or on a lesson, and end it again."""
    command = [sys.executable, "-m", "ceiba", "studio", "--no-browser", str(data), *flags]
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        assert process.stdout is not None
        said: list[str] = []
        for line in process.stdout:
            said.append(line)
            if found := re.search(r"http://\S+", "".join(said)):
                break
        else:
            raise AssertionError("".join(said))
        yield Served(found.group(), process)
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


@contextmanager
def serve_table(data: Path, target: str) -> Iterator[str]:
    """Serve a new workspace of a file from this process; give its address."""
    source, name = open_table(str(data), target, ReadingFlags(), None)
    path = data.with_name(f"{data.name}.studio")
    setup = initial_setup(source, name, {})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as the command says them
        workspace = open_workspace(source, setup, path, "en", None, defer_root=True)
        with serve_here(workspace) as address:
            yield address


@contextmanager
def serve_here(workspace: Workspace) -> Iterator[str]:
    """Serve a workspace from this process, whose functions a test may hold up; give its address."""
    told: queue.Queue[str] = queue.Queue()
    options = {"browser": False, "tell": told.put}
    thread = threading.Thread(target=run, args=(workspace, Address()), kwargs=options, daemon=True)
    thread.start()
    address = told.get(timeout=60).split()[-1]
    try:
        yield address
    finally:
        place, _, token = address.partition("?token=")
        closing = urllib.request.Request(
            f"{place}api/close", data=b"{}", headers={"X-Ceiba-Token": token}, method="POST"
        )
        urllib.request.urlopen(closing).close()
        thread.join(20)
