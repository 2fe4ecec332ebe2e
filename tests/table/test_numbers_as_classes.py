"""Many different floats given to a classifier are taken for classes, with a warning."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import ceiba
from ceiba.errors import DataWarning


def test_many_different_floats_warn():
    y = np.arange(18.0, 38.0).repeat(3)
    with pytest.warns(DataWarning, match="20 distinct floats in 60 rows.*regressor"):
        ceiba.DecisionTreeClassifier().fit(np.arange(60.0).reshape(-1, 1), y)


@pytest.mark.parametrize(
    "y", [np.arange(20).repeat(3), np.arange(10.0).repeat(6), np.arange(12.0).repeat(20)]
)
def test_integers_few_floats_and_frequent_floats_do_not(y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ceiba.DecisionTreeClassifier().fit(np.arange(float(len(y))).reshape(-1, 1), y)
