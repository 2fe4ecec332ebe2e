"""The tables of the benchmarks, by name: made from a fixed seed, or read from CEIBA_DATA.

A problem is written to a folder once per run and read back by every measurement, so that a fresh
process holds the table and nothing else. CEIBA_DATA (default ../shared/data beside the project) is
a folder of public tables; problems whose file is absent are left out with a reason.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

TABLES = Path(os.environ.get("CEIBA_DATA", Path(__file__).parents[2] / "shared" / "data"))

Task = Literal["classification", "regression"]
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Data:
    """A table and its target: X is a float64 matrix, or a pandas frame with category columns."""

    X: Any
    y: Array
    task: Task

    @property
    def float64_bytes(self) -> int:
        """Size of X if every cell were a float64: the measure of extra memory."""
        return int(self.X.shape[0]) * int(self.X.shape[1]) * 8


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
        return f"{self.file} is not in CEIBA_DATA"


# ---------------------------------------------------------------------------------- made


def numeric(n_rows: int, task: Task, missing: float = 0.0) -> Data:
    """20 normal columns; 8 of them matter, in steps, slopes and pairs; a third of y is noise."""
    rng = np.random.default_rng(20)
    X = rng.standard_normal((n_rows, 20))
    signal = (
        1.5 * (X[:, 0] > 0.3)
        + np.sin(2 * X[:, 1])
        + X[:, 2] * (X[:, 3] > -0.5)
        + 0.5 * X[:, 4] ** 2
        + 0.7 * X[:, 5] * X[:, 6]
        + 0.3 * X[:, 7]
    )
    noise = rng.standard_normal(n_rows)
    if missing:
        X[rng.random(X.shape) < missing] = np.nan
    if task == "regression":
        return Data(X, signal + noise, task)
    return Data(X, (signal + noise > 1.0).astype(np.int64), task)


LEVELS = (2, 5, 10, 20, 50, 100, 200, 500, 2_000, 5_000)


def categorical(n_rows: int) -> Data:
    """10 category columns of 2 to 5,000 levels and 5 numbers, two classes; all columns matter."""
    import pandas as pd

    rng = np.random.default_rng(5_000)
    columns: dict[str, Any] = {}
    score = np.zeros(n_rows)
    for n_levels in LEVELS:
        codes = rng.integers(0, n_levels, n_rows)
        score += rng.normal(0.0, 0.6, n_levels)[codes]
        names = [f"level {code:04d}" for code in range(n_levels)]
        columns[f"of {n_levels}"] = pd.Categorical.from_codes(codes, names)
    for number in range(5):
        columns[f"number {number}"] = values = rng.standard_normal(n_rows)
        score += 0.4 * values
    y = (rng.random(n_rows) < 1 / (1 + np.exp(-score))).astype(np.int64)
    return Data(pd.DataFrame(columns), y, "classification")


def one_large_category(n_rows: int) -> Data:
    """One column of 5,000 levels, five classes: the level-set search that cannot be exhaustive."""
    import pandas as pd

    rng = np.random.default_rng(5)
    codes = rng.integers(0, 5_000, n_rows)
    profile = rng.dirichlet(np.full(5, 2.0), 5_000).cumsum(axis=1)
    y = (rng.random(n_rows)[:, None] > profile[codes]).sum(axis=1).clip(0, 4)
    names = [f"level {code:04d}" for code in range(5_000)]
    frame = pd.DataFrame({"place": pd.Categorical.from_codes(codes, names)})
    return Data(frame, y.astype(np.int64), "classification")


def small(name: str) -> Data:
    from sklearn import datasets

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return Data(X, y, "classification")


# ---------------------------------------------------------------------------------- read


def covertype(n_rows: int) -> Data:
    import pandas as pd

    frame = pd.read_csv(TABLES / "covtype.csv.bz2", nrows=n_rows)
    X = frame.drop(columns="Cover_Type").to_numpy(np.float64)
    return Data(X, frame["Cover_Type"].to_numpy(np.int64), "classification")


def adult(n_rows: int) -> Data:
    import pandas as pd

    frame = pd.read_csv(
        TABLES / "adult_train.csv.gz",
        header=None,
        skipinitialspace=True,
        na_values="?",
        nrows=n_rows,
    )
    frame.columns = [f"x{i}" for i in range(14)] + ["income"]
    y = (frame.pop("income") == ">50K").to_numpy(np.int64)
    return Data(_with_categories(frame), y, "classification")


def flights(n_rows: int) -> Data:
    import pandas as pd

    frame = pd.read_csv(TABLES / "nycflights13_flights.csv.xz", nrows=n_rows)
    frame = frame[frame["arr_delay"].notna()].drop(columns=["dep_delay", "arr_time", "time_hour"])
    y = frame.pop("arr_delay").to_numpy(np.float64)
    return Data(_with_categories(frame), y, "regression")


def _with_categories(frame: Any) -> Any:
    texts = [name for name in frame if not np.issubdtype(_numpy_kind(frame[name]), np.number)]
    numbers = [name for name in frame if name not in texts]
    return frame.astype(dict.fromkeys(texts, "category") | dict.fromkeys(numbers, "float64"))


def _numpy_kind(column: Any) -> Any:
    return column.dtype if isinstance(column.dtype, np.dtype) else np.dtype(object)


MILLION = 1_000_000

PROBLEMS: dict[str, Problem] = {
    "classes": Problem(
        "{rows} x 20 numbers, 2 classes", MILLION, lambda rows: numeric(rows, "classification")
    ),
    "regression": Problem(
        "{rows} x 20 numbers, regression", MILLION, lambda rows: numeric(rows, "regression")
    ),
    "classes_nan": Problem(
        "{rows} x 20 numbers, 20 % missing, 2 classes",
        MILLION,
        lambda rows: numeric(rows, "classification", missing=0.2),
    ),
    "surrogates": Problem(
        "{rows} x 20 numbers, 20 % missing, 2 classes",
        100_000,
        lambda rows: numeric(rows, "classification", missing=0.2),
    ),
    "categorical": Problem(
        "{rows} rows, 10 categories of 2 to 5,000 levels, 5 numbers, 2 classes",
        500_000,
        categorical,
    ),
    "large_category": Problem(
        "{rows} rows, 1 category of 5,000 levels, 5 classes", 100_000, one_large_category
    ),
    "iris": Problem("iris", 150, lambda _: small("iris")),
    "breast_cancer": Problem("breast cancer", 569, lambda _: small("breast_cancer")),
    "covertype": Problem(
        "covertype, {rows} x 54 numbers, 7 classes", 581_012, covertype, "covtype.csv.bz2"
    ),
    "adult": Problem(
        "adult, {rows} rows, 8 categories, 6 numbers", 32_561, adult, "adult_train.csv.gz"
    ),
    "flights": Problem(
        "nycflights13, {rows} rows, tail number of 4,000 levels",
        336_776,
        flights,
        "nycflights13_flights.csv.xz",
    ),
}


# ---------------------------------------------------------------------------------- on disk


def store(name: str, rows: int, folder: Path) -> Path:
    """Write the table of a problem into its own folder below `folder`, once."""
    place = folder / f"{name}-{rows}"
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


def load(place: Path) -> Data:
    """Read a stored table."""
    matrix = place / "X.npy"
    X = np.load(matrix) if matrix.exists() else pickle.loads((place / "X.pickle").read_bytes())
    task: Any = (place / "task").read_text("utf-8")
    return Data(X, np.load(place / "y.npy"), task)
