"""The workspace: undo and redo, snapshots, refusals, the journal."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ceiba.errors import CeibaError, DataError, OptionError, OutputError
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
    with pytest.raises(CeibaError, match="at most 0 "):
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
        ("restore", {"name": ["a"]}),
        ("forget", {"name": ""}),
        ("snapshot", {"name": ""}),
        ("continue_in_copy", {}),
        ("prune", {"alpha": 10**400}),
        ("set_column", {"column": ["city"], "role": "ignore"}),
        ("set_column", {"column": {}, "role": "ignore"}),
        ("set_column", {"column": "city", "cost": 10**400}),
        ("set_column", {"column": "city"}),
        ("set_column", {"column": "city", "kind": "number"}),
        ("set_column", {"column": "city", "role": "king"}),
        ("set_column", {"column": "size", "order": ["S", "M"]}),
        ("set_column", {"column": "size", "colour": "red"}),
        ("set_column", {"column": "city", "monotone": 1}),
        ("set_held_out", {"share": 2.0}),
        ("set_held_out", {"share": 0.3, "seed": -1}),
        ("set_held_out", {"file": "../secret.csv"}),
        ("set_options", {}),
        ("set_options", {"options": {"max_depth": 0}}),
        ("set_options", {"options": {"leaf_values": "honest"}}),
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


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("undo", {"x": 1}, "got an unexpected keyword argument 'x'"),
        ("snapshot", {}, "missing a required argument: 'name'"),
        ("open_test", {"node": 0}, "got an unexpected keyword argument 'node'"),
        ("take", {"node": 0, "split": "x <= 1", "x": 1}, "got an unexpected keyword argument 'x'"),
        ("continue_in_copy", {"self": 1}, "continue_in_copy takes no arguments"),
    ],
)
def test_errors_about_arguments_do_not_show_private_names(
    name: str, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(OptionError, match=message) as raised:
        opened(0).act(name, arguments)
    assert "_" not in str(raised.value).replace(name, "")


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
        journal = Journal.open(tmp_path / "a.studio", source.fingerprint, {"target": "buys"})
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
    with pytest.raises(DataError, match="not a studio workspace"):
        Journal.open(path, "x", {})
    assert path.read_text() == "all my work\n"


def test_failed_write_takes_the_action_back(reopened: Any, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    path = tmp_path / "a.studio"
    workspace = reopened(0)
    workspace.act("grow", {"node": 0, "levels": 1})
    before, content = workspace.state, path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(content) + 30, limits[1]))
    try:  # 30 bytes of the line fit: a short write, then an error
        with pytest.raises(OutputError, match="Cannot write"):
            workspace.act("note", {"node": 0, "note": "x" * 100})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert workspace.state is before
    assert path.read_bytes() == content
    workspace.act("note", {"node": 0, "note": "y"})
    again = reopened(0)
    assert again.remarks == []
    assert again.state.lines == workspace.state.lines


def test_infinite_number_is_refused_and_taken_back(reopened: Any) -> None:
    workspace = reopened(0)
    before = workspace.state
    split = {"column": "count", "cut": 2.5, "more": float("inf")}
    with pytest.raises(CeibaError, match="finite"):
        workspace.act("take", {"node": 0, "split": split})
    assert workspace.state is before


@pytest.mark.parametrize(
    ("line", "n_kept"),
    [
        (b'{"action":"note","arguments":{"node":0,"no', 2),  # cut short, another line after it
        (b'{"action":"note","argu{"action":"note","arguments":{"node":0,"note":"c"}}', 3),
        (b'{"action":"note","arguments":[0]}', 2),
        (b'{"action":"note","arguments":"node"}', 2),
        (b'{"action":["note"],"arguments":{}}', 2),
        (b'{"action":"note","arguments":' + b"[" * 100_000 + b"}", 2),
        (b"[]", 2),
        (b"\xff\r\0", 2),
        (b"", 2),
    ],
    ids=lambda one: repr(one)[:40],
)
def test_damaged_line_hides_no_other(
    reopened: Any, tmp_path: Path, line: bytes, n_kept: int
) -> None:
    path = tmp_path / "a.studio"
    first = reopened(0)
    first.act("note", {"node": 0, "note": "a"})
    first.act("note", {"node": 0, "note": "b"})
    first.journal.close()
    *before, last = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*before, line, b"\n", last]))
    second = reopened(0)
    assert len(second.state.lines) == n_kept
    assert second.state.lines[-1] == first.state.lines[-1]
    assert bool(second.remarks) == (n_kept == 2)
    second.act("note", {"node": 0, "note": "d"})
    assert reopened(0).state.lines == second.state.lines


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("set_column", {"column": ["city"], "role": "ignore"}),
        ("cut", {"node": 0}),
        ("unheard", {}),
    ],
)
def test_new_actions_are_not_written_behind_one_that_fails(
    reopened: Any, tmp_path: Path, name: str, arguments: dict[str, Any]
) -> None:
    path = tmp_path / "a.studio"
    first = reopened(0)
    first.act("note", {"node": 0, "note": "a"})
    first.journal.write(name, arguments)  # as if it could be done then
    first.journal.write("note", {"node": 0, "note": "b"})
    content = path.read_bytes()
    second = reopened(0)
    assert second.state.lines == first.state.lines
    assert second.resumed["actions"] == 1
    assert "Action 2 of 3" in second.remarks[-1]
    for tried in ("grow", "undo"):
        with pytest.raises(OutputError, match=r"cannot be saved. Action 2 of 3"):
            second.act(tried, {"node": 0} if tried == "grow" else {})
    assert path.read_bytes() == content
    second.act("continue_in_copy")
    assert (tmp_path / "a.studio.old").read_bytes() == content
    second.act("grow", {"node": 0, "levels": 1})
    third = reopened(0)
    assert third.remarks == []
    assert third.state.lines == second.state.lines
    assert third.state.tree == second.state.tree


@pytest.mark.parametrize("other", [{"start": {"target": "amount"}}, {"new": True}], ids=str)
def test_open_workspace_is_not_renamed(reopened: Any, tmp_path: Path, other: Any) -> None:
    pytest.importorskip("fcntl")
    workspace = reopened(0)
    start = other.pop("start", {"target": "buys"})
    with pytest.raises(OutputError, match="open in another studio"):
        Journal.open(tmp_path / "a.studio", workspace.source.fingerprint, start, **other)
    assert [one.name for one in tmp_path.iterdir()] == ["a.studio"]
    workspace.act("grow", {"node": 0, "levels": 1})
    assert reopened(0).state.tree == workspace.state.tree


def test_new_work_puts_the_old_aside(reopened: Any, tmp_path: Path) -> None:
    workspace = reopened(0)
    workspace.act("grow", {"node": 0, "levels": 1})
    workspace.journal.close()
    content = (tmp_path / "a.studio").read_bytes()
    journal = Journal.open(tmp_path / "a.studio", "x", {}, new=True)
    journal.close()
    assert journal.actions == []
    assert (tmp_path / "a.studio.old").read_bytes() == content


@pytest.mark.skipif(os.name != "posix", reason="this system has no file modes")
def test_workspace_is_for_its_owner_only(reopened: Any, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        reopened(0)
    finally:
        os.umask(before)
    assert (tmp_path / "a.studio").stat().st_mode & 0o777 == 0o600


def test_5000_actions_open_in_seconds(reopened: Any, tmp_path: Path) -> None:
    reopened(0).journal.close()
    notes = [{"action": "note", "arguments": {"node": 0, "note": str(i)}} for i in range(5_000)]
    with (tmp_path / "a.studio").open("a") as file:
        file.writelines(json.dumps(one) + "\n" for one in notes)
    begin = time.process_time()
    workspace = reopened(0)
    assert time.process_time() - begin < 3
    assert workspace.revision == 5_000
    assert workspace.state.lines[-1] == "model = model.annotate(0, note='4999')"
