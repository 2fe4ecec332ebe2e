"""categorical_features: from_dtype, names, positions, mask."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from ceiba.errors import DataError, OptionError
from ceiba.table import Kind, read
from ceiba.table.read_for_predict import read_like
from tests.table.containers import NAMED

X = np.array([[3.0, 10.0], [1.0, 20.0], [np.nan, 30.0], [1.0, 40.0]])


@pytest.mark.parametrize(
    "chosen",
    [["x0"], [0], np.array([0]), [True, False], np.array([True, False]), (0,), pd.Series([0])],
)
def test_chosen_column_is_categorical_the_other_not(chosen: Any) -> None:
    table = read(X, categorical_features=chosen)
    assert [c.info.kind for c in table.columns] == [Kind.CATEGORICAL, Kind.NUMERIC]
    assert table.schema.columns[0].levels == (1, 3)
    assert table.columns[0].values.tolist() == [1, 0, -1, 0]
    assert table.schema.columns[0].n_missing == 1


@pytest.mark.parametrize("chosen", ["from_dtype", None, [], [False, False]])
def test_nothing_chosen_goes_by_type(chosen: Any) -> None:
    assert read(X, categorical_features=chosen).schema.is_matrix


@pytest.mark.parametrize("container", NAMED)
def test_chosen_by_name_in_every_container(container: str) -> None:
    frame = NAMED[container]({"zip": [5, 3, None, 5], "age": [1, 2, 3, 4]})
    info = read(frame, categorical_features=["zip"]).schema.columns[0]
    assert (info.kind, info.levels, info.n_missing) == (Kind.CATEGORICAL, (3, 5), 1)


def test_texts_stay_categorical_when_others_are_chosen() -> None:
    table = read({"a": [1, 2], "b": ["x", "y"]}, categorical_features=["a"])
    assert [c.info.kind for c in table.columns] == [Kind.CATEGORICAL, Kind.CATEGORICAL]


def test_chosen_ordered_column_loses_its_order() -> None:
    frame = pd.DataFrame({"a": pd.Categorical(["x", "y"], ordered=True)})
    assert read(frame, categorical_features=[0]).schema.columns[0].kind is Kind.CATEGORICAL


def test_chosen_boolean_has_levels_false_true() -> None:
    levels = read({"a": [True, False]}, categorical_features=[0]).schema.columns[0].levels
    assert levels == (False, True)
    assert all(isinstance(level, bool) for level in levels)


def test_chosen_date_has_iso_levels() -> None:
    frame = pd.DataFrame({"a": pd.to_datetime(["2024-05-02", "2024-05-01"])})
    levels = read(frame, categorical_features=[0]).schema.columns[0].levels
    assert levels == ("2024-05-01", "2024-05-02")


@pytest.mark.parametrize(
    "rows", [np.array([[1.0], [7.0]]), [[1], [7]], pl.DataFrame({"x0": [1, 7]})]
)
@pytest.mark.filterwarnings("ignore:X has feature names")
def test_chosen_numbers_at_predict_are_coded(rows: Any) -> None:
    schema = read(X[:, :1], categorical_features=[0]).schema
    assert read_like(rows, schema).columns[0].values.tolist() == [0, 2]


def test_chosen_column_with_infinity_is_refused() -> None:
    with pytest.raises(DataError, match="infinity"):
        read(np.array([[np.inf], [1]]), categorical_features=[0])


def test_unknown_name_is_refused_with_hint() -> None:
    with pytest.raises(OptionError, match=r"column not found: 'citty'.*Did you mean 'city'\?"):
        read({"city": ["a"]}, categorical_features=["citty"])


@pytest.mark.parametrize("position", [2, -1])
def test_position_outside_the_table_is_refused(position: int) -> None:
    with pytest.raises(OptionError, match="positions from 0 to 1"):
        read(X, categorical_features=[position])


def test_mask_of_wrong_length_is_refused() -> None:
    with pytest.raises(OptionError, match=r"one bool per column \(2\), got a mask of length 3"):
        read(X, categorical_features=[True, False, True])


@pytest.mark.parametrize("chosen", ["from_dtypes", 5, [1.5], ["x0", 1], "x0"])
def test_anything_else_is_refused(chosen: Any) -> None:
    with pytest.raises(OptionError, match="Allowed values: 'from_dtype', column names"):
        read(X, categorical_features=chosen)


def test_bare_name_is_refused_with_the_list_to_write() -> None:
    with pytest.raises(OptionError, match=r"Did you mean \['x0'\]\?"):
        read(X, categorical_features="x0")
