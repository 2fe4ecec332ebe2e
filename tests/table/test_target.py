"""Targets: labels of every type, numbers, several outputs, and what is refused."""

from __future__ import annotations

import datetime as dt
import decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.tree import DecisionTreeClassifier

from ceiba.errors import DataError, DataTypeError, DataWarning
from ceiba.table import read_target
from ceiba.table.targets.target import find_present_rows

TEXTS = ["yes", "no", "yes", "maybe"]
CONTAINERS: dict[str, Any] = {
    "list": TEXTS,
    "tuple": tuple(TEXTS),
    "array": np.array(TEXTS),
    "object": np.array(TEXTS, dtype=object),
    "pandas": pd.Series(TEXTS, name="y"),
    "pandas-object": pd.Series(TEXTS, dtype=object, name="y"),
    "pandas-category": pd.Series(
        pd.Categorical(TEXTS, categories=["yes", "no", "maybe"]), name="y"
    ),
    "polars": pl.Series("y", TEXTS),
    "polars-enum": pl.Series("y", TEXTS, dtype=pl.Enum(["yes", "no", "maybe"])),
    "pyarrow": pa.chunked_array([TEXTS[:1], TEXTS[1:]]),
    "pandas-frame": pd.DataFrame({"y": TEXTS}),
    "polars-frame": pl.DataFrame({"y": TEXTS}),
    "column-vector": np.array(TEXTS).reshape(-1, 1),
    "dict": {"y": TEXTS},
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_texts_of_any_container_are_coded_by_sorted_classes(container: str) -> None:
    target = read_target(CONTAINERS[container], task="classification", n_rows=4)
    assert target.info.classes[0].tolist() == ["maybe", "no", "yes"]
    assert target.values.ravel().tolist() == [2, 1, 2, 0]
    assert (target.values.dtype, target.values.shape) == (np.int32, (4, 1))


@pytest.mark.parametrize("container", ["pandas", "polars", "pandas-frame", "polars-frame", "dict"])
def test_name_of_the_target_is_kept(container: str) -> None:
    assert read_target(CONTAINERS[container], task="classification").info.name == "y"


def test_name_that_is_given_wins() -> None:
    assert read_target(CONTAINERS["pandas"], task="classification", name="RAIN").info.name == "RAIN"


LABELS = [
    np.array([3, 1, 3, 2]),
    np.array([-5, 100_000_000, 7, 7]),
    np.array([0, 255, 3, 3], dtype=np.uint8),
    np.array([-128, 127, 0, 0], dtype=np.int8),
    np.array([2**64 - 1, 0, 5, 5], dtype=np.uint64),
    np.array([True, False, True, True]),
    np.array([1.0, 0.0, -3.0, 1.0]),
    np.array([1e300, 0.0, -3.0, 1.0]),
    np.array([1.0, 0.0], dtype=np.float32),
    np.array(["b", "a", "b"]),
    np.array(["b", "a"], dtype=object),
    np.array(["2024-01-02", "2024-01-01"], dtype="datetime64[D]"),
]


@pytest.mark.parametrize("y", LABELS, ids=lambda y: f"{y.dtype}-{y[0]}")
def test_classes_and_codes_equal_np_unique(y: np.ndarray) -> None:
    target = read_target(y, task="classification")
    classes, codes = np.unique(y, return_inverse=True)
    assert target.info.classes[0].dtype == classes.dtype
    assert np.array_equal(target.info.classes[0], classes)
    assert np.array_equal(target.values[:, 0], codes)


@pytest.mark.parametrize(
    "y", [[0, 1, 1], ["a", "b", "b"], [True, False, True], [0.0, 1.0, 1.0]], ids=repr
)
def test_classes_have_the_type_of_scikit_learns(y: list[Any]) -> None:
    theirs = DecisionTreeClassifier().fit([[1], [2], [3]], y).classes_
    mine = read_target(y, task="classification").info.classes[0]
    assert (mine.dtype, mine.tolist()) == (theirs.dtype, theirs.tolist())


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (np.array([2, 1], dtype=object), [1, 2]),
        (np.array([True, False], dtype=object), [False, True]),
        (np.array([2.0, 1], dtype=object), [1, 2]),
        (np.array([10**30, 1], dtype=object), [1, 10**30]),
        ([dt.date(2024, 1, 2), dt.date(2024, 1, 1)], [dt.date(2024, 1, 1), dt.date(2024, 1, 2)]),
        (pd.Series([2, 1], dtype="Int64"), [1, 2]),
        (pd.Series([True, False], dtype="boolean"), [False, True]),
        (pl.Series([True, False]), [False, True]),
    ],
    ids=repr,
)
def test_labels_of_any_sortable_type_are_taken(y: Any, classes: list[Any]) -> None:
    target = read_target(y, task="classification")
    assert target.info.classes[0].tolist() == classes
    assert target.values.ravel().tolist() == [1, 0]


def test_classification_of_several_outputs_has_classes_for_each() -> None:
    target = read_target([[1, 5], [2, 5], [1, 6]], task="classification", n_rows=3)
    assert [c.tolist() for c in target.info.classes] == [[1, 2], [5, 6]]
    assert target.values.tolist() == [[0, 0], [1, 0], [0, 1]]
    assert target.values.flags.c_contiguous
    assert (target.info.n_outputs, target.info.n_classes) == (2, (2, 2))


def test_frame_of_several_outputs_may_mix_types() -> None:
    target = read_target(pd.DataFrame({"a": ["x", "y"], "b": [2, 1]}), task="classification")
    assert [c.tolist() for c in target.info.classes] == [["x", "y"], [1, 2]]
    assert target.info.name is None


