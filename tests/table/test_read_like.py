"""A table at predict against the schema at fit: names, order, kinds, levels."""

from __future__ import annotations

import datetime as dt
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from ceiba.errors import DataWarning, OptionError, SchemaError
from ceiba.table import Schema, TargetInfo, read
from ceiba.table.read_for_predict import read_like
from tests.table.containers import NAMED

PEOPLE = {"age": [31, 45, 27], "city": ["Lima", "Oslo", None], "height": [1.6, 1.7, 1.8]}
SCHEMA = read(PEOPLE).schema
RAIN = TargetInfo("RAIN", "classification", (np.array(["no", "yes"]),), 1)


def swapped(*names: str) -> dict[str, Any]:
    return {name: PEOPLE[name] for name in names}


def test_by_position_same_names_is_silent() -> None:
    assert read_like(PEOPLE, SCHEMA).n_rows == 3


def test_by_position_other_order_is_scikit_learns_error() -> None:
    words = (
        "The feature names should match those that were passed during fit.\n"
        "Feature names must be in the same order as they were in fit.\n"
        "First difference: column 0 is 'city', in fit it was 'age'."
    )
    with pytest.raises(SchemaError) as error:
        read_like(swapped("city", "age", "height"), SCHEMA)
    assert str(error.value).startswith(words)


def test_by_position_other_names_is_scikit_learns_error_with_hint() -> None:
    X = {"Age": [1], "city": ["Oslo"], "weight": [80]}
    with pytest.raises(SchemaError) as error:
        read_like(X, SCHEMA)
    assert str(error.value) == (
        "The feature names should match those that were passed during fit.\n"
        "Feature names unseen at fit time:\n- Age\n- weight\n"
        "Feature names seen at fit time, yet now missing:\n- age\n- height\n"
        "'Age': Did you mean 'age'?\n'weight': Did you mean 'height'?\n"
    )


def test_by_position_many_other_names_are_cut_as_in_scikit_learn() -> None:
    schema = read({f"c{j}": [1] for j in range(8)}).schema
    with pytest.raises(SchemaError, match=r"(?s)- d4\n- \.\.\.\n.*- c4\n- \.\.\.\n"):
        read_like({f"d{j}": [1] for j in range(8)}, schema)


def test_by_position_without_names_warns() -> None:
    X = np.array([[1, "Oslo", 2]], dtype=object)
    with pytest.warns(DataWarning, match="^X does not have valid feature names, but Model was"):
        read_like(X, SCHEMA, owner="Model")


def test_by_position_names_where_none_were_warns() -> None:
    schema = read(np.ones((2, 1))).schema
    with pytest.warns(DataWarning, match="^X has feature names, but Model was fitted without"):
        read_like({"a": [1]}, schema, owner="Model")


@pytest.mark.parametrize("match", ["position", "name"])
@pytest.mark.parametrize("n_columns", [1, 4])
def test_other_number_of_columns_is_scikit_learns_error(match: Any, n_columns: int) -> None:
    schema = read(np.ones((2, 3))).schema
    words = rf"X has {n_columns} features, but Model is expecting 3 features as input"
    with pytest.raises(SchemaError, match=words):
        read_like(np.ones((2, n_columns)), schema, match=match, owner="Model")


@pytest.mark.parametrize("container", NAMED)
@pytest.mark.parametrize("match", ["position", "name"])
def test_column_of_the_target_is_left_out(container: str, match: Any) -> None:
    schema = SCHEMA.with_target(RAIN)
    X = NAMED[container]({"RAIN": ["no", "yes", "no"], **PEOPLE})
    table = read_like(X, schema, match=match)
    assert table.columns[0].values.tolist() == [31, 45, 27]


