"""Classes and codes of labels: what np.unique gives, for every type and range."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceiba.table.targets.labels import encode_labels

INT64 = np.iinfo(np.int64)


def assert_as_unique(y: np.ndarray) -> None:
    classes, codes = encode_labels(y)
    expected, inverse = np.unique(y, return_inverse=True)
    assert classes.dtype == y.dtype
    assert classes.tolist() == expected.tolist()
    assert codes.dtype == np.int32
    assert codes.tolist() == inverse.tolist()


@given(st.lists(st.integers(INT64.min, INT64.max), min_size=1))
def test_any_integers_are_coded_as_unique_does(values: list[int]) -> None:
    assert_as_unique(np.array(values, dtype=np.int64))


@given(st.lists(st.integers(-3, 40), min_size=1), st.integers(INT64.min + 3, INT64.max - 40))
def test_integers_of_a_small_range_anywhere_are_coded_as_unique_does(
    values: list[int], shift: int
) -> None:
    assert_as_unique(np.array([value + shift for value in values], dtype=np.int64))


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int32, np.uint32, np.uint64])
def test_every_integer_type_keeps_its_type(dtype: type) -> None:
    assert_as_unique(np.array([1, 0, 1, 1, 0], dtype=dtype))


def test_unsigned_integers_beyond_int64_are_coded() -> None:
    assert_as_unique(np.array([2**64 - 1, 5, 2**63, 5], dtype=np.uint64))


def test_every_other_label_of_a_longer_array_is_coded() -> None:
    assert_as_unique(np.array([3, 9, 1, 9, 3, 9])[::2])
    assert_as_unique(np.array([3, 9, 1, 9, 3, 9])[::-1])
