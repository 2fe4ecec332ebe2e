"""The tables of the benchmarks, generated from a fixed seed or read from CEIBA_DATA.

CEIBA_DATA is a folder of public tables (default: ../shared/data next to the project).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
TABLES = Path(os.environ.get("CEIBA_DATA") or BESIDE)

Task = Literal["classification", "regression"]
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Data:
    """A table and its target: X is a float matrix, or a pandas frame with category columns."""

    X: Any
    y: Array
    task: Task

    @property
    def float64_bytes(self) -> int:
        """Size of X if every cell were a float64: the measure of extra memory."""
        return int(self.X.shape[0]) * int(self.X.shape[1]) * 8


# ---------------------------------------------------------------------------------- made


def numeric(
    n_rows: int,
    task: Task,
    missing: float = 0.0,
    dtype: str = "float64",
    n_columns: int = 20,
    values: Literal["normal", "integers"] = "normal",
    order: Literal["C", "F"] = "C",
) -> Data:
    """Normal columns; 8 of them matter, in steps, slopes and pairs; a third of y is noise.

    As "integers" the columns hold whole numbers from 0 to 100, all about as often.
    """
    rng = np.random.default_rng(20)
    if values == "integers":
        X = rng.integers(0, 101, (n_rows, n_columns)).astype(dtype)
        Z = (X[:, :8] - 50) / 29
    else:
        # By blocks of rows: ten million rows in float64 would need twice the memory of the table.
        X = np.empty((n_rows, n_columns), dtype)
        for start in range(0, n_rows, 1_000_000):
            X[start : start + 1_000_000] = rng.standard_normal(X[start : start + 1_000_000].shape)
        Z = X[:, :8].astype(np.float64)
    signal = (
        1.5 * (Z[:, 0] > 0.3)
        + np.sin(2 * Z[:, 1])
        + Z[:, 2] * (Z[:, 3] > -0.5)
        + 0.5 * Z[:, 4] ** 2
        + 0.7 * Z[:, 5] * Z[:, 6]
        + 0.3 * Z[:, 7]
    )
    noise = rng.standard_normal(n_rows)
    if missing:
        X[rng.random(X.shape) < missing] = np.nan
    X = np.asarray(X, order=order)
    if task == "regression":
        return Data(X, signal + noise, task)
    return Data(X, (signal + noise > 1.0).astype(np.int64), task)


def many_classes(n_rows: int, n_classes: int) -> Data:
    """The same columns; the classes are equal slices of the number behind them."""
    base = numeric(n_rows, "regression", dtype="float32")
    edges = np.quantile(base.y, np.arange(1, n_classes) / n_classes)
    return Data(base.X, np.searchsorted(edges, base.y).astype(np.int64), "classification")


LEVELS = (2, 5, 10, 20, 50, 100, 200, 500, 2_000, 5_000)


def categorical(n_rows: int, n_classes: int = 2, levels: tuple[int, ...] = LEVELS) -> Data:
    """One category column per number of levels, and 5 numbers; all columns matter."""
    import pandas as pd

    rng = np.random.default_rng(5_000)
    columns: dict[str, Any] = {}
    n_scores = 1 if n_classes == 2 else n_classes
    score = np.zeros((n_rows, n_scores))
    for n_levels in levels:
        codes = rng.integers(0, n_levels, n_rows)
        score += rng.normal(0.0, 0.6, (n_levels, n_scores))[codes]
        names = [f"level {code:05d}" for code in range(n_levels)]
        columns[f"of {n_levels} no {len(columns)}"] = pd.Categorical.from_codes(codes, names)
    for number in range(5):
        columns[f"number {number}"] = values = rng.standard_normal(n_rows)
        score += values[:, None] * (0.4 if n_classes == 2 else rng.normal(0.0, 0.4, n_scores))
    if n_classes == 2:
        y = (rng.random(n_rows) < 1 / (1 + np.exp(-score[:, 0]))).astype(np.int64)
    else:
        # The largest of score + Gumbel noise is a draw from the softmax of the scores.
        y = np.argmax(score + rng.gumbel(size=score.shape), axis=1).astype(np.int64)
    return Data(pd.DataFrame(columns), y, "classification")


def wide(n_rows: int, task: Task, n_columns: int = 5_000) -> Data:
    """Many more columns than matter: the search over columns is all there is."""
    return numeric(n_rows, task, dtype="float32", n_columns=n_columns)


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


def routes(n_rows: int) -> Data:
    """Flights without the tail number: 16 carriers, 3 origins, 105 destinations."""
    data = flights(n_rows)
    return Data(data.X.drop(columns="tailnum"), data.y, "regression")


def late_flights(n_rows: int) -> Data:
    """Flights by whether they arrived more than a quarter of an hour late."""
    data = flights(n_rows)
    return Data(data.X, (data.y > 15).astype(np.int64), "classification")


def _with_categories(frame: Any) -> Any:
    texts = [name for name in frame if not np.issubdtype(_numpy_kind(frame[name]), np.number)]
    numbers = [name for name in frame if name not in texts]
    return frame.astype(dict.fromkeys(texts, "category") | dict.fromkeys(numbers, "float64"))


def _numpy_kind(column: Any) -> Any:
    return column.dtype if isinstance(column.dtype, np.dtype) else np.dtype(object)
