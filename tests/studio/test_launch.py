"""The studio opened from Python and from the command line."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import urllib.request
from pathlib import Path
from typing import Any

import pytest

import ceiba
from ceiba.cli.options.shared_options import ReadingFlags
from ceiba.cli.studio_job import open_model_table, open_table
from ceiba.errors import CeibaError, OptionError
from ceiba.studio import launch
from ceiba.studio.prepare import read_whole_table
from ceiba.studio.work.source import Source
from ceiba.studio.work.workspace import Workspace
from tests.studio.random_work import frame

pytest.importorskip("uvicorn")


class Opened:
    """A studio that runs in a thread, as in a notebook."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, call: Any) -> None:
        said: list[str] = []
        told = threading.Event()

        def tell(text: str) -> None:
            said.append(text)
            told.set()

        monkeypatch.setattr(launch, "_print", tell)
        self.result: list[Any] = []
        self.thread = threading.Thread(target=lambda: self.result.append(call()))
        self.thread.start()
        assert told.wait(60)
        self.url = said[-1].split()[-1]

    def ask(self, address: str, body: Any = None) -> Any:
        root, _, query = self.url.partition("/?")
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{root}{address}?{query}", content)
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read().decode()
        return json.loads(text) if text.startswith("{") else text

    def closed(self) -> Any:
        self.ask("/api/close", {})
        self.thread.join(60)
        assert not self.thread.is_alive()
        return self.result[0]


def test_studio_of_data_returns_the_edited_model(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = frame(0), "buys"
    opened = Opened(monkeypatch, lambda: ceiba.open_studio(X, y, browser=False, max_depth=3))
    assert opened.url.startswith("http://127.0.0.1:")
    assert "<html" in opened.ask("/").lower()
    action = {"action": "take", "arguments": {"node": 0, "split": "city = Oslo"}}
    assert opened.ask("/api/action", action)["by_hand"] == [0]
    model = opened.closed()
    assert model.tree_.root.sentence(0) == "city = Oslo"
    assert model.max_depth == 3


def test_studio_of_a_model_goes_on_with_its_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    X = frame(0)
    y = X.pop("buys")
    model = ceiba.DecisionTreeClassifier(max_depth=2).fit(X, y)
    opened = Opened(monkeypatch, lambda: model.studio(X, y, browser=False))
    assert len(opened.ask("/api/state")["tree"]["nodes"]["parent"]) == model.tree_.n_nodes
    opened.ask("/api/action", {"action": "cut", "arguments": {"node": 0}})
    assert opened.closed().tree_.n_nodes == 1
    assert model.tree_.n_nodes > 1


def test_studio_keeps_its_work_where_it_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "work.studio"

    def call() -> Any:
        return ceiba.open_studio(frame(0), "buys", browser=False, workspace=path)

    opened = Opened(monkeypatch, call)
    opened.ask("/api/action", {"action": "grow", "arguments": {"node": 0, "levels": 1}})
    first = opened.closed()
    again = Opened(monkeypatch, call)
    assert again.ask("/api/state")["resumed"]["actions"] == 1
    assert again.closed().tree_ == first.tree_


def test_token_stands_on_no_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    pages: list[tuple[str, str, int]] = []

    def browse(page: str) -> None:
        path = Path(urllib.request.url2pathname(page.removeprefix("file://")))
        pages.append((page, path.read_text(), path.stat().st_mode & 0o777))

    monkeypatch.setattr(launch.webbrowser, "open", browse)
    opened = Opened(monkeypatch, lambda: ceiba.open_studio(frame(0), "buys"))
    opened.closed()
    ((page, html, mode),) = pages
    token = opened.url.partition("token=")[2]
    assert token not in page
    assert opened.url in html
    assert mode == 0o600
    assert not Path(urllib.request.url2pathname(page.removeprefix("file://"))).parent.exists()


def test_half_sent_requests_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    from ceiba.studio import server

    monkeypatch.setattr(server, "MAX_REQUEST_SECONDS", 1.0)
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 20)
    opened = Opened(monkeypatch, lambda: ceiba.open_studio(frame(0), "buys", browser=False))
    port, token = int(opened.url.split(":")[2].split("/")[0]), opened.url.partition("token=")[2]
    head = f"Host: 127.0.0.1:{port}\r\nX-Ceiba-Token: {token}\r\n"
    parts = [
        "", "GET / HT", f"GET /api/state HTTP/1.1\r\n{head}",
        f"POST /api/action HTTP/1.1\r\n{head}Content-Length: 9\r\n\r\n{{",
        f"POST /api/action HTTP/1.1\r\n{head}Transfer-Encoding: chunked\r\n\r\n5\r\n",
    ]  # fmt: skip
    clients = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(60)]
    try:
        for k, client in enumerate(clients):
            with contextlib.suppress(OSError):  # the oldest make room
                client.sendall(parts[k % len(parts)].encode())
        assert opened.ask("/api/state")["setup"]["target"] == "buys"
        for client in clients:
            with contextlib.suppress(ConnectionError):
                while client.recv(4096):  # times out if it stays open
                    pass
    finally:
        for client in clients:
            client.close()
    opened.closed()


