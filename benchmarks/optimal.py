"""Optimal trees and other exact solvers: CPU seconds to proof, and the best tree over time.

70 % of the rows for training, seed 0, one thread. ConTree and pytrees-rs consider the same cuts;
STreeD and DL8.5 need binary columns and get ten quantile cuts per column, so their optimum is
larger. Tables: `contree_*`, `qbnb_*`, `streed_*` of the data folder (CEIBA_DATA).

    python -m benchmarks.optimal proof|binary|mixed|deep|regression|million|anytime
    python -m benchmarks.optimal lookahead|heldout
    python -m benchmarks.optimal proof raisin rice      # some of the tables
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np

from ceiba import DecisionTreeClassifier, DecisionTreeRegressor
from ceiba.grow import Lookahead, Optimal

DATA: Final = Path(os.environ.get("CEIBA_DATA", "../shared/data"))
CLASSES: Final = ["bank", "raisin", "rice", "segment", "wilt", "page", "bidding", "fault", "magic"]
NUMBERS: Final = ("qbnb_concrete", "qbnb_fish", "qbnb_qsar", "qbnb_query1", "streed_airfoil_pwl")
BINARY: Final = ("anneal", "german-credit", "hepatitis", "kr-vs-kp", "tic-tac-toe", "vote")
# Target, columns that are left out, and options of read_csv.
MIXED: Final[dict[str, tuple[Any, list[Any], dict[str, Any]]]] = {
    "german_credit.csv": (20, [], {"header": None}),
    "adult_train.csv.gz": (14, [2, 13], {"header": None, "skipinitialspace": True}),
    "titanic.csv": ("Survived", ["PassengerId", "Name", "Ticket", "Cabin"], {}),
    "telco_customer_churn.csv": ("Churn", ["customerID"], {"na_values": " "}),
    "bank_additional_full.csv.gz": ("y", ["duration"], {"sep": ";"}),
}
LEVELS: Final = ("car_evaluation", "nursery")
LIMIT: Final = 60.0

Solver = Callable[[Any, Any, int], str]


def training(name: str, *, classes: bool) -> tuple[Any, Any]:
    """Read 70 % of a table."""
    from sklearn.model_selection import train_test_split

    table = np.loadtxt(DATA / name)
    X, y = table[:, 1:], table[:, 0]
    y = np.unique(y, return_inverse=True)[1].astype(int) if classes else y
    split = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y if classes else None)
    return split[0], split[2]


def level_sets(name: str) -> tuple[Any, Any]:
    """Read a table of categories: a binary column for each partition of a column's levels."""
    text = np.loadtxt(DATA / f"{name}.csv", delimiter=",", dtype=str)
    made = []
    for column in text[:, :-1].T:
        others = np.unique(column)[1:]
        for size in range(1, len(others) + 1):
            made += [np.isin(column, some) for some in combinations(others, size)]
    return np.stack(made, axis=1).astype(float), np.unique(text[:, -1], return_inverse=True)[1]


