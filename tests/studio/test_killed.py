"""A server that is killed in the middle of the work: nothing that was acknowledged is lost."""

from __future__ import annotations

import csv
import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from ceiba.cli.options.shared_options import ReadingFlags
from ceiba.studio.launch import initial_setup
from ceiba.studio.service import Service
from ceiba.studio.work.workspace import Workspace
from tests.cli.running import run
from tests.marks import slow
from tests.studio.random_work import frame, random_action
from tests.studio.serving import Talk

pytest.importorskip("uvicorn")
if not hasattr(signal, "SIGKILL"):
    pytest.skip("this system has no SIGKILL", allow_module_level=True)


class Server:
    """A studio in a process of its own."""

    def __init__(self, data: Path) -> None:
        command = [sys.executable, "-m", "ceiba", "studio", str(data), "--no-browser", "-t", "buys"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        self.said = []
        for line in self.process.stderr:
            self.said.append(line)
            if "open at http" in line:
                break
        else:
            raise AssertionError("".join(self.said))
        url = urlsplit(line.split()[-1])
        assert url.hostname is not None
        self.address = (url.hostname, url.port)
        self.token = parse_qs(url.query)["token"][0]

    def ask(self, method: str, address: str, body: Any = None) -> tuple[int, Any]:
        talk = http.client.HTTPConnection(*self.address, timeout=60)
        try:
            content = None if body is None else json.dumps(body)
            talk.request(method, address, content, {"X-Ceiba-Token": self.token})
            answer = talk.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            talk.close()

    def state(self) -> dict[str, Any]:
        """Return the state once the root is there: new work begins behind the first screen."""
        while True:
            status, state = self.ask("GET", "/api/state")
            assert status == 200
            if not state["beginning"]:
                return state
            time.sleep(0.05)

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)

    def end(self) -> None:
        self.kill()
        self.process.wait()
        assert self.process.stderr is not None
        self.process.stderr.close()


def written(folder: Path, seed: int) -> Path:
    columns = frame(seed)
    path = folder / "data.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        rows = zip(*columns.values(), strict=True)
        writer.writerows([["" if v is None else v for v in row] for row in rows])
    return path


def mirror(path: Path) -> Workspace:
    from ceiba.cli.studio_job import open_table

    source, name = open_table(str(path), "buys", ReadingFlags(), None)
    return Workspace(source, initial_setup(source, name, {}))


def state_again(path: Path) -> dict[str, Any]:
    again = Server(path)
    try:
        return again.state()
    finally:
        again.end()


def killed_once(path: Path, seed: int) -> None:
    """Work at random, kill the server at a random moment, start it again, compare."""
    rng = np.random.default_rng(seed)
    here = mirror(path)
    judge = Service(here)  # growth of one level takes the split that stands first
    server = Server(path)
    server.state()
    killer = threading.Timer(float(rng.uniform(0.3, 4.0)), server.kill)
    killer.start()
    acknowledged, in_flight = 0, None
    try:
        for _ in range(200):
            name, arguments = random_action(rng, here)
            in_flight = (name, arguments)
            status, _ = server.ask("POST", "/api/action", {"action": name, "arguments": arguments})
            assert status in (200, 400, 404)
            if status == 200:
                judge.act({"action": name, "arguments": arguments})
                acknowledged += 1
            in_flight = None
    except (OSError, http.client.HTTPException):
        pass
    finally:
        killer.join()
        server.end()
    state = state_again(path)
    if state["revision"] == acknowledged + 1 and in_flight is not None:
        judge.act(
            dict(zip(("action", "arguments"), in_flight, strict=True))
        )  # it was on disk, and only the answer was lost
        acknowledged += 1
    assert state["revision"] == acknowledged
    assert state["tree"]["nodes"] == Talk(here).get("/api/state")["tree"]["nodes"]
    assert (state["undo"], state["redo"]) == (here.position, len(here.steps) - here.position)


@pytest.mark.parametrize("seed", [0, *slow(range(1, 22))])
def test_killed_server_has_lost_nothing(tmp_path: Path, seed: int) -> None:
    killed_once(written(tmp_path, seed), seed)


def test_second_studio_is_refused_and_renames_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, 0)
    first = Server(path)
    try:
        for flags in (["-t", "buys"], ["-t", "buys", "--new"], ["-t", "city"]):
            second = run("studio", path, "--no-browser", *flags, cwd=tmp_path)
            assert second.returncode == 1
            assert "open in another studio" in second.stderr.replace("\n", " ")
            assert sorted(one.name for one in tmp_path.iterdir()) == ["data.csv", "data.csv.studio"]
    finally:
        first.end()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no tmpfs can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.slow
def test_full_disk_loses_nothing_that_was_acknowledged(small_disk: Path) -> None:
    path = written(small_disk, 0)
    filler = small_disk / "filler"
    server = Server(path)
    acknowledged = []
    try:
        server.state()
        free = shutil.disk_usage(small_disk).free
        filler.write_bytes(b"x" * (free - 4096))
        for k in range(30):
            note = f"{k} " + "x" * 700
            body = {"action": "note", "arguments": {"node": 0, "note": note}}
            status, answer = server.ask("POST", "/api/action", body)
            if status == 200:
                acknowledged.append(note)
            else:
                assert (status, answer["error"]["code"]) == (400, "OutputError")
                filler.unlink(missing_ok=True)
        assert len(acknowledged) < 30
    finally:
        server.end()
    state = state_again(path)
    assert state["revision"] == len(acknowledged)
    assert state["source"]["remarks"] == []
    assert all(note in one["line"] for note, one in zip(acknowledged, state["log"], strict=True))
