"""`ceiba.scan`, `ceiba.read_file` and the command line read the same table from a CSV file."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ceiba
from ceiba.cli import learn_job
from ceiba.table import Table, read
from tests.cli.running import ok
from tests.table.csv_folder import Case, cases

pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
GROUPS = 16
pytestmark = pytest.mark.filterwarnings("ignore::ceiba.errors.DataWarning")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have several pieces of every file, and most rows beyond those by which kinds are guessed."""
    monkeypatch.setattr("ceiba.table.files.streams._PIECE_SIZE", 4096)
    monkeypatch.setattr("ceiba.table.files.typed_csv._SAMPLE_ROWS", 25)


def written(folder: Path, group: int) -> Iterator[tuple[Case, Path]]:
    for k, case in enumerate(cases()):
        if k % GROUPS == group:
            for name, data in case.files.items():
                (folder / name).write_bytes(data)
            yield case, folder / case.pattern


def plain(values: list[Any]) -> list[Any]:
    """Return values as a case has them."""
    return [value.isoformat() if isinstance(value, datetime.date) else value for value in values]


def kind_of(column: Any) -> str:
    return column.info.display if column.info.is_numeric else "text"


def contents(table: Table) -> list[tuple[Any, list[Any]]]:
    """Return the columns of a table: all that its schema says, and values (levels by name)."""
    made = []
    for column in table.columns:
        levels = dict(enumerate(column.info.levels))
        values = column.values.tolist()
        made.append(
            (column.info, values if column.info.is_numeric else list(map(levels.get, values)))
        )
    return made


def same(one: list[tuple[Any, list[Any]]], other: list[tuple[Any, list[Any]]], name: str) -> None:
    for (info, values), (expected, wanted) in zip(one, other, strict=True):
        assert info == expected, name
        assert repr(values) == repr(wanted), (name, info.name)


@pytest.mark.parametrize(
    "group", [pytest.param(k, marks=[pytest.mark.slow] * (k > 0)) for k in range(GROUPS)]
)
def test_the_three_doors_give_the_table(
    tmp_path: Path, group: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[Any] = []
    fit = learn_job.LearnJob.fit

    def seen(self: Any, *args: Any, **kwargs: Any) -> Any:
        model = fit(self, *args, **kwargs)
        trained.append(self.train[0])
        return model

    monkeypatch.setattr(learn_job.LearnJob, "fit", seen)
    for case, path in written(tmp_path, group):
        frame = ceiba.read_file(path, **case.options)
        assert frame.columns == [column.name for column in case.columns], case.name
        table = read(frame)
        for column, typed in zip(case.columns, table.columns, strict=True):
            assert (case.name, column.name, kind_of(typed)) == (case.name, column.name, column.kind)
            assert plain(frame[column.name].to_list()) == column.values, (case.name, column.name)
        scanned = ceiba.scan(path, **case.options)
        assert scanned.names == table.schema.names
        same(contents(read(pa.concat_tables(scanned.batches()))), contents(table), case.name)
        target = case.columns[-1].name
        flags = ["-t", target, "--keep-identifiers", "--max-depth", "2", "-q", "-m", "m.ceiba"]
        flags += ["--no-header"] if "header" in case.options else []
        flags += ["--encoding", "cp1252"] if "encoding" in case.options else []
        is_one = len(case.files) == 1
        ok("learn", next(iter(case.files)) if is_one else case.pattern, *flags, cwd=tmp_path)
        learned = ceiba.load(tmp_path / "m.ceiba").tree_
        assert learned.schema.columns == table.schema.columns[:-1], case.name
        if is_one:
            same(contents(trained.pop()), contents(table)[:-1], case.name)
