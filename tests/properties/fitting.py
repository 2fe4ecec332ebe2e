"""From a drawn problem to the library's tree and to the reference's data and rules."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

import ceiba
from tests.properties.strategies import Problem
from tests.reference.data import Data, numeric_data
from tests.reference.exact import exact
from tests.reference.search import Rules

LEVELS = tuple("abcdefghij")


def matrix(problem: Problem) -> np.ndarray:
    return np.array([[np.nan if v is None else v for v in row] for row in problem.X], float)


def frame(problem: Problem) -> Any:
    """The table as a user holds it: pandas, with declared levels a, b, c, ..."""
    import pandas as pd

    series = {}
    for j, kind in enumerate(problem.kinds):
        values = [row[j] for row in problem.X]
        if kind == "numeric":
            series[f"x{j}"] = pd.Series(values, dtype="float64")
        else:
            names = [None if code is None else LEVELS[int(code)] for code in values]
            dtype = pd.CategoricalDtype(LEVELS, ordered=kind == "ordered")
            series[f"x{j}"] = pd.Series(names, dtype=object).astype(dtype)
    return pd.DataFrame(series)


def estimator(problem: Problem, **options: Any) -> Any:
    name = "DecisionTreeClassifier" if problem.is_class else "DecisionTreeRegressor"
    return getattr(ceiba, name)(criterion=problem.criterion, **options)


def fit(problem: Problem, X: Any = None, *, counts_rows: bool = False, **options: Any) -> Any:
    """The fitted tree; class labels are their codes."""
    if X is None:
        X = frame(problem) if problem.kinds else matrix(problem)
    with warnings.catch_warnings():
        # min_samples_leaf >= min_samples_split is announced, and meant here
        warnings.simplefilter("ignore", ceiba.CeibaWarning)
        model = estimator(problem, **options).fit(
            X, problem.y, **{"frequency" if counts_rows else "sample_weight": problem.weight}
        )
    return model.tree_


def data_of(problem: Problem) -> Data:
    """The reference's data; classes that do not occur are squeezed out, as labels are."""
    y: Any = problem.y
    if problem.is_class:
        codes = {label: code for code, label in enumerate(sorted(set(y)))}
        y = [codes[label] for label in y]
    data = numeric_data(problem.X, y, problem.weight)
    if not problem.kinds:
        return data
    columns = tuple(
        replace(column, kind=kind, levels=() if kind == "numeric" else LEVELS)
        for column, kind in zip(data.columns, problem.kinds, strict=True)
    )
    return replace(data, columns=columns)


def rules_of(problem: Problem, data: Data, **stops: Any) -> Rules:
    options = dict(stops)
    fraction = options.pop("min_weight_fraction_leaf", 0.0)
    options["min_gain"] = options.pop("min_impurity_decrease", 0.0)
    least = fraction * float(data.total_weight(range(data.n_rows)))
    return Rules(criterion=problem.criterion, min_weight_leaf=exact(least), **options)


def leaf_sets(tree: Any, X: Any) -> set[frozenset[int]]:
    """The partition of the rows by the leaves."""
    ids = np.asarray(tree.apply(X))
    return {frozenset(np.flatnonzero(ids == leaf).tolist()) for leaf in set(ids.tolist())}
