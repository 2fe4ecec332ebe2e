"""`ceiba.scan`: Parquet files as one table; what is wrong with them is said by name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import DataError, OptionError, SchemaError
from ceiba.table.scanning.scan import parse_size

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def write(path: Path, columns: dict[str, Any], **options: Any) -> Path:
    pq.write_table(pa.table(columns), path, **options)
    return path


def test_rows_come_in_the_order_of_the_files(tmp_path: Path) -> None:
    write(tmp_path / "b.parquet", {"x": [3.0, 4.0]})
    write(tmp_path / "a.parquet", {"x": [1.0, 2.0]}, row_group_size=1)
    scan = ceiba.scan(tmp_path / "*.parquet")
    assert scan.n_rows == 4
    assert scan.column("x").tolist() == [1.0, 2.0, 3.0, 4.0]
    assert [batch.num_rows for batch in scan.batches()] == [2, 2]
    listed = ceiba.scan([tmp_path / "b.parquet", tmp_path / "a.parquet"])
    assert listed.column("x").tolist() == [3.0, 4.0, 1.0, 2.0]


def test_columns_may_come_in_another_order(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"x": [1.0], "z": [5.0]})
    write(tmp_path / "b.parquet", {"z": [6.0], "x": [2.0]})
    batches = list(ceiba.scan(tmp_path / "*.parquet").batches())
    assert [batch.column_names for batch in batches] == [["x", "z"], ["x", "z"]]


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"x": [1.0]}, "Column 'z' of .* is missing in"),
        ({"x": [1.0], "z": [1]}, "Column 'z' has type int64 in"),
        ({"x": [1.0], "z": [1.0], "w": [1.0]}, "Column 'w' of .* is missing in"),
    ],
)
def test_other_columns_are_refused(tmp_path: Path, other: dict[str, Any], words: str) -> None:
    write(tmp_path / "a.parquet", {"x": [1.0], "z": [2.0]})
    write(tmp_path / "b.parquet", other)
    with pytest.raises(SchemaError, match=words):
        ceiba.scan(tmp_path / "*.parquet")


def test_files_that_are_not_there_or_no_parquet(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="File not found"):
        ceiba.scan(tmp_path / "*.parquet")
    (tmp_path / "a.parquet").write_text("x,y\n1,2\n")
    with pytest.raises(DataError, match=r"a\.parquet cannot be read as Parquet"):
        ceiba.scan(tmp_path / "a.parquet")
    write(tmp_path / "b.parquet", {"x": pa.array([], pa.float64())})
    with pytest.raises(DataError, match="No rows"):
        ceiba.scan(tmp_path / "b.parquet")


def test_a_truncated_file_is_noticed(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", {"x": np.arange(10_000.0)})
    os.truncate(path, path.stat().st_size - 8)
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        ceiba.scan(path)


def test_a_file_that_changes_is_noticed(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", {"x": np.arange(1000.0)})
    scan = ceiba.scan(path)
    write(path, {"x": np.arange(1001.0)})
    with pytest.raises(DataError, match="changed after it was scanned"):
        list(scan.batches())
    path.unlink()
    with pytest.raises(DataError, match="No such file"):
        list(scan.batches())


def test_pages_that_are_damaged_are_noticed(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", {"x": np.random.default_rng(0).normal(size=10_000)})
    data = bytearray(path.read_bytes())
    data[4:64] = bytes(60)
    path.write_bytes(data)
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        list(ceiba.scan(path).batches())


@pytest.mark.parametrize("size", ["", "4", "x", "4 potatoes", 0, -1, True, "0GB", 1.5])
def test_sizes_that_are_none(size: Any) -> None:
    if size == "4":
        assert parse_size(size, "memory") == 4
        return
    with pytest.raises(OptionError, match="`memory` must be a positive number of bytes"):
        parse_size(size, "memory")


def test_options_of_scan_are_checked(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", {"x": [1.0]})
    with pytest.raises(OptionError, match="`scratch` must be an existing directory"):
        ceiba.scan(path, scratch=tmp_path / "nowhere")
    with pytest.raises(OptionError, match="must be a path"):
        ceiba.scan([3])
    with pytest.raises(SchemaError, match="Column not found: 'y'"):
        ceiba.scan(path).without("y")
