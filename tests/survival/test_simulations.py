"""Claims about chance: coverage in honest leaves, and the concordance of pruned trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.survival import concordance
from ceiba.tree import node_curve

from .cases import simulate

TARGET = ("weeks", "died")


def true_rate(frame: dict[str, Any]) -> Any:
    """Return the rate of the exponential times of `simulate`."""
    return np.exp(0.9 * (frame["age"] > 60) + 1.0 * (frame["stage"] == "III")) / 10


@pytest.mark.slow
def test_bands_and_medians_of_honest_leaves_cover_the_truth() -> None:
    crowd = simulate(20_000, 10**6)
    rate, grid = true_rate(crowd), np.linspace(0, 40, 801)
    hits: dict[str, list[bool]] = {"survival": [], "median": []}
    for seed in range(150):
        model = ceiba.DecisionTreeSurvival(
            max_depth=2, min_samples_leaf=40, leaf_values="honest", random_state=seed
        ).fit(simulate(800, seed), TARGET)
        leaf = model.apply(crowd)
        for node in np.unique(leaf).tolist():
            rates, curve = rate[leaf == node], node_curve(model.tree_, node)
            for at in (3.0, 6.0):
                _, low, high = curve.survival_at(at)
                if not np.isnan(low):
                    hits["survival"].append(bool(low <= np.exp(-rates * at).mean() <= high))
            mixture = np.exp(-np.outer(grid, rates[:1_000])).mean(axis=1)
            found = curve.median()
            hits["median"].append(bool(found.low <= grid[np.argmax(mixture <= 0.5)] <= found.high))
    assert all(0.93 <= np.mean(covered) <= 0.97 for covered in hits.values()), {
        name: np.mean(covered) for name, covered in hits.items()
    }


@pytest.mark.slow
def test_pruned_trees_rank_nearly_as_well_as_the_truth() -> None:
    crowd = simulate(4_000, 10**6)
    time, event = crowd["weeks"], crowd["died"]
    best = concordance(time, event, true_rate(crowd)).value
    scores: dict[str, list[float]] = {"whole": [], "cv": []}
    for seed in range(40):
        for name, prune in (("whole", None), ("cv", "cv")):
            model = ceiba.DecisionTreeSurvival(min_samples_leaf=7, prune=prune, random_state=seed)
            model.fit(simulate(400, seed), TARGET)
            scores[name].append(concordance(time, event, model.predict(crowd)).value)
    whole, pruned = np.mean(scores["whole"]), np.mean(scores["cv"])
    assert pruned > whole + 0.015
    assert pruned > best - 0.015
