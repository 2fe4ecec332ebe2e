"""Weights of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from ceiba.errors import DataError, DataTypeError
from ceiba.table.weights import read_weights


@pytest.mark.parametrize(
    "weights",
    [
        [1, 2],
        (1, 2),
        np.array([1, 2]),
        np.array([1, 2], "f4"),
        pd.Series([1, 2]),
        pl.Series([1, 2]),
    ],
)
def test_weights_of_any_container_are_float64(weights: Any) -> None:
    read = read_weights(weights, 2)
    assert read is not None
    assert read.dtype == np.float64
    assert read.tolist() == [1, 2]


def test_none_stays_none() -> None:
    assert read_weights(None, 3) is None


def test_number_is_the_weight_of_every_row() -> None:
    assert read_weights(2, 3).tolist() == [2, 2, 2]  # type: ignore[union-attr]


def test_strided_weights_become_contiguous() -> None:
    assert read_weights(np.arange(6.0)[::2], 3).flags.c_contiguous  # type: ignore[union-attr]


def test_zero_weights_are_fine_beside_others() -> None:
    assert read_weights([0, 1], 2).tolist() == [0, 1]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, -2], r"Negative values in data passed to `sample_weight`: row 1 has -2"),
        ([0, 0], "Sample weights must contain at least one non-zero number; all weights are zero"),
        ([1, np.nan], r"sample_weight contains NaN, infinity.*row 1 has nan"),
        ([np.inf, 1], r"sample_weight contains NaN, infinity.*row 0 has inf"),
        ([np.inf, -np.inf], r"sample_weight contains NaN, infinity"),
        ([1, 2, 3], r"sample_weight.shape == \(3,\), expected \(2,\)"),
        ([[1, 2]], "Sample weights must be 1D array or scalar, got 2D array"),
        (np.array([[1.0], [2.0]]), "Sample weights must be 1D array or scalar, got 2D array"),
    ],
)
def test_wrong_weights_are_refused(weights: Any, words: str) -> None:
    with pytest.raises(DataError, match=words):
        read_weights(weights, 2)


@pytest.mark.parametrize("weights", [["a", "b"], [None, {}]])
def test_weights_that_are_no_numbers_are_refused(weights: Any) -> None:
    with pytest.raises(DataTypeError, match="sample_weight must contain numbers"):
        read_weights(weights, 2)


def test_large_finite_weights_are_fine() -> None:
    assert read_weights([8e307, 8e307], 2) is not None
