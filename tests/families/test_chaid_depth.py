"""CHAID asks each column once: a node has all its groups as branches, missing values included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import ceiba
from ceiba.tree import LevelSets, check

N = 700


def table(seed: int) -> tuple[pd.DataFrame, Any, Any]:
    """A nominal, an ordered and a numeric column; missing values may say more than present ones."""
    rng = np.random.default_rng(seed)
    n_levels = int(rng.integers(2, 7))
    codes = {name: rng.integers(n_levels, size=N) for name in ("city", "size", "score")}
    number = codes["score"] + rng.random(N)
    step = sum(rng.integers(0, 4, n_levels)[codes[name]] for name in codes)
    holes = {}
    for name in codes:
        holes[name] = rng.random(N) < rng.choice([0.0, 0.1, 0.3])
        step = np.where(holes[name], rng.integers(0, 12), step)
    names = [f"l{k}" for k in range(n_levels)]
    size = pd.Categorical.from_codes(codes["size"], names, ordered=True)
    X = pd.DataFrame({"city": np.array(names)[codes["city"]], "size": size, "score": number})
    for name, hole in holes.items():
        X.loc[hole, name] = None
    noisy = step + rng.normal(0, rng.choice([0.3, 2.0]), N)
    return X, np.where(noisy > np.median(noisy), "yes", "no"), noisy


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_max_depth_is_kept_whatever_is_missing(seed: int, task: Any) -> None:
    X, label, number = table(seed)
    y = label if task == "classification" else number
    for max_depth in (1, 2, 3):
        tree = ceiba.chaid(task=task, max_depth=max_depth, min_samples_leaf=5).fit(X, y).tree_
        check(tree)
        assert tree.depth <= max_depth
        tests = tree.split_tests()
        assert tests["node"].tolist() == np.flatnonzero(~tree.is_leaf).tolist()
        n_groups = [groups.count(" | ") + 1 for groups in tests["groups"].tolist()]
        assert n_groups == tree.n_branches[~tree.is_leaf].tolist()


@pytest.mark.parametrize("kind", ["nominal", "ordered"])
def test_missing_levels_that_differ_from_all_are_the_last_branch(kind: str) -> None:
    rng = np.random.default_rng(0)
    names = np.array(["a", "b", "c"])
    codes = rng.integers(3, size=3000)
    hole = rng.random(3000) < 0.2
    share = np.where(hole, 0.97, np.array([0.1, 0.4, 0.7])[codes])
    y = np.where(rng.random(3000) < share, "yes", "no")
    x: Any = np.where(hole, None, names[codes])
    if kind == "ordered":
        x = pd.Categorical(x, names, ordered=True)
    tree = ceiba.chaid(max_depth=1).fit(pd.DataFrame({"x": x}), y).tree_
    split = tree.node(0).split
    assert split == LevelSets("x", (("a",), ("b",), ("c",)), missing_branch=True)
    assert tree.depth == 1
    assert tree.n_rows[1:].tolist() == [*np.bincount(codes[~hole]), hole.sum()]
    assert tree.split_tests()["groups"].tolist() == ["a | b | c | missing"]
