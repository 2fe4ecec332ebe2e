"""Runner-up splits among bins: each column's best edge, as if it stood alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ceiba.grow.options import GrowOptions
from ceiba.grow.problem import Problem
from ceiba.table import read, read_target


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_competitors_among_bins_are_each_columns_best_edge(task: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 3000
    X = {f"x{j}": rng.normal(size=n) for j in range(4)}
    X["few"] = rng.integers(0, 5, n).astype(float)
    X["gappy"] = np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n))
    X["level"] = np.array(list("abcd"))[rng.integers(0, 4, n)]
    signal = X["x1"] + 0.5 * (X["level"] == "b") + rng.normal(size=n)
    y = signal if task == "regression" else (signal > 0.3).astype(int)
    weight = rng.uniform(0.5, 2, n) if seed % 2 else None
    options = GrowOptions(task=task, max_depth=1, max_bins=32, max_competitors=6)  # type: ignore[arg-type]
    target = read_target(y, task=task)  # type: ignore[arg-type]
    problem = Problem(read(X), target, options, weight)
    stump = problem.grow()
    assert stump.competitors is not None
    columns = [int(stump.splits.column[0]), *stump.competitors.splits.column.tolist()]
    gains = [float(stump.gain[0]), *stump.competitors.gain.tolist()]
    assert sorted(columns) == list(range(7))
    assert gains == sorted(gains, reverse=True)
    for j, gain in zip(columns, gains, strict=True):
        alone = replace(
            problem,
            table=problem.table.select([j]),
            options=replace(options, max_competitors=0),
        ).grow()
        assert gain == pytest.approx(float(alone.gain[0]), rel=1e-12)
    best = replace(problem, options=replace(options, max_competitors=0)).grow()
    assert best.splits.column[0] == stump.splits.column[0]
    assert best.gain[0] == stump.gain[0]
