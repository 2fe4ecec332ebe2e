"""Optimal trees beside other exact solvers: CPU seconds to proof, and the tree at hand over time.

70 % of the rows for training, seed 0, one thread. ConTree cuts numbers as we do; STreeD and DL8.5
need binary columns and get ten quantile cuts per column, so their optimum is another, larger one.
Tables: `contree_*`, `qbnb_*`, `streed_*` of the data folder (CEIBA_DATA).

    python -m benchmarks.optimal proof|regression|anytime|lookahead|heldout
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

from ceiba import DecisionTreeClassifier, DecisionTreeRegressor
from ceiba.grow import Lookahead, Optimal

DATA: Final = Path(os.environ.get("CEIBA_DATA", "../shared/data"))
CLASSES: Final = ["bank", "raisin", "rice", "segment", "wilt", "page", "bidding", "fault", "magic"]
NUMBERS: Final = ("qbnb_concrete", "qbnb_fish", "qbnb_qsar", "qbnb_query1", "streed_airfoil_pwl")
LIMIT: Final = 60.0


def training(name: str, *, classes: bool) -> tuple[Any, Any]:
    """Read 70 % of a table."""
    from sklearn.model_selection import train_test_split

    table = np.loadtxt(DATA / name)
    X, y = table[:, 1:], table[:, 0]
    y = np.unique(y, return_inverse=True)[1] if classes else y
    split = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y if classes else None)
    return split[0], split[2]


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Give what it returns and its CPU seconds."""
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def ours(X: Any, y: Any, depth: int) -> str:
    """Errors and seconds of ceiba."""
    model = DecisionTreeClassifier(search=Optimal(time_limit=5 * LIMIT), max_depth=depth, n_jobs=1)
    _, seconds = timed(lambda: model.fit(X, y))
    state = "" if model.certificate_.proven else f" gap {model.certificate_.gap:.3f}"
    return f"{model.certificate_.objective:.0f}{state} {seconds:.3f}"


def contree(X: Any, y: Any, depth: int) -> str:
    """Errors and seconds of ConTree."""
    from pycontree import ConTree

    model = ConTree(max_depth=depth, time_limit=LIMIT)
    _, seconds = timed(lambda: model.fit(X, y))
    return f"{(np.asarray(model.predict(X)) != y).sum():.0f} {seconds:.3f}"


def ten_cuts(X: Any) -> Any:
    """Binary columns: below or above ten quantiles of each column."""
    made = []
    for column in X.T:
        cuts = np.unique(np.quantile(column, np.linspace(0, 1, 12)[1:-1]))
        made += [column <= cut for cut in cuts]
    binary = np.stack(made, axis=1).astype(np.int32)
    return np.unique(binary, axis=1)


def streed(X: Any, y: Any, depth: int) -> str:
    """Errors and seconds of STreeD on ten quantile cuts per column."""
    from pystreed import STreeDClassifier

    binary = ten_cuts(X)
    model = STreeDClassifier(max_depth=depth, time_limit=LIMIT)
    _, seconds = timed(lambda: model.fit(binary, y))
    return f"{(np.asarray(model.predict(binary)) != y).sum():.0f} {seconds:.3f}"


def dl85(X: Any, y: Any, depth: int) -> str:
    """Errors and seconds of DL8.5 on ten quantile cuts per column."""
    from pydl85 import DL85Classifier

    binary = ten_cuts(X)
    model = DL85Classifier(max_depth=depth, time_limit=int(LIMIT))
    _, seconds = timed(lambda: model.fit(binary, y))
    return f"{(np.asarray(model.predict(binary)) != y).sum():.0f} {seconds:.3f}"


def proof() -> None:
    """Print errors and CPU seconds of each solver on each table."""
    solvers = (ours, contree, streed, dl85)
    for depth in (2, 3):
        for name in CLASSES:
            X, y = training(f"contree_{name}.txt", classes=True)
            cells = [f"depth {depth}", name, f"{len(X)} x {X.shape[1]}"]
            for solver in solvers:
                try:
                    cells.append(solver(X, y, depth))
                except ImportError as absent:
                    cells.append(f"absent: {absent.name}")
            print(" | ".join(cells), flush=True)


def regression() -> None:
    """Print the least squared error of depth 3 and the CPU seconds to its proof."""
    from sklearn.datasets import load_diabetes

    tables = {name: training(f"{name}.csv", classes=False) for name in NUMBERS}
    X, y = load_diabetes(return_X_y=True)
    tables["diabetes"] = (X, y)
    for name, (X, y) in tables.items():
        model = DecisionTreeRegressor(search="optimal", max_depth=3, n_jobs=1)
        _, seconds = timed(lambda m=model, X=X, y=y: m.fit(X, y))
        proven = model.certificate_.proven
        print(f"{name} | {len(X)} x {X.shape[1]} | {model.certificate_.objective:.6g} | "
              f"{seconds:.3f} | {proven}", flush=True)  # fmt: skip


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
    commands = (proof, regression, anytime, lookahead, heldout)
    {command.__name__: command for command in commands}[sys.argv[1]]()
