"""`ceiba.scan` of CSV files: the types of all rows, as reading the whole file would give them."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import DataError, SchemaError
from ceiba.table.scanning import csv_files

pa = pytest.importorskip("pyarrow")
csv = pytest.importorskip("pyarrow.csv")

LATE = {
    "plain": ["1"] * 400,
    "float": ["1"] * 399 + ["2.5"],
    "text": ["1"] * 399 + ["two"],
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
    monkeypatch.setattr(csv_files, "_BLOCK", 512)  # many blocks: what comes late is seen late


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz"])
def test_types_are_those_of_the_whole_file(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, LATE)
    scan = ceiba.scan(path)
    whole = csv.read_csv(
        path,
        convert_options=csv.ConvertOptions(
            strings_can_be_null=True, quoted_strings_can_be_null=False
        ),
    )
    for column in whole.column_names:
        kind = whole.schema.field(column).type
        expected = pa.float64() if pa.types.is_null(kind) else kind
        assert scan.arrow_type(column) == expected, column
    read = pa.concat_tables(scan.batches())
    assert read.select(["plain", "float", "text", "gap", "day", "word"]).equals(
        whole.select(["plain", "float", "text", "gap", "day", "word"])
    )


def test_several_files_are_one_table(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", {"x": ["1", "2"], "y": ["a", "b"]})
    write(tmp_path / "b.csv", {"y": ["c"], "x": ["2.5"]})
    scan = ceiba.scan(tmp_path / "*.csv")
    assert scan.column("x").tolist() == [1.0, 2.0, 2.5]
    assert scan.column("y").tolist() == ["a", "b", "c"]
    write(tmp_path / "c.csv", {"y": ["c"], "z": ["2.5"]})
    with pytest.raises(SchemaError, match=r"c\.csv does not have the columns"):
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
    (tmp_path / "ragged.csv").write_text("a,b\n1,2\n3\n")
    with pytest.raises(DataError, match=r"ragged\.csv cannot be read as CSV"):
        ceiba.scan(tmp_path / "ragged.csv")
    (tmp_path / "none.csv").write_text("a,b\n")
    with pytest.raises(DataError, match="no rows"):
        ceiba.scan(tmp_path / "none.csv")
    (tmp_path / "twice.csv").write_text("a,a\n1,2\n")
    with pytest.raises(DataError, match="both called 'a'"):
        ceiba.scan(tmp_path / "twice.csv")
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(DataError, match=r"empty\.csv"):
        ceiba.scan(tmp_path / "empty.csv")
    write(tmp_path / "good.csv", {"x": ["1"]})
    with pytest.raises(DataError, match="workers of a cluster read Parquet"):
        ceiba.scan(tmp_path / "good.csv", cluster="tcp://127.0.0.1:1")
