"""Ordinal targets: the cost of an error is the distance of the classes in their order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ceiba
from ceiba.errors import OptionError

ORDER = ["low", "mid", "high"]
RNG = np.random.default_rng(2)
X = {"x": RNG.normal(size=300), "z": RNG.normal(size=300)}
CODES = np.digitize(X["x"] + 0.8 * RNG.normal(size=300), [-0.5, 0.6])
Y = np.array(ORDER)[CODES]
BY_HAND = {(a, b): float(abs(i - j)) for i, a in enumerate(ORDER) for j, b in enumerate(ORDER)}


def fit(y: Any, costs: Any = "ordinal", **options: Any) -> Any:
    return ceiba.DecisionTreeClassifier(cost_matrix=costs, max_depth=4, **options).fit(X, y)


@pytest.mark.parametrize(
    "target",
    [
        pd.Series(pd.Categorical(Y, ORDER, ordered=True)),
        pl.Series(Y, dtype=pl.Enum(ORDER)),
    ],
    ids=["pandas", "polars"],
)
def test_order_of_a_categorical_target_decides_the_costs(target: Any) -> None:
    model, by_hand = fit(target), fit(Y, BY_HAND)
    assert model.tree_ == by_hand.tree_
    assert model.classes_.tolist() == sorted(ORDER)
    again = model.regrow(0, X, target).tree_
    np.testing.assert_array_equal(again.splits.cut, model.tree_.splits.cut)
    assert fit(target, prune="1se").tree_ == fit(Y, BY_HAND, prune="1se").tree_


def test_numbers_and_texts_are_ordered_as_they_sort() -> None:
    model = fit(CODES)
    assert model.tree_.cost_matrix.tolist() == [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    evaluation = model.evaluate(X, CODES)
    assert evaluation.cost == pytest.approx(np.abs(model.predict(X) - CODES).mean())
    assert fit(Y).tree_.cost_matrix[0].tolist() == [0, 1, 2]  # high, low, mid


def test_prediction_is_the_weighted_median_class() -> None:
    model = fit(CODES)
    share = np.cumsum(model.predict_proba(X), axis=1)
    np.testing.assert_array_equal(model.predict(X), (share < 0.5 - 1e-12).sum(axis=1))


def test_other_words_and_two_outputs_are_refused() -> None:
    with pytest.raises(OptionError, match="ordinal"):
        fit(CODES, "ordered")
    with pytest.raises(OptionError, match="single-output"):
        fit(np.stack([CODES, CODES], axis=1))


def test_compare_takes_ordinal_costs() -> None:
    model, other = fit(CODES), ceiba.DecisionTreeClassifier(max_depth=1).fit(X, CODES)
    result = ceiba.compare(model, other, X, CODES, cost_matrix="ordinal")
    row = next(row for row in map(result.differences.row, range(4)) if "cost" in row["figure"])
    assert row["first"] == pytest.approx(np.abs(model.predict(X) - CODES).mean())
