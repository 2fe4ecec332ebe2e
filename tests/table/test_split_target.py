"""The target as a column of the table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from ceiba.errors import DataError, SchemaError
from ceiba.table import read, read_target
from ceiba.table.targets.split_target import split_target
from tests.table.containers import NAMED

DATA = {"age": [31, 45], "RAIN": ["no", "yes"], "city": ["Oslo", "Lima"]}


@pytest.mark.parametrize("container", NAMED)
def test_split_gives_the_other_columns_and_the_target(container: str) -> None:
    X, y = split_target(NAMED[container](DATA), "RAIN")
    assert read(X).schema.names == ("age", "city")
    assert read_target(y, task="classification", n_rows=2).values.ravel().tolist() == [0, 1]


@pytest.mark.parametrize("container", NAMED)
def test_split_by_unknown_name_is_refused_with_hint(container: str) -> None:
    with pytest.raises(
        SchemaError, match=r"Column not found: 'rain'.*'age', 'RAIN'.*Did you mean 'RAIN'\?"
    ):
        split_target(NAMED[container](DATA), "rain")


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_split_stays_in_its_library(library: Any) -> None:
    X, y = split_target(library(DATA), "RAIN")
    assert type(X) is library
    assert type(y).__name__ == "Series"


@pytest.mark.parametrize("X", [np.ones((2, 2)), [[1, 2], [3, 4]]])
def test_split_of_table_without_names_is_refused(X: Any) -> None:
    with pytest.raises(
        DataError, match=r"'RAIN' names a column, but X is a .* without column names"
    ):
        split_target(X, "RAIN")


def test_split_does_not_change_the_table() -> None:
    before = dict(DATA)
    split_target(DATA, "RAIN")
    assert before == DATA


def test_split_of_rows_that_lack_the_target_gives_none_there() -> None:
    _, y = split_target([{"a": 1, "t": 2}, {"a": 3}], "t")
    assert y == [2, None]
