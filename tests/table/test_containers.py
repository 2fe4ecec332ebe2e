"""One table, every container: the same Table."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pytest

from ceiba.table import Kind, Table, read
from ceiba.table.read_for_predict import read_like
from tests.table.containers import NAMED, NAMELESS, Columns

PEOPLE: Columns = {
    "age": [31, 45, 27, 60],
    "height": [1.6, None, 1.7, 1.8],
    "city": ["Oslo", "Lima", None, "Oslo"],
    "member": [True, False, True, None],
    "born": [dt.date(1990, 1, 1), dt.date(1980, 1, 2), None, dt.date(1960, 12, 31)],
    "seen": [
        dt.datetime(2024, 1, 1, 12, 30),
        None,
        dt.datetime(2024, 1, 2),
        dt.datetime(2024, 1, 3),
    ],
}
VALUES = {
    "age": [31, 45, 27, 60],
    "height": [1.6, None, 1.7, 1.8],
    "city": [1, 0, -1, 1],
    "member": [1, 0, 1, None],
    "born": [631152000, 315619200, None, -284083200],
    "seen": [1704112200, None, 1704153600, 1704240000],
}
DISPLAY = {"member": "boolean", "born": "date", "seen": "datetime"}


def values(table: Table) -> list[list[Any]]:
    return [[None if v != v else v for v in column.values.tolist()] for column in table.columns]


@pytest.fixture(params=NAMED, ids=str)
def named(request: pytest.FixtureRequest) -> Any:
    return NAMED[request.param](PEOPLE)


@pytest.fixture(params=NAMELESS, ids=str)
def nameless(request: pytest.FixtureRequest) -> Any:
    return NAMELESS[request.param](PEOPLE)


def test_read_named_container_gives_same_values(named: Any) -> None:
    assert values(read(named)) == list(VALUES.values())


def test_read_named_container_gives_same_schema(named: Any) -> None:
    schema = read(named).schema
    assert schema == read(PEOPLE).schema
    assert schema.named
    assert schema.names == tuple(PEOPLE)


def test_read_nameless_container_gives_same_values_and_made_up_names(nameless: Any) -> None:
    table = read(nameless)
    assert values(table) == list(VALUES.values())
    assert table.schema.names == tuple(f"x{j}" for j in range(6))
    assert not table.schema.named


def test_read_gives_kind_display_and_levels() -> None:
    schema = read(PEOPLE).schema
    kinds = {c.name: c.kind for c in schema.columns}
    assert kinds == {n: Kind.CATEGORICAL if n == "city" else Kind.NUMERIC for n in PEOPLE}
    assert {c.name: c.display for c in schema.columns} == {
        name: DISPLAY.get(name, "number") for name in PEOPLE
    }
    assert schema.columns[2].levels == ("Lima", "Oslo")


def test_read_keeps_what_was_seen() -> None:
    schema = read(PEOPLE).schema
    assert [c.n_missing for c in schema.columns] == [0, 1, 1, 1, 1, 1]
    assert (schema.columns[1].minimum, schema.columns[1].maximum) == (1.6, 1.8)
    assert (schema.columns[2].minimum, schema.columns[2].maximum) == (None, None)


@pytest.mark.parametrize("match", ["position", "name"])
def test_read_like_gives_same_values_from_any_container(named: Any, match: Any) -> None:
    table = read_like(named, read(PEOPLE).schema, match=match)
    assert values(table) == list(VALUES.values())


@pytest.mark.parametrize("container", NAMED, ids=str)
def test_read_like_reordered_by_name_finds_columns(container: str) -> None:
    backwards = dict(reversed(PEOPLE.items()))
    table = read_like(NAMED[container](backwards), read(PEOPLE).schema, match="name")
    assert values(table) == list(VALUES.values())


@pytest.mark.parametrize("container", NAMED, ids=str)
def test_read_does_not_change_the_container(container: str) -> None:
    X = NAMED[container](PEOPLE)
    before = repr(X)
    read(X)
    assert repr(X) == before


@pytest.mark.parametrize("container", NAMED, ids=str)
@pytest.mark.parametrize("rows", [5, 9])
def test_read_of_floats_gives_same_numbers(container: str, rows: int) -> None:
    numbers = np.random.default_rng(0).normal(size=(rows, 3))
    X = NAMED[container]({name: numbers[:, j].tolist() for j, name in enumerate("abc")})
    table = read(X)
    assert np.array_equal(np.stack([c.values for c in table.columns], axis=1), numbers)


@pytest.mark.parametrize("container", NAMED, ids=str)
def test_core_has_all_columns(container: str) -> None:
    core = read(NAMED[container](PEOPLE)).core()
    assert (core.n_rows, core.n_columns) == (4, 6)


@pytest.mark.parametrize("container", [*NAMED, *NAMELESS], ids=str)
def test_read_all_missing_column_is_numeric(container: str) -> None:
    X = {**NAMED, **NAMELESS}[container]({"a": [1.0, 2.0], "gone": [None, None]})
    info = read(X).schema.columns[1]
    assert (info.kind, info.n_missing, info.minimum) == (Kind.NUMERIC, 2, None)


# An INTERVAL of DuckDB counts months and has no length in seconds.
@pytest.mark.parametrize("container", sorted({*NAMED, *NAMELESS} - {"duckdb"}), ids=str)
def test_read_durations_gives_seconds(container: str) -> None:
    took = [dt.timedelta(seconds=90), None, dt.timedelta(days=1), dt.timedelta(microseconds=1)]
    table = read({**NAMED, **NAMELESS}[container]({"took": took}))
    assert values(table) == [[90, None, 86400, 1e-6]]
    assert table.schema.columns[0].display == "duration"
