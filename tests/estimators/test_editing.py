"""Editing a fitted model gives a new one and leaves the old one alone."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris

import ceiba
from ceiba import CostComplexity, DecisionTreeClassifier, DecisionTreeRegressor
from ceiba.errors import DataTypeError, OptionError


@pytest.fixture
def iris():
    return load_iris(return_X_y=True, as_frame=True)


@pytest.fixture
def model(iris):
    return DecisionTreeClassifier(max_depth=4, prune=CostComplexity(keep_unpruned=True)).fit(*iris)


EDITS = {
    "set_split": lambda m, X, y: m.set_split(0, "petal width (cm) > 1.5", X, y),
    "regrow": lambda m, X, y: m.regrow(2, X, y),
    "collapse": lambda m, X, y: m.collapse(2),
    "reprune": lambda m, X, y: m.reprune(cp=0.5),
    "annotate": lambda m, X, y: m.annotate(1, name="small"),
    "override": lambda m, X, y: m.override(1, 2, reason="why"),
}


@pytest.mark.parametrize("name", EDITS)
def test_edit_gives_a_new_model_and_the_old_stays(model, iris, name):
    X, y = iris
    before = pickle.dumps(model)
    edited = EDITS[name](model, X, y)
    assert pickle.dumps(model) == before
    assert edited is not model
    assert type(edited) is type(model)
    assert edited.get_params(deep=False) == model.get_params(deep=False)
    assert edited.tree_ != model.tree_
    assert edited.predict(X).shape == y.shape


def test_figures_of_the_old_pruning_do_not_stay_with_another_tree(model, iris):
    edited = model.collapse(2)
    assert not hasattr(edited, "pruning_table_")
    assert not hasattr(edited, "unpruned_tree_")
    assert hasattr(model, "pruning_table_")


def test_from_tree_makes_a_fitted_estimator(iris, tmp_path):
    X, y = iris
    tree = ceiba.tree.build(("petal width (cm) > 0.8", ("petal width (cm) > 1.75", 2, 1), 0),
                            columns=list(X.columns), task="classification")  # fmt: skip
    model = DecisionTreeClassifier.from_tree(tree, max_depth=2)
    assert model.tree_ is tree
    assert model.score(X, y) > 0.9
    assert model.classes_.tolist() == [0, 1, 2]
    model.save(tmp_path / "m.ceiba")
    assert ceiba.load(tmp_path / "m.ceiba").tree_ == tree
    assert tree.evaluate(X, y).accuracy == model.evaluate(X, y).accuracy == model.score(X, y)


def test_from_tree_refuses_the_wrong_kind(iris):
    tree = ceiba.tree.build(("x <= 2", 1.0, 2.0))
    with pytest.raises(OptionError, match="Use DecisionTreeRegressor"):
        DecisionTreeClassifier.from_tree(tree)
    with pytest.raises(DataTypeError, match="requires a Tree"):
        DecisionTreeRegressor.from_tree(DecisionTreeRegressor())


def test_tree_evaluate_matches_columns_by_name(iris):
    X, y = iris
    tree = DecisionTreeClassifier(max_depth=2).fit(X, y).tree_
    other = X[list(X.columns)[::-1]].assign(more=1)
    assert str(tree.evaluate(other, y)) == str(tree.evaluate(X, y))
    groups = np.where(y == 0, "s", "other")
    assert set(tree.evaluate(X, y, by=groups).evaluations) == {"s", "other"}


@pytest.mark.parametrize("cp", [0.0, 0.01, 0.1, 0.45, 1.0])
def test_prune_by_cp_is_prune_by_alpha_times_the_roots_risk(iris, cp):
    X, y = iris
    fitted = DecisionTreeClassifier().fit(X, y)
    tree = fitted.tree_
    assert tree.prune(cp=cp) == tree.prune(cp * tree.risk[0]) == fitted.reprune(cp=cp).tree_


def test_reprune_without_the_whole_tree_only_makes_it_smaller(iris):
    fitted = DecisionTreeClassifier(prune="cv").fit(*iris)
    assert fitted.reprune(n_leaves=2).get_n_leaves() == 2
    with pytest.raises(OptionError, match="keep_unpruned=True"):
        fitted.reprune(alpha=fitted.alpha_ / 2)


@pytest.mark.parametrize("arguments", [{}, {"cp": 0.1, "alpha": 0.1}])
def test_reprune_takes_one_argument(model, arguments):
    with pytest.raises(OptionError, match="one of alpha, cp, n_leaves and rule"):
        model.reprune(**arguments)