@pytest.mark.parametrize(
    "y",
    [
        [1.5, 2, 0],
        np.array([1.5, 2, 0], dtype=np.float32),
        np.array([1.5, 2, 0], dtype=object),
        [decimal.Decimal("1.5"), 2, 0],
        pd.Series([1.5, 2, 0], dtype="Float64"),
        pl.Series([1.5, 2, 0]),
        pa.chunked_array([[1.5, 2, 0]]),
    ],
    ids=lambda y: type(y).__module__,
)
def test_regression_gives_float64(y: Any) -> None:
    target = read_target(y, task="regression", n_rows=3)
    assert target.values.tolist() == [[1.5], [2], [0]]
    assert target.values.dtype == np.float64
    assert target.info.classes == ()


def test_regression_makes_no_copy_of_float64() -> None:
    y = np.arange(5.0)
    assert np.shares_memory(read_target(y, task="regression").values, y)


def test_regression_of_several_outputs_is_c_ordered() -> None:
    target = read_target(np.asfortranarray(np.arange(6.0).reshape(3, 2)), task="regression")
    assert target.values.flags.c_contiguous
    assert target.values.tolist() == [[0, 1], [2, 3], [4, 5]]


def test_regression_of_booleans_is_zero_and_one() -> None:
    assert read_target([True, False], task="regression").values.ravel().tolist() == [1, 0]


@pytest.mark.parametrize("y", [["a", "b"], np.array(["1", "2"]), pd.Series(["a"])], ids=repr)
def test_regression_of_texts_is_refused(y: Any) -> None:
    with pytest.raises(DataTypeError, match="Regression requires a numeric target, got"):
        read_target(y, task="regression")


@pytest.mark.parametrize(
    "y", [[0.5, 1.5, 2.5], np.array([[0.5, 1], [1, 2]]), np.array([0.5, 1], object)]
)
def test_continuous_labels_are_scikit_learns_error(y: Any) -> None:
    with pytest.raises(
        ValueError, match=r"Unknown label type: continuous. Maybe you are trying to fit"
    ):
        read_target(y, task="classification")


def test_labels_of_mixed_types_are_refused() -> None:
    with pytest.raises(DataError, match="Unknown label type: int and str"):
        read_target([1, "a"], task="classification")


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize(
    "y",
    [
        [1.0, np.nan, 2.0],
        [1, None, 2],
        pd.Series([1, None, 2], dtype="Int64"),
        pl.Series([1, None, 2]),
        np.ma.array([1, 5, 2], mask=[0, 1, 0]),
        [[1.0, 1.0], [1.0, np.nan], [0.0, 0.0]],
    ],
    ids=["nan", "none", "pandas", "polars", "masked", "2d"],
)
def test_missing_target_is_refused_with_row_and_way_out(task: Any, y: Any) -> None:
    words = r"Input y contains NaN\. 1 of 3 rows.* row 1\)\. .*drop_missing_target"
    with pytest.raises(DataError, match=words):
        read_target(y, task=task)
    assert find_present_rows(y).tolist() == [True, False, True]


@pytest.mark.parametrize(
    "y", [["a", None, "b"], pd.Series(["a", None, "b"]), pl.Series(["a", None, "b"])]
)
def test_missing_label_is_refused(y: Any) -> None:
    with pytest.raises(DataError, match="Input y contains NaN"):
        read_target(y, task="classification")
    assert find_present_rows(y).tolist() == [True, False, True]


def test_present_rows_of_complete_target_are_all() -> None:
    assert find_present_rows([1, 2, 3]).all()


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("values", [[1.0, np.inf], [-np.inf, np.inf], [1.0, -np.inf]])
def test_infinite_target_is_refused(task: Any, values: list[float]) -> None:
    with pytest.raises(
        DataError, match=r"Input y contains infinity or a value too large for dtype"
    ):
        read_target(values, task=task)
    with pytest.raises(DataError, match="Input y contains infinity"):
        read_target(np.array([*values, 1], dtype=object), task=task)


def test_none_is_scikit_learns_error() -> None:
    with pytest.raises(DataError, match="requires y to be passed, but the target y is None"):
        read_target(None, task="regression")


def test_other_number_of_rows_is_scikit_learns_error() -> None:
    words = r"inconsistent numbers of samples: \[3, 2\]\. X has 3 rows, y has 2"
    with pytest.raises(DataError, match=words):
        read_target([1, 2], task="regression", n_rows=3)


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (np.ones((2, 2, 2)), "y should be a 1d array"),
        (np.empty((2, 0)), "y should be a 1d array"),
        (np.array(5), "y should be a 1d array"),
        ([], r"0 sample\(s\)"),
        ([[1, 2], [3]], "y is ragged"),
        (np.array([1j, 2]), "Complex data not supported"),
        (scipy.sparse.csr_array([[1, 0]]), r"y\.toarray\(\)"),
        ("RAIN", "one value per row, got the string 'RAIN'"),
        (5, "Expected array-like"),
    ],
)
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_what_is_no_target_is_refused(y: Any, words: str, task: Any) -> None:
    with pytest.raises(DataError, match=words):
        read_target(y, task=task)


def test_more_classes_than_half_the_rows_warn_as_in_scikit_learn() -> None:
    with pytest.warns(DataWarning, match="number of unique classes is greater than 50%"):
        read_target(list(range(30)), task="classification")


def test_target_takes_rows() -> None:
    target = read_target(["a", "b", "a"], task="classification").take(np.array([2, 1]))
    assert target.values.ravel().tolist() == [0, 1]
    assert len(target) == 2
