"""One pass over the folds equals growing, pruning and predicting at every alpha'."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

import ceiba
from ceiba.errors import DataError, OptionError, TreeError
from ceiba.grow.options import GrowOptions
from ceiba.grow.problem import Problem
from ceiba.prune.cost_complexity import pruning_sequence
from ceiba.prune.cross_validation.validate import cross_validate
from ceiba.table import read, read_target
from tests.prune.tables import cross_validation_by_definition, problem

FOLDS = np.random.default_rng(3).permutation(np.arange(120) % 5)
COSTS = [[0, 1, 4], [2, 0, 1], [1, 3, 0]]

SETTINGS = [
    {},
    {"criterion": "entropy", "min_samples_leaf": 3},
    {"criterion": "error"},
    {"criterion": "squared_error"},
    {"criterion": "absolute_error", "min_samples_leaf": 2},
    {"criterion": "poisson"},
    {"class_prior": [0.2, 0.3, 0.5]},
    {"cost_matrix": COSTS},
    {"class_prior": [0.2, 0.3, 0.5], "cost_matrix": COSTS},
    {"categorical_splits": "multiway"},
    {"max_depth": 1},
]


@pytest.mark.parametrize("options", SETTINGS, ids=str)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_risk_and_standard_error_equal_those_by_definition(options, weighted):
    weight = np.random.default_rng(1).integers(1, 4, 120).astype(float) if weighted else None
    data = problem(options, weight=weight)
    cv = cross_validate(data.grow(), data, folds=FOLDS)
    risk, se = cross_validation_by_definition(data, FOLDS)
    np.testing.assert_allclose(cv.risk, risk, rtol=1e-10)
    np.testing.assert_allclose(cv.se, se, rtol=1e-8, atol=1e-14)


@pytest.mark.parametrize("missing", ["learn", "majority", "surrogate", "fractional"])
@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_holes_are_treated_as_the_tree_treats_them(missing, criterion):
    data = problem({"missing": missing, "criterion": criterion}, holes=0.2)
    cv = cross_validate(data.grow(), data, folds=FOLDS)
    risk, se = cross_validation_by_definition(data, FOLDS)
    np.testing.assert_allclose(cv.risk, risk, rtol=1e-10)
    np.testing.assert_allclose(cv.se, se, rtol=1e-8)


def test_rows_that_stay_in_a_node_are_told_its_answer():
    data = problem({"missing": ceiba.Surrogates(keep=0, otherwise="stay")}, holes=0.3)
    cv = cross_validate(data.grow(), data, folds=FOLDS)
    np.testing.assert_allclose(cv.risk, cross_validation_by_definition(data, FOLDS)[0])


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_sequence_of_impurity_is_judged_by_cost(criterion):
    data = problem({"criterion": criterion})
    cv = cross_validate(data.grow(), data, folds=FOLDS, risk="impurity")
    risk, _ = cross_validation_by_definition(data, FOLDS, risk="impurity")
    np.testing.assert_allclose(cv.risk, risk, rtol=1e-10)


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
@pytest.mark.parametrize("missing", ["learn", "fractional"])
def test_kept_predictions_have_the_risk_of_their_step(criterion, missing):
    data = problem({"criterion": criterion, "missing": missing}, holes=0.1)
    cv = cross_validate(data.grow(), data, folds=FOLDS)
    everything = cv.predictions()
    truth = data.target.values[:, 0]
    if criterion == "gini":
        truth = data.target.info.classes[0][truth]
    for k in range(len(cv)):
        predicted = cv.predictions(k)
        np.testing.assert_array_equal(everything[:, k], predicted)
        error = predicted != truth if criterion == "gini" else (predicted - truth) ** 2
        assert error.mean() == pytest.approx(cv.risk[k])


def test_confusion_q_and_class_costs_are_those_of_the_predictions():
    data = problem({"cost_matrix": COSTS, "class_prior": [0.2, 0.3, 0.5]})
    cv = cross_validate(data.grow(), data, folds=FOLDS)
    labels = data.target.info.classes[0]
    truth = labels[data.target.values[:, 0]]
    for k in range(len(cv)):
        predicted = cv.predictions(k)
        counts = [[np.sum((truth == t) & (predicted == s)) for s in labels] for t in labels]
        np.testing.assert_array_equal(cv.confusion(k), counts)
        q = np.array(counts) / np.sum(counts, axis=1, keepdims=True)
        np.testing.assert_allclose(cv.q(k), q)
        np.testing.assert_allclose(cv.class_cost(k), (q * COSTS).sum(axis=1))
        # R(T) = sum of R(j) pi(j)
        assert cv.class_cost(k) @ [0.2, 0.3, 0.5] == pytest.approx(cv.risk[k])


def iris(columns):
    X, y = load_iris(return_X_y=True)
    target = read_target(y, task="classification")
    return Problem(read(X[:, columns]), target, GrowOptions(task="classification"))


@pytest.mark.parametrize(
    ("columns", "errors"), [([2, 3], [7, 8, 7, 100]), ([0, 1, 2, 3], [9, 8, 8, 7, 100])]
)
def test_leave_one_out_errors_of_iris_are_those_of_the_monograph(columns, errors):
    data = iris(columns)
    cv = cross_validate(data.grow(), data, folds="leave-one-out")
    assert (cv.risk[:-1] * 150).round(9).tolist() == errors


def test_result_does_not_depend_on_threads():
    X, y = np.random.default_rng(0).normal(size=(3000, 8)), np.arange(3000) % 3
    target = read_target(y, task="classification")
    cv = []
    for n_jobs in (1, 4):
        options = GrowOptions(task="classification", n_jobs=n_jobs, max_depth=6)
        data = Problem(read(X), target, options)
        cv.append(cross_validate(data.grow(), data, folds=5))
    np.testing.assert_array_equal(cv[0].risk, cv[1].risk)
    np.testing.assert_array_equal(cv[0].predictions(0), cv[1].predictions(0))


@pytest.mark.parametrize("criterion", ["gini", "squared_error", "poisson"])
def test_weights_are_repeated_rows_with_copies_in_one_fold(criterion):
    weight = np.random.default_rng(5).integers(1, 4, 120)
    options = {"criterion": criterion, "frequency_weights": True}
    weighted = problem(options, weight=weight.astype(float))
    rows = np.repeat(np.arange(120), weight)
    repeated = Problem(weighted.table.take(rows), weighted.target.take(rows), weighted.options)
    a = cross_validate(weighted.grow(), weighted, folds=FOLDS)
    b = cross_validate(repeated.grow(), repeated, folds=FOLDS[rows])
    np.testing.assert_allclose(a.risk, b.risk, rtol=1e-10)
    np.testing.assert_allclose(a.se, b.se, rtol=1e-8)


def test_repeats_average_and_show_their_spread():
    data = problem()
    tree = data.grow()
    cv = cross_validate(tree, data, folds=5, repeats=3, random_state=4)
    assert cv.n_repeats == 3
    single = [
        cross_validate(tree, data, folds=folds)
        for folds in (_fold_ids(cv, repeat) for repeat in range(3))
    ]
    np.testing.assert_allclose(cv.risk, np.mean([one.risk for one in single], axis=0))
    np.testing.assert_allclose(cv.sd, np.std([one.risk for one in single], axis=0, ddof=1))
    assert np.isnan(single[0].sd).all()


def _fold_ids(cv, repeat):
    """Recover the folds of a repeat: five of 24 rows each, in the order they were done."""
    ids = np.empty(120, int)
    ids[cv.held_out[repeat].row] = np.repeat(np.arange(5), 24)
    return ids


def test_row_tested_twice_adds_no_certainty():
    data = problem()
    tree = data.grow()
    fold_of = FOLDS
    once = [(np.flatnonzero(fold_of != v), np.flatnonzero(fold_of == v)) for v in range(5)]
    one = cross_validate(tree, data, folds=once)
    two = cross_validate(tree, data, folds=once + once)
    np.testing.assert_allclose(two.risk, one.risk)
    np.testing.assert_allclose(two.se, one.se)


def test_rows_that_are_never_tested_have_no_prediction():
    data = problem()
    pairs = [(np.arange(60), np.arange(60, 90)), (np.arange(90), np.arange(90, 120))]
    cv = cross_validate(data.grow(), data, folds=pairs)
    predicted = cv.predictions(0)
    assert predicted[:60].tolist() == [None] * 60
    assert None not in predicted[60:].tolist()


def test_predictions_not_kept_are_refused_with_the_way_out():
    data = problem()
    cv = cross_validate(data.grow(), data, folds=3, keep=False)
    with pytest.raises(OptionError, match="keep=True"):
        cv.predictions(0)


def test_confusion_of_a_regression_is_refused():
    data = problem({"criterion": "squared_error"})
    cv = cross_validate(data.grow(), data, folds=3)
    with pytest.raises(OptionError, match="confusion requires a classification tree"):
        cv.confusion(0)


def test_step_beyond_the_sequence_is_refused():
    data = problem({"max_depth": 1})
    cv = cross_validate(data.grow(), data, folds=3)
    with pytest.raises(OptionError, match="step must be from -"):
        cv.predictions(99)


def test_progress_is_shown_only_on_request(capsys):
    data = problem({"max_depth": 2})
    cross_validate(data.grow(), data, folds=3)
    assert capsys.readouterr().err == ""
    cross_validate(data.grow(), data, folds=3, verbose=True)
    assert "fold 3 of 3" in capsys.readouterr().err


def test_tree_of_one_leaf_has_one_step():
    target = read_target(["a"] * 6, task="classification")
    data = Problem(read({"x": np.arange(6.0)}), target, GrowOptions(task="classification"))
    cv = cross_validate(data.grow(), data, folds=3)
    assert cv.risk.tolist() == [0.0]
    assert len(pruning_sequence(data.grow())) == 1


@pytest.mark.parametrize("power", [-990, 990])
def test_weights_in_other_units_give_the_same_risk_and_standard_error(power):
    plain = problem({}, weight=np.ones(120))
    other = problem({}, weight=np.full(120, 2.0**power))
    expected = cross_validate(plain.grow(), plain, folds=FOLDS)
    cv = cross_validate(other.grow(), other, folds=FOLDS)
    np.testing.assert_array_equal(cv.risk, expected.risk)
    np.testing.assert_array_equal(cv.se, expected.se)


def test_frequencies_four_times_as_large_halve_the_standard_error():
    options = {"frequency_weights": True}
    plain, other = (problem(options, weight=np.full(120, k)) for k in (1.0, 4.0))
    expected = cross_validate(plain.grow(), plain, folds=FOLDS)
    cv = cross_validate(other.grow(), other, folds=FOLDS)
    np.testing.assert_array_equal(cv.se, expected.se / 2)


@pytest.mark.parametrize("make", [ceiba.DecisionTreeRegressor, ceiba.cart], ids=["plain", "cart"])
def test_one_se_choice_does_not_depend_on_the_scale_of_the_weights(make):
    X, y = load_diabetes(return_X_y=True)
    options = {"task": "regression"} if make is ceiba.cart else {"prune": "1se"}
    leaves = {
        make(**options).fit(X, y, sample_weight=np.full(442, scale)).get_n_leaves()
        for scale in (1.0, 1 / 442, 100.0)
    }
    assert leaves == {make(**options).fit(X, y).get_n_leaves()}


def test_one_se_choice_takes_frequencies_as_rows():
    X, y = load_diabetes(return_X_y=True)
    folds = np.random.default_rng(0).integers(0, 5, 442)
    weight = np.random.default_rng(1).integers(1, 4, 442)
    rows = np.repeat(np.arange(442), weight)

    def model(folds, **options):
        pruning = ceiba.prune.CostComplexity(folds=folds, rule="1se")
        return ceiba.DecisionTreeRegressor(prune=pruning, max_depth=5, **options)

    a = model(folds).fit(X, y, frequency=weight)
    b = model(folds[rows]).fit(X[rows], y[rows])
    np.testing.assert_allclose(a.pruning_table_["cv_se"], b.pruning_table_["cv_se"], rtol=1e-9)
    assert a.get_n_leaves() == b.get_n_leaves()


def test_standard_error_of_unequal_weights_is_that_of_kishs_number_of_rows():
    weight = np.random.default_rng(6).exponential(size=120)
    data = problem({}, weight=weight)
    cv = cross_validate(data.grow(), data, folds=FOLDS)
    wrong = cv.predictions(0) != data.target.info.classes[0][data.target.values[:, 0]]
    share = np.average(wrong, weights=weight)
    rows = weight.sum() ** 2 / (weight**2).sum()
    assert cv.se[0] == pytest.approx(np.sqrt(share * (1 - share) / rows), rel=1e-9)


def test_rpart_keeps_the_standard_error_of_r_which_shrinks_with_the_weights():
    X, y = load_diabetes(return_X_y=True)
    se = [
        ceiba.rpart(method="anova", random_state=0)
        .fit(X, y, sample_weight=np.full(442, scale))
        .cp_table_["relative_cv_se"]
        for scale in (1.0, 4.0)
    ]
    np.testing.assert_allclose(se[0], 2 * se[1], rtol=1e-9)


def test_fold_with_all_the_weight_is_refused_by_its_number():
    data = problem({}, weight=(FOLDS == 2).astype(float))
    with pytest.raises(DataError, match="Fold 3 of 5 must not hold out all rows"):
        cross_validate(data.grow(), data, folds=FOLDS)


def test_one_row_with_a_weight_has_nothing_to_validate():
    weight = np.zeros(150)
    weight[7] = 1.0
    X, y = load_iris(return_X_y=True)
    assert ceiba.cart().fit(X, y, sample_weight=weight).tree_.n_leaves == 1


def test_target_whose_squares_are_infinite_is_refused_with_the_way_out():
    y = np.linspace(-1e200, 1e200, 50)
    with pytest.raises(TreeError, match="Divide the target by a constant"):
        ceiba.cart(task="regression").fit(y.reshape(-1, 1), y)


def test_chaid_of_numbers_is_pruned_by_squared_error():
    """f_test values splits; held-out rows are judged by the loss of its nodes."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (80, 2)).astype(float)
    model = ceiba.chaid(task="regression", prune="cv").fit(X, X[:, 0] + rng.normal(size=80))
    assert model.get_n_leaves() > 1