@pytest.mark.parametrize("match", ["position", "name"])
def test_column_of_the_target_among_floats_is_left_out(match: Any) -> None:
    schema = read({"a": [1.0, 2.0], "b": [3.0, 4.0]}).schema.with_target(RAIN)
    X = pd.DataFrame({"a": [1.0], "RAIN": [9.0], "b": [3.0]})
    table = read_like(X, schema, match=match)
    assert [c.values.tolist() for c in table.columns] == [[1], [3]]


@pytest.mark.parametrize("container", NAMED)
def test_by_name_floats_in_other_order_are_found(container: str) -> None:
    schema = read({"a": [1.0, 2.0], "b": [3.0, 4.0]}).schema
    X = NAMED[container]({"b": [3.0], "more": [7.0], "a": [1.0]})
    table = read_like(X, schema, match="name")
    assert [c.values.tolist() for c in table.columns] == [[1], [3]]


def test_by_name_large_matrix_in_other_order_is_found() -> None:
    names = ["a", "b"]
    X = pd.DataFrame(np.arange(240_000.0).reshape(-1, 2), columns=names)
    table = read_like(X[["b", "a"]], read(X).schema, match="name")
    assert np.array_equal(table.columns[0].values, X["a"])


def test_by_name_further_columns_are_ignored_even_if_unreadable() -> None:
    X = {**PEOPLE, "note": [{}, {}, {}]}
    assert read_like(X, SCHEMA, match="name").n_columns == 3


def test_by_name_absent_columns_are_listed_with_hint() -> None:
    with pytest.raises(SchemaError) as error:
        read_like({"age": [1], "City": ["Oslo"]}, SCHEMA, match="name")
    assert str(error.value) == (
        "X lacks 2 of the 3 columns seen when fitting:\n- city (is it 'City' in X?)\n- height\n"
        "X has 'age', 'City'. Add the columns, with NaN if unknown."
    )


def test_by_name_without_names_goes_by_position() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = read_like([[50, "Oslo", 1.5]], SCHEMA, match="name")
    assert [c.values.tolist() for c in table.columns] == [[50], [1], [1.5]]


def test_one_row_as_dict_is_read() -> None:
    table = read_like({"age": 50, "city": "Oslo", "height": None}, SCHEMA)
    assert table.n_rows == 1
    assert np.isnan(table.columns[2].values[0])


def test_unknown_match_is_refused() -> None:
    with pytest.raises(OptionError, match=r"got 'names'.*Did you mean 'name'\?"):
        read_like(PEOPLE, SCHEMA, match="names")  # type: ignore[arg-type]


@pytest.mark.parametrize("container", NAMED)
def test_unseen_level_is_not_missing(container: str) -> None:
    X = NAMED[container]({**PEOPLE, "city": ["Rome", None, "Oslo"]})
    column = read_like(X, SCHEMA).columns[1]
    assert column.values.tolist() == [2, -1, 1]
    assert column.unseen.tolist() == [True, False, False]
    assert column.missing.tolist() == [False, True, False]


def test_unseen_level_as_missing() -> None:
    X = {**PEOPLE, "city": ["Rome", None, "Oslo"]}
    assert read_like(X, SCHEMA, unseen="missing").columns[1].values.tolist() == [-1, -1, 1]


def test_unseen_level_as_error_names_column_and_level() -> None:
    words = (
        r"Column 'city': level 'oslo' was not seen when fitting \(2 levels\)\. Did you mean "
        r"'Oslo'\? Refit with such rows or unseen='majority'\."
    )
    with pytest.raises(SchemaError, match=words):
        read_like({**PEOPLE, "city": ["Lima", "oslo", None]}, SCHEMA, unseen="error")


def test_declared_level_without_rows_is_no_unseen_error() -> None:
    cities = pd.Categorical(["Lima", "Oslo", None], categories=["Lima", "Oslo", "Rome"])
    X = pd.DataFrame({**PEOPLE, "city": cities})
    assert read_like(X, SCHEMA, unseen="error").columns[1].values.tolist() == [0, 1, -1]


