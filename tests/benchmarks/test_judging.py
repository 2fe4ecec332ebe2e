"""The impurity of a partition, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.judging import count, impurity
from benchmarks.tables import Data


def data(y: list[float], task: str = "regression") -> Data:
    return Data(np.zeros((len(y), 1)), np.array(y), task)  # type: ignore[arg-type]


def test_classes_give_the_gini_of_the_leaves() -> None:
    value = impurity(np.array([7, 7, 9, 9]), data([0, 1, 1, 1], "classification"))
    assert value == pytest.approx(0.25)


def test_numbers_give_the_squared_error_of_the_leaves() -> None:
    assert impurity(np.array([7, 7, 9, 9]), data([0.0, 2.0, 5.0, 5.0])) == pytest.approx(0.5)


def test_absolute_error_is_around_the_median() -> None:
    y = data([0.0, 1.0, 8.0, 5.0, 7.0])
    value = impurity(np.array([3, 3, 3, 4, 4]), y, "absolute_error")
    assert value == pytest.approx((1 + 0 + 7 + 1 + 1) / 5)


def test_one_tree_per_class_is_judged_class_by_class() -> None:
    y = data([0, 0, 1, 2], "classification")
    one = np.array([1, 1, 2, 2])
    same = np.column_stack([one, one, one])
    assert impurity(same, y) == pytest.approx(impurity(one, y))
    assert (count(one), count(same)) == (2, 6)
    # Each tree separates its own class from the rest: nothing is left.
    own = np.array([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 0, 1]])
    assert impurity(own, y) == pytest.approx(0.0)
