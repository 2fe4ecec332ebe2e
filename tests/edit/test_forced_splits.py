"""Splits forced in fit: part of every tree, those of cross-validation included."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

import ceiba
from ceiba.errors import OptionError, TreeError
from ceiba.prune.cross_validation.fold_tree import FoldTree
from ceiba.tree import Cut


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True, as_frame=True)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"max_depth": 3, "criterion": "entropy"},
        {"min_samples_leaf": 4},
        {"max_features": 2, "random_state": 3},
        {"missing": "surrogate", "max_depth": 3},
        {"min_significance": 0.05},
        {"criterion": "chi2"},
    ],
)
def test_forced_root_is_the_tree_with_its_root_set(iris, options):
    X, y = iris
    text = "petal width (cm) > 1.5"
    forced = ceiba.DecisionTreeClassifier(forced_splits=text, **options).fit(X, y)
    free = ceiba.DecisionTreeClassifier(**options).fit(X, y)
    grow = {("seed" if k == "random_state" else k): v for k, v in options.items()}
    assert forced.tree_ == free.tree_.set_split(0, text, X, y, **grow)


def test_nested_literal_is_written_as_build_writes_trees(iris):
    X, y = iris
    literal = ("petal width (cm) > 1.5", ("sepal length (cm) <= 6", None, None), None)
    tree = ceiba.DecisionTreeClassifier(forced_splits=literal, max_depth=2).fit(X, y).tree_
    assert tree.root.split == Cut("petal width (cm)", 1.5)
    assert tree.root.children[1].split == Cut("sepal length (cm)", 6.0)
    assert tree.root.children[0].split != Cut("sepal length (cm)", 6.0)


def test_folds_of_pruning_have_the_forced_split(iris, monkeypatch):
    grown, grow = [], FoldTree.grow
    monkeypatch.setattr(FoldTree, "grow", lambda *given: grown.append(grow(*given)) or grown[-1])
    model = ceiba.DecisionTreeClassifier(
        forced_splits="sepal width (cm) <= 3",
        prune=ceiba.CostComplexity(folds=5, keep_unpruned=True),
    ).fit(*iris)
    trees = [*grown, model.unpruned_tree_]
    assert [tree.root.sentence(0) for tree in trees] == ["sepal width (cm) <= 3"] * 6


def test_pruning_may_collapse_a_forced_split_that_is_not_worth_it(iris):
    X, y = iris
    rng = np.random.default_rng(1)
    noise = rng.permutation(y)
    model = ceiba.DecisionTreeClassifier(forced_splits="sepal width (cm) <= 3", prune="1se")
    assert model.fit(X, noise).get_n_leaves() == 1


def test_fold_without_rows_on_one_side_grows_freely():
    X = {"x": np.arange(40.0), "z": np.r_[1.0, np.zeros(39)]}
    y = np.arange(40) >= 20
    model = ceiba.DecisionTreeClassifier(
        forced_splits="z > 0.5", prune=ceiba.CostComplexity(folds=4)
    )
    assert model.fit(X, y).score(X, y) == 1.0


def test_forced_split_with_an_empty_side_is_refused(iris):
    X, y = iris
    with pytest.raises(TreeError, match="the forced split 'sepal width .*: .* no rows"):
        ceiba.DecisionTreeClassifier(forced_splits="sepal width (cm) <= 99").fit(X, y)


@pytest.mark.parametrize("wrong", [3, (3,), {"x": 1}, ("x <= 3", 4)])
def test_what_is_no_literal_is_refused(iris, wrong):
    with pytest.raises(OptionError, match="forced_splits"):
        ceiba.DecisionTreeClassifier(forced_splits=wrong).fit(*iris)


def test_wrong_number_of_branches_is_refused(iris):
    literal = ("petal width (cm) > 1.5", None, None, None)
    with pytest.raises(OptionError, match="must list 2 branches after .*, got 3"):
        ceiba.DecisionTreeClassifier(forced_splits=literal).fit(*iris)


def test_regressor_with_forced_levels_and_missing_side():
    X = {"c": ["a", "b", "c", None] * 10, "x": list(range(40))}
    y = [float(i % 4) for i in range(40)]
    model = ceiba.DecisionTreeRegressor(forced_splits="c in {a, c} or missing", max_depth=1)
    tree = model.fit(X, y).tree_
    assert tree.n_rows.tolist() == [40, 30, 10]
    assert tree.predict({"c": [None], "x": [0]}).tolist() == [5 / 3]


def test_saved_model_keeps_its_forced_splits(iris, tmp_path):
    X, y = iris
    literal = ("petal width (cm) > 1.5", ("sepal length (cm) <= 6", None, None), None)
    model = ceiba.DecisionTreeClassifier(forced_splits=literal).fit(X, y)
    model.save(tmp_path / "m.ceiba")
    loaded = ceiba.load(tmp_path / "m.ceiba")
    assert loaded.forced_splits == literal
    assert loaded.fit(X, y).tree_ == model.tree_


def test_regrown_root_keeps_the_forced_split(iris):
    X, y = iris
    model = ceiba.DecisionTreeClassifier(forced_splits="sepal width (cm) <= 3").fit(X, y)
    assert model.regrow(0, X, y).tree_ == model.tree_