def test_other_address_than_this_machine_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    table, name = read_whole_table(frame(0), "buys")
    source = Source("data", table)
    workspace = Workspace(source, launch.initial_setup(source, name, {}))

    def tell(text: str) -> None:
        said.append(text)
        if "open at" in text:
            url = text.split()[-1].replace("/?", "/api/close?")
            urllib.request.urlopen(urllib.request.Request(url, b"{}"), timeout=60).close()

    launch.run(workspace, launch.Address("0.0.0.0"), browser=False, tell=tell)
    assert said[0].startswith("warning: the studio listens on 0.0.0.0")


@pytest.mark.parametrize(
    "options",
    [
        {"lang": "de"},
        {"leaf_values": ceiba.Honest()},
        {"leaf_values": "laplace"},
        {"nonsense": 1},
        {"port": 99_999},
        {"max_depth": 0},
    ],
    ids=lambda one: next(iter(one)),
)
def test_wrong_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises((CeibaError, TypeError)):
        ceiba.open_studio(frame(0), "buys", browser=False, **options)


def saved(folder: Path) -> tuple[Path, Path]:
    pl = pytest.importorskip("polars")
    data, model = folder / "data.csv", folder / "tree.ceiba"
    pl.DataFrame(frame(0)).write_csv(data)
    source, _ = open_table(str(data), "buys", ReadingFlags(), None)
    prepared = ceiba.prepare(source.table, "buys")
    ceiba.DecisionTreeClassifier(max_depth=3).fit(prepared.X, prepared.y).save(model)
    return data, model


def test_model_file_is_gone_on_with_and_its_script_runs(tmp_path: Path) -> None:
    from ceiba.studio.work.script import write_script

    data, model = saved(tmp_path)
    source, name = open_model_table(str(model), str(data), None, ReadingFlags())
    workspace = Workspace(source, launch.initial_setup(source, name, {}))
    assert workspace.state.tree == ceiba.load(model).tree_
    workspace.act("cut", {"node": 1})
    workspace.act("grow", {"node": 0, "levels": 1})
    names: dict[str, Any] = {}
    exec(write_script(source, workspace.state), names)
    again = names["rebuild"](ceiba.load(model), ceiba.read_file(data))
    assert again.tree_ == workspace.state.tree


def test_model_file_without_its_table_is_refused(tmp_path: Path) -> None:
    _, model = saved(tmp_path)
    with pytest.raises(OptionError, match="--data"):
        open_model_table(str(model), None, None, ReadingFlags())


def test_held_out_file_of_the_command(tmp_path: Path) -> None:
    data, _ = saved(tmp_path)
    source, name = open_table(str(data), "8", ReadingFlags(), str(data))
    workspace = Workspace(source, launch.initial_setup(source, name, {}))
    assert workspace.data.held_out is not None
    assert workspace.data.held_out.X.n_rows == 90
