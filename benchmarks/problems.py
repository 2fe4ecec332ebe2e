"""The problems of the benchmarks, by name; tables.py generates or reads their tables.

A problem is written to a folder once per run and read back by every measurement, so that a fresh
process holds the table and nothing else. Problems whose file is absent are skipped with a reason.
"""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import tables
from benchmarks.tables import TABLES, Data

MILLION = 1_000_000


@dataclass(frozen=True)
class Problem:
    """How to make a table; `rows` is its full size, and `{rows}` in the text stands for it."""

    about: str
    rows: int
    make: Callable[[int], Data]
    file: str | None = None

    def why_absent(self) -> str | None:
        if self.file is None or (TABLES / self.file).exists():
            return None
        return f"{self.file} is not in CEIBA_DATA ({TABLES})"


_numbers = partial(tables.numeric, dtype="float32")

PROBLEMS: dict[str, Problem] = {
    "classes": Problem(
        "{rows} x 20 float32, 2 classes", MILLION, partial(_numbers, task="classification")
    ),
    "classes_float64": Problem(
        "{rows} x 20 float64, 2 classes", MILLION, partial(tables.numeric, task="classification")
    ),
    "classes_columns": Problem(
        "{rows} x 20 float32 in F order, 2 classes",
        MILLION,
        partial(_numbers, task="classification", order="F"),
    ),
    "classes_float64_columns": Problem(
        "{rows} x 20 float64 in F order, 2 classes",
        MILLION,
        partial(tables.numeric, task="classification", order="F"),
    ),
    "regression": Problem(
        "{rows} x 20 float32, regression", MILLION, partial(_numbers, task="regression")
    ),
    "integers": Problem(
        "{rows} x 20 integers 0..100, 2 classes",
        MILLION,
        partial(_numbers, task="classification", values="integers"),
    ),
    "int64": Problem(
        "{rows} x 20 int64 0..100, 2 classes",
        MILLION,
        partial(tables.numeric, task="classification", values="integers", dtype="int64"),
    ),
    "classes_nan": Problem(
        "{rows} x 20 float32, 20 % missing, 2 classes",
        MILLION,
        partial(_numbers, task="classification", missing=0.2),
    ),
    "surrogates": Problem(
        "{rows} x 20 numbers, 20 % missing, 2 classes",
        100_000,
        partial(tables.numeric, task="classification", missing=0.2),
    ),
    "absolute_error": Problem(
        "{rows} x 20 float32, absolute error", 100_000, partial(_numbers, task="regression")
    ),
    "wide": Problem(
        "{rows} x 5,000 float32, 2 classes", 2_000, partial(tables.wide, task="classification")
    ),
    "wide_regression": Problem(
        "{rows} x 5,000 float32, regression", 2_000, partial(tables.wide, task="regression")
    ),
    "categorical": Problem(
        "{rows} rows, 10 categories of 2 to 5,000 levels, 5 numbers, 2 classes",
        500_000,
        tables.categorical,
    ),
    "categorical_5": Problem(
        "{rows} rows, 10 categories of 2 to 5,000 levels, 5 numbers, 5 classes",
        500_000,
        partial(tables.categorical, n_classes=5),
    ),
    "large_category": Problem(
        "{rows} rows, 1 category of 5,000 levels, 5 classes", 100_000, tables.one_large_category
    ),
    "iris": Problem("iris", 150, lambda _: tables.small("iris")),
    "breast_cancer": Problem("breast cancer", 569, lambda _: tables.small("breast_cancer")),
    "covertype": Problem(
        "covertype, {rows} x 54 numbers, 7 classes", 581_012, tables.covertype, "covtype.csv.bz2"
    ),
    "adult": Problem(
        "adult, {rows} rows, 8 categories, 6 numbers", 32_561, tables.adult, "adult_train.csv.gz"
    ),
    "flights": Problem(
        "nycflights13, {rows} rows, tail number of 4,000 levels",
        336_776,
        tables.flights,
        "nycflights13_flights.csv.xz",
    ),
    "routes": Problem(
        "nycflights13, {rows} rows, without tail number",
        336_776,
        tables.routes,
        "nycflights13_flights.csv.xz",
    ),
    "late_flights": Problem(
        "nycflights13, {rows} rows, late or not, tail number of 4,000 levels",
        336_776,
        tables.late_flights,
        "nycflights13_flights.csv.xz",
    ),
}

# The points of the growth curves: one thing grows, the rest stays (growth.py).
CURVE_ROWS = (10_000, 100_000, 316_228, MILLION, 3_162_278, 10 * MILLION)
CURVE_COLUMNS = (10, 20, 50, 100, 200)
CURVE_CLASSES = (2, 5, 10, 26, 50, 100)
CURVE_LEVELS = (10, 100, 1_000, 10_000)
CURVE_DEPTHS = (2, 4, 8, 16, 32)

PROBLEMS |= {
    f"rows {n}": Problem("20 float32, 2 classes", n, partial(_numbers, task="classification"))
    for n in CURVE_ROWS
}
PROBLEMS |= {
    f"columns {n}": Problem(
        "{rows} rows, 2 classes", 100_000, partial(_numbers, task="classification", n_columns=n)
    )
    for n in CURVE_COLUMNS
}
PROBLEMS |= {
    f"classes {n}": Problem(
        "{rows} x 20 float32", 100_000, partial(tables.many_classes, n_classes=n)
    )
    for n in CURVE_CLASSES
}
PROBLEMS |= {
    f"levels {n}": Problem(
        "{rows} rows, 4 categories, 5 numbers, 2 classes",
        200_000,
        partial(tables.categorical, levels=(n,) * 4),
    )
    for n in CURVE_LEVELS
}


# ---------------------------------------------------------------------------------- on disk


def store(name: str, rows: int, folder: Path) -> Path:
    """Write the table of a problem into its own folder below `folder`, once."""
    place = folder / f"{name.replace(' ', '_')}-{rows}"
    if not place.exists():
        data = PROBLEMS[name].make(rows)
        place.mkdir(parents=True)
        np.save(place / "y.npy", data.y)
        (place / "task").write_text(data.task, "utf-8")
        if isinstance(data.X, np.ndarray):
            np.save(place / "X.npy", data.X)
        else:
            (place / "X.pickle").write_bytes(pickle.dumps(data.X, protocol=5))
    return place


def forget(name: str, folder: Path) -> None:
    """Remove what was stored of a problem."""
    for place in folder.glob(f"{name.replace(' ', '_')}-*"):
        shutil.rmtree(place)


def load(place: Path) -> Data:
    """Read a stored table."""
    matrix = place / "X.npy"
    X = np.load(matrix) if matrix.exists() else pickle.loads((place / "X.pickle").read_bytes())
    task: Any = (place / "task").read_text("utf-8")
    return Data(X, np.load(place / "y.npy"), task)
