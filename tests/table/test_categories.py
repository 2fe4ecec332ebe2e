"""Categories: which columns, which levels, in which order, for each library."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ceiba
from ceiba.errors import DataError, DataTypeError, DataWarning
from ceiba.table import Kind, Levels, read
from ceiba.table.read_for_predict import read_like

SIZES = ["M", "S", None, "L", "M"]
ORDER = ["S", "M", "L"]


def pandas_category(ordered: bool) -> pd.DataFrame:
    return pd.DataFrame({"size": pd.Categorical(SIZES, categories=ORDER, ordered=ordered)})


def arrow_dictionary(ordered: bool) -> pa.Table:
    codes = pa.array([1, 0, None, 2, 1], pa.int8())
    return pa.table({"size": pa.DictionaryArray.from_arrays(codes, ORDER, ordered=ordered)})


DECLARED: dict[str, Any] = {
    "levels": {"size": Levels(SIZES, ORDER)},
    "pandas": pandas_category(ordered=False),
    "polars-enum": pl.DataFrame({"size": pl.Series(SIZES, dtype=pl.Enum(ORDER))}),
    "polars-enum-lazy": pl.DataFrame({"size": pl.Series(SIZES, dtype=pl.Enum(ORDER))}).lazy(),
    "series-in-dict": {"size": pandas_category(ordered=False)["size"]},
}
ORDERED: dict[str, Any] = {
    "levels": {"size": Levels(SIZES, ORDER, ordered=True)},
    "pandas": pandas_category(ordered=True),
    "pyarrow": arrow_dictionary(ordered=True),
}
# Categories whose order is that of appearance (or a text column): sorted.
SORTED: dict[str, Any] = {
    "list": {"size": SIZES},
    "pandas-str": pd.DataFrame({"size": pd.Series(SIZES, dtype="str")}),
    "pandas-string": pd.DataFrame({"size": pd.Series(SIZES, dtype="string")}),
    "pandas-arrow": pd.DataFrame({"size": pd.Series(SIZES, dtype=pd.ArrowDtype(pa.string()))}),
    "pandas-object": pd.DataFrame({"size": pd.Series(SIZES, dtype=object)}),
    "pandas-astype": pd.DataFrame({"size": SIZES}).astype("category"),
    "polars-str": pl.DataFrame({"size": SIZES}),
    "polars-categorical": pl.DataFrame({"size": pl.Series(SIZES, dtype=pl.Categorical)}),
    "pyarrow-dictionary": arrow_dictionary(ordered=False),
    "pyarrow-encoded": pa.table({"size": pa.array(SIZES).dictionary_encode()}),
    "pyarrow-large": pa.table({"size": pa.array(SIZES, pa.large_string())}),
    "pyarrow-chunks": pa.concat_tables(
        [pa.table({"size": pa.array(part).dictionary_encode()}) for part in (SIZES[:2], SIZES[2:])]
    ),
}


@pytest.mark.parametrize("name", DECLARED)
def test_declared_levels_keep_their_order(name: str) -> None:
    column = read(DECLARED[name]).columns[0]
    assert column.info.kind is Kind.CATEGORICAL
    assert column.info.levels == tuple(ORDER)
    assert column.values.tolist() == [1, 0, -1, 2, 1]
    assert column.values.dtype == np.int32


@pytest.mark.parametrize("name", ORDERED)
def test_ordered_categories_are_ordered(name: str) -> None:
    column = read(ORDERED[name]).columns[0]
    assert column.info.kind is Kind.ORDERED
    assert column.info.levels == tuple(ORDER)
    assert column.values.tolist() == [1, 0, -1, 2, 1]


@pytest.mark.parametrize("name", SORTED)
def test_undeclared_levels_are_sorted(name: str) -> None:
    column = read(SORTED[name]).columns[0]
    assert column.info.kind is Kind.CATEGORICAL
    assert column.info.levels == ("L", "M", "S")
    assert column.values.tolist() == [1, 2, -1, 0, 1]


@pytest.mark.parametrize("name", [*DECLARED, *SORTED])
def test_read_like_codes_by_the_schema_whatever_the_container(name: str) -> None:
    schema = read(ORDERED["pandas"]).schema
    table = read_like({**DECLARED, **SORTED}[name], schema)
    assert table.columns[0].values.tolist() == [1, 0, -1, 2, 1]
    assert table.schema is schema


def test_declared_level_that_no_row_has_is_kept() -> None:
    X = pd.DataFrame({"size": pd.Categorical(["S"], categories=["XL", "S"])})
    assert read(X).schema.columns[0].levels == ("XL", "S")


def test_numeric_categories_are_levels() -> None:
    X = pd.DataFrame({"zip": pd.Categorical([5, 3, 5])})
    column = read(X).columns[0]
    assert column.info.levels == (3, 5)
    assert all(type(level) is int for level in column.info.levels)


def test_intervals_are_levels_by_their_text() -> None:
    X = pd.DataFrame({"age": pd.cut([5, 15], [0, 10, 20])})
    info = read(X).schema.columns[0]
    assert (info.kind, info.levels) == (Kind.ORDERED, ("(0, 10]", "(10, 20]"))


def test_levels_with_the_same_text_are_refused() -> None:
    X = pd.DataFrame({"d": pd.Categorical([pd.Interval(0, 1), "(0, 1]"])})
    with pytest.raises(DataError, match=r"Column 'd': two levels are both read as '\(0, 1\]'"):
        read(X)


def test_category_without_any_level_is_all_missing() -> None:
    X = pd.DataFrame({"a": [1, 2], "c": pd.Categorical([None, None])})
    assert np.isnan(read(X).columns[1].values).all()


def test_levels_value_outside_the_levels_is_refused_with_hint() -> None:
    with pytest.raises(DataError, match=r"Row 1: 'smal' is not a level.*Did you mean 'small'\?"):
        Levels(["small", "smal"], ["small", "large"])


@pytest.mark.parametrize(
    "X",
    [
        pl.DataFrame({"a": [[1], [2]]}),
        pl.DataFrame({"a": [{"b": 1}, {"b": 2}]}),
        pa.table({"a": [b"x", b"y"]}),
    ],
    ids=["list", "struct", "binary"],
)
def test_nested_column_is_refused(X: Any) -> None:
    with pytest.raises(DataTypeError, match="Column 'a' has unsupported type"):
        read(X)


def test_decimals_of_arrow_are_numbers() -> None:
    X = pa.table({"a": pa.array([1, None, 3], pa.decimal128(10, 2))})
    assert np.array_equal(read(X).columns[0].values, [1, np.nan, 3], equal_nan=True)


def test_decimals_that_become_equal_warn() -> None:
    texts = ["1.00000000000000000001", "1.00000000000000000002"]
    X = pl.DataFrame({"a": texts}).select(pl.col("a").cast(pl.Decimal(30, 20)))
    with pytest.warns(DataWarning, match="Column 'a': decimals"):
        read(X)


@pytest.mark.parametrize(
    "library", [pl.DataFrame, pa.table, lambda d: pd.DataFrame(d, dtype="Int64")]
)
def test_large_integers_with_missing_ones_warn(library: Any) -> None:
    with pytest.warns(DataWarning, match="Column 'a': integers beyond"):
        read(library({"a": [2**53 + 1, None]}))


def test_sparse_column_of_pandas_is_read() -> None:
    X = pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 1.0])})
    assert read(X).columns[0].values.tolist() == [0, 1]


def test_large_pandas_frame_is_not_copied() -> None:
    numbers = np.random.default_rng(0).normal(size=(60_000, 2))
    X = pd.DataFrame(numbers, columns=["a", "b"])
    assert np.shares_memory(read(X).columns[1].values, X["b"].to_numpy())


def test_large_polars_frame_is_not_copied() -> None:
    X = pl.DataFrame({"a": np.arange(120_000.0)})
    assert np.shares_memory(read(X).columns[0].values, X["a"].to_numpy())


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([f"{i}.5" for i in range(59)] + [" "], "looks like numbers read as strings.*to_numeric"),
        (
            [f"2024-{1 + i // 28:02}-{1 + i % 28:02}" for i in range(60)],
            "looks like dates read as strings.*to_datetime",
        ),
    ],
)
def test_numbers_or_dates_as_texts_are_named_in_the_warning(values: list[str], words: str) -> None:
    with pytest.warns(DataWarning, match=words):
        read({"a": values})


class Stream:
    """A table that is known by its Arrow stream alone."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


