"""scikit-learn's own checks of the estimators of rpart()."""

from __future__ import annotations

import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, VotingClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsOneClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator

import ceiba
from tests.marks import slow

# minsplit and minbucket count rows, never weights: that is rpart's rule. The other one asks for an
# array library that is not installed.
NOT_MEANT = ("check_sample_weight_equivalence_on_dense_data", "check_array_api_input")


def _checks():
    for method in (None, "class", "anova", "poisson"):
        for estimator, check in estimator_checks_generator(ceiba.rpart(method, xval=0)):
            name = getattr(check, "func", check).__name__
            if name not in NOT_MEANT:
                yield pytest.param(estimator, check, id=f"{method}-{name}-{check.keywords}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "check"), list(_checks()))
def test_rpart_passes_the_check_of_scikit_learn(estimator, check):
    check(estimator)


def test_minsplit_counts_rows_whatever_their_weight():
    X, y = [[0.0], [1.0]] * 6, [0, 1] * 6
    model = ceiba.rpart("class", minsplit=20, minbucket=1, xval=0)
    assert model.fit(X, y, sample_weight=[10] * 12).get_n_leaves() == 1


IRIS_X, IRIS_Y = load_iris(return_X_y=True, as_frame=True)
SPECIES = IRIS_Y.map({0: "setosa", 1: "versicolor", 2: "virginica"})


def test_fit_changes_neither_class_nor_parameters_of_an_estimator_without_a_method():
    model = ceiba.rpart(xval=0, minsplit=10)
    before = type(model), model.get_params()
    assert not is_classifier(model)
    assert not is_regressor(model)
    assert model.fit(IRIS_X, SPECIES) is model
    assert (type(model), model.get_params()) == before
    assert is_classifier(model)
    again = clone(model)
    assert again.fit(IRIS_X, SPECIES).tree_ == model.tree_
    assert again.predict_proba(IRIS_X).shape == (150, 3)
    again.fit(IRIS_X, IRIS_Y * 1.0)  # numbers this time
    assert (again.method_, is_regressor(again), hasattr(again, "classes_")) == (
        "anova",
        True,
        False,
    )
    with pytest.raises(AttributeError) as raised:
        again.predict_proba(IRIS_X)
    assert "Pass method='class' to rpart()" in str(raised.value.__cause__)


@pytest.mark.parametrize(
    "ensemble",
    [
        lambda: CalibratedClassifierCV(ceiba.rpart(xval=0), cv=3),
        lambda: CalibratedClassifierCV(ceiba.rpart("class", xval=0), cv=3),
        lambda: VotingClassifier([("tree", ceiba.rpart("class", xval=0))], voting="soft"),
        lambda: BaggingClassifier(ceiba.rpart("class", xval=0), n_estimators=3, random_state=0),
    ],
)
def test_ensembles_take_texts_as_labels(ensemble):
    model = clone(ensemble())
    assert model.fit(IRIS_X, SPECIES).score(IRIS_X, SPECIES) > 0.9


def bagging_in_processes(tree):
    return BaggingClassifier(make_pipeline(tree), n_estimators=4, n_jobs=2)


@pytest.mark.parametrize(
    ("ensemble", "target"),
    [
        (lambda tree: BaggingClassifier(tree, n_estimators=3), SPECIES),
        (lambda tree: VotingClassifier([("tree", tree)]), SPECIES),
        (lambda tree: VotingClassifier([("tree", tree)], voting="soft"), IRIS_Y),
        (lambda tree: CalibratedClassifierCV(tree, cv=3), IRIS_Y),
        (lambda tree: AdaBoostClassifier(tree, n_estimators=3), IRIS_Y),
        (lambda tree: OneVsOneClassifier(tree), SPECIES),
        (lambda tree: GridSearchCV(BaggingClassifier(tree), {}, error_score="raise"), SPECIES),
        *slow([(bagging_in_processes, SPECIES)]),
    ],
)
def test_ensembles_that_number_the_classes_ask_for_the_method(ensemble, target):
    refused = ensemble(ceiba.rpart(xval=0))
    with pytest.raises(ceiba.errors.OptionError, match=r'Use ceiba\.rpart\("class"\)'):
        refused.fit(IRIS_X, target)
    ensemble(ceiba.rpart("class", xval=0)).fit(IRIS_X, target)


def test_search_and_pipeline_take_an_estimator_without_a_method():
    search = GridSearchCV(make_pipeline(ceiba.rpart(xval=0)), {"rpart__cp": [0.01, 0.5]}, cv=3)
    assert search.fit(IRIS_X, SPECIES).best_params_ == {"rpart__cp": 0.01}
    assert search.score(IRIS_X, SPECIES) > 0.9
    numbers = search.fit(IRIS_X, IRIS_X["petal length (cm)"])
    assert numbers.score(IRIS_X, IRIS_X["petal length (cm)"]) > 0.9
