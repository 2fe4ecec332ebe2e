"""`fit(frequency=k)` is "row k times", whatever the missing rule, family or pruning."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import ceiba
from ceiba.errors import DataError
from ceiba.grow import Surrogates


def weighted_and_repeated(seed, n=120):
    rng = np.random.default_rng(seed)
    X = np.stack([rng.normal(size=n), rng.integers(0, 4, n) * 1.0], axis=1)
    y = (X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=n) > 0.7).astype(int)
    weight = rng.integers(1, 6, n)
    rows = np.repeat(np.arange(n), weight)
    return (X, y, weight), (X[rows], y[rows])


def same(a, b):
    assert a.n_nodes == b.n_nodes
    np.testing.assert_array_equal(a.splits.cut, b.splits.cut)  # NaN equals NaN here
    np.testing.assert_array_equal(a.splits.column, b.splits.column)
    np.testing.assert_array_equal(a.n_rows, b.n_rows)
    np.testing.assert_allclose(a.value, b.value)


def hostile_table(rng, n):
    """One to three columns of few or many numbers or levels, some with missing values."""
    columns = {}
    for j in range(rng.integers(1, 4)):
        kind = rng.integers(0, 3)
        if kind == 2:
            column = np.array(list("abcde"), object)[rng.integers(0, 5, n)]
        else:
            column = rng.integers(0, 6, n) * 1.0 if kind else rng.normal(size=n).round(1)
        hole = rng.random(n) < rng.choice([0.0, 0.25])
        hole[0] = False
        column[hole] = None if kind == 2 else np.nan
        columns[f"x{j}"] = column
    return pd.DataFrame(columns)


def plain(task, **options):
    kind = ceiba.DecisionTreeRegressor if task else ceiba.DecisionTreeClassifier
    return kind(max_depth=3, **options)


MODELS = {
    "learn": lambda task: plain(task, min_samples_leaf=0.1),
    "majority": lambda task: plain(task, missing="majority", min_samples_split=5),
    "surrogate": lambda task: plain(task, missing="surrogate", min_samples_leaf=2),
    "surrogate, else stay": lambda task: plain(task, missing=Surrogates(otherwise="stay")),
    "fractional": lambda task: plain(task, missing="fractional"),
    "c45": lambda task: ceiba.c45(),
    "c45, unpruned": lambda task: ceiba.c45(prune=None),
    "id3": lambda task: ceiba.id3(),
    "chaid": lambda task: ceiba.chaid(),
}


@pytest.mark.filterwarnings("ignore::ceiba.errors.DataWarning")
@pytest.mark.parametrize("name", MODELS)
def test_row_of_weight_k_is_the_row_k_times(name):
    rng = np.random.default_rng(len(name))
    for _ in range(40):
        n = int(rng.integers(6, 40))
        X, task = hostile_table(rng, n), int(rng.integers(0, 2)) and name in list(MODELS)[:5]
        y = rng.integers(0, 8, n) * 1.0 if task else rng.integers(0, rng.integers(2, 4), n)
        weight = rng.integers(1, 5, n)
        rows = np.repeat(np.arange(n), weight)
        a = MODELS[name](task).fit(X, y, frequency=weight).tree_
        b = MODELS[name](task).fit(X.iloc[rows].reset_index(drop=True), y[rows]).tree_
        same(a, b)
        assert a.splits == b.splits
        np.testing.assert_array_equal(a.default_branch, b.default_branch)
        if name != "chaid":
            np.testing.assert_array_equal(a.sent_default, b.sent_default)
        if a.surrogates is not None:
            np.testing.assert_array_equal(a.surrogates.sent, b.surrogates.sent)


def test_subtree_regrown_with_frequencies_is_that_of_repeated_rows():
    rng = np.random.default_rng(4)
    X = hostile_table(rng, 60)
    y, weight = rng.integers(0, 2, 60), rng.integers(1, 5, 60)
    rows = np.repeat(np.arange(60), weight)
    again = X.iloc[rows].reset_index(drop=True)
    a = ceiba.c45(prune=None).fit(X, y, frequency=weight)
    b = ceiba.c45(prune=None).fit(again, y[rows])
    same(a.regrow(1, X, y, sample_weight=weight).tree_, b.regrow(1, again, y[rows]).tree_)


def test_more_rows_than_can_be_repeated_are_refused():
    model = ceiba.c45()
    with pytest.raises(ceiba.DataError, match=r"got 2e\+09"):
        model.fit([[1.0], [2.0]], ["a", "b"], frequency=[1e9, 1e9])


def test_frequencies_beyond_what_an_int64_counts_are_refused():
    model = ceiba.DecisionTreeClassifier()
    with pytest.raises(ceiba.DataError, match=r"must sum to less than 2\*\*63"):
        model.fit([[1.0], [2.0]], ["a", "b"], frequency=[9e18, 9e18])


@pytest.mark.parametrize("seed", range(8))
def test_chaid_with_more_numbers_than_bins_equals_repeated_rows(seed):
    (X, y, weight), (again, labels) = weighted_and_repeated(seed)
    a = ceiba.chaid().fit(X, y, frequency=weight).tree_
    b = ceiba.chaid().fit(again, labels).tree_
    np.testing.assert_array_equal(a.splits.cut, b.splits.cut)
    np.testing.assert_allclose(a.value, b.value)


@pytest.mark.parametrize("seed", range(8))
def test_min_significance_with_sizes_as_fractions_equals_repeated_rows(seed):
    (X, y, weight), (again, labels) = weighted_and_repeated(seed)
    options = {"min_significance": 0.05, "min_samples_leaf": 0.1, "min_samples_split": 0.25}
    model = ceiba.DecisionTreeClassifier(**options)
    a = model.fit(X, y, frequency=weight).tree_
    same(a, ceiba.DecisionTreeClassifier(**options).fit(again, labels).tree_)


def test_rows_of_nodes_are_counted_by_their_frequency():
    x, y = np.array([[1.0], [2.0]]), np.array([0, 1])
    model = ceiba.DecisionTreeClassifier(min_significance=0.05)
    tree = model.fit(x, y, frequency=[30, 30]).tree_
    assert tree.n_rows.tolist() == [60, 30, 30]


@pytest.mark.parametrize(
    ("weight", "options", "words"),
    [
        ([1, 1.5, 2, 1], {}, "frequency must contain whole numbers, got 1.5 in row 1"),
        (
            [1, 1, 1, 1],
            {"class_weight": {"a": 0.5}},
            "frequency times class_weight must contain whole numbers, got 0.5 in row 0. Pass",
        ),
    ],
)
def test_parts_of_rows_are_refused(weight, options, words):
    model = ceiba.DecisionTreeClassifier(**options)
    with pytest.raises(DataError, match=re.escape(words)):
        model.fit([[1], [2], [3], [4]], list("abab"), frequency=weight)
