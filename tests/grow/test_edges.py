"""Trees at the edges: targets and numbers near the ends of float64, one class, other names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import DataError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = X[:, 0] + RNG.normal(size=60) * 0.3


@pytest.mark.parametrize("power", [255, 256, 332, 465, 498, -260, -400, -490])
@pytest.mark.parametrize("prune", ["1se", "cv", ceiba.CostComplexity(rule="1se", repeats=2)])
@pytest.mark.parametrize("missing", ["learn", "fractional"])
def test_pruning_does_not_depend_on_the_unit_of_the_target(
    power: int, prune: Any, missing: str
) -> None:
    # 2**256 is 1e77, 2**498 is 8e149; a power of two changes no digit.
    model = ceiba.DecisionTreeRegressor(prune=prune, missing=missing)  # type: ignore[arg-type]
    plain = model.fit(X, Y).pruning_table_
    tree = model.tree_
    scaled = model.fit(X, np.ldexp(Y, power)).pruning_table_
    np.testing.assert_array_equal(model.tree_.splits.cut, tree.splits.cut)
    for name in ("cv_risk", "cv_se"):
        np.testing.assert_allclose(np.ldexp(scaled[name], -2 * power), plain[name], rtol=1e-12)


def test_cart_and_rpart_of_large_targets() -> None:
    for model in (ceiba.cart(task="regression"), ceiba.rpart(method="anova")):
        leaves = model.fit(X, Y).get_n_leaves()
        assert model.fit(X, np.ldexp(Y, 400)).get_n_leaves() == leaves


@pytest.mark.parametrize("prune", [None, "1se", ceiba.CostComplexity(alpha=0.1)])
def test_friedman_mse_by_significance_is_squared_error(prune: Any) -> None:
    trees = []
    for criterion in ("friedman_mse", "squared_error"):
        model = ceiba.DecisionTreeRegressor(criterion=criterion, min_significance=0.05, prune=prune)
        trees.append(model.fit(X, Y).tree_)
        model.report()
    assert trees[0] == trees[1]


@pytest.mark.parametrize("prune", [None, "cv"])
def test_monotone_limits_with_one_class(prune: Any, tmp_path: Any) -> None:
    model = ceiba.DecisionTreeClassifier(monotonic_cst=[1, 0], prune=prune).fit(X, np.zeros(60))
    assert model.predict(X).tolist() == [0.0] * 60
    assert model.predict_proba(X).tolist() == [[1.0]] * 60
    assert "n=60" in str(model.tree_)
    model.save(tmp_path / "m.ceiba")


def neighbours(start: float, n: int) -> list[float]:
    edges = [start]
    while len(edges) < n:
        edges.append(float(np.nextafter(edges[-1], np.inf)))
    return edges


@pytest.mark.parametrize(
    "values",
    [
        [1.4e308, 1.5e308, 1.6e308, 1.7e308],
        [-1.7e308, -1.6e308, 1.6e308, 1.7e308],
        neighbours(1.0, 3),
        neighbours(float(np.nextafter(1.0, 2.0)), 4),
        neighbours(5e-324, 4),
    ],
    ids=["large", "far apart", "neighbours", "odd neighbours", "small"],
)
def test_chaid_separates_numbers_at_the_edges_of_float64(values: list[float]) -> None:
    x = np.repeat(values, 40)
    y = np.repeat(np.arange(len(values)), 40)
    model = ceiba.chaid(min_samples_leaf=1, min_samples_split=2).fit({"x": x}, y)
    assert model.score({"x": x}, y) == 1.0


def test_chaid_answers_with_targets_at_the_edges_of_float64() -> None:
    x = np.arange(40.0) % 2
    for y in (np.where(x > 0, 1.7e308, 1.6e308), np.where(x > 0, 1.7e308, -1.7e308)):
        model = ceiba.chaid(task="regression").fit({"x": x}, y)
        np.testing.assert_allclose(model.predict({"x": x}), y, rtol=1e-15)


def test_frequencies_that_add_up_to_more_than_can_be_counted_are_refused() -> None:
    data: Any = ({"a": [1.0, 2.0]}, [0, 1])
    for model in (ceiba.DecisionTreeClassifier(), ceiba.chaid()):
        with pytest.raises(DataError, match=r"got 1\.8e\+19"):
            model.fit(*data, frequency=[9e18, 9e18])
    model = ceiba.DecisionTreeClassifier()
    assert model.fit(*data, frequency=[4e18, 4e18]).tree_.n_rows[0] == 8 * 10**18


def test_no_negative_zero_under_monotone_limits() -> None:
    model = ceiba.DecisionTreeRegressor(monotonic_cst=[1], max_depth=1)
    model.fit([[1.0], [2.0], [3.0], [4.0]], [-0.0, -0.0, -0.0, -0.0])
    assert not np.signbit(model.tree_.value).any()


def test_missing_value_goes_right_where_nothing_was_missing_and_branches_are_equal() -> None:
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    assert ceiba.DecisionTreeClassifier().fit(X, y).predict([[np.nan]]).tolist() == [1]
    assert ceiba.DecisionTreeRegressor().fit(X, y).predict([[np.nan]]).tolist() == [1.0]
    first = ceiba.DecisionTreeClassifier(missing="majority").fit(X, y)
    assert first.predict([[np.nan]]).tolist() == [0]


@pytest.mark.parametrize(
    ("y", "words"), [([0, 0, 0], "y is not positive.*Poisson"), ([5, -1, 2], "negative.*Poisson")]
)
def test_poisson_target_is_refused_before_lengths_are_compared(y: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ceiba.DecisionTreeRegressor(criterion="poisson").fit([[0.0, 1.0, 2.0]], y)


def test_table_of_more_rows_than_the_core_can_number_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ceiba.grow.combinations.MAX_ROWS", 59)
    with pytest.raises(DataError, match=r"59 rows, got 60.*ceiba\.scan"):
        ceiba.DecisionTreeRegressor().fit(X, Y)
    ceiba.DecisionTreeRegressor().fit(X[:59], Y[:59])
