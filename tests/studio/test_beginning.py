"""The first screen of a file: the columns are there before scikit-learn and the root are."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ceiba.errors import CeibaError
from ceiba.studio.launch import initial_setup, open_workspace
from ceiba.studio.prepare import read_whole_table
from ceiba.studio.service import Service
from ceiba.studio.work.source import Source
from ceiba.studio.work.workspace import Workspace
from tests.studio.random_work import frame


def _opened(path: Path | None = None) -> Workspace:
    table, name = read_whole_table(frame(0), "buys")
    source = Source("data", table)
    return open_workspace(
        source, initial_setup(source, name, {}), path, "en", None, defer_root=True
    )


def test_columns_and_setup_do_not_wait_for_the_root() -> None:
    service = Service(_opened())
    state = service.state()
    assert state["beginning"]
    assert state["tree"] is None
    assert state["setup"]["target"] == "buys"
    assert {one["name"] for one in service.columns()["columns"]} == set(frame(0))
    assert not service.workspace.has_root
    service.warm_up()
    begun = service.state()
    assert not begun["beginning"]
    assert len(begun["tree"]["nodes"]["parent"]) == 1
    assert begun["setup"]["columns"] == state["setup"]["columns"]


def test_an_action_begins_the_work() -> None:
    service = Service(_opened())
    state = service.act({"action": "take", "arguments": {"node": 0, "split": "city = Oslo"}})
    assert len(state["tree"]["nodes"]["parent"]) == 3
    assert state["by_hand"] == [0]


def test_kept_work_is_done_again_at_once(tmp_path: Path) -> None:
    path = tmp_path / "work.studio"
    first = _opened(path)
    first.act("take", {"node": 0, "split": "city = Oslo"})
    assert first.journal is not None
    first.journal.close()
    again = _opened(path)
    assert again.journal is not None
    again.journal.close()
    assert again.has_root
    assert again.resumed is not None
    assert again.state.nodes_by_hand == [0]


def test_target_without_values_is_refused_at_once() -> None:
    data = frame(0)
    table, _ = read_whole_table({**data, "empty": np.full(len(data["buys"]), np.nan)}, "buys")
    source = Source("data", table)
    with pytest.raises(CeibaError, match="At least one row must have a value in"):
        open_workspace(
            source, initial_setup(source, "empty", {}), None, "en", None, defer_root=True
        )


def test_first_screen_does_not_import_scikit_learn(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    pl.DataFrame(frame(0)).write_csv(path)
    code = f"""
        import sys
        from ceiba.cli.options.shared_options import ReadingFlags
        from ceiba.cli.studio_job import open_table
        from ceiba.studio.launch import initial_setup, open_workspace
        from ceiba.studio.service import Service
        import ceiba.studio.server

        source, name = open_table({str(path)!r}, "buys", ReadingFlags(), None)
        start = initial_setup(source, name, {{}})
        service = Service(open_workspace(source, start, None, "en", None, defer_root=True))
        assert service.state()["beginning"] and service.columns()["columns"]
        assert "sklearn" not in sys.modules and "scipy" not in sys.modules, "slow imports"
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
