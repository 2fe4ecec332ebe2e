"""Faults of tables beyond memory: an error that says what is wrong, never a wrong tree.

Whatever ends a fit, no scratch file is left.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import DataError, SchemaError
from ceiba.shards import scratch
from ceiba.shards.homes import threads as thread_home
from tests.marks import slow
from tests.shards.sharding import assert_same_tree, use_sizes

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def table_of(n: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    letters = rng.choice(["u", "v", "w"], n)
    label = np.where(x + (letters == "u") + rng.normal(size=n) > 0.5, "yes", "no")
    return pa.table({"x": x, "z": rng.integers(0, 50, n), "letters": letters, "label": label})


FIT = """
import sys, time
from dataclasses import replace
import ceiba
from ceiba.shards.table import RoundSizes, ShardedTable
ShardedTable.sizes = property(lambda table: RoundSizes(gather_rows=10))

def watch(kind, words):
    print(words, flush=True)
    if words.startswith("level 2"):
        print("GROWING", flush=True)
        while True:
            time.sleep(0.01)

scan = replace(ceiba.scan(sys.argv[1], scratch=sys.argv[2]), watch=watch)
ceiba.DecisionTreeClassifier().fit(scan, "label")
"""


@pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
@pytest.mark.parametrize(
    ("ending", "kind"),
    [
        ("SIGKILL", "parquet"),
        *slow([("SIGTERM", "csv"), ("SIGTERM", "parquet"), ("SIGINT", "csv"), ("SIGKILL", "csv")]),
    ],
)
def test_no_scratch_is_left_after_a_signal(tmp_path: Path, ending: str, kind: str) -> None:
    from pyarrow import csv

    data, room = tmp_path / f"x.{kind}", tmp_path / "scratch"
    room.mkdir()
    (pq.write_table if kind == "parquet" else csv.write_csv)(table_of(2000), data)
    with subprocess.Popen(
        [sys.executable, "-c", FIT, str(data), str(room)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as child:  # fmt: skip
        assert child.stdout is not None
        assert any(line.startswith("GROWING") for line in child.stdout)
        child.send_signal(getattr(signal, ending))
        child.wait()
    assert child.returncode != 0
    assert list(room.iterdir()) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 1 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    command = [str(mount), "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if mount is None or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("no right to mount a small disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_is_said_and_left_empty(
    tmp_path: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "x.parquet"
    pq.write_table(table_of(60_000), data)
    scan = ceiba.scan(data, scratch=small_disk)
    with pytest.raises(DataError, match=r"Scratch files require .* only 0\.00 GB is free"):
        ceiba.DecisionTreeClassifier().fit(scan, "label")
    # Others may fill the disk between the look at it and the writing.
    monkeypatch.setattr(scratch.shutil, "disk_usage", lambda _: SimpleNamespace(free=10**12))
    with pytest.raises(DataError, match="No space left"):
        ceiba.DecisionTreeClassifier().fit(scan, "label")
    assert list(small_disk.iterdir()) == []


def test_a_spool_that_does_not_fit_is_said(tmp_path: Path, small_disk: Path) -> None:
    from pyarrow import csv

    csv.write_csv(table_of(300_000), tmp_path / "x.csv")
    with pytest.raises(DataError, match="No space left"):
        ceiba.scan(tmp_path / "x.csv", scratch=small_disk)
    assert list(small_disk.iterdir()) == []


@pytest.mark.parametrize("how", ["truncated", "removed", "longer", "other levels"])
def test_files_that_change_between_passes_are_errors(
    tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(table_of(3000), path, row_group_size=500)
    scan = ceiba.scan(path, scratch=tmp_path)
    real = thread_home.make_plan

    def meanwhile(*args: Any) -> Any:
        if how == "truncated":
            os.truncate(path, path.stat().st_size // 2)
        elif how == "removed":
            path.unlink()
        elif how == "longer":
            pq.write_table(table_of(4000), path, row_group_size=500)
        else:  # with the size and the time of before
            state, table = path.stat(), table_of(3000)
            texts = pa.array([{"u": "q"}.get(t, t) for t in table["letters"].to_pylist()])
            pq.write_table(table.set_column(2, "letters", texts), path, row_group_size=500)
            with path.open("ab") as file:
                file.truncate(state.st_size)
            os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
        return real(*args)

    monkeypatch.setattr(thread_home, "make_plan", meanwhile)
    with pytest.raises((DataError, SchemaError), match=r"x\.parquet"):
        ceiba.DecisionTreeClassifier().fit(scan, "label")
    assert [one.name for one in tmp_path.iterdir()] in ([], ["x.parquet"])


def test_strange_pieces_give_the_tree_of_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty file, another order of columns, one class, other levels, all missing, -0.0."""
    use_sizes(monkeypatch, 50, 8)
    table = table_of(1600)
    zeros = np.where(np.arange(1600) % 5 == 0, -0.0, np.round(table["x"].to_numpy()))
    table = table.set_column(0, "x", pa.array(zeros)).sort_by("label")
    void = pa.nulls(400, pa.float64())
    pieces = [
        table.slice(0, 0),
        table.slice(0, 400).select(["label", "letters", "z", "x"]),
        table.slice(400, 400).set_column(0, "x", void),
        table.slice(800, 400).set_column(2, "letters", pa.nulls(400, pa.string())),
        table.slice(1200, 400).set_column(2, "letters", pa.array(["new"] * 400)),
    ]
    for k, piece in enumerate(pieces):
        pq.write_table(piece, tmp_path / f"{k}.parquet", row_group_size=150)
    scan = ceiba.scan(tmp_path / "*.parquet", scratch=tmp_path)
    whole = pa.concat_tables(piece.select(table.column_names) for piece in pieces)
    model = ceiba.DecisionTreeClassifier(max_depth=6).fit(scan, "label")
    expected = ceiba.DecisionTreeClassifier(max_depth=6).fit(whole, "label")
    assert_same_tree(model.tree_, expected.tree_)
    counted = model.tree_.refit_leaves(scan, "label")
    assert_same_tree(counted, expected.tree_.refit_leaves(whole, "label"))


def test_held_out_evidence_of_a_report_may_be_a_scan(tmp_path: Path) -> None:
    table, test = table_of(800), table_of(500, seed=1)
    pq.write_table(test, tmp_path / "test.parquet", row_group_size=200)
    scan = ceiba.scan(tmp_path / "test.parquet")
    model = ceiba.DecisionTreeClassifier(max_depth=3).fit(table, "label")
    streamed = ceiba.report.payload(model.tree_, test=(scan, "label"), created="now")
    assert streamed == ceiba.report.payload(model.tree_, test=(test, "label"), created="now")


def test_a_checkpoint_needs_a_table_beyond_memory(tmp_path: Path) -> None:
    with pytest.raises(ceiba.errors.OptionError, match="not supported for tables in memory"):
        ceiba.DecisionTreeClassifier().fit(table_of(50), "label", checkpoint=tmp_path / "c")
