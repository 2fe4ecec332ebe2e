"""Held-out accuracy and R2 of greedy, lookahead and optimal trees of depth 3.

Ten-fold cross-validation on the training rows chooses the penalty of each tree (prune="cv"; with
"1se" as argument, by the 1-SE rule). Five random splits per table: 70 % of the rows for training,
at most 1,000 of them; all other rows are held out. "Deep" is a greedy tree without a depth limit,
pruned by the same method.

    python -m benchmarks.optimal heldout [cv|1se] [table ...]
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ceiba import DecisionTreeClassifier, DecisionTreeRegressor
from ceiba.grow import Lookahead, Optimal

Data = tuple[Any, Any]

DEPTH: Final = 3
SPLITS: Final = 5
MOST_ROWS: Final = 1000
WAYS: Final[dict[str, dict[str, Any]]] = {
    "deep": {"max_depth": None},
    "greedy": {"max_depth": DEPTH},
    "lookahead": {"max_depth": DEPTH, "search": Lookahead()},
    "optimal": {"max_depth": DEPTH, "search": Optimal(time_limit=120)},
}
EMBEDDED: Final = ("iris", "wine", "breast_cancer", "diabetes")
CLASSES: Final = (
    *(f"contree_{name}" for name in ("bank", "raisin", "wilt", "bidding", "segment", "page")),
    *(f"streed_bin_{name}" for name in ("hepatitis", "vote", "tic-tac-toe")),
    "water_potability",
    "contree_rice",
    "contree_magic",
    "contree_fault",
)
NUMBERS: Final = (
    *(f"qbnb_{name}" for name in ("concrete", "fish", "qsar", "query1")),
    "streed_airfoil_pwl",
    "wine_quality_red",
    "california_housing",
)


def embedded(name: str) -> Data:
    """Read a table of scikit-learn."""
    from sklearn import datasets

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return X, y


def stored(name: str) -> Data:
    """Read a table of the data folder: the target first, or last under a header."""
    from benchmarks.optimal import DATA

    if name.startswith(("contree", "qbnb", "streed")):
        path = DATA / f"{name}.{'txt' if name.startswith('contree') else 'csv'}"
        table = np.loadtxt(path)
        return table[:, 1:], table[:, 0]
    with (DATA / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        delimiter = ";" if name.startswith("wine") else ","
        rows = list(csv.reader(file, delimiter=delimiter))
    width = 9 if name == "california_housing" else len(rows[0])  # its last column is no number
    table = np.array([[float(cell or "nan") for cell in row[:width]] for row in rows[1:]])
    return table[:, :-1], table[:, -1]


def splits(n_rows: int) -> list[tuple[Any, Any]]:
    """Return the training and the held-out rows of each split."""
    made = []
    for seed in range(SPLITS):
        order = np.random.default_rng(seed).permutation(n_rows)
        size = min(MOST_ROWS, int(0.7 * n_rows))
        made.append((order[:size], order[size:]))
    return made


def compare(X: Any, y: Any, *, classes: bool, prune: str) -> dict[str, Any]:
    """Score each way on each split; count leaves and searches without proof."""
    estimator: Callable[..., Any] = DecisionTreeClassifier if classes else DecisionTreeRegressor
    scores = {way: np.zeros(SPLITS) for way in WAYS}
    leaves = {way: np.zeros(SPLITS) for way in WAYS}
    unproven = 0
    for s, (train, test) in enumerate(splits(len(y))):
        for way, options in WAYS.items():
            model = estimator(prune=prune, random_state=s, n_jobs=1, **options)
            model.fit(X[train], y[train])
            scores[way][s] = model.score(X[test], y[test])
            leaves[way][s] = model.get_n_leaves()
            unproven += way == "optimal" and not model.certificate_.proven
    return {"scores": scores, "leaves": leaves, "unproven": unproven}


def held_out(prune: str = "cv", *names: str) -> None:
    """Print a row per table: mean score and leaves of each way, and the gain over greedy."""
    tables = {name: (embedded, name != "diabetes") for name in EMBEDDED}
    tables |= dict.fromkeys(CLASSES, (stored, True))
    tables |= dict.fromkeys(NUMBERS, (stored, False))
    print("table | rows x columns | " + " | ".join(WAYS) + " | optimal - greedy | unproven")
    for name, (read, classes) in tables.items():
        if names and name not in names:
            continue
        X, y = read(name)
        result = compare(X, y, classes=classes, prune=prune)
        scores, leaves = result["scores"], result["leaves"]
        cells = [name, f"{min(MOST_ROWS, int(0.7 * len(y)))} x {X.shape[1]}"]
        cells += [f"{scores[way].mean():.3f} ({leaves[way].mean():.1f})" for way in WAYS]
        gain = scores["optimal"] - scores["greedy"]
        error = gain.std(ddof=1) / np.sqrt(SPLITS)
        cells += [f"{gain.mean():+.3f} +- {error:.3f}", str(result["unproven"])]
        print(" | ".join(cells), flush=True)
