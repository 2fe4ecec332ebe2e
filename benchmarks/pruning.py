"""Choosing alpha by 10-fold cross-validation over the whole path: `python -m benchmarks.pruning`.

    --rows 100000      size of the table (20 normal columns, classes and numbers)
    --sample 3         alphas tried of scikit-learn's loop, each in one fold; the rest is scaled up
    --only ceiba       run only this one (ceiba, sklearn, rpart)

Three figures, all in CPU time on one thread, in the same run:

- the usual scikit-learn loop (one fit for each alpha and fold) over ceiba; the loop takes days,
  so it is measured at a few alphas of one fold and scaled up, which the table notes;
- rpart(xval = 10) in R over `ceiba.rpart(xval=10)`, equal settings;
- ceiba over the time of growing the 11 trees alone.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.libraries.rpart import SCRIPT, why_absent
from benchmarks.tables import Data, numeric

FOLDS = 10
# With single rows in leaves, scikit-learn's path alone takes an hour on numbers: it is quadratic.
MIN_LEAF = 20
RPART = {"minsplit": 20, "minbucket": 7, "cp": 0.01, "maxsurrogate": 5, "maxcompete": 4}
RESULTS = Path(__file__).parent / "results" / "pruning.json"


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU time of a call, and what it gave."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def estimator(data: Data, library: Any, **options: Any) -> Any:
    name = "DecisionTreeClassifier" if data.task == "classification" else "DecisionTreeRegressor"
    return getattr(library, name)(min_samples_leaf=MIN_LEAF, **options)


def ours(data: Data) -> dict[str, Any]:
    """The whole fit with the choice of alpha, and the growing of its 11 trees alone."""
    import ceiba
    from ceiba.grow.options import GrowOptions
    from ceiba.grow.problem import Problem
    from ceiba.prune import CostComplexity
    from ceiba.prune.cross_validation.folds import read_folds
    from ceiba.table import read, read_target

    pruning = CostComplexity(folds=FOLDS, risk="impurity")
    model = estimator(data, ceiba, prune=pruning, n_jobs=1)
    options = GrowOptions(task=data.task, n_jobs=1, min_samples_leaf=MIN_LEAF)
    problem = Problem(read(data.X), read_target(data.y, task=data.task), options)
    folds = read_folds(FOLDS, problem)

    def grow_all() -> None:
        problem.grow()
        for fold in folds:
            problem.grow(fold.train)

    rounds = [(seconds(grow_all)[0], seconds(lambda: model.fit(data.X, data.y))[0])]
    rounds.append((seconds(grow_all)[0], seconds(lambda: model.fit(data.X, data.y))[0]))
    growing, fitting = (min(part) for part in zip(*rounds, strict=True))
    return {
        "fit with cross-validation": fitting,
        "growing 11 trees": growing,
        "fit / growing": fitting / growing,
        "steps": len(model.pruning_table_),
        "leaves": model.get_n_leaves(),
    }


def sklearn_loop(data: Data, sample: int) -> dict[str, Any]:
    """One fit per alpha and fold, measured at a few alphas and multiplied."""
    import sklearn.tree
    from sklearn.model_selection import KFold

    path_time, path = seconds(
        lambda: estimator(data, sklearn.tree).cost_complexity_pruning_path(data.X, data.y)
    )
    alphas = np.unique(path.ccp_alphas)
    train, test = next(iter(KFold(FOLDS, shuffle=True, random_state=0).split(data.X)))
    chosen = alphas[np.linspace(0, len(alphas) - 1, sample).astype(int)]
    each = [
        seconds(
            lambda alpha=alpha: (
                estimator(data, sklearn.tree, ccp_alpha=float(alpha))
                .fit(data.X[train], data.y[train])
                .predict(data.X[test])
            )
        )[0]
        for alpha in chosen
    ]
    return {
        "alphas": len(alphas),
        "one fit": float(np.mean(each)),
        "whole loop, scaled up": path_time + float(np.mean(each)) * len(alphas) * FOLDS,
        "measured fits": sample,
    }


def against_rpart(data: Data) -> dict[str, Any]:
    """The same trees and folds' worth of work in R."""
    import ceiba

    method = "class" if data.task == "classification" else "anova"
    model = ceiba.rpart(method, xval=FOLDS, n_jobs=1, **RPART)
    fitting = min(seconds(lambda: model.fit(data.X, data.y))[0] for _ in range(2))
    reason = why_absent()
    if reason is not None:
        return {"ceiba.rpart": fitting, "skipped": reason}
    with tempfile.TemporaryDirectory() as folder:
        np.asfortranarray(data.X, dtype=np.float64).ravel("F").tofile(Path(folder, "X.bin"))
        data.y.astype(np.float64).tofile(Path(folder, "y.bin"))
        control = {**RPART, "xval": FOLDS, "maxdepth": 30}
        said = subprocess.run(
            ["Rscript", str(SCRIPT), folder, *map(str, data.X.shape), method]
            + [f"{name}={value}" for name, value in control.items()],
            capture_output=True,
            text=True,
            check=True,
        )
    in_r = json.loads(said.stdout.splitlines()[-1])["cpu"]
    return {"ceiba.rpart": fitting, "rpart in R": in_r, "speed": in_r / fitting}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--sample", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=["ceiba", "sklearn", "rpart"])
    asked = parser.parse_args()
    found: dict[str, Any] = {}
    for task in ("classification", "regression"):
        data = numeric(asked.rows, task)
        here: dict[str, Any] = {}
        if "ceiba" in asked.only:
            here["ceiba"] = ours(data)
        if "sklearn" in asked.only:
            here["scikit-learn loop"] = sklearn_loop(data, asked.sample)
        if {"ceiba", "sklearn"} <= set(asked.only):
            loop = here["scikit-learn loop"]["whole loop, scaled up"]
            here["loop / ceiba"] = loop / here["ceiba"]["fit with cross-validation"]
        if "rpart" in asked.only:
            here["rpart"] = against_rpart(data)
        found[f"{task}, {asked.rows:,} x 20"] = here
        print(json.dumps({task: here}, indent=1), flush=True)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(found, indent=1), "utf-8")


if __name__ == "__main__":
    main()
