"""Trees near the best: all of them, none twice, none worse than asked for."""

from __future__ import annotations

import numpy as np
import pytest

from ceiba.errors import OptionError
from ceiba.grow import GrowOptions, Problem, find_alternatives
from ceiba.table import read, read_target


def test_alternatives_are_the_best_tree_below_each_first_question() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 8, (60, 3)).astype(float)
    y = ((X[:, 0] > 3) ^ (rng.random(60) < 0.2)).astype(int)
    table, target = read(X), read_target(y, task="classification", n_rows=60)
    options = GrowOptions(task="classification", max_depth=2, search="optimal")
    near = find_alternatives(Problem(table, target, options), within=0.3, k=1000)
    assert near.complete
    limit = near[0].objective * 1.3
    expected = {}
    for j in range(3):
        for cut in range(8):
            left = X[:, j] <= cut
            if left.all() or not left.any():
                continue
            total = 0.0
            for side in (left, ~left):
                part = read(X[side]), read_target(y[side], task="classification", n_rows=side.sum())
                if len(np.unique(y[side])) < 2:
                    continue
                one = GrowOptions(task="classification", max_depth=1, search="optimal")
                total += Problem(*part, one).grow().certificate.objective
            if total <= limit:
                expected[j, cut] = total
    assert len(near) <= len(expected) + 1
    assert {a.objective for a in near} <= set(expected.values()) | {near[0].objective}
    assert min(expected.values()) == near[0].objective
    assert max(a.objective for a in near) <= limit
    partitions = {tuple(np.unique(a.tree.apply(table), return_inverse=True)[1]) for a in near}
    assert len(partitions) == len(near)
    assert near[0].agreement == 1.0


def test_alternatives_are_cut_at_k() -> None:
    rng = np.random.default_rng(1)
    table = read(rng.normal(size=(80, 3)))
    target = read_target(rng.normal(size=80), task="regression", n_rows=80)
    options = GrowOptions(task="regression", max_depth=2, search="optimal")
    near = find_alternatives(Problem(table, target, options), within=0.2, k=5)
    assert len(near) == 5
    assert not near.complete
    objectives = [a.objective for a in near]
    assert objectives == sorted(objectives)
    with pytest.raises(OptionError, match="within"):
        find_alternatives(Problem(table, target, options), within=-1)
