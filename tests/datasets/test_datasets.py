"""The embedded data are those of their sources."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ceiba.datasets import Dataset, load_iris, load_play_tennis, load_restaurant
from ceiba.table import Kind, read, read_target
from ceiba.table.targets.split_target import split_target

LOADERS = [load_restaurant, load_play_tennis, load_iris]


@pytest.mark.parametrize(
    ("load", "rows", "columns", "target"),
    [
        (load_restaurant, 12, 10, "WillWait"),
        (load_play_tennis, 14, 4, "PlayTennis"),
        (load_iris, 150, 4, "species"),
    ],
)
def test_load_gives_the_shape(
    load: Callable[[], Dataset], rows: int, columns: int, target: str
) -> None:
    data = load()
    table = read(data.X)
    assert (table.n_rows, table.n_columns, len(data.y), data.target) == (
        rows,
        columns,
        rows,
        target,
    )


@pytest.mark.parametrize("load", LOADERS)
def test_data_holds_columns_and_target(load: Callable[[], Dataset]) -> None:
    data = load()
    X, y = split_target(data.data, data.target)
    assert X == data.X
    assert y == data.y


@pytest.mark.parametrize("load", LOADERS)
def test_load_gives_a_fresh_copy(load: Callable[[], Dataset]) -> None:
    load().y[0] = "changed"
    assert load().y[0] != "changed"


def test_restaurant_equals_the_reference_table(oracle_folder: Path) -> None:
    with (oracle_folder / "data" / "restaurant.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    data = load_restaurant().data
    assert list(data) == list(rows[0])
    assert [dict(zip(data, row, strict=True)) for row in zip(*data.values(), strict=True)] == rows


def test_restaurant_levels_have_the_order_of_the_reference(oracle_folder: Path) -> None:
    text = (oracle_folder / "data" / "restaurant.schema.json").read_text("utf-8")
    columns = json.loads(text)["columns"]
    for info in read(load_restaurant().X).schema.columns:
        assert info.kind is Kind.CATEGORICAL
        assert list(info.levels) == columns[info.name]["levels"]


def test_restaurant_has_six_of_each_answer() -> None:
    target = read_target(load_restaurant().y, task="classification")
    assert (target.values == 1).sum() == 6


def test_play_tennis_counts_are_those_of_the_book() -> None:
    data = load_play_tennis()
    played = {
        level: sum(y == "Yes" for x, y in zip(data.X["Outlook"], data.y, strict=True) if x == level)
        for level in ("Sunny", "Overcast", "Rain")
    }
    assert played == {"Sunny": 2, "Overcast": 4, "Rain": 3}


def test_iris_is_numeric_with_three_species() -> None:
    data = load_iris()
    assert read(data.X).schema.is_matrix
    assert sorted(set(data.y)) == ["setosa", "versicolor", "virginica"]


@pytest.mark.parametrize("load", LOADERS)
def test_repr_tells_name_and_shape(load: Callable[[], Dataset]) -> None:
    data = load()
    assert data.name in repr(data)
    assert f"{len(data.y)} rows" in repr(data)