def mixed_columns(name: str) -> tuple[Any, Any]:
    """Read up to 1000 rows of a table: numbers, and a binary column for each level."""
    import pandas as pd

    target, dropped, options = MIXED[name]
    table = pd.read_csv(DATA / name, **options)
    table = table.sample(min(1000, len(table)), random_state=0)
    X = table.drop(columns=[target, *dropped])
    X = pd.get_dummies(X.fillna(X.median(numeric_only=True)), dtype=float)
    return X.to_numpy(dtype=float), np.unique(table[target], return_inverse=True)[1]


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of a call and its CPU seconds."""
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def cell(loss: float, seconds: float, *, stopped: bool) -> str:
    """Write a loss, the CPU seconds to it, and whether the solver was stopped there."""
    amount = f"{loss:.0f}" if float(loss).is_integer() else f"{loss:.6g}"
    return f"{amount}, {seconds:.3g} s" + (" stopped" if stopped else "")


def rival(model: Any, X: Any, y: Any) -> str:
    """Fit another solver, which stops itself after LIMIT seconds of wall time."""
    start = time.perf_counter()
    _, seconds = timed(lambda: model.fit(X, y))
    stopped = time.perf_counter() - start >= LIMIT
    off = np.asarray(model.predict(X)).ravel() - y
    loss = (off != 0).sum() if y.dtype.kind == "i" else (off**2).sum()
    return cell(loss, seconds, stopped=stopped)


def ours(X: Any, y: Any, depth: int, **rules: Any) -> str:
    """Loss and seconds of ceiba."""
    estimator = DecisionTreeClassifier if y.dtype.kind == "i" else DecisionTreeRegressor
    model = estimator(search=Optimal(time_limit=5 * LIMIT), max_depth=depth, n_jobs=1, **rules)
    _, seconds = timed(lambda: model.fit(X, y))
    proof = model.certificate_
    return cell(proof.objective, seconds, stopped=not proof.proven)


def contree(X: Any, y: Any, depth: int) -> str:
    """Errors and seconds of ConTree."""
    from pycontree import ConTree

    return rival(ConTree(max_depth=depth, time_limit=LIMIT), X, y)


def pytrees(X: Any, y: Any, depth: int) -> str:
    """Errors and seconds of ConTree in pytrees-rs."""
    from pytrees import ConTreeClassifier

    return rival(ConTreeClassifier(max_depth=depth, max_time=LIMIT), X, y)


def ten_cuts(X: Any) -> Any:
    """Binary columns: below or above ten quantiles of each column."""
    made = []
    for column in X.T:
        cuts = np.unique(np.quantile(column, np.linspace(0, 1, 12)[1:-1]))
        made += [column <= cut for cut in cuts if cut < column.max()]
    binary = np.stack(made, axis=1).astype(np.int32)
    return np.unique(binary, axis=1)


def streed(X: Any, y: Any, depth: int) -> str:
    """Loss and seconds of STreeD on ten quantile cuts per column."""
    from pystreed import STreeDClassifier, STreeDRegressor

    if y.dtype.kind == "i":
        model = STreeDClassifier(max_depth=depth, time_limit=LIMIT)
    else:
        model = STreeDRegressor("regression", max_depth=depth, time_limit=LIMIT)
    return rival(model, ten_cuts(X), y)


def dl85(X: Any, y: Any, depth: int) -> str:
    """Errors and seconds of DL8.5 on ten quantile cuts per column."""
    from pydl85 import DL85Classifier

    return rival(DL85Classifier(max_depth=depth, time_limit=int(LIMIT)), ten_cuts(X), y)


def table_row(name: str, X: Any, y: Any, depth: int, solvers: Sequence[Solver]) -> None:
    """Print a row: what each solver makes of a table."""
    cells = [name, f"{len(X)} x {X.shape[1]}", str(depth)]
    for solver in solvers:
        try:
            cells.append(solver(X, y, depth))
        except ImportError as absent:
            cells.append(f"absent: {absent.name}")
    print("| " + " | ".join(cells) + " |", flush=True)


def proof() -> None:
    """Print errors and CPU seconds of each solver on each table of classes."""
    for depth in (2, 3):
        for name in sys.argv[2:] or CLASSES:
            X, y = training(f"contree_{name}.txt", classes=True)
            table_row(name, X, y, depth, (ours, contree, pytrees, streed, dl85))


def binary() -> None:
    """Print the same for tables of binary columns, where all four have the same optimum."""
    for depth in (2, 3):
        for name in BINARY:
            X, y = training(f"streed_bin_{name}.csv", classes=True)
            table_row(name, X, y, depth, (ours, contree, streed, dl85))


def mixed() -> None:
    """Print errors and CPU seconds to a proof for binary columns beside numbers.

    At depth 3, also with at least ten rows per leaf.
    """
    for depth in (3, 4):
        for name in MIXED:
            X, y = mixed_columns(name)
            ten = (partial(ours, min_samples_leaf=10),) if depth == 3 else ()
            table_row(name.partition(".")[0], X, y, depth, (ours, *ten))


def deep() -> None:
    """Print errors and CPU seconds to a proof at depth 4, for ten small tables."""
    tables = {name: training(f"streed_bin_{name}.csv", classes=True) for name in BINARY}
    tables |= {f"{name}, level sets": level_sets(name) for name in LEVELS}
    tables |= {name: training(f"contree_{name}.txt", classes=True) for name in ("bank", "wilt")}
    for name, (X, y) in tables.items():
        table_row(name, X, y, 4, (ours, contree, streed))


def million() -> None:
    """Print the seconds to the best regression tree of depth 2 for a million rows x 10 numbers."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_000_000, 10))
    y = np.where(X[:, 0] > 0.3, X[:, 1] > -0.5, 2.0 * (X[:, 2] > 0.8)) + rng.normal(size=len(X))
    for n in (10_000, 100_000, 1_000_000):
        table_row("drawn", X[:n], y[:n], 2, (ours,))


def regression() -> None:
    """Print the least squared error and the CPU seconds to its proof, beside STreeD's."""
    from sklearn.datasets import load_diabetes

    tables = {name: training(f"{name}.csv", classes=False) for name in NUMBERS}
    X, y = load_diabetes(return_X_y=True)
    tables["diabetes"] = (X, y)
    for depth in (2, 3):
        for name, (X, y) in tables.items():
            table_row(name, X, y, depth, (ours, streed))


def anytime() -> None:
    """Print the objective after 1, 3, 10 and 30 seconds of wall time, beside lookahead's."""
    for name, depth in (("fault", 4), ("magic", 4), ("segment", 4), ("rice", 4), ("page", 4)):
        X, y = training(f"contree_{name}.txt", classes=True)
        look = DecisionTreeClassifier(search="lookahead", max_depth=depth, n_jobs=1).fit(X, y)
        cells = [name, str(depth), f"{look.certificate_.objective:.0f}"]
        for limit in (1, 3, 10, 30):
            search = Optimal(time_limit=limit)
            model = DecisionTreeClassifier(search=search, max_depth=depth, n_jobs=1).fit(X, y)
            cells.append(
                f"{model.certificate_.objective:.0f} ({model.certificate_.lower_bound:.0f})"
            )
        print(" | ".join(cells), flush=True)


def lookahead() -> None:
    """Print the CPU seconds of lookahead on large tables."""
    X, y = training("contree_magic.txt", classes=True)
    rng = np.random.default_rng(0)
    large = rng.normal(size=(100_000, 20))
    score = large[:, 0] * large[:, 1] + large[:, 2] + rng.normal(size=100_000)
    for what, table, target, depth in (
        ("magic", X, y, 5),
        ("100,000 x 20", large, (score > 0).astype(int), 4),
    ):
        model = DecisionTreeClassifier(search=Lookahead(), max_depth=depth, n_jobs=1)
        _, seconds = timed(lambda m=model, X=table, y=target: m.fit(X, y))
        print(f"{what} | depth {depth} | {model.certificate_.objective:.0f} | {seconds:.2f}")


def heldout() -> None:
    """Print held-out accuracy and R2 beside greedy's (`optimal_held_out.py`)."""
    from benchmarks.optimal_held_out import held_out

    held_out(*sys.argv[2:])


if __name__ == "__main__":
    commands = (proof, binary, mixed, deep, regression, million, anytime, lookahead, heldout)
    {command.__name__: command for command in commands}[sys.argv[1]]()
