"""A server that is killed in the middle of the work: nothing that was acknowledged is lost."""

from __future__ import annotations

import csv
import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from ceiba.cli.options.reading_flags import ReadingFlags
from ceiba.studio.launch import first_setup
from ceiba.studio.work.workspace import Workspace
from tests.studio.random_work import frame, random_action
from tests.studio.serving import Talk

pytest.importorskip("uvicorn")
if not hasattr(signal, "SIGKILL"):
    pytest.skip("this system has no SIGKILL", allow_module_level=True)


class Server:
    """A studio in a process of its own."""

    def __init__(self, data: Path) -> None:
        command = [sys.executable, "-m", "ceiba", "studio", str(data), "-t", "buys", "--no-browser"]
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
        """Give the state once the root is there: new work begins behind the first screen."""
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
    from ceiba.cli.studio_job import file_source

    source, name = file_source(str(path), "buys", ReadingFlags(), None)
    return Workspace(source, first_setup(source, name, {}))


def killed_once(path: Path, seed: int) -> None:
    """Work at random, kill the server at a random moment, start it again, compare."""
    rng = np.random.default_rng(seed)
    here = mirror(path)
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
                here.act(name, arguments)
                acknowledged += 1
            in_flight = None
    except (OSError, http.client.HTTPException):
        pass
    finally:
        killer.join()
        server.end()
    again = Server(path)
    try:
        state = again.state()
    finally:
        again.end()
    if state["revision"] == acknowledged + 1 and in_flight is not None:
        here.act(*in_flight)  # it was on disk, and only the answer was lost
        acknowledged += 1
    assert state["revision"] == acknowledged
    assert state["tree"]["nodes"] == Talk(here).get("/api/state")["tree"]["nodes"]
    assert (state["undo"], state["redo"]) == (here.position, len(here.steps) - here.position)


@pytest.mark.parametrize("seed", range(2))
def test_killed_server_has_lost_nothing(tmp_path: Path, seed: int) -> None:
    killed_once(written(tmp_path, seed), seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 22))
def test_server_killed_20_times_has_lost_nothing(tmp_path: Path, seed: int) -> None:
    killed_once(written(tmp_path, seed), seed)


def test_server_refused_twice_says_so(tmp_path: Path) -> None:
    path = written(tmp_path, 0)
    first = Server(path)
    try:
        command = [sys.executable, "-m", "ceiba", "studio", str(path), "-t", "buys", "--no-browser"]
        second = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert second.returncode == 1
        assert "open in another studio" in second.stderr.replace("\n", " ")
    finally:
        first.end()
