"""`frequency_weights=True` is "row k times" for CHAID's bins and for `min_significance`."""

from __future__ import annotations

import numpy as np
import pytest

import ceiba


def weighted_and_repeated(seed, n=120):
    rng = np.random.default_rng(seed)
    X = np.stack([rng.normal(size=n), rng.integers(0, 4, n) * 1.0], axis=1)
    y = (X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=n) > 0.7).astype(int)
    weight = rng.integers(1, 6, n)
    rows = np.repeat(np.arange(n), weight)
    return (X, y, weight), (X[rows], y[rows])


def same(a, b):
    assert a.n_nodes == b.n_nodes
    np.testing.assert_array_equal(a.splits.cut, b.splits.cut)
    np.testing.assert_array_equal(a.splits.column, b.splits.column)
    np.testing.assert_array_equal(a.n_rows, b.n_rows)
    np.testing.assert_allclose(a.value, b.value)


@pytest.mark.parametrize("seed", range(8))
def test_chaid_with_more_numbers_than_bins_equals_repeated_rows(seed):
    (X, y, weight), (again, labels) = weighted_and_repeated(seed)
    a = ceiba.chaid(frequency_weights=True).fit(X, y, sample_weight=weight).tree_
    b = ceiba.chaid().fit(again, labels).tree_
    np.testing.assert_array_equal(a.splits.cut, b.splits.cut)
    np.testing.assert_allclose(a.value, b.value)


@pytest.mark.parametrize("seed", range(8))
def test_min_significance_with_sizes_as_fractions_equals_repeated_rows(seed):
    (X, y, weight), (again, labels) = weighted_and_repeated(seed)
    options = {"min_significance": 0.05, "min_samples_leaf": 0.1, "min_samples_split": 0.25}
    model = ceiba.DecisionTreeClassifier(frequency_weights=True, **options)
    a = model.fit(X, y, sample_weight=weight).tree_
    same(a, ceiba.DecisionTreeClassifier(**options).fit(again, labels).tree_)


def test_rows_of_nodes_are_counted_by_their_frequency():
    x, y = np.array([[1.0], [2.0]]), np.array([0, 1])
    model = ceiba.DecisionTreeClassifier(min_significance=0.05, frequency_weights=True)
    tree = model.fit(x, y, sample_weight=[30, 30]).tree_
    assert tree.n_rows.tolist() == [60, 30, 30]