@pytest.mark.parametrize("container", NAMED)
def test_texts_where_numbers_were_are_refused(container: str) -> None:
    X = NAMED[container]({**PEOPLE, "age": ["old", "young", None]})
    with pytest.raises(
        SchemaError, match=r"'age': expected numbers, got strings or categories .'old'"
    ):
        read_like(X, SCHEMA)


@pytest.mark.parametrize("container", NAMED)
def test_numbers_where_texts_were_are_refused(container: str) -> None:
    X = NAMED[container]({**PEOPLE, "city": [1, 2, 3]})
    with pytest.raises(
        SchemaError, match=r"Column 'city': expected categories \('Lima', 'Oslo'\), got numbers"
    ):
        read_like(X, SCHEMA)


def test_texts_where_numeric_categories_were_are_refused() -> None:
    schema = read({"zip": [1, 2]}, categorical_features=["zip"]).schema
    with pytest.raises(SchemaError, match=r"expected categories .1, 2., got strings"):
        read_like({"zip": ["a"]}, schema)


@pytest.mark.parametrize("name", PEOPLE)
def test_all_missing_column_fits_every_kind(name: str) -> None:
    column = read_like({**PEOPLE, name: [None, None, None]}, SCHEMA).column(name)
    assert column.missing.all()


def test_all_missing_category_fits_numbers() -> None:
    X = pd.DataFrame({**PEOPLE, "age": pd.Categorical([None] * 3, categories=["a"])})
    assert read_like(X, SCHEMA).column("age").missing.all()


def test_numbers_where_dates_were_are_refused() -> None:
    schema = read({"day": [dt.date(2024, 1, 1)]}).schema
    with pytest.raises(SchemaError, match="Column 'day': expected dates, got numbers"):
        read_like({"day": [5]}, schema)


def test_float_matrix_where_dates_were_is_refused() -> None:
    schema = read(np.array([["2024-01-01"]], dtype="datetime64[D]")).schema
    with pytest.raises(SchemaError, match="expected dates, got numbers"):
        read_like(np.array([[5.0]]), schema)


def test_datetimes_where_dates_were_are_taken() -> None:
    schema = read({"day": [dt.date(2024, 1, 1)]}).schema
    table = read_like({"day": [dt.datetime(1970, 1, 1, 1)]}, schema)
    assert table.columns[0].values.tolist() == [3600]


def test_booleans_and_numbers_stand_for_each_other() -> None:
    numbers, booleans = read({"a": [0, 1]}).schema, read({"a": [False, True]}).schema
    assert read_like({"a": [True]}, numbers).columns[0].values.tolist() == [1]
    assert read_like({"a": [1.0]}, booleans).columns[0].values.tolist() == [1]


def test_integers_where_floats_were_are_taken() -> None:
    schema = read(np.ones((2, 2))).schema
    assert read_like(np.array([[1, 2]]), schema).matrix.tolist() == [[1, 2]]


def test_table_is_read_again_by_its_schema() -> None:
    table = read(PEOPLE)
    again = read_like(table, SCHEMA, match="name")
    for mine, theirs in zip(again.columns, table.columns, strict=True):
        assert mine.values is theirs.values


def test_table_of_other_levels_is_coded_anew() -> None:
    table = read({**PEOPLE, "city": ["Rome", "Oslo", "Rome"]})
    assert read_like(table, SCHEMA).columns[1].values.tolist() == [2, 1, 2]


def test_table_that_is_read_to_fit_is_taken_as_it_is() -> None:
    table = read(PEOPLE)
    assert read(table) is table
    assert read(table, target=RAIN).schema == Schema(SCHEMA.columns, RAIN, True)


def test_lazy_frame_with_target_is_read() -> None:
    X = pl.DataFrame({**PEOPLE, "RAIN": ["no"] * 3}).lazy()
    assert read_like(X, SCHEMA.with_target(RAIN)).n_columns == 3
