"""Chi-square pruning: level of the test on noise, what is kept, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import ceiba
from ceiba.errors import OptionError
from ceiba.prune import ChiSquare, chi_square

NAMES = np.array([f"level {i:03d}" for i in range(200)])


def keeps_a_split(seed, n_levels, n_rows, estimator, **options):
    rng = np.random.default_rng(seed)
    levels = NAMES[rng.integers(0, n_levels, n_rows)]
    numeric = estimator is ceiba.DecisionTreeRegressor
    y = rng.normal(size=n_rows) if numeric else rng.integers(0, 2, n_rows)
    model = estimator(prune=ChiSquare(), **options).fit({"noise": levels}, y)
    return model.get_n_leaves() > 1


def error_rate(runs, *arguments, **options):
    return np.mean([keeps_a_split(seed, *arguments, **options) for seed in range(runs)])


def test_noise_of_2_levels_is_kept_in_5_percent_of_2000_runs():
    assert 0.04 <= error_rate(2000, 2, 1000, ceiba.DecisionTreeClassifier) <= 0.06


@pytest.mark.slow
def test_noise_of_200_levels_is_seldom_kept():
    """A short run of the slow test below."""
    assert error_rate(60, 200, 1000, ceiba.DecisionTreeClassifier) <= 0.15


@pytest.mark.slow
@pytest.mark.parametrize("splits", ["binary", "multiway"])
def test_noise_of_200_levels_is_kept_in_5_percent_of_2000_runs(splits):
    rate = error_rate(2000, 200, 1000, ceiba.DecisionTreeClassifier, categorical_splits=splits)
    assert 0.04 <= rate <= 0.06


@pytest.mark.slow
def test_noise_under_the_f_test_is_kept_in_5_percent():
    assert 0.04 <= error_rate(2000, 2, 300, ceiba.DecisionTreeRegressor) <= 0.06
    assert 0.035 <= error_rate(1000, 50, 1000, ceiba.DecisionTreeRegressor) <= 0.065


def test_plain_test_of_a_searched_level_set_is_far_too_generous():
    """Why the correction is there."""
    kept = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y = {"noise": NAMES[rng.integers(0, 200, 1000)]}, rng.integers(0, 2, 1000)
        pruning = ChiSquare(correction="none")
        model = ceiba.DecisionTreeClassifier(prune=pruning, max_depth=1).fit(X, y)
        kept += model.get_n_leaves() > 1
    assert kept == 40


def test_best_cut_of_numeric_noise_is_kept_in_about_5_percent():
    kept = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(80, 1)), rng.integers(0, 2, 80)
        model = ceiba.DecisionTreeClassifier(prune=ChiSquare(), max_depth=1).fit(X, y)
        kept += model.get_n_leaves() > 1
    assert 0.02 <= kept / 300 <= 0.09


def test_best_cut_of_numeric_noise_under_regression_is_kept_in_about_5_percent():
    kept = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 1)), rng.normal(size=60)
        model = ceiba.DecisionTreeRegressor(prune=ChiSquare(), max_depth=1).fit(X, y)
        kept += model.get_n_leaves() > 1
    assert 0.02 <= kept / 300 <= 0.09


@pytest.fixture(scope="module")
def signal():
    rng = np.random.default_rng(0)
    x, city = rng.normal(size=400), rng.choice(["Lima", "Oslo", "Rome"], 400)
    y = np.where((x > 0) ^ (rng.random(400) < 0.1), "yes", "no")
    return {"x": x, "city": city, "noise": rng.normal(size=400)}, y


def test_signal_is_kept_and_noise_below_it_is_not(signal):
    X, y = signal
    grown = ceiba.DecisionTreeClassifier(max_depth=5).fit(X, y)
    pruned = ceiba.DecisionTreeClassifier(max_depth=5, prune=ChiSquare(significance=0.001))
    pruned.fit(X, y)
    assert pruned.get_n_leaves() == 2 < grown.get_n_leaves()
    assert pruned.tree_.splits.column[0] == 0


def test_plain_p_value_is_that_of_branches_by_classes(signal):
    X, y = signal
    pruning = ChiSquare(correction="none", keep_unpruned=True)
    model = ceiba.DecisionTreeClassifier(max_depth=1, prune=pruning).fit(X, y)
    counts = model.unpruned_tree_.counts[1:, 0, :]
    expected = stats.chi2_contingency(counts, correction=False)
    row = model.pruning_table_.row(0)
    assert row["statistic"] == pytest.approx(expected.statistic)
    assert row["p_value"] == pytest.approx(expected.pvalue)
    assert row["kept"] is True


def test_bonferroni_multiplies_by_the_columns_that_vary(signal):
    X, y = signal
    X = {**X, "constant": np.zeros(400)}
    tests = {}
    for correction in ("search", "bonferroni"):
        pruning = ChiSquare(correction=correction)
        model = ceiba.DecisionTreeClassifier(max_depth=1, prune=pruning).fit(X, y)
        tests[correction] = model.pruning_table_["p_value"][0]
    assert tests["bonferroni"] == pytest.approx(3 * tests["search"])


def test_function_and_object_give_the_same_tree(signal):
    X, y = signal
    tree = ceiba.DecisionTreeClassifier(max_depth=4).fit(X, y).tree_
    model = ceiba.DecisionTreeClassifier(max_depth=4, prune=ChiSquare()).fit(X, y)
    assert chi_square(tree, X, y) == model.tree_


def test_missing_values_are_a_level_where_they_were_tried_on_both_sides():
    city = ["Lima"] * 20 + ["Oslo"] * 20 + [None] * 40
    y = ["a", "b"] * 20 + ["c"] * 40
    model = ceiba.DecisionTreeClassifier(prune=ChiSquare()).fit({"city": city}, y)
    assert model.get_n_leaves() == 2


def test_frequency_weights_count_as_rows(signal):
    X, y = signal
    weight = np.random.default_rng(2).integers(1, 4, 400)
    rows = np.repeat(np.arange(400), weight)
    repeated = {name: np.asarray(values)[rows] for name, values in X.items()}
    options = {"max_depth": 4, "prune": ChiSquare()}
    a = ceiba.DecisionTreeClassifier(**options).fit(X, y, frequency=weight)
    b = ceiba.DecisionTreeClassifier(**options).fit(repeated, y[rows])
    np.testing.assert_allclose(a.pruning_table_["p_value"], b.pruning_table_["p_value"])
    assert a.tree_.n_leaves == b.tree_.n_leaves


def test_table_lists_the_tested_nodes_with_the_choice(signal):
    model = ceiba.DecisionTreeClassifier(max_depth=3, prune=ChiSquare()).fit(*signal)
    table = model.pruning_table_
    kept = table["p_value"] <= 0.05
    assert (table["kept"] == kept).all()
    assert "p_value <= 0.05" in str(table)


def test_bare_tree_is_told_that_data_are_needed(signal):
    tree = ceiba.DecisionTreeClassifier(max_depth=2).fit(*signal).tree_
    with pytest.raises(OptionError, match=r"chi_square\(tree, X, y\)"):
        ChiSquare().prune(tree)


def test_several_outputs_are_refused():
    X, Y = np.arange(20.0).reshape(-1, 1), np.stack([np.arange(20) % 2] * 2, axis=1)
    with pytest.raises(OptionError, match="single-output"):
        ceiba.DecisionTreeClassifier(prune=ChiSquare()).fit(X, Y)
