"""Small trees with registers of 512 bits, where the processor has them: the tree of narrow ones."""

from __future__ import annotations

import numpy as np
import pytest

import ceiba
from ceiba import _core


@pytest.fixture
def narrow_first():
    """Give a function that grows a tree without wide registers, then with them."""

    def both(X, y, **parameters):
        model = ceiba.DecisionTreeClassifier(n_jobs=1, **parameters)
        trees = []
        for wide in (False, True):
            _core.allow_wide_registers(wide)
            trees.append(model.fit(X, y).tree_)
        return trees

    yield both
    _core.allow_wide_registers(True)


@pytest.mark.parametrize("seed", range(40))
def test_random_tables_give_the_same_tree(narrow_first, seed):
    """Sizes around sixteen and 1,024 rows, ties, several classes, limits on the leaves."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([15, 16, 17, 33, 150, 700, 1023, 1024, 1025, 2040]))
    X = rng.normal(size=(n, int(rng.integers(1, 6))))
    X = np.round(X * rng.choice([1, 3, 50, 1e9]))
    classes = int(rng.choice([2, 2, 3]))
    y = (np.digitize(X[:, 0], [-0.5, 0.5]) + rng.integers(0, 2, n)) % classes
    leaf = int(rng.choice([1, 2, 9, 40]))
    narrow, wide = narrow_first(X, y, min_samples_leaf=leaf)
    assert narrow == wide


def test_small_nodes_of_a_large_table_give_the_same_tree(narrow_first):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(30_000, 4)).astype(np.float32)
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=30_000) > 0
    narrow, wide = narrow_first(X, y)
    assert narrow == wide
    assert narrow.n_leaves > 1000
