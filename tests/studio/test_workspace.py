"""The workspace: undo and redo, snapshots, refusals, the journal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ceiba.errors import CeibaError, DataError, OutputError
from ceiba.studio.work.journal import Journal
from ceiba.studio.work.workspace import StaleError, Workspace
from tests.studio.random_work import opened, random_action, work


@pytest.mark.parametrize("seed", range(6))
def test_undo_and_redo_walk_through_all_states(seed: int) -> None:
    workspace = opened(seed)
    rng = np.random.default_rng(seed)
    states = [workspace.state]
    while len(states) < 25:
        name, arguments = random_action(rng, workspace)
        if name in ("undo", "redo", "snapshot"):
            continue
        try:
            workspace.act(name, arguments)
        except CeibaError:
            continue
        states.append(workspace.state)
    place = len(states) - 1
    for _ in range(60):
        steps = int(rng.integers(-place, len(states) - place))
        if steps:
            workspace.act("undo" if steps < 0 else "redo", {"steps": abs(steps)})
        place += steps
        assert workspace.state is states[place]


def test_undo_then_another_action_forgets_what_was_undone() -> None:
    workspace = opened(0)
    workspace.act("take", {"node": 0, "split": "city = Oslo"})
    workspace.act("undo")
    workspace.act("take", {"node": 0, "split": "city = Lima"})
    with pytest.raises(CeibaError, match="0 actions to redo"):
        workspace.act("redo")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("nonsense", {}),
        ("take", {}),
        ("take", {"node": 99, "split": "city = Oslo"}),
        ("take", {"node": True, "split": "city = Oslo"}),
        ("take", {"node": 0, "split": "city = Paris"}),
        ("take", {"node": 0, "split": {"column": "city", "branches": [[0], [9]]}}),
        ("take", {"node": 0, "split": {"column": "city", "branches": [[0], [0]]}}),
        ("take", {"node": 0, "split": {"column": "count", "cut": float("nan")}}),
        ("take", {"node": 0, "split": {"column": "count", "cut": 999}}),
        ("take", {"node": 0, "split": 7}),
        ("grow", {"node": 0, "levels": -1}),
        ("grow", {"node": 0, "levels": "all"}),
        ("cut", {"node": 0}),
        ("copy", {"node": 0, "to": 0}),
        ("forbid", {"node": 0, "columns": ["nobody"]}),
        ("forbid", {"node": 0, "columns": "city"}),
        ("note", {"node": 0}),
        ("note", {"node": 0, "note": "x" * 5000}),
        ("override", {"node": 0, "answer": "perhaps"}),
        ("prune", {}),
        ("prune", {"alpha": -1}),
        ("undo", {}),
        ("undo", {"steps": 0}),
        ("undo", {"far": 1}),
        ("restore", {"name": "nothing"}),
        ("snapshot", {"name": ""}),
        ("set_column", {"column": "city"}),
        ("set_column", {"column": "city", "kind": "number"}),
        ("set_column", {"column": "city", "role": "king"}),
        ("set_column", {"column": "size", "order": ["S", "M"]}),
        ("set_column", {"column": "size", "colour": "red"}),
        ("set_held_out", {"share": 2.0}),
        ("set_held_out", {"share": 0.3, "seed": -1}),
        ("set_held_out", {"file": "../secret.csv"}),
        ("set_options", {}),
        ("set_options", {"options": {"max_depth": 0}}),
        ("set_options", {"options": {"honest": 0.5}}),
        ("set_options", {"class_prior": {"maybe": 1.0}}),
        ("set_options", {"cost_matrix": [[0, 1]]}),
    ],
)
def test_refused_actions_change_nothing(name: str, arguments: dict[str, Any]) -> None:
    workspace = opened(0)
    before = workspace.state
    with pytest.raises(CeibaError):
        workspace.act(name, arguments)
    assert workspace.state is before
    assert workspace.revision == 0


def test_stale_revision_is_refused() -> None:
    workspace = opened(0)
    workspace.act("grow", {"node": 0, "levels": 1}, revision=0)
    with pytest.raises(StaleError):
        workspace.act("cut", {"node": 0}, revision=0)


@pytest.fixture
def reopened(tmp_path: Path) -> Iterator[Any]:
    """Opens the workspace in a.studio; closes its file in the end."""
    journals: list[Journal] = []

    def reopen(seed: int) -> Workspace:
        for journal in journals:
            journal.close()
        source = opened(seed).source
        journal, _ = Journal.open(tmp_path / "a.studio", source.fingerprint, {"target": "buys"})
        journals.append(journal)
        return opened(seed, journal=journal)

    yield reopen
    for journal in journals:
        journal.close()


@pytest.mark.parametrize("seed", range(4))
def test_journal_brings_back_tree_history_and_snapshots(reopened: Any, seed: int) -> None:
    first = reopened(seed)
    work(first, np.random.default_rng(seed), 25)
    second = reopened(seed)
    assert second.state.tree == first.state.tree
    assert second.state.lines == first.state.lines
    assert (second.position, len(second.steps)) == (first.position, len(first.steps))
    assert list(second.snapshots) == list(first.snapshots)
    assert second.resumed is not None
    assert second.resumed["actions"] == first.revision == second.revision


def test_journal_drops_a_line_that_was_cut_short(reopened: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.studio"
    first = reopened(0)
    first.act("grow", {"node": 0, "levels": 1})
    first.journal.close()
    path.write_bytes(path.read_bytes() + b'{"action":"cut","argum')
    second = reopened(0)
    assert second.state.tree == first.state.tree
    second.act("cut", {"node": 0})
    lines = path.read_bytes().splitlines()
    assert [json.loads(line).get("action") for line in lines] == [None, "grow", "cut"]


def test_journal_of_other_data_is_put_aside(reopened: Any, tmp_path: Path) -> None:
    reopened(0).act("grow", {"node": 0, "levels": 1})
    other = reopened(1)
    assert other.resumed is None
    assert (tmp_path / "a.studio.old").exists()


def test_journal_is_open_once(reopened: Any, tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    workspace = reopened(0)
    with pytest.raises(OutputError, match="open in another studio"):
        Journal.open(tmp_path / "a.studio", workspace.source.fingerprint, {"target": "buys"})


def test_journal_never_overwrites_what_is_no_workspace(tmp_path: Path) -> None:
    path = tmp_path / "thesis.txt"
    path.write_text("all my work\n")
    with pytest.raises(DataError, match="not a workspace"):
        Journal.open(path, "x", {})
    assert path.read_text() == "all my work\n"


def test_disk_full_takes_the_action_back(reopened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = reopened(0)

    def full(*_: Any) -> None:
        raise OutputError("no room")

    monkeypatch.setattr(workspace.journal, "write", full)
    before = workspace.state
    with pytest.raises(OutputError):
        workspace.act("grow", {"node": 0, "levels": 1})
    assert workspace.state is before