def random_dictionary(rng: np.random.Generator, n: int) -> pa.DictionaryArray:
    """Codes with missing ones (garbage below them), levels with null among them; a slice."""
    k = int(rng.integers(1, 5))
    missing = rng.random(n) < 0.3
    codes = np.where(missing, rng.integers(-100, 100, n), rng.integers(0, k, n)).astype(np.int8)
    present = pa.py_buffer(np.packbits(~missing, bitorder="little").tobytes())
    indices = pa.Array.from_buffers(pa.int8(), n, [present, pa.py_buffer(codes.tobytes())])
    levels = pa.array(["abcd"[i] if rng.random() < 0.8 else None for i in range(k)], pa.string())
    whole = pa.DictionaryArray.from_arrays(indices, levels, safe=False)
    return whole.slice(int(rng.integers(n // 2)))


@pytest.mark.parametrize(
    "form",
    [lambda table: table, Stream, lambda table: table.to_pandas(types_mapper=pd.ArrowDtype)],
    ids=["table", "stream", "pandas"],
)
def test_arrow_dictionaries_in_chunks_and_slices_are_read(form: Any) -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        chunks = [random_dictionary(rng, int(rng.integers(4, 20))) for _ in range(3)]
        table = pa.table({"d": pa.chunked_array(chunks)}).slice(int(rng.integers(3)))
        wanted = [
            None if code is None else chunk.dictionary[code].as_py()
            for chunk in table["d"].chunks
            for code in chunk.indices.to_pylist()
        ]
        column = read(form(table)).columns[0]
        levels = () if column.info.is_numeric else column.info.levels
        codes = np.full(len(table), -1) if column.info.is_numeric else column.values
        assert [None if code < 0 else levels[code] for code in codes] == wanted
        if len({*wanted} - {None}) > 1:
            numbered = table.append_column("x", pa.array(np.arange(len(table)) / 2))
            model = ceiba.DecisionTreeClassifier()
            model.fit(form(numbered), "d", drop_missing_target=True)
            assert set(model.classes_) == {*wanted} - {None}


@pytest.mark.parametrize(
    "levels", [pa.array([5, 9], pa.date32()), pa.nulls(2)], ids=["dates", "null"]
)
def test_arrow_dictionary_of_other_types_in_pandas_is_read(levels: Any) -> None:
    codes = pa.array([0, 1, None, 1] * 5, pa.int8())
    table = pa.table({"d": pa.DictionaryArray.from_arrays(codes, levels)})
    frame = table.to_pandas(types_mapper=pd.ArrowDtype)
    assert read(frame).columns[0].info == read(table).columns[0].info
    model = ceiba.DecisionTreeClassifier().fit(frame, list("pqqq") * 5)
    assert model.predict(frame).tolist() == model.predict(table).tolist()


def test_ordered_arrow_classes_with_null_among_the_levels_keep_their_order() -> None:
    parts = [
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 1]), pa.array(found), ordered=True)
        for found in (["small", "large"], ["small", "large", None])
    ]
    for y in (pa.chunked_array(parts), parts[0]):
        model = ceiba.rpart("class", xval=0).fit({"x": list(range(len(y)))}, y)
        assert model.classes_.tolist() == ["small", "large"]


def test_stream_with_a_name_twice_is_refused() -> None:
    table = pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0])], names=["a", "a"])
    for X in (table, Stream(table)):
        with pytest.raises(DataError, match="names must be unique, but 'a' occurs"):
            read(X)
