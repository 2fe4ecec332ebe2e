"""Small tables for the tests of pruning, and a cross-validation by definition."""

from __future__ import annotations

import numpy as np

from ceiba.grow.options import GrowOptions
from ceiba.grow.problem import Problem
from ceiba.prune import prune_tree
from ceiba.prune.cost_complexity import pruning_sequence
from ceiba.table import read, read_target


def mixed(n=120, holes=0.0, seed=0):
    """Numbers and levels, optionally with missing values, and a target that depends on them."""
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=n).round(2), rng.integers(0, 9, n).astype(float)
    city = rng.choice(["Bern", "Lima", "Oslo", "Rome"], n)
    effect = {"Bern": 0.0, "Lima": 1.0, "Oslo": -1.0, "Rome": 0.5}
    signal = x + 0.2 * z + np.array([effect[c] for c in city]) + rng.normal(scale=0.8, size=n)
    x[rng.random(n) < holes] = np.nan
    city = np.where(rng.random(n) < holes, None, city)
    return {"x": x, "z": z, "city": list(city)}, signal


def classes_of(signal):
    return np.array(["a", "b", "c"])[np.digitize(signal, np.quantile(signal, [0.4, 0.7]))]


def problem(options=None, *, n=120, holes=0.0, seed=0, weight=None):
    """A training with the options; the task follows from the criterion."""
    options = dict(options or {})
    X, signal = mixed(n, holes, seed)
    numeric = options.get("criterion") in ("squared_error", "absolute_error", "poisson")
    task = "regression" if numeric else "classification"
    y = np.exp(signal / 2).round(2) if numeric else classes_of(signal)
    target = read_target(y, task=task)
    return Problem(read(X), target, GrowOptions(task=task, **options), weight)


def cross_validation_by_definition(problem, folds, risk="cost"):
    """Grow on the other rows, prune at every alpha', predict the rows held out."""
    sequence = pruning_sequence(problem.grow(), risk=risk)
    grid = np.append(sequence.alpha_between, np.inf)
    errors = np.full((len(grid), problem.n_rows), np.nan)
    for fold in np.unique(folds):
        others = np.flatnonzero(folds != fold).astype(np.uint32)
        test = np.flatnonzero(folds == fold)
        tree = problem.grow(others)
        for k, alpha in enumerate(grid):
            root = np.isinf(alpha)
            pruned = tree.collapse(0) if root else _pruned(tree, problem, alpha, risk)
            errors[k, test] = _errors(problem, test, pruned.predict(problem.table.take(test)))
    weight = problem.row_weight
    total = weight.sum()
    first, second = errors @ weight, errors**2 @ weight
    rows = total if problem.options.frequency_weights else total**2 / (weight**2).sum()
    spread = second / total - (first / total) ** 2
    return first / total, np.sqrt(np.maximum(spread, 0) / rows)


def _pruned(tree, problem, alpha, risk):
    if risk == "impurity" and problem.scales.search is not None:
        raise ValueError("the altered priors are those of all rows: a fold has others")
    return prune_tree(tree, alpha, risk=risk)


def _errors(problem, rows, predicted):
    truth = problem.target.values[rows, 0]
    if problem.options.task == "regression":
        if problem.options.criterion == "absolute_error":
            return np.abs(truth - predicted)
        if problem.options.criterion == "poisson":
            ratio = np.divide(truth, predicted, out=np.ones_like(predicted), where=truth > 0)
            return truth * np.log(ratio) - truth + predicted
        return (truth - predicted) ** 2
    labels = problem.target.info.classes[0]
    codes = np.searchsorted(labels, predicted)
    scales = problem.scales
    costs = 1 - np.eye(len(labels)) if scales.costs is None else scales.costs
    factor = np.ones(len(labels)) if scales.factor is None else scales.factor
    return factor[truth] * costs[truth, codes]
