"""prune= of the estimators: names, objects, grid search, fitted attributes, by hand."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ceiba
from ceiba import (
    ChiSquare,
    CostComplexity,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    DescriptionLength,
    Pessimistic,
    ReducedError,
    SameAnswer,
)
from ceiba.errors import OptionError
from ceiba.prune.cost_complexity_pruning import read_pruning
from ceiba.prune.pruning import Pruning

OBJECTS = [
    CostComplexity(folds=5, rule="1se", alpha=None),
    CostComplexity(n_leaves=3),
    ChiSquare(significance=0.01),
    Pessimistic(confidence=0.1, raising=False),
    ReducedError(fraction=0.3),
    SameAnswer(),
    DescriptionLength(),
]


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def noisy():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    return X, (X[:, 0] + X[:, 1] + rng.normal(size=300) > 0).astype(int)


# --- the names and objects


@pytest.mark.parametrize(("name", "rule"), [("cv", "min"), ("1se", "1se")])
def test_name_stands_for_its_object(noisy, name, rule):
    by_name = DecisionTreeClassifier(prune=name).fit(*noisy)
    by_object = DecisionTreeClassifier(prune=CostComplexity(rule=rule)).fit(*noisy)
    assert by_name.tree_ == by_object.tree_
    assert by_name.alpha_ == by_object.alpha_


@pytest.mark.parametrize("pruning", OBJECTS, ids=repr)
def test_every_object_prunes_an_estimator(noisy, pruning):
    grown = DecisionTreeClassifier(max_depth=6).fit(*noisy)
    pruned = DecisionTreeClassifier(max_depth=6, prune=pruning).fit(*noisy)
    assert 1 <= pruned.get_n_leaves() < grown.get_n_leaves()


@pytest.mark.parametrize("pruning", OBJECTS, ids=repr)
def test_object_is_cloned_pickled_and_shown_with_what_was_stated(pruning):
    copy = clone(pruning)
    assert copy == pruning
    assert copy is not pruning
    assert pickle.loads(pickle.dumps(pruning)) == pruning
    assert eval(repr(pruning)) == pruning


def test_repr_shows_only_what_differs_from_the_default():
    assert repr(CostComplexity()) == "CostComplexity()"
    assert repr(CostComplexity(folds=5)) == "CostComplexity(folds=5)"
    assert repr(DecisionTreeClassifier(prune=CostComplexity(folds=5))) == (
        "DecisionTreeClassifier(prune=CostComplexity(folds=5))"
    )


def test_arrays_as_parameters_compare_by_value():
    assert CostComplexity(folds=np.arange(4)) == CostComplexity(folds=np.arange(4))
    assert CostComplexity(folds=np.arange(4)) != CostComplexity(folds=np.arange(5))
    assert CostComplexity() != ChiSquare()


@pytest.mark.parametrize("wrong", [0.1, True, [1]])
def test_prune_that_is_no_pruning_is_refused(noisy, wrong):
    with pytest.raises(OptionError, match="'prune' parameter"):
        DecisionTreeClassifier(prune=wrong).fit(*noisy)


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("CV", "Did you mean 'cv'"),
        ("chi2", r"prune=ceiba\.prune\.ChiSquare\(\)"),
        ("pessimistic", r"Pessimistic\(\)"),
        ("reduced-error", "ReducedError"),
        ("mdl", "DescriptionLength"),
        ("same_answer", "SameAnswer"),
    ],
)
def test_name_of_another_pruning_is_told_its_class(noisy, name, advice):
    with pytest.raises(OptionError, match=advice):
        DecisionTreeClassifier(prune=name).fit(*noisy)


def test_number_as_pruning_is_told_how_to_say_alpha():
    with pytest.raises(OptionError, match=r"CostComplexity\(alpha=0.1\)"):
        read_pruning(0.1)


def test_prune_with_ccp_alpha_is_refused(noisy):
    with pytest.raises(OptionError, match="Pass only one"):
        DecisionTreeClassifier(prune="cv", ccp_alpha=0.1).fit(*noisy)


def test_unknown_parameter_is_refused_with_a_hint():
    with pytest.raises(OptionError, match="did you mean|Did you mean"):
        CostComplexity().set_params(fold=3)


@pytest.mark.parametrize(
    "wrong",
    [
        CostComplexity(rule="2se"),
        CostComplexity(alpha=-1),
        CostComplexity(n_leaves=0),
        CostComplexity(repeats=0),
        CostComplexity(risk="error"),
        CostComplexity(alpha=0.1, n_leaves=3),
        ChiSquare(significance=0),
        ChiSquare(correction="holm"),
        Pessimistic(confidence=0.9),
        ReducedError(fraction=1.5),
    ],
    ids=repr,
)
def test_wrong_parameter_of_an_object_is_refused_when_fitting(noisy, wrong):
    with pytest.raises(OptionError):
        DecisionTreeClassifier(prune=wrong).fit(*noisy)


def test_every_public_pruning_is_a_pruning():
    assert all(isinstance(pruning, Pruning) for pruning in OBJECTS)


# --- fitted attributes


def test_alpha_given_gives_the_tree_of_that_alpha(noisy):
    model = DecisionTreeClassifier(prune=CostComplexity(alpha=0.01)).fit(*noisy)
    grown = DecisionTreeClassifier().fit(*noisy)
    assert model.tree_ == grown.tree_.prune(0.01)
    assert model.alpha_ == 0.01
    assert "cv_risk" not in model.pruning_table_


def test_n_leaves_given_gives_that_size(noisy):
    model = DecisionTreeClassifier(prune=CostComplexity(n_leaves=6)).fit(*noisy)
    assert model.tree_ == DecisionTreeClassifier().fit(*noisy).tree_.prune(n_leaves=6)


def test_chosen_step_is_the_fitted_tree(noisy):
    model = DecisionTreeClassifier(prune="1se").fit(*noisy)
    table = model.pruning_table_
    assert table["n_leaves"][table.chosen_step] == model.get_n_leaves()
    assert table["alpha"][table.chosen_step] == model.alpha_
    assert table["chosen"].sum() == 1


def test_one_se_rule_takes_the_smallest_tree_within_one_standard_error(noisy):
    table = DecisionTreeClassifier(prune="1se").fit(*noisy).pruning_table_
    best = int(np.flatnonzero(table["cv_risk"] == table["cv_risk"].min())[-1])
    limit = table["cv_risk"][best] + table["cv_se"][best]
    assert table.chosen_step == int(np.flatnonzero(table["cv_risk"] <= limit)[-1])
    assert table.step("min") == best


def test_table_has_the_columns_of_printcp_in_both_units(noisy):
    table = DecisionTreeClassifier(prune="cv").fit(*noisy).pruning_table_
    assert table.columns == (
        "alpha",
        "cp",
        "n_leaves",
        "n_splits",
        "risk",
        "cv_risk",
        "cv_se",
        "relative_risk",
        "relative_cv_risk",
        "relative_cv_se",
        "chosen",
    )
    root = table["risk"][-1]
    np.testing.assert_allclose(table["cp"], table["alpha"] / root)
    np.testing.assert_allclose(table["relative_cv_risk"], table["cv_risk"] / root)
    assert table["relative_risk"][-1] == 1


def test_repeats_add_their_spread_to_the_table(noisy):
    pruning = CostComplexity(folds=3, repeats=4)
    table = DecisionTreeClassifier(prune=pruning).fit(*noisy).pruning_table_
    assert (table["cv_sd"] >= 0).all()
    assert "4 times" in table.title


def test_table_turns_into_frames(noisy):
    table = DecisionTreeClassifier(prune="cv").fit(*noisy).pruning_table_
    frame = table.to_pandas()
    assert list(frame.columns) == list(table.columns)
    assert frame["n_leaves"].tolist() == table["n_leaves"].tolist()
    assert table.to_polars()["alpha"].to_list() == table["alpha"].tolist()


def test_table_prints_with_unit_and_choice(noisy):
    text = str(DecisionTreeClassifier(prune="1se").fit(*noisy).pruning_table_)
    assert "share of misclassified weight" in text
    assert "the 1-SE rule" in text
    X, y = load_diabetes(return_X_y=True)
    numbers = str(DecisionTreeRegressor(prune="cv", max_depth=4).fit(X, y).pruning_table_)
    assert "mean squared error" in numbers


def test_impurity_sequence_shows_impurity_and_cost(noisy):
    pruning = CostComplexity(risk="impurity", folds=5)
    model = DecisionTreeClassifier(prune=pruning).fit(*noisy)
    table = model.pruning_table_
    ccp = DecisionTreeClassifier(ccp_alpha=model.alpha_).fit(*noisy)
    assert ccp.tree_ == model.tree_
    assert {"impurity", "risk", "cv_risk"} <= set(table.columns)
    assert table["risk"][-1] == pytest.approx(model.tree_.risk[0])


def test_unpruned_tree_is_kept_on_request_only(noisy):
    plain = DecisionTreeClassifier(prune="cv").fit(*noisy)
    assert not hasattr(plain, "unpruned_tree_")
    kept = DecisionTreeClassifier(prune=CostComplexity(keep_unpruned=True)).fit(*noisy)
    assert kept.unpruned_tree_ == DecisionTreeClassifier().fit(*noisy).tree_
    assert kept.cross_validation_.predictions(0).shape == (300,)


def test_fit_without_pruning_forgets_the_figures_of_an_earlier_fit(noisy):
    model = DecisionTreeClassifier(prune="cv").fit(*noisy)
    model.set_params(prune=None).fit(*noisy)
    assert not hasattr(model, "pruning_table_")
    assert not hasattr(model, "alpha_")


def test_pruning_path_is_that_of_the_whole_tree(noisy):
    path = DecisionTreeClassifier(prune="1se").cost_complexity_pruning_path(*noisy)
    whole = DecisionTreeClassifier().cost_complexity_pruning_path(*noisy)
    np.testing.assert_array_equal(path.ccp_alphas, whole.ccp_alphas)


# --- folds of the estimator


def test_fold_ids_splitters_and_groups_reach_the_cross_validation(noisy):
    ids = np.arange(300) % 3
    by_ids = DecisionTreeClassifier(prune=CostComplexity(folds=ids)).fit(*noisy)
    pairs = [(np.flatnonzero(ids != v), np.flatnonzero(ids == v)) for v in range(3)]
    by_pairs = DecisionTreeClassifier(prune=CostComplexity(folds=pairs)).fit(*noisy)
    np.testing.assert_allclose(by_ids.pruning_table_["cv_risk"], by_pairs.pruning_table_["cv_risk"])
    groups = np.arange(300) // 10
    pruning = CostComplexity(folds=GroupKFold(4), groups=groups)
    assert "4-fold" in DecisionTreeClassifier(prune=pruning).fit(*noisy).pruning_table_.title
    pruning = CostComplexity(folds=KFold(6))
    assert "6-fold" in DecisionTreeClassifier(prune=pruning).fit(*noisy).pruning_table_.title


def test_two_fits_choose_the_same_tree(noisy):
    a, b = (DecisionTreeClassifier(prune="cv").fit(*noisy) for _ in range(2))
    assert a.pruning_table_ == b.pruning_table_


def test_several_outputs_are_told_the_way_out():
    X = np.arange(40.0).reshape(-1, 1)
    Y = np.stack([np.arange(40) % 2, np.arange(40) // 10], axis=1)
    with pytest.raises(OptionError, match="single-output"):
        DecisionTreeClassifier(prune="cv").fit(X, Y)
    pruning = CostComplexity(alpha=10.0, risk="impurity")
    assert DecisionTreeClassifier(prune=pruning).fit(X, Y).get_n_leaves() == 1


def test_class_weight_acts_in_the_folds(noisy):
    X, y = noisy
    weight = np.where(y == 1, 3.0, 1.0)
    by_class = DecisionTreeClassifier(prune="cv", class_weight={0: 1, 1: 3}).fit(X, y)
    by_row = DecisionTreeClassifier(prune="cv").fit(X, y, sample_weight=weight)
    assert by_class.tree_ == by_row.tree_


def test_frame_with_the_name_of_its_target_is_pruned():
    frame = pd.DataFrame({"x": np.arange(60.0), "kind": list("ab") * 30})
    frame["RAIN"] = np.where((frame["x"] > 30) ^ (np.arange(60) % 7 == 0), "yes", "no")
    model = DecisionTreeClassifier(prune="1se").fit(frame, "RAIN")
    assert model.get_n_leaves() == 2


# --- scikit-learn


def test_grid_search_reaches_the_parameters_of_the_object(iris):
    model = DecisionTreeClassifier(prune=CostComplexity())
    search = GridSearchCV(model, {"prune__folds": [3, 5], "prune__rule": ["min", "1se"]}, cv=2)
    search.fit(*iris)
    assert set(search.best_params_) == {"prune__folds", "prune__rule"}
    assert search.best_estimator_.prune.folds == search.best_params_["prune__folds"]
    assert model.prune.folds == 10  # the original is untouched


def test_grid_search_over_whole_prunings(iris):
    grid = {"prune": [None, "cv", CostComplexity(n_leaves=3), Pessimistic()]}
    search = GridSearchCV(DecisionTreeClassifier(), grid, cv=2).fit(*iris)
    assert len(search.cv_results_["params"]) == 4


def test_pipeline_with_pruning_clones_and_shows(iris):
    model = make_pipeline(StandardScaler(), DecisionTreeClassifier(prune=CostComplexity(folds=3)))
    model = clone(model).set_params(decisiontreeclassifier__prune__folds=4).fit(*iris)
    assert "4-fold" in model[-1].pruning_table_.title
    assert "CostComplexity" in model._repr_html_()


def test_fitted_model_with_its_table_is_pickled(noisy):
    model = DecisionTreeClassifier(prune=CostComplexity(keep_unpruned=True)).fit(*noisy)
    again = pickle.loads(pickle.dumps(model))
    assert again.pruning_table_ == model.pruning_table_
    assert again.pruning_table_.chosen_step == model.pruning_table_.chosen_step
    np.testing.assert_array_equal(
        again.cross_validation_.predictions(0), model.cross_validation_.predictions(0)
    )


# --- again, and by hand


def test_reprune_gives_the_tree_of_another_fit(noisy):
    model = DecisionTreeClassifier(prune=CostComplexity(keep_unpruned=True)).fit(*noisy)
    again = model.reprune(rule="1se")
    assert again.tree_ == DecisionTreeClassifier(prune="1se").fit(*noisy).tree_
    assert "the 1-SE rule" in str(again.pruning_table_)
    expected = DecisionTreeClassifier(prune=CostComplexity(n_leaves=5)).fit(*noisy)
    model = model.reprune(n_leaves=5)
    assert model.tree_ == expected.tree_
    assert model.alpha_ == expected.alpha_
    assert model.pruning_table_.chosen_step == expected.pruning_table_.chosen_step
    assert model.reprune(alpha=10.0).get_n_leaves() == 1


def test_reprune_without_the_tree_is_told_how_to_keep_it(noisy):
    model = DecisionTreeClassifier(prune="cv").fit(*noisy)
    with pytest.raises(OptionError, match="keep_unpruned=True"):
        model.reprune(n_leaves=model.get_n_leaves() + 1)


@pytest.mark.parametrize("arguments", [{}, {"alpha": 0.1, "rule": "min"}, {"rule": "best"}])
def test_reprune_with_wrong_arguments_is_refused(noisy, arguments):
    model = DecisionTreeClassifier(prune=CostComplexity(keep_unpruned=True)).fit(*noisy)
    with pytest.raises(OptionError):
        model.reprune(**arguments)


def test_set_split_of_an_estimator_uses_its_parameters(noisy):
    X, y = noisy
    model = DecisionTreeClassifier(max_depth=3, min_samples_leaf=5, prune="cv").fit(X, y)
    model = model.set_split(0, "x3 <= 0", X, y)
    assert not hasattr(model, "pruning_table_")
    tree = model.tree_
    assert (tree.splits.column[0], tree.depth) == (3, 3)
    assert tree.n_rows[tree.leaves].min() >= 5
    assert (model.predict(X) == tree.predict(X)).all()


def test_regrow_of_an_estimator_restores_its_tree(noisy):
    X, y = noisy
    model = DecisionTreeClassifier(max_depth=4).fit(X, y)
    whole = model.tree_
    model.tree_ = whole.collapse(1)
    assert model.regrow(1, X, y).tree_ == whole


def test_rpart_is_not_regrown_in_place(iris):
    model = ceiba.rpart("class", xval=0).fit(*iris)
    with pytest.raises(OptionError, match=r"tree_\.set_split"):
        model.set_split(0, "x3 <= 1", *iris)
