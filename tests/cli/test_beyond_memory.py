"""``ceiba learn --memory``: files that are not read as a whole give the model of the table."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import ceiba
from tests.cli.running import ok, run
from tests.cli.test_report import payload_of

pa = pytest.importorskip("pyarrow")
csv = pytest.importorskip("pyarrow.csv")
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
        "learn", "[ab].parquet", "-t", "label", "--drop", "id", "--prune", "cv", "--prior",
        "yes=0.2,no=0.8", "--memory", "2GB", "--scratch", ".", "-m", "m.ceiba", cwd=files,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "900 rows x 2 columns in 2 shards; scratch" in done.stderr
    assert "leaves from 900 rows, saved in m.ceiba" in done.stdout
    ok("learn", "whole.arrow.parquet", "-t", "label", "--drop", "id", "--prune", "cv",
       "--prior", "yes=0.2,no=0.8", "-m", "w.ceiba", cwd=files)  # fmt: skip
    mine, theirs = ceiba.load(files / "m.ceiba"), ceiba.load(files / "w.ceiba")
    assert mine.tree_ == theirs.tree_
    assert sorted(path.suffix for path in files.iterdir()) == [".ceiba"] * 2 + [".parquet"] * 3


def test_the_page_shows_training_rows(files: Path) -> None:
    made = {}
    for data in ("[ab].parquet", "whole.arrow.parquet", "*.csv"):
        if data == "*.csv":
            csv.write_csv(pq.read_table(files / "whole.arrow.parquet"), files / "whole.csv")
        ok("learn", data, "-t", "label", "--max-depth", 3, "-m", "m.ceiba", "--report", "p.html",
           *([] if "*" in data or data[0] == "w" else ["--memory", "2GB"]), cwd=files)  # fmt: skip
        made[data] = payload_of(files / "p.html")
    for data in ("[ab].parquet", "*.csv"):
        for part in ("columns", "nodes", "histograms", "bars"):
            assert made[data][part] == made["whole.arrow.parquet"][part], part


def test_the_page_says_what_it_lacks(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("ceiba.report.payload"), "_BYTES_PER_ROW", 1 << 40)
    done = run("learn", "[ab].parquet", "-t", "label", "--max-depth", 3, "-m", "m.ceiba",
               "--report", "p.html", "--memory", "2GB", cwd=files)  # fmt: skip
    assert done.returncode == 0
    assert "no distributions of the training rows. Raise --memory" in done.stderr
    assert payload_of(files / "p.html")["histograms"] is None


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--test-size", "0.3"], "--test-size is not supported with --memory"),
        (["--weight", "x"], "a.parquet: Negative values"),
        (["--weight", "z"], "--weight 'z'"),
        (["--missing", "surrogate"], "is not supported for scans, dask or GPU tables"),
        (["--memory", "lots"], "--memory must be a positive number of bytes"),
        (["--drop", "label"], "--drop must not contain the target"),
    ],
)
def test_what_cannot_be_done_there_is_refused(files: Path, flags: list[str], words: str) -> None:
    done = run("learn", "[ab].parquet", "-t", "label", "--scratch", ".", *flags, cwd=files)
    assert done.returncode != 0
    assert words in done.stderr


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """Two CSV files whose later rows are written in another way than the first."""
    rng = np.random.default_rng(0)
    lines = []
    for k in range(900):
        x, letter = rng.normal(), rng.choice(["u", "v", "w"])
        label = "" if k == 5 else "yes" if x + (letter == "u") + rng.normal() > 0.5 else "no"
        count = "-" if k % 50 == 0 else str(k % 7) if k < 700 else f"{k % 7}.5"
        day = f"2024-0{1 + k % 9}-11"
        lines.append(f"{x:.3f},{letter},{count},{day},{'true' if k % 3 else 'false'},{label}")
    header = "x,letters,count,day,flag,label"
    (tmp_path / "a.csv").write_text("\n".join([header, *lines[:300]]) + "\n", "utf-8")
    (tmp_path / "b.csv").write_text("\n".join([header, *lines[300:]]) + "\n", "utf-8")
    (tmp_path / "whole.txt").write_text("\n".join([header, *lines]) + "\n", "utf-8")
    return tmp_path


def test_csv_files_are_learned_from_in_pieces(texts: Path) -> None:
    flags = ("-t", "label", "--max-depth", "4")
    done = run("learn", "*.csv", *flags, "--memory", "2GB", "--scratch", ".", "-m", "m.ceiba",
               cwd=texts)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Left out: 1 row without 'label'" in done.stderr
    ok("learn", "whole.txt", *flags, "-m", "w.ceiba", cwd=texts)
    mine, theirs = ceiba.load(texts / "m.ceiba"), ceiba.load(texts / "w.ceiba")
    assert mine.tree_ == theirs.tree_
    apart = ok("predict", "m.ceiba", "*.csv", "--only", "--leaf", cwd=texts)
    assert apart == ok("predict", "w.ceiba", "whole.txt", "--only", "--leaf", cwd=texts)
    judged = ok("evaluate", "m.ceiba", "*.csv", cwd=texts)
    assert judged == ok("evaluate", "w.ceiba", "whole.txt", cwd=texts)
    left = sorted(path.name for path in texts.iterdir())
    assert left == ["a.csv", "b.csv", "m.ceiba", "w.ceiba", "whole.txt"]


def test_arrow_files_are_learned_from_in_pieces(files: Path) -> None:
    table = pq.read_table(files / "whole.arrow.parquet")
    with (
        pa.OSFile(str(files / "x.arrow"), "wb") as sink,
        pa.ipc.new_file(sink, table.schema) as writer,
    ):
        writer.write_table(table, max_chunksize=100)
    flags = ("-t", "label", "--drop", "id", "--max-depth", "3")
    ok("learn", "x.arrow", *flags, "--memory", "2GB", "-m", "m.ceiba", cwd=files)
    ok("learn", "whole.arrow.parquet", *flags, "-m", "w.ceiba", cwd=files)
    assert ceiba.load(files / "m.ceiba").tree_ == ceiba.load(files / "w.ceiba").tree_


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["a.csv", "--cluster", "tcp://127.0.0.1:1"], "Only Parquet files are supported"),
        (["a.csv", "--checkpoint", "c"], "--checkpoint requires --memory"),
        (["-", "--memory", "1GB"], "`source` must be a file, got the stream"),
        (["none*.csv"], "none*.csv"),
        (
            ["a.csv", "--memory", "1GB", "--scratch", "nowhere"],
            "--scratch must be an existing",
        ),
    ],
)
def test_flags_that_do_not_fit_are_refused(texts: Path, command: list[str], words: str) -> None:
    done = run("learn", *command, "-t", "label", cwd=texts)
    assert done.returncode != 0
    assert words in done.stderr


def test_identifiers_are_left_out_as_in_memory(tmp_path: Path) -> None:
    folder = tmp_path
    n = 70_000  # more than one piece
    rng = np.random.default_rng(0)
    table = pa.table({
        "id": np.arange(n),
        "later": np.where(np.arange(n) < 66_000, np.arange(n), 0),  # differs in the first piece
        "x": rng.normal(size=n),
        "y": rng.choice(["a", "b"], n),
    })  # fmt: skip
    pq.write_table(table, folder / "i.parquet")
    grow = ("-t", "y", "--max-depth", "1", "-q", "-m", "i.ceiba")
    for flags in ((), ("--memory", "1GB")):
        ok("learn", "i.parquet", *grow, *flags, cwd=folder)
        assert ceiba.load(folder / "i.ceiba").tree_.schema.names == ("later", "x")
    ok("learn", "i.parquet", *grow, "--memory", "1GB", "--keep-identifiers", cwd=folder)
    assert ceiba.load(folder / "i.ceiba").tree_.schema.names == ("id", "later", "x")
