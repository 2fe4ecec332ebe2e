"""A stored cut separates the rows that were separated: lower <= cut < upper, for any floats."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ceiba
from tests.marks import examples

TINY = 5e-324
HUGE = sys.float_info.max

finite = st.floats(allow_nan=False, allow_infinity=False, width=64)


def cut_between(low, high):
    model = ceiba.DecisionTreeClassifier().fit([[low], [high]], [0, 1])
    return float(model.tree_.splits.cut[0])


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (1.0, math.nextafter(1.0, 2.0)),
        (-1.0, math.nextafter(-1.0, 0.0)),
        (0.0, TINY),
        (-TINY, 0.0),
        (TINY, 2 * TINY),
        (-HUGE, HUGE),
        (HUGE / 2, HUGE),
        (math.nextafter(HUGE, 0.0), HUGE),
        (-HUGE, math.nextafter(-HUGE, 0.0)),
        (1.0, HUGE),
        (-TINY, TINY),
    ],
)
def test_cut_of_two_difficult_neighbours_lies_between(low, high):
    assert low <= cut_between(low, high) < high


@given(finite, finite)
@settings(max_examples=examples(100))
def test_cut_of_any_two_floats_lies_between(a, b):
    low, high = sorted((a, b))
    if low < high:
        assert low <= cut_between(low, high) < high


@given(finite, st.integers(1, 5))
@settings(max_examples=examples(60))
def test_adjacent_floats_are_told_apart(start, n_steps):
    values = [start]
    for _ in range(n_steps):
        following = math.nextafter(values[-1], math.inf)
        if math.isinf(following):
            break
        values.append(following)
    labels = [i % 2 for i in range(len(values))]
    X = np.array(values)[:, None]
    model = ceiba.DecisionTreeClassifier().fit(X, labels)
    assert model.predict(X).tolist() == labels


def test_negative_and_positive_zero_are_one_value():
    tree = ceiba.DecisionTreeClassifier().fit([[-0.0], [0.0]], [0, 1]).tree_
    assert tree.n_leaves == 1


def test_midpoint_is_stored_for_ordinary_numbers():
    assert cut_between(1.0, 2.0) == 1.5


def test_float32_columns_keep_their_own_neighbours():
    low = np.float32(1.0)
    X = np.array([[low], [np.nextafter(low, np.float32(2))]], dtype=np.float32)
    model = ceiba.DecisionTreeClassifier().fit(X, [0, 1])
    assert model.predict(X).tolist() == [0, 1]
