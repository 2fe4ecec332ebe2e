"""The reference's criteria against worked numbers and scikit-learn."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from tests.reference.criteria import IMPURITY, gain, weighted_quantile
from tests.reference.distribution import distribution

CLASSES = [0, 1, 2, 2, 1, 0, 0, 1]
NUMBERS = [1, 4, 0, 7, 3, 3, 2, 9]
WEIGHTS = [1, 2, 1, 3, 1, 1, 4, 2]


def test_gini_of_three_equal_classes_is_two_thirds():
    assert IMPURITY["gini"]({0: 50, 1: 50, 2: 50}) == Fraction(2, 3)


def test_gain_of_iris_root_is_one_third():
    assert gain("gini", [{0: 50}, {1: 50, 2: 50}]) == Fraction(1, 3)


def test_gain_of_patrons_in_the_restaurant_is_0_541_bits():
    branches = [{0: 2}, {1: 4}, {0: 4, 1: 2}]
    assert float(gain("entropy", branches)) == pytest.approx(0.5408520829727552, rel=1e-15)


def test_median_with_half_the_weight_on_each_side_is_the_lower_value():
    assert weighted_quantile({1: 1, 2: 1, 4: 2}, Fraction(1, 2)) == 2


def test_twoing_of_two_classes_is_half_the_gini_gain():
    left, right = {0: 7, 1: 2}, {0: 1, 1: 5}
    assert gain("twoing", [left, right]) == gain("gini", [left, right]) / 2


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_class_impurity_equals_scikit_learn(criterion):
    stump = DecisionTreeClassifier(criterion=criterion, max_depth=1)
    stump.fit([[0.0]] * 8, CLASSES, sample_weight=WEIGHTS)
    part = distribution(CLASSES, WEIGHTS, range(8))
    assert float(IMPURITY[criterion](part)) == pytest.approx(stump.tree_.impurity[0], rel=1e-12)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_regression_impurity_equals_scikit_learn(criterion):
    stump = DecisionTreeRegressor(criterion=criterion, max_depth=1)
    stump.fit([[0.0]] * 8, NUMBERS, sample_weight=WEIGHTS)
    part = distribution(NUMBERS, WEIGHTS, range(8))
    assert float(IMPURITY[criterion](part)) == pytest.approx(stump.tree_.impurity[0], rel=1e-12)
