"""Read the external tables of the lessons, or generate synthetic replacements.

The files are public but cannot be redistributed. Without them a lesson runs on a stand-in: random
rows with the same columns and similar distributions, from a fixed seed. The results then differ.
"""

from __future__ import annotations

import contextlib
import csv
import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from ceiba.errors import DataError, OptionError, did_you_mean

#: File name of each table.
TABLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "seattle": "seattleWeather_1948-2017.csv",
        "water": "water_potability.csv",
        "hitters": "Hitters.csv",
    }
)
_FOLDER: Final[ContextVar[Path | None]] = ContextVar("folder", default=None)

ColumnLists = dict[str, list[Any]]


@dataclass(frozen=True)
class LessonTable:
    """A table as lists by column, and its source: ``file`` or ``stand-in`` (synthetic data)."""

    name: str
    columns: ColumnLists
    source: str

    @property
    def n_rows(self) -> int:
        """The number of rows of the table."""
        return len(next(iter(self.columns.values())))

    def __repr__(self) -> str:
        return f"<{self.name}: {self.n_rows} rows, {self.source}>"


def table(name: str, path: str | Path | None = None) -> LessonTable:
    """Read a table of the lessons from its CSV file, or generate synthetic data instead.

    Parameters
    ----------
    name : {"seattle", "water", "hitters"}
    path : path, optional
        The CSV file. By default, the file of this table (`TABLES`) in the folder passed to
        `read_from` if it exists, else the stand-in.

    Returns
    -------
    LessonTable

    Examples
    --------
    >>> from ceiba.lessons import table
    >>> rain = table("seattle")
    >>> rain.source, list(rain.columns)
    ('stand-in', ['DATE', 'PRCP', 'TMAX', 'TMIN', 'RAIN'])
    """
    if name not in TABLES:
        raise OptionError(
            f"name must be one of {', '.join(TABLES)}, got {name!r}.{did_you_mean(name, TABLES)}"
        )
    folder = _FOLDER.get()
    if path is None and folder is not None and (folder / TABLES[name]).is_file():
        path = folder / TABLES[name]
    if path is None:
        return LessonTable(name, _RECIPES[name](), "stand-in")
    return LessonTable(name, _read(Path(path), name), "file")


def read_from(folder: str | Path) -> None:
    """Set the folder from which `table` reads the CSV files of the lessons."""
    _FOLDER.set(_check_folder(folder))


@contextlib.contextmanager
def data_folder(folder: str | Path | None) -> Iterator[None]:
    """Read lesson tables from a folder in a `with` block; None keeps the current folder."""
    token = _FOLDER.set(_FOLDER.get() if folder is None else _check_folder(folder))
    try:
        yield
    finally:
        _FOLDER.reset(token)


def _check_folder(folder: str | Path) -> Path:
    if not Path(folder).is_dir():
        raise DataError(
            f"Not a directory: {folder}. Pass a directory that contains at least one of "
            f"{', '.join(TABLES.values())}."
        )
    return Path(folder)


def _read(path: Path, name: str) -> ColumnLists:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"Cannot read the table {name!r} from {path}: {error}.") from error
    names = list(_RECIPES[name]())
    absent = [column for column in names if not rows or column not in rows[0]]
    if absent:
        raise DataError(
            f"{path} must have at least one row and the columns {', '.join(names)}. "
            + (f"Column not found: {absent[0]!r}." if rows else "It has no rows.")
        )
    return {column: [_value(row[column]) for row in rows] for column in names}


def _value(text: str) -> Any:
    if text in ("", "NA"):
        return None
    try:
        return float(text)
    except ValueError:
        return text


# --- recipes -----------------------------------------------------------------------------------


def _seattle() -> ColumnLists:
    """Return ten years of synthetic weather, in which rain depends on season and temperature."""
    rng = np.random.default_rng(1948)
    first = dt.date(2007, 1, 1)
    n = 3652
    season = np.cos(2 * np.pi * (np.arange(n) + 16) / 365.25)
    spread = np.clip(rng.normal(14 - 4 * season, 4), 2, None)
    warmest = np.round(60 - 15 * season + rng.normal(0, 6, n))
    coldest = np.round(warmest - spread)
    odds = 1.1 * season - 0.25 * (warmest - coldest - 14)
    wet = rng.random(n) < 1 / (1 + np.exp(-odds))
    inches = np.where(wet, np.maximum(1, np.round(rng.exponential(22, n))) / 100, 0.0)
    fallen: list[Any] = inches.tolist()
    rained: list[Any] = ["TRUE" if amount > 0 else "FALSE" for amount in fallen]
    for day in rng.choice(n, 3, replace=False).tolist():
        fallen[day] = rained[day] = None
    return {
        "DATE": [(first + dt.timedelta(days=day)).isoformat() for day in range(n)],
        "PRCP": fallen,
        "TMAX": warmest.tolist(),
        "TMIN": coldest.tolist(),
        "RAIN": rained,
    }


_WATER: Final = {  # mean, standard deviation and share of missing values by column
    "ph": (7.1, 1.6, 0.15),
    "Hardness": (196.0, 33.0, 0.0),
    "Solids": (22000.0, 8800.0, 0.0),
    "Chloramines": (7.1, 1.6, 0.0),
    "Sulfate": (334.0, 41.0, 0.24),
    "Conductivity": (426.0, 81.0, 0.0),
    "Organic_carbon": (14.3, 3.3, 0.0),
    "Trihalomethanes": (66.4, 16.2, 0.05),
    "Turbidity": (4.0, 0.8, 0.0),
}


def _water() -> ColumnLists:
    """Return 1,200 synthetic water samples: normal variables, some with missing values."""
    rng = np.random.default_rng(2021)
    n = 1200
    z = {name: rng.normal(size=n) for name in _WATER}
    z["Hardness"] = 0.6 * z["Sulfate"] + 0.8 * z["Hardness"]
    drinkable = rng.random(n) < np.where(np.abs(z["Sulfate"]) > 1.4, 0.65, 0.35)
    columns: ColumnLists = {}
    for name, (mean, spread, missing) in _WATER.items():
        is_missing = rng.random(n) < missing
        numbers = np.round(mean + spread * z[name], 3).tolist()
        columns[name] = [
            None if gap else value for gap, value in zip(is_missing.tolist(), numbers, strict=True)
        ]
    columns["Potability"] = drinkable.astype(float).tolist()
    return columns


def _hitters() -> ColumnLists:
    """Return 322 synthetic baseball players; their log salary has three levels and normal noise."""
    rng = np.random.default_rng(1986)
    n = 322
    years = 1 + rng.poisson(rng.gamma(2, 3.1, n))
    hits = np.clip(np.round(rng.normal(101, 46, n)), 1, 238)
    level = np.where(years < 4.5, 5.1, np.where(hits < 117.5, 6.0, 6.7))
    salary: list[Any] = np.round(np.exp(level + rng.normal(0, 0.5, n)), 1).tolist()
    for player in rng.choice(n, 59, replace=False).tolist():
        salary[player] = None
    return {"Years": years.astype(float).tolist(), "Hits": hits.tolist(), "Salary": salary}


_RECIPES: Final[dict[str, Callable[[], ColumnLists]]] = {
    "seattle": _seattle,
    "water": _water,
    "hitters": _hitters,
}
