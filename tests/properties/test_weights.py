"""A row of weight k equals k rows; the scale of the weights does not matter."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.marks import examples
from tests.properties.fitting import fit
from tests.properties.strategies import problems

EXACT = ("gini", "squared_error")


def whole_weights(n_rows):
    return st.lists(st.integers(0, 3).map(float), min_size=n_rows, max_size=n_rows).filter(any)


def whole_weights_from_1(n_rows):
    """No zeros: a class whose rows all weigh nothing is still a class."""
    return st.lists(st.integers(1, 3).map(float), min_size=n_rows, max_size=n_rows)


def repeated(problem):
    """Each row as often as its weight says."""
    times = [int(w) for w in problem.weight]
    X = [row for row, k in zip(problem.X, times, strict=True) for _ in range(k)]
    y = [v for v, k in zip(problem.y, times, strict=True) for _ in range(k)]
    return replace(problem, X=X, y=y, weight=None)


def structure(tree):
    return tree.splits.column.tolist(), np.nan_to_num(tree.splits.cut, nan=-1).tolist()


@given(problems(criteria=EXACT, weights=whole_weights))
@settings(max_examples=examples(60))
def test_weight_k_grows_the_tree_of_the_row_k_times(problem):
    assert structure(fit(problem)) == structure(fit(repeated(problem)))


@given(problems(criteria=EXACT, weights=whole_weights_from_1))
@settings(max_examples=examples(60))
def test_weight_k_gives_the_figures_of_the_row_k_times(problem):
    weighted, copied = fit(problem), fit(repeated(problem))
    for name in ("weight", "impurity", "gain", "value", "risk"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(copied, name), 1e-12, 1e-12)


@given(problems(criteria=EXACT, weights=whole_weights), st.integers(2, 4))
@settings(max_examples=examples(60))
def test_frequency_weights_make_stops_count_copies(problem, least):
    options = {"min_samples_leaf": least}
    weighted = fit(problem, counts_rows=True, **options)
    assert structure(weighted) == structure(fit(repeated(problem), **options))


@given(problems(weights=whole_weights_from_1))
@settings(max_examples=examples(60))
def test_trebled_weights_change_nothing_but_the_weight(problem):
    trebled = replace(problem, weight=[3 * w for w in problem.weight])
    once, thrice = fit(problem), fit(trebled)
    assert structure(once) == structure(thrice)
    np.testing.assert_allclose(3 * once.weight, thrice.weight, rtol=1e-12)


@given(problems(criteria=EXACT))
@settings(max_examples=examples(40))
def test_rows_of_weight_zero_are_as_if_absent(problem):
    n = len(problem.X)
    weight = [*(problem.weight or [1.0] * n), 0.0, 0.0]
    padded = replace(
        problem,
        X=[*problem.X, *problem.X[:2]][: n + 2],
        y=[*problem.y, *problem.y[::-1][:2]],
        weight=weight,
    )
    assert structure(fit(padded)) == structure(fit(problem))
