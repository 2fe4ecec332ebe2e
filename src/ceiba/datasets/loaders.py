"""Functions that load the bundled data sets as dicts of lists.

`tables/` holds one CSV file per data set; `tables/about.toml` states the target, source and license
of each, and the order of declared levels.
"""

from __future__ import annotations

import csv
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from ceiba.errors import OptionError, did_you_mean
from ceiba.table import Levels

_TABLES: Final = Path(__file__).with_name("tables")


@dataclass(frozen=True)
class Dataset:
    """A bundled data set: the feature columns as Python lists, and the target.

    Parameters
    ----------
    name : str
        Name of the data set.
    X : dict of list
        The columns by name; None is missing.
    y : list or structured array
        The target; for survival times, a structured array of the event and the time.
    target : str or tuple of str
        Name of the target; for survival times, the names of the time and the event.
    source : str
        Source of the data.
    licence : str
        License under which the data are distributed.

    Examples
    --------
    >>> from ceiba.datasets import load_play_tennis
    >>> tennis = load_play_tennis()
    >>> tennis
    Dataset('play_tennis': 14 rows, 4 columns, target 'PlayTennis')
    >>> list(tennis.data)
    ['Outlook', 'Temperature', 'Humidity', 'Wind', 'PlayTennis']
    """

    name: str
    X: dict[str, list[Any]]
    y: Any
    target: str | tuple[str, str]
    source: str = ""
    licence: str = ""

    @property
    def data(self) -> dict[str, list[Any]]:
        """The feature and target columns in one dict, for ``fit(data, target)``."""
        if isinstance(self.target, str):
            return {**self.X, self.target: self.y}
        return {**self.X, **{name: self.y[name].tolist() for name in self.target}}

    def __repr__(self) -> str:
        return (
            f"Dataset({self.name!r}: {len(self.y)} rows, {len(self.X)} columns, "
            f"target {self.target!r})"
        )


def load_titanic() -> Dataset:
    """Return the Titanic passengers: 891 rows, 7 columns, target ``survived``.

    Levels are words instead of codes; 177 ages and 2 ports are missing.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> titanic = load_titanic()
    >>> {name: values[0] for name, values in titanic.data.items() if name in ("class", "age")}
    {'class': '3rd', 'age': 22.0}
    >>> titanic.X["age"].count(None)
    177
    """
    return load("titanic")


def load_german_credit() -> Dataset:
    """Return the German credit table: 1,000 loans, 14 columns, target ``risk``.

    The levels are those of Groemping (2019), who corrected the published codes. Six of the 20
    published columns are left out, because their codes are disputed.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> credit = load_german_credit()
    >>> credit.y.count("bad"), sorted(set(credit.X["status"]))
    (300, ['0-200 DM', '< 0 DM', '>= 200 DM', 'no account'])
    """
    return load("german_credit")


def load_bike_sharing() -> Dataset:
    """Return daily bicycle rentals in Washington, D.C.: 731 days, 8 columns, target ``rentals``.

    The hours of the source are summed to days. Temperatures are in °C, humidity in %, wind in km/h;
    the weather of a day is the rounded mean of its hourly codes.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> bikes = load_bike_sharing()
    >>> bikes.y[0], bikes.X["weather"][0], bikes.X["temperature"][0]
    (985, 'cloudy', 14.1)
    """
    return load("bike_sharing")


def load_lung() -> Dataset:
    """Return the lung cancer data: 228 patients, 7 columns, targets ``time`` and ``died``.

    ``time`` is in days; ``died`` is False for a censored time. The columns are age, sex, three
    scores of the patient's condition, calories at meals and weight loss.

    Returns
    -------
    Dataset
        ``y`` is a structured array with the fields ``died`` and ``time``.

    Examples
    --------
    >>> lung = load_lung()
    >>> lung.target, int(lung.y["died"].sum()), float(lung.y["time"][0])
    (('time', 'died'), 165, 306.0)
    """
    return load("lung")


def load_iris() -> Dataset:
    """Return the iris table: 150 rows, 4 numeric columns (cm), target ``species``.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> iris = load_iris()
    >>> list(iris.X)
    ['sepal length', 'sepal width', 'petal length', 'petal width']
    >>> iris.y[0], iris.X["petal length"][0]
    ('setosa', 1.4)
    """
    return load("iris")


def load_play_tennis() -> Dataset:
    """Return the tennis table: 14 rows, 4 categorical columns, target ``PlayTennis``.

    Returns
    -------
    Dataset
        The columns declare the order of their levels. The gain of Outlook is 0.247 bits.

    Examples
    --------
    >>> tennis = load_play_tennis()
    >>> tennis.y.count("Yes"), tennis.X["Outlook"].levels
    (9, ('Sunny', 'Overcast', 'Rain'))
    """
    return load("play_tennis")


def load_restaurant() -> Dataset:
    """Return the restaurant table: 12 rows, 10 categorical columns, target ``WillWait``.

    Returns
    -------
    Dataset
        The columns declare the order of their levels. The gain of Patrons is 0.541 bits.

    Examples
    --------
    >>> restaurant = load_restaurant()
    >>> restaurant.X["Patrons"][:4]
    ['Some', 'Full', 'Some', 'Full']
    >>> restaurant.X["Patrons"].levels
    ('None', 'Some', 'Full')
    """
    return load("restaurant")


def load(name: str) -> Dataset:
    """Return a data set by name."""
    about = describe_tables()[name]
    with get_path(name).open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    levels = about.get("levels", {})
    columns = {
        column: Levels(cells, levels[column]) if column in levels else _convert(cells)
        for column, cells in zip(names, zip(*rows, strict=True), strict=True)
    }
    target: Any = about["target"]
    y: Any
    if isinstance(target, str):
        y = columns.pop(target)
    else:
        times, events = (columns.pop(column) for column in target)
        fields = [(target[1], bool), (target[0], float)]  # scikit-survival requires this order
        y = np.array(list(zip(events, times, strict=True)), dtype=fields)
        target = tuple(target)
    return Dataset(name, columns, y, target, about["source"], about["licence"])


@cache
def describe_tables() -> dict[str, dict[str, Any]]:
    """Return the target, source and license of each data set, as a dict by name."""
    return tomllib.loads((_TABLES / "about.toml").read_text("utf-8"))


def get_path(name: str) -> Path:
    """Return the path of the CSV file of a data set."""
    tables = describe_tables()
    if name not in tables:
        raise OptionError(
            f"Unknown data set {name!r}. Allowed values: {', '.join(tables)}."
            f"{did_you_mean(name, tables)}"
        )
    return _TABLES / f"{name}.csv"


def _convert(cells: tuple[str, ...]) -> list[Any]:
    """Convert the fields of a column to integers, floats or strings; empty fields become None."""
    for kind in (int, float):
        try:
            return [kind(cell) if cell else None for cell in cells]
        except ValueError:
            continue
    return [cell or None for cell in cells]
