"""Beyond the exhaustive limit the level set is found by a heuristic: how much gain does it lose?"""

from __future__ import annotations

import numpy as np
import pytest

from ceiba.grow.options import GrowOptions
from ceiba.grow.problem import Problem
from ceiba.table import Levels, read, read_target
from tests.marks import examples

LIMIT = 10  # up to this many present levels all level sets are tried
N_TABLES = examples(1000)


def gini_mass(counts):
    """Weight times gini of each row of class counts."""
    n = counts.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(n > 0, n - (counts**2).sum(axis=-1) / n, 0.0)


def entropy_mass(counts):
    n = counts.sum(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(counts > 0, counts * np.log2(n / counts), 0.0).sum(axis=-1)


MASS = {"gini": gini_mass, "entropy": entropy_mass}


def best_gain(counts, criterion):
    """Return the largest gain over all sets of levels (the last level stays on the right)."""
    n_levels = len(counts)
    sets = (np.arange(1, 2 ** (n_levels - 1))[:, None] >> np.arange(n_levels)) & 1
    left, total, mass = sets @ counts, counts.sum(axis=0), MASS[criterion]
    return (mass(total) - mass(left) - mass(total - left)).max() / total.sum()


def found_gain(counts, criterion):
    level, label = np.nonzero(counts)
    times = counts[level, label].astype(int)
    names = [f"L{i:02d}" for i in range(len(counts))]
    column = Levels([names[i] for i in np.repeat(level, times)], names)
    table = read({"column": column})
    target = read_target(np.repeat(label, times), task="classification", n_rows=table.n_rows)
    options = GrowOptions(task="classification", criterion=criterion, max_depth=1)
    return Problem(table, target, options).grow().gain[0]


def random_counts(rng, n_levels):
    n_classes = int(rng.integers(3, 6))
    profile = rng.dirichlet(np.full(n_classes, rng.choice([0.3, 1.0, 5.0])), n_levels)
    size = rng.integers(1, 40, n_levels)
    counts = np.array([rng.multinomial(n, p) for n, p in zip(size, profile, strict=True)])
    return counts[:, counts.sum(axis=0) > 0].astype(float)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_heuristic_loses_little_gain_against_all_level_sets(criterion):
    rng = np.random.default_rng(7)
    loss = []
    while len(loss) < N_TABLES // 2:
        counts = random_counts(rng, int(rng.integers(LIMIT + 1, 15)))
        if counts.shape[1] < 3:
            continue
        best = best_gain(counts, criterion)
        loss.append(1 - found_gain(counts, criterion) / best)
    loss = np.array(loss)
    assert loss.min() > -1e-9  # nothing beats trying everything
    assert loss.mean() <= 0.005
    assert loss.max() <= 0.05


def test_limit_of_the_exhaustive_search_is_as_documented():
    rng = np.random.default_rng(11)
    for n_levels in range(3, LIMIT + 1):
        counts = random_counts(rng, n_levels)
        if counts.shape[1] > 2:
            np.testing.assert_allclose(found_gain(counts, "gini"), best_gain(counts, "gini"))
