"""``ceiba learn --memory``: files that are not read as a whole give the model of the table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ceiba
from tests.cli.running import ok, run

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    x, letters = rng.normal(size=900), rng.choice(["u", "v", "w"], 900)
    label = np.where(x + (letters == "u") + rng.normal(size=900) > 0.5, "yes", "no")
    table = pa.table({"x": x, "letters": letters, "id": np.arange(900), "label": label})
    pq.write_table(table.slice(0, 200), tmp_path / "a.parquet")
    pq.write_table(table.slice(200), tmp_path / "b.parquet")
    pq.write_table(table, tmp_path / "whole.arrow.parquet")
    return tmp_path


def test_learn_from_files_within_a_limit_of_memory(files: Path) -> None:
    done = run(
        "learn", "[ab].parquet", "-t", "label", "--drop", "id", "--max-depth", "3", "--prior",
        "yes=0.2,no=0.8", "--memory", "2GB", "--scratch", ".", "-m", "m.ceiba", cwd=files,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "900 rows x 2 columns in 2 shards; scratch" in done.stderr
    assert "leaves from 900 rows, saved in m.ceiba" in done.stdout
    ok("learn", "whole.arrow.parquet", "-t", "label", "--drop", "id", "--max-depth", "3",
       "--prior", "yes=0.2,no=0.8", "-m", "w.ceiba", cwd=files)  # fmt: skip
    mine, theirs = ceiba.load(files / "m.ceiba"), ceiba.load(files / "w.ceiba")
    assert mine.tree_ == theirs.tree_
    assert sorted(path.suffix for path in files.iterdir()) == [".ceiba"] * 2 + [".parquet"] * 3


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--test-size", "0.3"], "--test-size needs a table in memory"),
        (["--weight", "x"], "Column 'x'"),
        (["--weight", "z"], "--weight 'z'"),
        (["--prune", "1se"], "--prune 1se needs a table in memory"),
        (["--memory", "lots"], "memory must be a number of bytes"),
        (["--drop", "label"], "--drop names the target"),
    ],
)
def test_what_cannot_be_done_there_is_refused(files: Path, flags: list[str], words: str) -> None:
    done = run("learn", "[ab].parquet", "-t", "label", "--scratch", ".", *flags, cwd=files)
    assert done.returncode != 0
    assert words in done.stderr
