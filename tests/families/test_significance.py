"""`min_significance`: false splits at the stated rate, and no bias towards many levels."""

from __future__ import annotations

import numpy as np
import pytest

import ceiba

pytestmark = pytest.mark.filterwarnings("ignore::ceiba.errors.DataWarning")


def noise(rng, n_levels, n=400):
    return {"x": rng.integers(0, n_levels, n).astype(str)}, rng.integers(0, 2, n)


def false_splits(n_levels, runs, **options):
    rng = np.random.default_rng(n_levels)
    model = ceiba.DecisionTreeClassifier(max_depth=1, **options)
    return np.mean([model.fit(*noise(rng, n_levels)).get_n_leaves() > 1 for _ in range(runs)])


@pytest.mark.slow
@pytest.mark.parametrize("n_levels", [2, 200])
def test_false_splits_are_five_percent(n_levels):
    assert false_splits(n_levels, 2000, min_significance=0.05) == pytest.approx(0.05, abs=0.01)


@pytest.mark.parametrize("n_levels", [2, 200])
def test_false_splits_are_rare_in_a_few_runs(n_levels):
    assert false_splits(n_levels, 60, min_significance=0.05) <= 0.15


@pytest.mark.parametrize("n_levels", [2, 200])
def test_plain_gain_splits_noise_in_every_run(n_levels):
    assert false_splits(n_levels, 200) == 1.0


def two_and_many(rng, effect, n=300):
    two = rng.integers(0, 2, n)
    y = (rng.random(n) < 0.5 - effect / 2 + effect * two).astype(int)
    return {"many": rng.integers(0, 80, n).astype(str), "two": np.array(["n", "y"])[two]}, y


def columns_chosen(effect, runs=40, **options):
    rng = np.random.default_rng(1)
    chosen = []
    for _ in range(runs):
        tree = ceiba.DecisionTreeClassifier(max_depth=1, **options).fit(*two_and_many(rng, effect))
        root = int(tree.tree_.splits.column[0])
        chosen.append("none" if root < 0 else tree.tree_.schema.names[root])
    return chosen


def test_plain_gain_prefers_noise_of_many_levels_and_significance_does_not():
    plain = columns_chosen(0.25)
    fair = columns_chosen(0.25, min_significance=0.05)
    assert plain.count("many") > 30
    assert fair.count("two") > 30
    assert fair.count("many") < 5


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error", "twoing", "gain_ratio"])
def test_every_criterion_of_classes_can_stop_by_significance(criterion):
    rng = np.random.default_rng(2)
    X, y = two_and_many(rng, 0.9)
    model = ceiba.DecisionTreeClassifier(criterion=criterion, min_significance=0.01).fit(X, y)
    assert model.tree_.schema.names[model.tree_.splits.column[0]] == "two"
    assert model.get_n_leaves() < 8


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_every_criterion_of_numbers_can_stop_by_significance(criterion):
    rng = np.random.default_rng(3)
    x = rng.uniform(size=200)
    y = rng.poisson(np.where(x > 0.5, 9, 2)).astype(float)
    model = ceiba.DecisionTreeRegressor(criterion=criterion, min_significance=0.01).fit({"x": x}, y)
    assert 2 <= model.get_n_leaves() <= 4
    assert 0.4 < model.tree_.splits.cut[0] < 0.6


def test_missing_values_go_where_the_split_learned():
    rng = np.random.default_rng(4)
    x = rng.uniform(size=300)
    y = (x > 0.5).astype(int)
    x[y == 1] = np.where(rng.random((y == 1).sum()) < 0.3, np.nan, x[y == 1])
    model = ceiba.DecisionTreeClassifier(min_significance=0.05).fit({"x": x}, y)
    assert model.score({"x": x}, y) == 1.0


@pytest.mark.parametrize(
    "options",
    [{"class_prior": np.array([0.5, 0.5])}, {"cost_matrix": np.array([[0, 1], [2, 0]])}],
    ids=["prior", "cost"],
)
def test_priors_and_costs_are_refused_whatever_they_come_in(options):
    model = ceiba.DecisionTreeClassifier(min_significance=0.05, **options)
    with pytest.raises(ceiba.OptionError, match=f"(?s){next(iter(options))}.*Leave .* at None"):
        model.fit({"x": np.arange(20.0)}, np.arange(20) % 2)


def test_surrogates_are_refused_with_min_significance():
    model = ceiba.DecisionTreeClassifier(min_significance=0.05, missing="surrogate")
    with pytest.raises(ceiba.OptionError, match="min_significance"):
        model.fit({"x": [1.0, 2.0]}, [0, 1])


def test_stronger_column_wins_where_both_p_values_are_zero_in_float64():
    rng = np.random.default_rng(5)
    level = rng.integers(0, 3, 20_000)
    blurred = np.where(rng.random(20_000) < 0.3, rng.integers(0, 3, 20_000), level)
    X = {"blurred": np.array(list("abc"))[blurred], "level": np.array(list("abc"))[level]}
    tree = ceiba.DecisionTreeClassifier(min_significance=0.01, max_depth=1).fit(X, level > 1).tree_
    assert tree.root.test.p_value == 0.0
    assert tree.schema.names[tree.splits.column[0]] == "level"
