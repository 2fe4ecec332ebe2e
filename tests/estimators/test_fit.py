"""Fitting and predicting: same trees as scikit-learn, containers, weights, outputs, pruning."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier as TheirClassifier
from sklearn.tree import DecisionTreeRegressor as TheirRegressor

import ceiba
from ceiba import CeibaWarning, DecisionTreeClassifier, DecisionTreeRegressor


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True)


@pytest.fixture(scope="module")
def wide():
    """Noisy classes over continuous columns that float32 holds exactly: no ties in large nodes."""
    X, y = make_classification(
        1500, 8, n_informative=5, n_classes=3, flip_y=0.3, class_sep=0.6, random_state=3
    )
    return X.astype(np.float32).astype(np.float64), y


def same_tree(ours, theirs):
    mine, their = ours.tree_, theirs.tree_
    assert mine.node_count == their.node_count
    assert mine.children_left.tolist() == their.children_left.tolist()
    assert mine.feature.tolist() == their.feature.tolist()
    assert mine.n_node_samples.tolist() == their.n_node_samples.tolist()
    assert mine.impurity == pytest.approx(their.impurity, rel=1e-9, abs=1e-12)
    assert mine.threshold == pytest.approx(their.threshold, rel=1e-6)
    assert mine.value == pytest.approx(their.value, rel=1e-9, abs=1e-12)


SETTINGS = [
    {"max_depth": 3, "min_samples_leaf": 20},
    {"max_depth": 5, "min_samples_leaf": 40},
    {"min_samples_split": 0.2},
    {"min_samples_leaf": 0.05},
    {"min_weight_fraction_leaf": 0.1},
    {"min_impurity_decrease": 0.01},
    {"max_depth": 4, "min_samples_leaf": 20, "criterion": "entropy"},
    {"ccp_alpha": 0.01, "max_depth": 6, "min_samples_leaf": 20},
    {"max_depth": 3, "min_samples_leaf": 20, "class_weight": "balanced"},
    {"max_depth": 3, "min_samples_leaf": 20, "class_weight": {0: 3.0, 2: 0.5}},
]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_classifier_grows_the_tree_of_scikit_learn(wide, setting):
    X, y = wide
    same_tree(
        DecisionTreeClassifier(**setting).fit(X, y),
        TheirClassifier(random_state=0, **setting).fit(X, y),
    )


def test_max_leaf_nodes_grows_the_leaves_of_scikit_learn(wide):
    """Theirs are numbered in the order of growing, ours in pre-order: compare the leaves."""
    X, y = wide
    ours = DecisionTreeClassifier(max_leaf_nodes=9).fit(X, y)
    theirs = TheirClassifier(max_leaf_nodes=9, random_state=0).fit(X, y)
    assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X), abs=1e-12)
    assert ours.get_n_leaves() == theirs.get_n_leaves() == 9


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_regressor_grows_the_tree_of_scikit_learn(wide, criterion):
    X = wide[0]
    y = np.abs(X[:, 0] * 3 + X[:, 1] ** 2) + 0.1
    setting = {"max_depth": 3, "min_samples_leaf": 10, "criterion": criterion}
    same_tree(
        DecisionTreeRegressor(**setting).fit(X, y),
        TheirRegressor(random_state=0, **setting).fit(X, y),
    )


def test_weights_grow_the_tree_of_scikit_learn(wide):
    X, y = wide
    weight = np.random.default_rng(0).integers(1, 5, len(y)).astype(float)
    same_tree(
        DecisionTreeClassifier(max_depth=4, min_samples_leaf=20).fit(X, y, sample_weight=weight),
        TheirClassifier(max_depth=4, min_samples_leaf=20, random_state=0).fit(X, y, weight),
    )


def test_importances_equal_those_of_scikit_learn(wide):
    X, y = wide
    ours = DecisionTreeClassifier(max_depth=5, min_samples_leaf=20).fit(X, y)
    theirs = TheirClassifier(max_depth=5, min_samples_leaf=20, random_state=0).fit(X, y)
    assert ours.feature_importances_ == pytest.approx(theirs.feature_importances_, abs=1e-9)


def test_importances_of_a_single_leaf_are_zero():
    assert DecisionTreeClassifier().fit([[1], [2]], [1, 1]).feature_importances_.tolist() == [0.0]


def test_pruning_path_equals_that_of_scikit_learn(wide):
    X, y = wide
    ours = DecisionTreeClassifier(max_depth=5).cost_complexity_pruning_path(X, y)
    theirs = TheirClassifier(max_depth=5, random_state=0).cost_complexity_pruning_path(X, y)
    assert ours.ccp_alphas == pytest.approx(theirs.ccp_alphas, abs=1e-12)
    assert ours.impurities == pytest.approx(theirs.impurities, abs=1e-12)


def test_ccp_alpha_taken_from_the_path_prunes_one_step_more(wide):
    X, y = wide
    path = DecisionTreeClassifier(max_depth=5).cost_complexity_pruning_path(X, y)
    leaves = [
        DecisionTreeClassifier(max_depth=5, ccp_alpha=alpha).fit(X, y).get_n_leaves()
        for alpha in path.ccp_alphas[-4:]
    ]
    theirs = [
        TheirClassifier(max_depth=5, random_state=0, ccp_alpha=a + 1e-12).fit(X, y).get_n_leaves()
        for a in path.ccp_alphas[-4:]
    ]
    assert leaves == theirs
    assert leaves[-1] == 1


def test_decision_path_and_apply_agree_with_scikit_learn(wide):
    X, y = wide
    ours = DecisionTreeClassifier(max_depth=4, min_samples_leaf=20).fit(X, y)
    theirs = TheirClassifier(max_depth=4, min_samples_leaf=20, random_state=0).fit(X, y)
    assert ours.apply(X).tolist() == theirs.apply(X).tolist()
    assert (ours.decision_path(X) != theirs.decision_path(X)).nnz == 0
    assert ours.apply(X).dtype == np.intp


def test_log_proba_is_the_logarithm(iris):
    model = DecisionTreeClassifier(max_depth=1).fit(*iris)
    with np.errstate(divide="ignore"):
        expected = np.log(model.predict_proba(iris[0]))
    assert model.predict_log_proba(iris[0]).tolist() == expected.tolist()


def test_fitted_attributes_have_the_types_of_scikit_learn(iris):
    model = DecisionTreeClassifier(max_features="sqrt").fit(*iris)
    assert model.classes_.tolist() == [0, 1, 2]
    assert (model.n_classes_, model.n_outputs_, model.n_features_in_) == (3, 1, 4)
    assert model.max_features_ == 2
    assert not hasattr(model, "feature_names_in_")


def test_refit_without_names_forgets_the_names(iris):
    model = DecisionTreeClassifier().fit(pd.DataFrame(iris[0]).add_prefix("c"), iris[1])
    assert model.feature_names_in_.dtype == object
    model.fit(*iris)
    assert not hasattr(model, "feature_names_in_")


# ---------------------------------------------------------------------- several outputs


def test_several_class_outputs_have_lists(iris):
    X, y = iris
    both = np.column_stack([y, y[::-1] == 1])
    model = DecisionTreeClassifier(max_depth=3).fit(X, both)
    assert [c.tolist() for c in model.classes_] == [[0, 1, 2], [0, 1]]
    assert model.n_classes_.tolist() == [3, 2]
    assert model.predict(X).shape == (150, 2)
    assert [p.shape for p in model.predict_proba(X)] == [(150, 3), (150, 2)]
    assert len(model.predict_log_proba(X)) == 2


def test_several_outputs_grow_the_tree_of_scikit_learn(wide):
    X, y = wide
    both = np.column_stack([X[:, 1] * 2, y + X[:, 0]])
    same_tree(
        DecisionTreeRegressor(max_depth=3).fit(X, both),
        TheirRegressor(max_depth=3, random_state=0).fit(X, both),
    )


def test_class_weight_per_output_multiplies(iris):
    X, y = iris
    both = np.column_stack([y, y == 0])
    weights = [{0: 1, 1: 5, 2: 1}, {0: 1, 1: 2}]
    model = DecisionTreeClassifier(class_weight=weights).fit(X, both)
    assert model.tree_.weight[0] == 50 * 2 + 50 * 5 + 50


# ---------------------------------------------------------------------- containers


def test_target_by_name_equals_target_apart():
    frame = pd.DataFrame({"clouds": [8, 7, 1, 0], "RAIN": ["yes", "yes", "no", "no"]})
    named = DecisionTreeClassifier().fit(frame, "RAIN")
    apart = DecisionTreeClassifier().fit(frame[["clouds"]], frame["RAIN"])
    assert named.tree_ == apart.tree_
    assert named.tree_.target.name == "RAIN"


def test_frame_that_still_holds_the_target_can_be_predicted():
    frame = pl.DataFrame({"clouds": [8, 7, 1, 0], "RAIN": ["yes", "yes", "no", "no"]})
    model = DecisionTreeClassifier().fit(frame, "RAIN")
    assert model.predict(frame).tolist() == ["yes", "yes", "no", "no"]


def test_target_name_that_is_not_a_column_gets_a_hint():
    with pytest.raises(ceiba.SchemaError, match="Did you mean 'RAIN'"):
        DecisionTreeClassifier().fit({"x": [1, 2], "RAIN": ["a", "b"]}, "Rain")


@pytest.mark.parametrize("container", [pd.DataFrame, pl.DataFrame, dict, pl.LazyFrame])
def test_container_does_not_change_the_tree(container):
    data = {
        "age": [20.0, 35.0, None, 50.0, 61.0, 18.0],
        "city": ["Oslo", "Lima", "Oslo", None, "Rome", "Lima"],
    }
    y = ["a", "b", "a", "b", "b", "a"]
    tree = DecisionTreeClassifier().fit(container(data), y).tree_
    assert tree == DecisionTreeClassifier().fit(data, y).tree_


def test_wrong_order_of_names_at_predict_is_refused_in_the_words_of_scikit_learn():
    frame = pd.DataFrame({"a": [1, 2], "b": [3, 4]})
    model = DecisionTreeClassifier().fit(frame, [0, 1])
    with pytest.raises(ceiba.SchemaError, match="must be in the same order as they were in fit"):
        model.predict(frame[["b", "a"]])


def test_categorical_features_by_position_make_level_sets():
    X = np.array([[0.0], [1.0], [2.0], [0.0], [1.0], [2.0]])
    y = [1, 0, 1, 1, 0, 1]
    model = DecisionTreeClassifier(categorical_features=[0]).fit(X, y)
    assert model.get_n_leaves() == 2
    assert model.predict([[2.0], [1.0]]).tolist() == [1, 0]


def test_object_target_of_strings_comes_back_as_strings():
    model = DecisionTreeClassifier().fit([[1], [2]], np.array(["x", "y"], dtype=object))
    assert model.predict([[1]]).tolist() == ["x"]


# ---------------------------------------------------------------------- small and strange


def test_one_row_gives_one_leaf():
    model = DecisionTreeRegressor().fit([[1.0, 2.0]], [7.0])
    assert model.get_n_leaves() == 1
    assert model.predict([[9.0, 9.0]]).tolist() == [7.0]


def test_one_class_gives_one_leaf():
    model = DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "a", "a"])
    assert (model.get_n_leaves(), model.get_depth()) == (1, 0)
    assert model.predict_proba([[5]]).tolist() == [[1.0]]


def test_fit_is_silent_by_default(iris):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        DecisionTreeClassifier().fit(*iris)
        DecisionTreeClassifier(min_samples_leaf=5).fit(*iris)
        DecisionTreeClassifier(min_samples_leaf=5, min_samples_split=20).fit(*iris)


@pytest.mark.parametrize(("leaf", "split"), [(5, 5), (0.2, 10), (30, 0.1)])
def test_idle_min_samples_split_is_announced_once(iris, leaf, split):
    with pytest.warns(CeibaWarning, match="has no effect") as caught:
        DecisionTreeClassifier(min_samples_leaf=leaf, min_samples_split=split).fit(*iris)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_missing_values_are_learned_as_in_scikit_learn(wide):
    X, y = wide
    X = X.copy()
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    ours = DecisionTreeClassifier(max_depth=4, min_samples_leaf=5).fit(X, y)
    theirs = TheirClassifier(max_depth=4, min_samples_leaf=5, random_state=0).fit(X, y)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=0.02)
    assert ours.tree_.gain[0] == pytest.approx(
        theirs.tree_.impurity[0]
        - sum(
            theirs.tree_.weighted_n_node_samples[k] / len(y) * theirs.tree_.impurity[k]
            for k in (theirs.tree_.children_left[0], theirs.tree_.children_right[0])
        ),
        rel=1e-9,
    )


def test_infinity_when_fitting_is_refused():
    with pytest.raises(ceiba.DataError, match="infinity"):
        DecisionTreeClassifier().fit([[1.0], [np.inf]], [0, 1])


def test_infinity_when_predicting_lies_beyond_every_cut():
    model = DecisionTreeClassifier().fit([[1.0], [2.0]], [0, 1])
    assert model.predict([[np.inf], [-np.inf]]).tolist() == [1, 0]


# ---------------------------------------------------------------------- randomness, threads


def test_random_state_none_is_a_fixed_seed(wide):
    X, y = wide
    first = DecisionTreeClassifier(splitter="random", max_features=2).fit(X, y).tree_
    assert first == DecisionTreeClassifier(splitter="random", max_features=2).fit(X, y).tree_
    zero = DecisionTreeClassifier(splitter="random", max_features=2, random_state=0).fit(X, y)
    assert first == zero.tree_


def test_random_state_instance_draws_another_tree_each_fit(wide):
    X, y = wide
    model = DecisionTreeClassifier(max_features=1, random_state=np.random.RandomState(0))
    assert model.fit(X, y).tree_ != model.fit(X, y).tree_


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("estimator", [DecisionTreeRegressor, DecisionTreeClassifier])
def test_cut_of_a_drawn_column_is_its_best_and_says_its_gain(estimator, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 6, (120, 4)).astype(float), rng.integers(0, 5, 120)
    tree = estimator(max_features=1, random_state=seed).fit(X, y).tree_

    def impurity(of):
        _, n = np.unique(of, return_counts=True)
        return np.var(of) if estimator is DecisionTreeRegressor else 1 - np.sum((n / len(of)) ** 2)

    path = tree.decision_path(X).toarray().astype(bool)
    for node in tree.nodes:
        if node.is_leaf:
            continue
        x, t = X[path[:, node.id]][:, tree.feature[node.id]], y[path[:, node.id]]
        gains = [
            impurity(t)
            - np.mean(x <= c) * impurity(t[x <= c])
            - np.mean(x > c) * impurity(t[x > c])
            for c in np.unique(x)[:-1]
        ]
        assert node.gain == pytest.approx(max(gains), abs=1e-12)


@pytest.mark.filterwarnings("ignore:The number of unique classes")
@pytest.mark.parametrize("weighted", [False, True])
def test_hundreds_of_classes_are_told_apart(weighted):
    rng = np.random.default_rng(0)
    n = 700
    X = pd.DataFrame({"x": rng.normal(size=n), "level": pd.Categorical(rng.integers(0, 15, n))})
    weight = rng.integers(1, 4, n).astype(float) if weighted else None
    tree = DecisionTreeClassifier().fit(X[["x"]], np.arange(n), weight).tree_
    assert tree.n_leaves == n
    assert DecisionTreeClassifier().fit(X[["level"]], np.arange(n), weight).tree_.n_leaves == 15


def test_tree_does_not_depend_on_n_jobs():
    X, y = make_classification(4000, 10, random_state=0)
    one = DecisionTreeClassifier(n_jobs=1).fit(X, y).tree_
    assert one == DecisionTreeClassifier(n_jobs=4).fit(X, y).tree_


def test_default_without_randomness_needs_no_seed():
    X, y = load_breast_cancer(return_X_y=True)
    trees = [DecisionTreeClassifier(random_state=seed).fit(X, y).tree_ for seed in (0, 1)]
    assert trees[0] == trees[1]


# ---------------------------------------------------------------------- monotone


@pytest.mark.parametrize("direction", [1, -1])
def test_monotone_regression_never_goes_the_other_way(direction):
    rng = np.random.default_rng(0)
    X = rng.random((200, 2))
    y = direction * X[:, 0] + rng.normal(0, 0.5, 200)
    model = DecisionTreeRegressor(monotonic_cst=[direction, 0]).fit(X, y)
    grid = np.column_stack([np.linspace(0, 1, 200), np.full(200, 0.5)])
    assert (direction * np.diff(model.predict(grid)) >= 0).all()


def test_monotone_classification_is_about_the_second_class(wide):
    X, y = wide
    model = DecisionTreeClassifier(monotonic_cst=[1] + [0] * 7, max_depth=6).fit(X, y > 0)
    theirs = TheirClassifier(monotonic_cst=[1] + [0] * 7, max_depth=6, random_state=0)
    grid = np.tile(X[:1], (100, 1))
    grid[:, 0] = np.linspace(-4, 4, 100)
    assert (np.diff(model.predict_proba(grid)[:, 1]) >= 0).all()
    same_shape = theirs.fit(X, y > 0).tree_
    assert model.tree_.feature[0] == same_shape.feature[0]


# ---------------------------------------------------------------------- not fitted


@pytest.mark.parametrize(
    "method", ["predict", "apply", "decision_path", "predict_proba", "explain"]
)
def test_method_before_fit_says_not_fitted(method):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(DecisionTreeClassifier(), method)([[1.0]])


@pytest.mark.parametrize("method", ["get_depth", "get_n_leaves"])
def test_figure_before_fit_says_not_fitted(method):
    with pytest.raises(NotFittedError):
        getattr(DecisionTreeRegressor(), method)()


def test_importances_before_fit_say_not_fitted():
    with pytest.raises(NotFittedError):
        _ = DecisionTreeClassifier().feature_importances_
