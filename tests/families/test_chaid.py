"""CHAID: splits, whole trees, and the tests stored in them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.stats import chi2_contingency

import ceiba
from ceiba.grow.chaid_grower import count_groupings


def test_strongest_column_wins_where_p_values_are_zero_in_float64():
    rng = np.random.default_rng(9)
    level = rng.integers(0, 3, 40_000)
    blurred = np.where(rng.random(40_000) < 0.3, rng.integers(0, 3, 40_000), level)
    y = level + rng.normal(size=40_000)
    X = {"blurred": np.array(list("abc"))[blurred], "level": np.array(list("abc"))[level]}
    for task, target in (("regression", y), ("classification", y > 1)):
        tests = ceiba.chaid(task=task, max_depth=1).fit(X, target).tree_.split_tests()
        assert tests["p_value"][0] == 0.0
        assert tests["column"][0] == "level"


def numbers(missing_like=None, n=600):
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 3, n)
    y = np.where(x < 1, 0.1, np.where(x < 2, 0.9, 0.4))
    if missing_like is not None:
        holes = rng.random(n) < 0.2
        y[holes], x[holes] = missing_like, np.nan
    return {"x": x}, (rng.random(n) < y).astype(int)


def test_numbers_are_split_into_intervals_and_new_rows_are_placed():
    X, y = numbers()
    model = ceiba.chaid().fit(X, y)
    assert model.predict({"x": [0.5, 1.5, 2.9, -7.0, 99.0]}).tolist() == [0, 1, 0, 0, 0]
    assert model.tree_.split_tests()["column"][0] == "x"


def test_missing_joins_the_group_that_it_resembles():
    X, y = numbers(missing_like=0.9)
    model = ceiba.chaid().fit(X, y)
    assert model.predict({"x": [np.nan, 1.5, 0.5]}).tolist() == [1, 1, 0]
    assert "missing" in model.tree_.split_tests()["groups"][0]


def test_missing_that_differs_from_all_is_a_branch_of_its_own():
    X, y = numbers(missing_like=1.0, n=3000)
    tree = ceiba.chaid().fit(X, y).tree_
    split = tree.root.split
    assert isinstance(split, ceiba.tree.Intervals)
    assert split.missing_branch
    assert tree.predict_proba({"x": [np.nan]})[0, 1] == 1.0


def test_noise_is_not_split():
    rng = np.random.default_rng(3)
    X = {"a": rng.choice(list("abcdefgh"), 500), "b": rng.normal(size=500)}
    assert ceiba.chaid().fit(X, rng.integers(0, 2, 500)).get_n_leaves() == 1


def test_frequency_weights_equal_repeated_rows():
    rng = np.random.default_rng(4)
    level = rng.choice(list("abcd"), 120)
    y = (rng.random(120) < np.where(level < "c", 0.3, 0.7)).astype(int)
    weight = rng.integers(1, 4, 120)
    weighted = ceiba.chaid().fit({"x": level}, y, frequency=weight)
    repeated = ceiba.chaid().fit({"x": np.repeat(level, weight)}, np.repeat(y, weight))
    assert weighted.tree_.split_tests()["p_value"] == pytest.approx(
        repeated.tree_.split_tests()["p_value"]
    )
    assert np.allclose(weighted.tree_.value, repeated.tree_.value)


def test_regression_tree_has_group_means():
    rng = np.random.default_rng(5)
    level = rng.choice(list("abcd"), 400)
    y = np.where(level == "d", 5.0, 0.0) + rng.normal(size=400)
    model = ceiba.chaid(task="regression", merge=0.001).fit({"x": level}, y)
    assert model.get_n_leaves() == 2
    assert model.predict({"x": ["d"]})[0] == pytest.approx(y[level == "d"].mean())


def test_column_choice_does_not_favour_many_levels():
    rng = np.random.default_rng(6)
    chosen = []
    for _ in range(60):
        two = rng.integers(0, 2, 300)
        y = (rng.random(300) < 0.35 + 0.3 * two).astype(int)
        X = {
            "many": rng.choice(list("abcdefghijklmnopqrst"), 300),
            "two": np.array(["n", "y"])[two],
        }
        table = ceiba.chaid(max_depth=1).fit(X, y).tree_.split_tests()
        chosen += list(table["column"])
    assert chosen.count("two") >= 50
    assert chosen.count("many") <= 5


def mixed(n=500, seed=7):
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 3, n)
    level = rng.choice(list("abcde"), n).astype(object)
    y = rng.random(n) < np.where(x < 1, 0.2, np.where(x < 2, 0.9, 0.5)) * (0.4 + (level < "c"))
    x[::9], level[::11] = np.nan, None
    return {"x": x, "level": level}, np.where(y, "yes", "no")


def test_tests_stand_in_the_tree_once_per_split():
    X, y = numbers()
    tree = ceiba.chaid(max_depth=1).fit(X, y).tree_
    ceiba.tree.check(tree)
    assert tree.n_leaves > 2
    assert tree.depth == 1
    assert np.flatnonzero(~np.isnan(tree.tests.p_value)).tolist() == [0]
    test = tree.root.test
    cells = [np.bincount(y[tree.apply(X) == leaf], minlength=2) for leaf in tree.leaves]
    expected = chi2_contingency(np.array(cells), correction=False)
    assert test.statistic == pytest.approx(expected.statistic)
    assert test.df == (expected.dof,)
    assert test.p_value == pytest.approx(expected.pvalue)
    assert test.factor == pytest.approx(count_groupings(10, tree.n_leaves, "ordered"))
    assert tree.node(2).test is None


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_tests_survive_file_pickle_and_collapse(task, tmp_path):
    X, y = mixed()
    model = ceiba.chaid(task=task).fit(X, y if task == "classification" else (y == "yes") * 1.0)
    tree = model.tree_
    assert tree.n_leaves > 4
    model.save(tmp_path / "m.ceiba")
    assert ceiba.load(tmp_path / "m.ceiba").tree_ == tree
    assert pickle.loads(pickle.dumps(tree)) == tree
    last = int(np.flatnonzero(~tree.is_leaf)[-1])
    smaller = tree.collapse([last])
    ceiba.tree.check(smaller)
    assert smaller.node(0).test == tree.node(0).test
    assert smaller.node(last).test is None
    assert "adjusted_p_value" in str(tree.split_tests())


def test_tree_that_knows_no_tests_says_so():
    tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    assert tree.root.test is None
    with pytest.raises(ceiba.OptionError, match="without training counts"):
        tree.split_tests()


def test_tree_without_splits_has_an_empty_list_of_tests():
    tree = ceiba.chaid().fit({"x": [1.0] * 30}, ["a", "b"] * 15).tree_
    listing = tree.split_tests()
    assert len(listing["node"]) == 0
    assert "adjusted_p_value" in str(listing)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"class_prior": [0.5, 0.5]}, "class_prior"),
        ({"missing": "surrogate"}, "requires missing=.*got 'surrogate'"),
        ({"min_significance": 0.05}, "min_significance=0.05 is not supported with .*Chaid"),
        ({"max_leaf_nodes": 4}, "max_leaf_nodes"),
        ({"cost_matrix": np.array([[0, 1], [2, 0]])}, "(?s)cost_matrix.*at None"),
    ],
)
def test_what_tests_cannot_be_combined_with_is_refused(options, match):
    X, y = mixed()
    with pytest.raises(ceiba.OptionError, match=match):
        ceiba.chaid(**{"merge": 0.01, **options}).fit(X, y)


def test_groups_that_weigh_too_little_are_no_leaves():
    X, y = mixed()
    weight = np.where(y == "yes", 1.0, 1e-6)
    free = ceiba.chaid().fit(X, y, sample_weight=weight).tree_
    bound = ceiba.chaid(min_weight_fraction_leaf=0.1).fit(X, y, sample_weight=weight).tree_
    lightest = [tree.weight[tree.leaves].min() / weight.sum() for tree in (free, bound)]
    assert lightest[0] < 0.1 <= lightest[1]
    assert 1 < bound.n_leaves < free.n_leaves


def test_criterion_of_the_one_estimator_is_the_recipe():
    X, y = mixed()
    model = ceiba.DecisionTreeClassifier(
        criterion="chi2", min_samples_split=20, min_samples_leaf=7
    ).fit(X, y)
    assert model.tree_ == ceiba.chaid().fit(X, y).tree_


def test_tree_of_tests_is_pruned_and_exported_like_any_other():
    X, y = mixed()
    tree = ceiba.chaid(split=0.5).fit(X, y).tree_
    pruned = tree.prune(float(tree.pruning_sequence().alpha[1]))
    assert 1 < pruned.n_leaves < tree.n_leaves
    assert pruned.root.test == tree.root.test
    model = ceiba.DecisionTreeClassifier(criterion=ceiba.Chaid(split=0.9), prune="1se").fit(X, y)
    assert model.pruning_table_["n_leaves"].max() >= model.get_n_leaves()
    assert "CASE" in tree.export("sql")


@pytest.mark.parametrize("power", [-900, 400])
def test_f_test_does_not_depend_on_the_unit_of_the_target(power):
    rng = np.random.default_rng(4)
    X = {"x": rng.normal(size=200), "c": rng.choice(list("abc"), 200)}
    y = X["x"] + (X["c"] == "a")
    plain = ceiba.chaid(task="regression").fit(X, y).tree_
    other = ceiba.chaid(task="regression").fit(X, y * 2.0**power).tree_
    assert plain.n_leaves > 3
    np.testing.assert_array_equal(other.splits.cut, plain.splits.cut)
    np.testing.assert_array_equal(other.tests.statistic, plain.tests.statistic)
