"""One row of an array goes past the reading of tables: the answer is that of many rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

import ceiba


def fitted(**options: Any) -> tuple[ceiba.DecisionTreeClassifier, Any]:
    X, y = load_iris(return_X_y=True)
    X = X.copy()
    X[::7, 2] = np.nan
    return ceiba.DecisionTreeClassifier(**options).fit(X, y), X


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", ">f8", "int64"])
@pytest.mark.parametrize("missing", ["learn", "majority", "surrogate", "fractional"])
def test_only_row_of_any_type_is_answered_as_among_others(dtype: str, missing: str) -> None:
    model, X = fitted(missing=missing)
    rows = np.nan_to_num(X).astype(dtype) if dtype == "int64" else X.astype(dtype)
    answers, shares = model.predict(rows), model.predict_proba(rows)
    for i in range(0, len(rows), 3):
        one = model.predict(rows[i : i + 1])
        assert one.dtype == answers.dtype
        assert one.tolist() == [answers[i]]
        assert np.array_equal(model.predict_proba(rows[i : i + 1]), shares[i : i + 1])


def test_only_row_in_any_layout_is_answered_as_among_others() -> None:
    model, X = fitted()
    answers = model.predict(X)
    spread = np.full((len(X), 8), 1e9)
    spread[:, ::2] = X
    backwards = X[:, ::-1].copy()
    packed = np.zeros(len(X), [("a", "i1"), ("row", "f8", 4)])
    packed["row"] = X
    for i in range(0, len(X), 5):
        for rows in (np.asfortranarray(X), spread[:, ::2], backwards[:, ::-1], packed["row"]):
            assert model.predict(rows[i : i + 1]).tolist() == [answers[i]]


def test_only_row_answer_can_be_changed_without_changing_the_tree() -> None:
    model, X = fitted()
    before = model.predict(X[:1]).tolist()
    model.predict(X[:1])[:] = 99
    model.predict_proba(X[:1])[:] = 99
    assert model.predict(X[:1]).tolist() == before
    assert model.predict_proba(X[:1]).max() <= 1


@pytest.mark.parametrize("shape", [(1, 3), (1, 5), (4,), (4, 1), (2, 2), (1, 4, 1)])
def test_array_of_another_shape_is_refused_as_ever(shape: tuple[int, ...]) -> None:
    model, _ = fitted()
    with pytest.raises(ceiba.errors.CeibaError):
        model.predict(np.zeros(shape))


def test_only_row_with_a_missing_value_is_refused_where_that_is_an_error() -> None:
    X, y = load_iris(return_X_y=True)
    model = ceiba.DecisionTreeClassifier(missing="error").fit(X, y)
    with pytest.raises(ceiba.errors.DataError, match="missing"):
        model.predict(np.full((1, 4), np.nan))


def test_only_row_of_several_outputs_keeps_its_shape() -> None:
    X, y = load_iris(return_X_y=True)
    both = np.stack([y, y > 0], axis=1)
    model = ceiba.DecisionTreeClassifier().fit(X, both)
    assert np.array_equal(model.predict(X[:1]), model.predict(X)[:1])
    shares, of_all = model.predict_proba(X[:1]), model.predict_proba(X)
    assert all(np.array_equal(one, many[:1]) for one, many in zip(shares, of_all, strict=True))
