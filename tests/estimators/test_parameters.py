"""Every wrong parameter is refused before the data are read, in scikit-learn's sentence."""

from __future__ import annotations

import numpy as np
import pytest

import ceiba
from ceiba import (
    DataError,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    DecisionTreeSurvival,
    OptionError,
)
from ceiba.estimators.parameters import PARAMETERS
from ceiba.options import ParameterError

X, Y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]

WRONG = [
    ("criterion", "squared_error"),
    ("splitter", 1),
    ("max_depth", 0),
    ("min_samples_split", 1),
    ("min_samples_leaf", 0.0),
    ("min_weight_fraction_leaf", 0.9),
    ("max_features", "auto"),
    ("random_state", -1),
    ("random_state", "today"),
    ("max_bins", 256),
    ("max_leaf_nodes", 1),
    ("min_impurity_decrease", -1),
    ("min_significance", 1.0),
    ("class_weight", "even"),
    ("ccp_alpha", -0.1),
    ("monotonic_cst", 1),
    ("interaction_cst", "triples"),
    ("n_jobs", 0),
    ("categorical_features", "all"),
    ("categorical_splits", "many"),
    ("missing", "drop"),
    ("unseen", "ignore"),
    ("max_competitors", None),
    ("class_prior", "equal"),
    ("cost_matrix", 3),
    ("column_cost", "high"),
    ("prune", 0.01),
    ("search", "best"),
    ("leaf_values", "best"),
    ("search", "best"),
    ("forced_splits", 3),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_wrong_parameter_is_refused_when_fitting(name, value):
    model = DecisionTreeClassifier(**{name: value})
    with pytest.raises(ParameterError) as caught:
        model.fit(X, Y)
    message = str(caught.value)
    assert f"The '{name}' parameter of DecisionTreeClassifier must be " in message
    assert f"Got {value!r} instead." in message


def test_every_parameter_has_a_check_and_a_wrong_value_here():
    assert set(DecisionTreeClassifier().get_params(deep=False)) == {name for name, _ in WRONG}
    for model in (DecisionTreeClassifier(), DecisionTreeRegressor(), DecisionTreeSurvival()):
        assert list(model.get_params(deep=False)) == sorted(PARAMETERS[model._task])


def test_every_default_passes_its_own_check():
    for model in (DecisionTreeClassifier(), DecisionTreeRegressor(), DecisionTreeSurvival()):
        for name, value in model.get_params().items():
            checks = PARAMETERS[model._task][name].allowed
            assert any(check.test(value) for check in checks), name


def test_survival_refuses_a_wrong_number_of_events():
    with pytest.raises(ParameterError, match="'min_events_leaf' parameter of DecisionTreeSurvival"):
        DecisionTreeSurvival(min_events_leaf=-1).fit(X, [1, 2, 3, 4])


def test_regressor_refuses_the_criterion_of_the_classifier():
    with pytest.raises(ParameterError, match="DecisionTreeRegressor must be a str among"):
        DecisionTreeRegressor(criterion="gini").fit(X, Y)


def test_class_weight_with_class_prior_is_refused():
    model = DecisionTreeClassifier(class_weight="balanced", class_prior=[0.5, 0.5])
    with pytest.raises(OptionError, match="Pass only one"):
        model.fit(X, Y)


def test_class_weight_with_an_array_of_priors_is_refused():
    model = DecisionTreeClassifier(class_weight="balanced", class_prior=np.array([0.5, 0.5]))
    with pytest.raises(OptionError, match="both change how much a class counts"):
        model.fit(X, Y)


@pytest.mark.parametrize(
    ("options", "weight", "y"),
    [
        ({"class_weight": {"a": 0.0, "b": 0.0}}, None, list("aab")),
        ({"class_weight": {"a": 0.0}, "search": "optimal", "max_depth": 2}, [1, 1, 0], list("aab")),
    ],
)
def test_rows_that_all_count_nothing_are_refused(options, weight, y):
    with pytest.raises(DataError, match="rows with a target have weight 0"):
        DecisionTreeClassifier(**options).fit([[1], [2], [3]], y, sample_weight=weight)


def test_rows_with_a_target_that_all_weigh_nothing_are_refused():
    with pytest.raises(DataError, match="rows with a target have weight 0"):
        DecisionTreeClassifier().fit(
            [[1], [2], [3]], [None, "a", None], sample_weight=[1, 0, 1], drop_missing_target=True
        )


def test_frequency_and_weights_together_are_refused():
    with pytest.raises(OptionError, match="Pass sample_weight or frequency"):
        DecisionTreeClassifier().fit(X, Y, sample_weight=[1, 1, 1, 1], frequency=[1, 1, 1, 1])


def test_class_weight_of_an_unknown_class_is_refused():
    with pytest.raises(ValueError, match="class_weight"):
        DecisionTreeClassifier(class_weight={7: 2.0}).fit(X, Y)


def test_numpy_numbers_are_numbers():
    model = DecisionTreeClassifier(max_depth=np.int64(1), ccp_alpha=np.float32(0.0))
    assert model.fit(X, Y).get_depth() == 1


def test_criterion_aliases_give_the_same_tree():
    first = DecisionTreeClassifier(criterion="log_loss").fit(X, Y).tree_
    assert first == DecisionTreeClassifier(criterion="entropy").fit(X, Y).tree_
    friedman = DecisionTreeRegressor(criterion="friedman_mse").fit(X, Y).tree_
    assert friedman == DecisionTreeRegressor().fit(X, Y).tree_


# ---------------------------------------------------------------------- weights and targets


def test_weights_all_zero_are_refused():
    with pytest.raises(ceiba.DataError, match="non-zero"):
        DecisionTreeClassifier().fit(X, Y, sample_weight=[0, 0, 0, 0])


def test_weights_that_are_negative_are_refused():
    with pytest.raises(ceiba.DataError, match="row 1"):
        DecisionTreeClassifier().fit(X, Y, sample_weight=[1, -1, 1, 1])


def test_scalar_weight_is_the_weight_of_every_row():
    tree = DecisionTreeClassifier().fit(X, Y, sample_weight=2.0).tree_
    assert tree.weight[0] == 8.0


def test_row_of_weight_zero_takes_no_part():
    model = DecisionTreeRegressor().fit([[1], [2]], [5.0, 9.0], sample_weight=[1, 0])
    assert model.get_n_leaves() == 1
    assert model.predict([[2]]).tolist() == [5.0]


def test_missing_target_is_refused():
    with pytest.raises(ceiba.DataError, match="contains NaN"):
        DecisionTreeRegressor().fit(X, [1.0, np.nan, 2.0, 3.0])


@pytest.mark.parametrize("missing", [None, np.nan])
def test_missing_target_is_dropped_on_request(missing):
    model = DecisionTreeClassifier()
    y = ["a", missing, "b", "b"]
    model.fit(X, y, sample_weight=[1, 100, 1, 1], drop_missing_target=True)
    assert model.n_rows_dropped_ == 1
    assert model.tree_.n_rows[0] == 3
    assert model.tree_.weight[0] == 3.0
    assert model.classes_.tolist() == ["a", "b"]


def test_missing_numbers_are_dropped_on_request():
    model = DecisionTreeRegressor().fit(X, [1.0, np.nan, 2.0, 3.0], drop_missing_target=True)
    assert model.tree_.n_rows[0] == 3


def test_drop_without_missing_target_drops_nothing():
    assert DecisionTreeClassifier().fit(X, Y, drop_missing_target=True).n_rows_dropped_ == 0


def test_drop_with_another_length_is_refused():
    with pytest.raises(ceiba.DataError, match=r"inconsistent numbers of samples: \[4, 2\]"):
        DecisionTreeClassifier().fit(X, ["a", None], drop_missing_target=True)


# ---------------------------------------------------------------------- priors and costs


def test_prior_moves_the_answer():
    X, y = [[1], [1], [1], [1]], ["a", "a", "a", "b"]
    assert DecisionTreeClassifier().fit(X, y).predict([[1]]) == "a"
    model = DecisionTreeClassifier(class_prior={"a": 0.2, "b": 0.8}).fit(X, y)
    assert model.predict([[1]]) == "b"
    assert model.predict_proba([[1]])[0].tolist() == pytest.approx([0.2, 0.8])


def test_cost_matrix_moves_the_answer_not_the_probabilities():
    X, y = [[1], [1], [1], [1]], ["a", "a", "a", "b"]
    model = DecisionTreeClassifier(cost_matrix={("b", "a"): 10}).fit(X, y)
    assert model.predict([[1]]) == "b"
    assert model.predict_proba([[1]])[0].tolist() == [0.75, 0.25]
