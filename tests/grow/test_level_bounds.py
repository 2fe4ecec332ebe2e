"""Columns of levels that a bound rules out: the tree is that of a search through all columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import ceiba
from ceiba.tree import Tree
from tests.marks import slow


def _draw_table(rng: np.random.Generator, n: int) -> tuple[pd.DataFrame, Any]:
    """Return levels (some rare, some missing), a number, and a score that depends on them."""
    columns: dict[str, Any] = {}
    score = rng.normal(size=n)
    for j, n_levels in enumerate(rng.choice([2, 3, 8, 40, 250], 3)):
        skewed = np.minimum(rng.geometric(min(1.0, 3 / n_levels), n) - 1, n_levels - 1)
        codes = skewed if rng.random() < 0.5 else rng.integers(0, n_levels, n)
        score += rng.normal(size=n_levels)[codes]
        codes = np.where(rng.random(n) < rng.choice([0.0, 0.1]), -1, codes)
        columns[f"c{j}"] = pd.Categorical.from_codes(codes, categories=[*map(str, range(n_levels))])
    columns["x"] = np.round(score + rng.normal(size=n), 1)
    return pd.DataFrame(columns), score


def _splits(tree: Tree) -> list[Any]:
    nodes = (tree.parent, tree.n_rows, tree.gain, tree.default_branch)
    splits = (tree.splits.column, tree.splits.level_code, tree.splits.level_branch)
    return [array.tolist() for array in (*nodes, *splits)]


@pytest.mark.filterwarnings("ignore::ceiba.errors.DataWarning")  # so many levels
@pytest.mark.parametrize("target", ["numbers", "counts", "far from zero", "classes", "entropy"])
@pytest.mark.parametrize("seed", [*range(3), *slow(range(3, 40))])
def test_ruled_out_levels_never_hold_the_best_split(target: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, score = _draw_table(rng, int(rng.choice([300, 5000])))
    options: dict[str, Any] = {"min_samples_leaf": int(rng.choice([1, 5, 40])), "max_depth": 8}
    if rng.random() < 0.3:
        options["missing"] = "majority"
    if target in ("classes", "entropy"):
        make: Any = ceiba.DecisionTreeClassifier
        options["criterion"] = "gini" if target == "classes" else "entropy"
        y = (score > 0.5).astype(int)
    else:  # counts: many levels have the same mean
        make = ceiba.DecisionTreeRegressor
        y = {"numbers": score, "counts": np.round(score), "far from zero": np.round(score) + 1e9}[
            target
        ]
    bounded = make(**options).fit(X, y).tree_
    # With competitors every column is searched, without a bound.
    searched = make(max_competitors=1, **options).fit(X, y).tree_
    assert _splits(bounded) == _splits(searched)
