"""The data sets are those of their sources."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ceiba import datasets
from ceiba.cli.options.completion import CHOICES
from ceiba.datasets import (
    Dataset,
    load_bike_sharing,
    load_german_credit,
    load_iris,
    load_lung,
    load_play_tennis,
    load_restaurant,
    load_titanic,
)
from ceiba.table import Kind, read, read_target
from ceiba.table.targets.split_target import split_target

LOADERS = [
    load_restaurant, load_play_tennis, load_iris, load_titanic, load_german_credit,
    load_bike_sharing,
]  # fmt: skip
NAMES = list(datasets.describe_tables())


@pytest.mark.parametrize(
    ("load", "rows", "columns", "target"),
    [
        (load_restaurant, 12, 10, "WillWait"),
        (load_play_tennis, 14, 4, "PlayTennis"),
        (load_iris, 150, 4, "species"),
        (load_titanic, 891, 7, "survived"),
        (load_german_credit, 1000, 14, "risk"),
        (load_bike_sharing, 731, 8, "rentals"),
        (load_lung, 228, 7, ("time", "died")),
    ],
)
def test_load_gives_the_shape(
    load: Callable[[], Dataset], rows: int, columns: int, target: str | tuple[str, str]
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


def test_every_table_has_a_loader_a_licence_and_a_place_on_the_command_line() -> None:
    loaders = {name.removeprefix("load_") for name in datasets.__all__ if name != "Dataset"}
    assert loaders == set(NAMES) == set(CHOICES["example"])
    files = {path.stem for path in datasets.get_path("iris").parent.glob("*.csv")}
    assert files == loaders
    for name in NAMES:
        data = datasets.load(name)
        assert data.licence, name
        assert data.source, name


def test_tables_take_at_most_300_kb() -> None:
    folder = datasets.get_path("iris").parent
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 300_000


def test_titanic_has_the_passengers_of_the_source(data_folder: Path) -> None:
    with (data_folder / "titanic.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    data = load_titanic()
    assert data.y == [{"0": "no", "1": "yes"}[row["Survived"]] for row in rows]
    assert data.X["age"] == [float(row["Age"]) if row["Age"] else None for row in rows]
    assert data.X["class"] == [{"1": "1st", "2": "2nd", "3": "3rd"}[row["Pclass"]] for row in rows]


def test_german_credit_has_the_counts_of_the_corrected_levels() -> None:
    data = load_german_credit()
    status = {level: data.X["status"].count(level) for level in set(data.X["status"])}
    assert status == {"no account": 274, "< 0 DM": 269, "0-200 DM": 63, ">= 200 DM": 394}
    assert data.y.count("bad") == 300
    assert data.X["housing"].count("rent") == 713


def test_bike_sharing_has_the_rentals_of_the_hours(data_folder: Path) -> None:
    with (data_folder / "bike_sharing_hour.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    by_day: dict[str, int] = {}
    for row in rows:
        by_day[row["dteday"]] = by_day.get(row["dteday"], 0) + int(row["cnt"])
    assert load_bike_sharing().y == [by_day[day] for day in sorted(by_day)]


def test_lung_has_the_deaths_and_times_of_the_trial() -> None:
    data = load_lung()
    assert int(data.y["died"].sum()) == 165  # as in R: sum(lung$status == 2)
    assert float(data.y["time"].sum()) == 69593
    assert data.data["died"][:3] == [True, True, False]
