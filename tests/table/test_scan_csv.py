"""`ceiba.scan` of CSV files: the table that `ceiba.read_file` gives, piece by piece."""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import DataError, OptionError, SchemaError

pa = pytest.importorskip("pyarrow")
csv = pytest.importorskip("pyarrow.csv")

LATE = {
    "plain": ["1"] * 400,
    "float": ["1"] * 399 + ["2.5"],
    "text": ["1"] * 399 + ["two"],
    "code": ["1"] * 399 + ["007"],
    "gap": [""] * 300 + ["7"] * 100,
    "day": [""] * 300 + ["2024-05-01"] * 100,
    "flag": ["true"] * 400,
    "empty": [""] * 400,
    "word": [""] + ["a", "b b", "c"] * 133,
}


def write(path: Path, columns: dict[str, list[str]]) -> Path:
    lines = [",".join(columns), *map(",".join, zip(*columns.values(), strict=True))]
    data = ("\n".join(lines) + "\n").encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "ceiba.table.files.streams._PIECE_SIZE", 512
    )  # what comes late is seen late
    monkeypatch.setattr("ceiba.table.files.typed_csv._SAMPLE_ROWS", 10)


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz"])
def test_types_are_those_of_all_rows(tmp_path: Path, name: str) -> None:
    scan = ceiba.scan(write(tmp_path / name, LATE))
    kinds = {column: str(scan.arrow_type(column)).removeprefix("large_") for column in LATE}
    assert kinds == {
        "plain": "int64", "float": "double", "text": "string", "code": "string", "gap": "int64",
        "day": "date32[day]", "flag": "bool", "empty": "string", "word": "string",
    }  # fmt: skip
    assert scan.column("float").tolist() == [1.0] * 399 + [2.5]
    assert scan.column("code").tolist() == ["1"] * 399 + ["007"]


def test_several_files_are_one_table(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", {"x": ["1", "2"], "y": ["a", "b"]})
    write(tmp_path / "b.csv", {"y": ["c"], "x": ["2.5"]})  # in another order
    scan = ceiba.scan(tmp_path / "*.csv")
    assert ceiba.read_file(tmp_path / "*.csv")["x"].to_list() == [1.0, 2.0, 2.5]
    assert scan.column("x").tolist() == [1.0, 2.0, 2.5]
    assert scan.column("y").tolist() == ["a", "b", "c"]
    write(tmp_path / "c.csv", {"y": ["c"], "z": ["2.5"]})
    with pytest.raises(SchemaError, match=r"c\.csv must have the same columns"):
        ceiba.scan(tmp_path / "*.csv")


def test_the_tree_is_that_of_the_table(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=2000), rng.integers(0, 9, 2000)
    y = np.where(x + z / 4 + rng.normal(size=2000) > 1, "yes", "no")
    columns: dict[str, Any] = {"x": x, "z": z, "y": y}
    path = write(tmp_path / "x.csv", {name: list(map(str, v)) for name, v in columns.items()})
    model = ceiba.DecisionTreeClassifier(max_depth=5).fit(ceiba.scan(path), "y")
    expected = ceiba.DecisionTreeClassifier(max_depth=5).fit(csv.read_csv(path), "y")
    assert model.tree_.to_text() == expected.tree_.to_text()
    assert model.score(ceiba.scan(path), "y") == expected.score(csv.read_csv(path), "y")


@pytest.mark.skipif(os.name != "posix", reason="files without a name")
def test_the_spool_has_no_name_and_goes_with_the_scan(tmp_path: Path) -> None:
    folder = tmp_path / "scratch"
    folder.mkdir()
    scan = ceiba.scan(write(tmp_path / "x.csv", LATE), scratch=folder)
    assert list(folder.iterdir()) == []
    descriptor = int(scan.files[0].path.name)
    os.fstat(descriptor)
    del scan
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text("a,b\n1,2\n3,4,5\n")
    with pytest.raises(DataError, match=r"wide\.csv, line 3: expected 2 fields, got 3"):
        ceiba.scan(tmp_path / "wide.csv")
    (tmp_path / "none.csv").write_text("a,b\n")
    with pytest.raises(DataError, match="no rows"):
        ceiba.scan(tmp_path / "none.csv")
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(DataError, match=r"empty\.csv"):
        ceiba.scan(tmp_path / "empty.csv")
    write(tmp_path / "good.csv", {"x": ["1"]})
    with pytest.raises(OptionError, match="Only Parquet files are supported"):
        ceiba.scan(tmp_path / "good.csv", cluster="tcp://127.0.0.1:1")
    with pytest.raises(OptionError, match="scan has no option 'seperator'. Did you mean"):
        ceiba.scan(tmp_path / "good.csv", seperator=";")


def test_scan_says_which_extra_reads_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "x.csv", LATE)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match=r"pip install 'ceiba\[files\]'"):
        ceiba.scan(path)
