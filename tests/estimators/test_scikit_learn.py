"""scikit-learn's contract: its own checks, and its tools around our estimators."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, BaggingRegressor
from sklearn.inspection import permutation_importance
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multioutput import ClassifierChain
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier as TheirClassifier
from sklearn.tree import DecisionTreeRegressor as TheirRegressor
from sklearn.utils import estimator_html_repr, get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator

from ceiba import (
    CeibaWarning,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    DecisionTreeSurvival,
)
from ceiba.estimators import base
from ceiba.estimators.parameters import PARAMETERS

BOTH = [DecisionTreeClassifier, DecisionTreeRegressor]


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True)


def _checks():
    for cls in [*BOTH, DecisionTreeSurvival]:
        for estimator, check in estimator_checks_generator(cls()):
            name = getattr(check, "func", check).__name__
            if name in ("check_array_api_input", CHECK_OF_DECISION_FUNCTION):
                continue  # they skip themselves: no array API switched on, no decision_function
            yield pytest.param(estimator, check, id=f"{cls.__name__}-{name}-{check.keywords}")


CHECK_OF_DECISION_FUNCTION = "check_classifiers_multilabel_output_format_decision_function"


# Their checks feed odd tables on purpose; our warnings about those are meant.
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
@pytest.mark.parametrize(("estimator", "check"), list(_checks()))
def test_estimator_passes_the_check_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(DecisionTreeClassifier, TheirClassifier), (DecisionTreeRegressor, TheirRegressor)],
)
def test_parameters_of_scikit_learn_come_first_with_the_same_defaults(ours, theirs):
    rows = PARAMETERS[ours._task].values()
    mine, their = {row.name: row.default for row in rows}, theirs().get_params()
    assert list(mine)[: len(their)] == [name for name in mine if name in their]
    assert {name: mine[name] for name in their} == their


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(DecisionTreeClassifier, TheirClassifier), (DecisionTreeRegressor, TheirRegressor)],
)
def test_public_methods_and_fitted_attributes_of_scikit_learn_are_all_there(ours, theirs, iris):
    mine, their = ours().fit(*iris), theirs().fit(*iris)
    public = {name for name in dir(their) if not name.startswith("_")}
    # the regressor's class_weight is a leftover of their base class, not a parameter
    assert public - set(dir(mine)) <= {"class_weight"} - set(their.get_params())


def test_tags_say_what_is_accepted():
    tags = get_tags(DecisionTreeClassifier())
    assert tags.input_tags.allow_nan
    assert tags.input_tags.categorical
    assert tags.input_tags.sparse
    assert not get_tags(DecisionTreeClassifier(missing="surrogate")).input_tags.sparse
    assert tags.target_tags.multi_output
    assert tags.classifier_tags.multi_label


def test_grid_search_finds_a_depth(iris):
    search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 3]}, cv=3).fit(*iris)
    assert search.best_params_ == {"max_depth": 3}


def test_cross_val_score_equals_that_of_scikit_learn_without_ties(diabetes):
    X, y = diabetes
    ours = cross_val_score(DecisionTreeRegressor(max_depth=3), X, y, cv=4)
    theirs = cross_val_score(TheirRegressor(max_depth=3, random_state=0), X, y, cv=4)
    assert ours == pytest.approx(theirs, abs=1e-6)


def test_pipeline_passes_frames_on_when_set_output_is_pandas(iris):
    X, y = iris
    model = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    model.set_output(transform="pandas").fit(X, y)
    assert model[-1].feature_names_in_.tolist() == ["x0", "x1", "x2", "x3"]
    assert model.score(X, y) == 1.0


@pytest.mark.parametrize(
    "bag",
    [
        BaggingClassifier(DecisionTreeClassifier(), n_estimators=5, random_state=0),
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=5, random_state=0),
        ClassifierChain(DecisionTreeClassifier()),
    ],
    ids=lambda bag: type(bag).__name__,
)
def test_ensembles_of_scikit_learn_take_our_classifier(bag, iris):
    X, y = iris
    if isinstance(bag, ClassifierChain):
        y = np.column_stack([y == 0, y == 1]).astype(int)
    assert clone(bag).fit(X, y).predict(X).shape == y.shape


def test_bagging_of_regressors_beats_its_mean(diabetes):
    X, y = diabetes
    bag = BaggingRegressor(DecisionTreeRegressor(), n_estimators=5, random_state=0).fit(X, y)
    assert bag.score(X, y) > 0.5


def test_permutation_importance_works(iris):
    model = DecisionTreeClassifier().fit(*iris)
    result = permutation_importance(model, *iris, n_repeats=2, random_state=0)
    assert result.importances_mean.argmax() in (2, 3)


def test_metadata_routing_hands_the_weights_to_fit(iris):
    X, y = iris
    weight = np.where(y == 2, 0.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = DecisionTreeClassifier().set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"max_depth": [2]}, cv=3)
        search.fit(X, y, sample_weight=weight)
    assert search.best_estimator_.tree_.counts[0, 0, 2] == 0


def test_metadata_routing_does_not_offer_check_input():
    with sklearn.config_context(enable_metadata_routing=True):
        requests = DecisionTreeClassifier().get_metadata_routing()
    assert list(requests.fit.requests) == ["sample_weight", "groups", "frequency"]


def test_clone_keeps_parameters_and_drops_the_fit(iris):
    model = DecisionTreeClassifier(max_depth=2, missing="majority").fit(*iris)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "tree_")


def test_pickle_gives_the_same_model(iris):
    model = DecisionTreeClassifier().fit(*iris)
    again = pickle.loads(pickle.dumps(model))
    assert again.tree_ == model.tree_
    assert again.predict(iris[0]).tolist() == model.predict(iris[0]).tolist()


def test_pickle_of_another_version_warns(iris, monkeypatch):
    monkeypatch.setattr(base, "version", lambda name: "0.0.1")
    data = pickle.dumps(DecisionTreeClassifier().fit(*iris))
    monkeypatch.undo()
    with pytest.warns(CeibaWarning, match=r"pickled by ceiba 0\.0\.1"):
        pickle.loads(data)


def test_html_repr_shows_the_parameters():
    html = estimator_html_repr(DecisionTreeClassifier(max_depth=7))
    assert "max_depth" in html
    assert "7" in html


def test_repr_shows_only_what_was_changed():
    shown = repr(DecisionTreeClassifier(max_depth=2, missing="surrogate"))
    assert shown == "DecisionTreeClassifier(max_depth=2, missing='surrogate')"


def test_subclass_with_fewer_parameters_works(iris):
    class Stump(DecisionTreeClassifier):
        def __init__(self, *, criterion="gini"):
            super().__init__(criterion=criterion, max_depth=1)

    assert Stump().fit(*iris).get_depth() == 1


def test_subclass_with_other_defaults_uses_them(iris):
    class Shallow(DecisionTreeClassifier):
        def __init__(self, *, max_depth=2):
            super().__init__(max_depth=max_depth)

    assert Shallow().fit(*iris).get_depth() == 2


@pytest.mark.parametrize("labels", [[3, 7], [False, True], ["no", "yes"], [1.0, 2.0]])
def test_score_of_plain_labels_is_scikit_learns_accuracy(labels):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.array(labels)[rng.integers(0, 2, 60)]
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    for truth in (y, y[::-1], y.tolist()):
        assert model.score(X, truth) == accuracy_score(truth, model.predict(X))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.score(X, y[:-1])
