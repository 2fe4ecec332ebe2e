"""Targets and weights near the ends of float64 give the tree of ordinary ones."""

from __future__ import annotations

import numpy as np
import pytest

import ceiba

X = np.arange(12.0).reshape(6, 2)
Y = np.array([1.0, 2.0, 1.5, 7.0, 9.0, 8.0])


@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**-600, 2.0**600, 2.0**1019])
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_target_times_a_power_of_two_gives_the_same_splits(scale, criterion):
    plain = ceiba.DecisionTreeRegressor(criterion=criterion).fit(X, Y).tree_
    scaled = ceiba.DecisionTreeRegressor(criterion=criterion).fit(X, Y * scale).tree_
    assert scaled.splits == plain.splits
    np.testing.assert_array_equal(scaled.value, plain.value * scale)


@pytest.mark.parametrize("scale", [2.0**-1060, 2.0**-600, 2.0**600, 2.0**1010])
def test_weights_times_a_power_of_two_give_the_same_splits(scale):
    weight = np.array([1.0, 2.0, 3.0, 1.0, 2.0, 3.0])
    labels = np.array([0, 1, 0, 1, 1, 1])
    plain = ceiba.DecisionTreeClassifier().fit(X, labels, sample_weight=weight).tree_
    scaled = ceiba.DecisionTreeClassifier().fit(X, labels, sample_weight=weight * scale).tree_
    assert scaled.splits == plain.splits
    np.testing.assert_array_equal(scaled.value, plain.value)
    np.testing.assert_array_equal(scaled.counts, plain.counts * scale)


def test_weights_that_add_up_to_infinity_are_refused():
    with pytest.raises(ceiba.CeibaError, match="too large"):
        ceiba.DecisionTreeClassifier().fit(X, [0, 0, 0, 1, 1, 1], sample_weight=[1.7e308] * 6)
