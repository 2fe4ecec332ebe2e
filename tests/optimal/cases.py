"""Tiny random problems with everything at once: ties, weights, missing values, costs, levels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ceiba.grow import Optimal
from ceiba.grow.options import GrowOptions
from ceiba.grow.problem import Problem
from ceiba.table import Table, Target, read, read_target
from ceiba.tree import Tree
from tests.optimal.brute_force import Case


def random_case(seed: int) -> Case:
    """Draw a problem."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 13))
    depth = int(rng.integers(1, 4))
    regression = rng.random() < 0.4
    loss = str(
        rng.choice(["squared_error", "absolute_error"], p=[0.6, 0.4])
        if regression
        else rng.choice(["error", "cost", "gini", "entropy"], p=[0.5, 0.3, 0.1, 0.1])
    )
    columns = tuple(_column(rng, n) for _ in range(int(rng.integers(1, 4))))
    n_classes = int(rng.integers(2, 5))
    y: Any = rng.integers(0, 6, n) * 0.5 if rng.random() < 0.5 else rng.normal(size=n)
    weight = np.ones(n)
    if loss not in ("error",) and rng.random() < 0.6:
        weight = rng.integers(1, 5, n) / 4 if rng.random() < 0.5 else rng.random(n) + 0.05
    costs = 1.0 - np.eye(n_classes)
    if loss == "cost":
        costs = rng.integers(1, 6, (n_classes, n_classes)) * (1.0 - np.eye(n_classes))
    if not regression:
        y = rng.integers(0, n_classes, n)
        y[: min(n, n_classes)] = np.arange(n_classes)[:n]
        if len(np.unique(y)) < n_classes:
            return random_case(seed + 1_000_003)
    limited = rng.random() < 0.25
    return Case(
        columns=columns,
        y=y,
        weight=weight,
        loss=loss,
        costs=costs,
        missing=str(rng.choice(["learn", "majority"])),
        min_leaf=int(rng.choice([1, 1, 2, 3])),
        max_leaves=int(rng.integers(2, 8)) if limited else 2**depth,
        penalty=0.0 if rng.random() < 0.6 else float(rng.random() * 0.8),
        depth=depth,
    )


def binary_case(seed: int) -> Case:
    """Draw a problem whose columns are binary, or levels, of which every set is a binary column."""
    rng = np.random.default_rng(seed)
    n, depth, n_classes = (int(rng.integers(*ends)) for ends in ((6, 19), (1, 5), (2, 5)))
    y = rng.integers(0, n_classes, n)
    y[:n_classes] = np.arange(n_classes)
    columns: list[tuple[str, Any]] = [
        ("number", (rng.random(n) < rng.uniform(0.1, 0.9)).astype(float))
        for _ in range(int(rng.integers(1, 6)))
    ]
    if rng.random() < 0.3:
        columns.append(("levels", rng.integers(0, 4, n)))
    return Case(
        columns=tuple(columns),
        y=y,
        weight=np.ones(n),
        loss="error",
        costs=1.0 - np.eye(n_classes),
        missing="learn",
        min_leaf=int(rng.choice([1, 1, 2, 3])),
        max_leaves=int(rng.integers(2, 8)) if rng.random() < 0.3 else 2**depth,
        penalty=0.0 if rng.random() < 0.6 else float(rng.random() * 0.8),
        depth=depth,
    )


def mixed_case(seed: int) -> Case:
    """Draw a problem with binary columns and others, of which some have missing values."""
    case, rng = binary_case(seed), np.random.default_rng([seed, 1])
    n, depth = len(case.y), min(case.depth, 3)
    others = tuple(_column(rng, n) for _ in range(int(rng.integers(1, 3))))
    return replace(
        case,
        columns=case.columns[:3] + others,
        missing=str(rng.choice(["learn", "majority"])),
        max_leaves=min(case.max_leaves, 2**depth),
        depth=depth,
    )


def _column(rng: np.random.Generator, n: int) -> tuple[str, Any]:
    kind = str(rng.choice(["number", "number", "ordered", "levels"]))
    gone = rng.random(n) < (0.2 if rng.random() < 0.5 else 0.0)
    if kind == "number":
        distinct = int(rng.integers(2, n + 1))
        values = rng.integers(0, distinct, n).astype(float)
        return kind, np.where(gone, np.nan, values)
    codes = np.where(gone, -1, rng.integers(0, 4, n))
    if kind == "ordered":
        return "number", np.where(codes < 0, np.nan, codes.astype(float))
    return kind, codes


def table_of(case: Case) -> Table:
    """Return the columns as a table."""
    columns: dict[str, Any] = {}
    for j, (kind, values) in enumerate(case.columns):
        if kind == "number":
            columns[f"x{j}"] = values
        else:
            columns[f"x{j}"] = [None if code < 0 else "abcd"[code] for code in values]
    return read(columns)


def target_of(case: Case) -> Target:
    """Return the target."""
    task = "regression" if case.loss.endswith("_error") else "classification"
    return read_target(case.y, task=task, n_rows=len(case.y))


def options_of(case: Case, **more: Any) -> GrowOptions:
    """Return the options of growing."""
    regression = case.loss.endswith("_error")
    plain = regression or bool((case.costs == 1.0 - np.eye(len(case.costs))).all())
    return GrowOptions(
        task="regression" if regression else "classification",
        criterion=case.loss if regression else "gini",
        max_depth=case.depth,
        min_samples_leaf=case.min_leaf,
        max_leaf_nodes=case.max_leaves if 1 < case.max_leaves < 2**case.depth else None,
        missing=case.missing,
        cost_matrix=None if plain else case.costs,
        **more,
    )


def problem_of(case: Case, **search: Any) -> Problem:
    """Return a case as a problem for the exact search."""
    weight = None if (case.weight == 1).all() and case.loss != "cost" else case.weight
    if case.loss in ("gini", "entropy"):
        search["loss"] = case.loss
    how = Optimal(penalty=case.penalty / case.weight.sum(), **search)
    return Problem(table_of(case), target_of(case), options_of(case, search=how), weight)


def solve(case: Case, **search: Any) -> Tree:
    """Search for the best tree of a case."""
    return problem_of(case, **search).grow()
