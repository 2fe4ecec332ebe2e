"""Simulations: coverage of bands in honest leaves, and pruned trees beside the truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ceiba import CostComplexity, DecisionTreeSurvival
from ceiba.survival import concordance
from ceiba.tree import node_curve

pytestmark = pytest.mark.slow


def hazard(X: Any) -> Any:
    """Return the hazard of rows: four groups by two columns of five."""
    return np.where(X[:, 0] > 0.5, 3.0, 1.0) * np.where(X[:, 1] > 0.3, 1.0, 2.0)


def draw(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    X = rng.uniform(size=(n, 5))
    time, limit = rng.exponential(1 / hazard(X)), rng.exponential(1.0, n)
    return X, np.stack([np.minimum(time, limit), time <= limit], axis=1)


def test_bands_and_medians_of_honest_leaves_cover_the_truth() -> None:
    rng = np.random.default_rng(0)
    fresh, _ = draw(rng, 20_000)
    rates, times = hazard(fresh), np.array([0.1, 0.25, 0.5])
    inside, covered = [], []
    for seed in range(300):
        X, y = draw(rng, 600)
        model = DecisionTreeSurvival(
            max_depth=2, min_samples_leaf=60, leaf_values="honest", random_state=seed
        ).fit(X, y)
        leaf = model.apply(fresh)
        for node in np.unique(leaf).tolist():
            curve, of_leaf = node_curve(model.tree_, node), rates[leaf == node]
            _, low, high = curve.survival_at(times)
            truth = np.exp(-of_leaf[:, None] * times).mean(axis=0)
            inside += ((low <= truth) & (truth <= high)).tolist()
            median = curve.median()
            share = [np.exp(-of_leaf * t).mean() for t in (median.low, median.high)]
            covered.append(share[0] >= 0.5 >= share[1])
    print(f"S(t): {np.mean(inside):.3f} of {len(inside)}, medians: {np.mean(covered):.3f}")
    assert 0.93 <= np.mean(inside) <= 0.97
    assert 0.93 <= np.mean(covered) <= 0.97


@pytest.mark.parametrize("score", ["cost", "brier", "concordance"])
def test_pruned_trees_rank_better_than_large_ones(score: Any) -> None:
    rng = np.random.default_rng(1)
    X_new, y_new = draw(rng, 4000)
    best = concordance(*y_new.T, hazard(X_new)).value
    found: dict[str, list[float]] = {"min": [], "1se": [], "large": []}
    leaves = []
    for seed in range(200):
        X, y = draw(rng, 300)
        pruning = CostComplexity(score=score, keep_unpruned=True)
        model = DecisionTreeSurvival(prune=pruning, min_samples_leaf=5, random_state=seed).fit(X, y)
        leaves.append(model.get_n_leaves())
        found["min"].append(model.score(X_new, y_new))
        found["1se"].append(model.reprune(rule="1se").score(X_new, y_new))
        large = DecisionTreeSurvival.from_tree(model.unpruned_tree_)
        found["large"].append(large.score(X_new, y_new))
    means = {name: float(np.mean(values)) for name, values in found.items()}
    print(f"{score}: truth {best:.3f}, {means}, {np.median(leaves)} leaves")
    assert means["large"] < means["min"] <= best
    assert best - means["min"] < 0.04
