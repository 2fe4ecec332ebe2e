"""ceiba.rpart: parameters as in R, what is dropped, class order, exposure, costs, figures."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV

import ceiba
from ceiba.errors import DataError, OptionError
from ceiba.families.rpart.options import with_rpart_rules
from ceiba.options import ParameterError

IRIS_X, IRIS_Y = load_iris(return_X_y=True, as_frame=True)


def test_iris_gives_the_figures_of_r() -> None:
    model = ceiba.rpart("class", xval=0).fit(IRIS_X, IRIS_Y)
    assert model.cp_table_["cp"].tolist() == [0.5, 0.44, 0.01]
    assert model.cp_table_["relative_risk"] == pytest.approx([1, 0.5, 0.06])
    importance = [round(value, 5) for value in model.variable_importance_.values()]
    assert importance == [88.9694, 81.34496, 54.09606, 36.01309]  # rpart 4.1.19


def test_method_chooses_the_kind_of_estimator() -> None:
    assert is_classifier(ceiba.rpart("class"))
    assert is_regressor(ceiba.rpart("anova"))
    assert ceiba.rpart("poisson").method == "poisson"


@pytest.mark.parametrize(
    ("given", "sizes"),
    [({}, (20, 7)), ({"minsplit": 10}, (10, 3)), ({"minbucket": 5}, (15, 5))],
)
def test_minsplit_and_minbucket_follow_from_each_other(given, sizes) -> None:
    from ceiba.families.rpart.options import resolve_sizes

    model = ceiba.rpart("class", **given)
    assert resolve_sizes(model.minsplit, model.minbucket) == sizes


def test_parameters_are_those_of_r_and_can_be_set() -> None:
    model = ceiba.rpart("anova", cp=0.1).set_params(maxdepth=2)
    assert clone(model).get_params()["cp"] == 0.1
    assert clone(model).maxdepth == 2
    assert repr(model) == "RpartRegressor(cp=0.1, maxdepth=2)"


def test_grid_search_over_cp_works() -> None:
    search = GridSearchCV(ceiba.rpart("class", xval=0), {"cp": [0.001, 0.6]}, cv=3)
    assert search.fit(IRIS_X, IRIS_Y).best_params_ == {"cp": 0.001}


def test_pickled_model_predicts_and_tells_the_same() -> None:
    model = ceiba.rpart("class", xval=0).fit(IRIS_X, IRIS_Y)
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(IRIS_X) == model.predict(IRIS_X)).all()
    assert str(again.summary()) == str(model.summary())


@pytest.mark.parametrize(
    ("method", "wrong"),
    [
        ("class", {"shrink": 0.5}),
        ("anova", {"shrink": 0.5}),
        ("anova", {"prior": [0.5, 0.5]}),
        ("poisson", {"split": "information"}),
        ("anova", {"loss": [[0, 1], [1, 0]]}),
    ],
)
def test_parameter_of_another_method_is_refused(method, wrong) -> None:
    with pytest.raises(OptionError, match=f"is not supported with method={method!r}"):
        ceiba.rpart(method, **wrong)


@pytest.mark.parametrize(
    "wrong",
    [{"minsplit": 0}, {"cp": 2.0}, {"usesurrogate": 3}, {"split": "Gini"}, {"maxdepth": 0}],
)
def test_wrong_value_is_refused_by_name(wrong) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        ceiba.rpart("class", **wrong).fit(IRIS_X, IRIS_Y)


def test_unknown_method_is_refused_with_the_methods() -> None:
    with pytest.raises(ParameterError, match="'class', 'anova', 'poisson', 'exp'"):
        ceiba.rpart("survival")


# ---------------------------------------------------------------------- rows


def test_rows_without_target_or_without_any_value_are_dropped_and_counted() -> None:
    X = pd.DataFrame({"x": [1.0, 2, 3, 4, None, 5], "z": ["a", "b", None, "a", None, "b"]})
    y = ["p", "p", "q", None, "q", "q"]
    model = ceiba.rpart(minsplit=2, minbucket=1, xval=0).fit(X, y, sample_weight=np.arange(1, 7))
    assert model.n_rows_dropped_ == 2
    assert model.tree_.n_rows[0] == 4
    assert model.tree_.weight[0] == 1 + 2 + 3 + 6


def test_no_row_left_is_a_clear_error() -> None:
    with pytest.raises(DataError, match="At least one row must have a target and a non-missing"):
        ceiba.rpart("anova").fit({"x": [None, 1.0]}, [1.0, None])


def test_rows_of_weight_zero_are_counted_but_decide_nothing() -> None:
    X, y = {"x": [1.0, 2, 3, 4, 2.5]}, [0.0, 0, 1, 1, 99]
    model = ceiba.rpart("anova", minsplit=2, minbucket=1, xval=0)
    tree = model.fit(X, y, sample_weight=[1, 1, 1, 1, 0]).tree_
    assert tree.n_rows.tolist() == [5, 2, 3]
    assert tree.value[:, 0, 0].tolist() == [0.5, 0.0, 1.0]


def test_value_on_the_midpoint_goes_up_as_in_r() -> None:
    model = ceiba.rpart("anova", minsplit=2, minbucket=1, xval=0).fit({"x": [30.0, 32]}, [0.0, 1])
    assert model.predict({"x": [31.0]}).tolist() == [1.0]
    assert model.tree_.root.sentence(0) == "x < 31"


def test_unseen_level_goes_by_surrogates_as_a_missing_value_does() -> None:
    X = {"city": list("aaabbb") * 4, "x": [1.0, 2, 3, 7, 8, 9] * 4}
    y = [0.0, 0, 0, 1, 1, 1] * 4
    model = ceiba.rpart("anova", xval=0).fit(X, y)
    assert model.predict({"city": ["z", None], "x": [9.0, 9.0]}).tolist() == [1.0, 1.0]


# ---------------------------------------------------------------------- classes, priors, losses


@pytest.mark.parametrize(
    "y",
    [
        pd.Categorical(["good", "bad", "good"], categories=["good", "fair", "bad"]),
        pl.Series(["good", "bad", "good"], dtype=pl.Enum(["good", "fair", "bad"])),
        ceiba.table.Levels(["good", "bad", "good"], levels=["good", "fair", "bad"]),
    ],
)
def test_declared_categories_keep_their_order_as_factors_do(y) -> None:
    model = ceiba.rpart("class", xval=0).fit({"x": [1.0, 2, 3]}, y)
    assert model.classes_.tolist() == ["good", "bad"]
    assert model.tree_.counts[0, 0].tolist() == [2, 1]


def test_labels_without_a_declared_order_are_sorted() -> None:
    model = ceiba.rpart("class", xval=0).fit({"x": [1.0, 2, 3]}, ["good", "bad", "good"])
    assert model.classes_.tolist() == ["bad", "good"]


def test_loss_has_the_truth_in_rows_also_with_three_classes() -> None:
    # Everything in one leaf: the answer is the class of least expected cost. Truth c told a costs
    # 9: with the matrix transposed the answer would be another one.
    y = ["a"] * 5 + ["b"] * 3 + ["c"] * 2
    loss = [[0, 1, 2], [1, 0, 1], [9, 1, 0]]
    X = np.zeros((10, 1))
    model = ceiba.rpart("class", loss=loss, xval=0).fit(X, y)
    costs = np.array([5, 3, 2]) @ np.array(loss)  # of saying a, b, c
    assert costs.tolist() == [21, 7, 13]
    assert model.predict(X[:1]).tolist() == ["b"]
    assert model.tree_.risk[0] == pytest.approx(0.7)
    plain = ceiba.DecisionTreeClassifier(cost_matrix={("c", "a"): 9, ("a", "c"): 2}).fit(X, y)
    assert plain.predict(X[:1]).tolist() == ["b"]


def test_prior_changes_probabilities_and_risk() -> None:
    y = ["ill"] * 2 + ["well"] * 8
    X = np.zeros((10, 1))
    tree = ceiba.rpart("class", prior={"ill": 0.5, "well": 0.5}, xval=0).fit(X, y).tree_
    assert tree.value[0, 0] == pytest.approx([0.5, 0.5])
    assert tree.risk[0] == pytest.approx(0.5)


def test_cost_of_a_column_divides_its_improvement() -> None:
    X = {"dear": [1, 2, 3, 4] * 10, "cheap": [1, 2, 2, 4] * 10}
    y = [0, 0, 1, 1] * 10
    tree = ceiba.rpart("class", cost={"dear": 4}, xval=0).fit(X, y).tree_
    assert tree.schema.names[tree.splits.column[0]] == "cheap"


# ---------------------------------------------------------------------- poisson


def test_rates_lean_towards_the_overall_rate() -> None:
    X = {"x": [0.0] * 10 + [1.0] * 10}
    events, time = np.array([0] * 10 + [2] * 10), np.ones(20)
    model = ceiba.rpart("poisson", xval=0).fit(X, events, exposure=time)
    # a = 1, b = 1 / (20 events / 20 time) = 1
    assert model.tree_.value[1:, 0, 0] == pytest.approx([1 / 11, 21 / 11])
    free = ceiba.rpart("poisson", shrink=0, xval=0).fit(X, events)
    assert free.tree_.value[1:, 0, 0].tolist() == [0.0, 2.0]


def test_rates_are_events_per_time_whatever_the_time() -> None:
    rng = np.random.default_rng(0)
    x, time = rng.uniform(size=2000), rng.choice([1.0, 2.0, 5.0], 2000)
    events = rng.poisson((1 + 3 * (x > 0.5)) * time)
    model = ceiba.rpart("poisson", xval=0).fit({"x": x}, events, exposure=time)
    assert model.tree_.splits.cut[0] == pytest.approx(0.5, abs=0.01)
    assert model.predict({"x": [0.2, 0.9]}) == pytest.approx([1, 4], rel=0.1)


@pytest.mark.parametrize(
    ("shrink", "xerror", "xstd"),
    [
        (
            None,  # 0 then, as in R
            [0.434948416141928, 0.243979536968794, 0.267481210762403, 0.258819616620812],
            [0.1190293862402947, 0.0520511597654727, 0.0625989980291188, 0.0620455829074765],
        ),
        (
            1,
            [0.434948416141928, 0.244580583910589, 0.251927329498641, 0.239847644637508],
            [0.1190293862402947, 0.0534359091575292, 0.0641419444240048, 0.0637928697483539],
        ),
    ],
)
def test_error_sqrt_is_that_of_r(shrink, xerror, xstd) -> None:
    """rpart 4.1.19: cbind(t, e) ~ x + z, parms = list(method = "sqrt"), minsplit = 6, cp = 0.02."""
    X = {"x": np.arange(1.0, 25), "z": np.tile([3.0, 1, 2, 5, 4, 6], 4)}
    events = [0, 1, 0, 2, 1, 0, 1, 3, 0, 2, 1, 2, 4, 3, 2, 6, 3, 5, 2, 7, 4, 6, 3, 5]
    folds, weight = np.tile([1, 2, 3, 4], 6), np.tile([1.0, 1, 2], 8)
    model = ceiba.rpart(
        "poisson", error="sqrt", shrink=shrink, xval=folds, minsplit=6, cp=0.02
    ).fit(X, events, exposure=np.tile([1, 2, 0.5, 1.5], 6), sample_weight=weight)
    assert model.cp_table_["relative_cv_risk"][:4] == pytest.approx(xerror, rel=1e-12)
    assert model.cp_table_["relative_cv_se"][:4] == pytest.approx(xstd, rel=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("shrink", [1e-200, 0.3, 1.0])
def test_rates_without_any_event_are_zero(shrink) -> None:
    # All events weigh nothing, or lie in one fold: the rows that are left have none.
    X, events = {"x": np.arange(40.0)}, np.where(np.arange(40) < 4, 3, 0)
    weight, fold = np.where(events > 0, 0.0, 1.0), np.arange(40) // 4
    model = ceiba.rpart("poisson", shrink=shrink, xval=0).fit(X, events, sample_weight=weight)
    assert model.predict(X).tolist() == [0.0] * 40
    assert "0 events in time 36, rate 0" in str(model.summary())
    assert (model.predict(X, type="matrix") == 0).all()
    model = ceiba.rpart("poisson", shrink=shrink, xval=fold, minsplit=4).fit(X, events)
    assert np.isfinite(model.cp_table_["relative_cv_se"]).all()


@pytest.mark.parametrize(
    ("time", "words"),
    [([1.0, 0.0], "got 0.0 in row 1"), ([1.0], "one time for each of the 2 rows")],
)
def test_wrong_exposure_is_refused(time, words) -> None:
    with pytest.raises(DataError, match=words):
        ceiba.rpart("poisson").fit({"x": [1.0, 2]}, [0, 1], exposure=time)


def test_exposure_without_poisson_is_refused() -> None:
    with pytest.raises(OptionError, match="exposure is not supported with method="):
        ceiba.rpart("anova").fit({"x": [1.0, 2]}, [0.0, 1], exposure=[1, 1])


# ---------------------------------------------------------------------- the method of the target


@pytest.mark.parametrize(
    ("y", "method"),
    [
        ([18.0, 33.0, 18.0, 26.5], "anova"),
        (np.array([18, 33, 18, 26]), "anova"),
        (np.array([[18.0], [33.0], [18.0], [26.5]]), "anova"),
        (np.array([[1.0, 0], [1.0, 3], [2.0, 1], [1.0, 2]]), "poisson"),
        (["absent", "present", "absent", "absent"], "class"),
        ([True, False, True, True], "class"),
        (pd.Series([4, 6, 4, 6], dtype="category"), "class"),
    ],
)
@pytest.mark.filterwarnings("ignore:A column-vector y")
def test_without_a_method_the_target_decides_as_in_r(y, method) -> None:
    model = ceiba.rpart(xval=0, minsplit=2)
    assert model.fit({"x": [1.0, 2, 3, 4]}, y) is model
    assert model.method_ == method
    named = ceiba.rpart(method, xval=0, minsplit=2).fit({"x": [1.0, 2, 3, 4]}, y)
    assert model.tree_ == named.tree_


def test_named_column_of_numbers_means_anova() -> None:
    cars = {"Price": [9, 9, 20, 20] * 10, "Mileage": [33.0, 30.0, 19.0, 18.0] * 10}
    model = ceiba.rpart(xval=0).fit(cars, "Mileage")
    assert model.predict({"Price": [9]}) == pytest.approx([31.5])  # no class, a mean


def test_observation_times_mean_poisson() -> None:
    model = ceiba.rpart(xval=0, error="sqrt").fit({"x": [1.0, 2]}, [0, 1], exposure=[1, 1])
    assert (model.method, model.error) == ("poisson", "sqrt")


def test_parameter_of_another_method_than_the_targets_is_refused() -> None:
    with pytest.raises(OptionError, match="got method='anova' because y has numbers"):
        ceiba.rpart(split="information").fit({"x": [1.0, 2]}, [1.0, 2.0])


def test_search_over_an_estimator_without_a_method() -> None:
    search = GridSearchCV(ceiba.rpart(xval=0), {"cp": [0.001, 0.6]}, cv=3)
    assert search.fit(IRIS_X, IRIS_Y.astype(str)).best_params_ == {"cp": 0.001}


# ---------------------------------------------------------------------- surrogates, cp, figures


def test_surrogates_in_the_table_but_not_in_use_leave_rows_where_they_are() -> None:
    X = {"x": [1.0, 2, 3, 7, 8, 9, None] * 4, "z": [1.0, 2, 3, 7, 8, 9, 2] * 4}
    y = [0.0, 0, 0, 1, 1, 1, 0] * 4
    model = ceiba.rpart("anova", usesurrogate=0, cost={"z": 10}, xval=0).fit(X, y)
    tree = model.tree_
    assert len(tree.surrogates) > 0
    assert tree.n_rows[0] == 28
    assert tree.n_rows[1:].sum() == 24
    assert tree.apply({"x": [None], "z": [9.0]}).tolist() == [0]


def test_cp_below_zero_keeps_splits_that_do_not_lower_the_risk() -> None:
    X, y = {"x": [1.0, 2, 3, 4]}, ["a", "a", "a", "b"]
    sizes = {"minsplit": 2, "minbucket": 2, "xval": 0}
    assert ceiba.rpart("class", cp=-1, **sizes).fit(X, y).tree_.n_leaves == 2
    assert ceiba.rpart("class", cp=0, **sizes).fit(X, y).tree_.n_leaves == 1


def test_stop_by_risk_while_growing_changes_no_tree() -> None:
    from dataclasses import replace

    from ceiba.families.rpart.complexity import prune_by_cp

    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 4))
    y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
    model = ceiba.rpart("class", cp=0.02, minsplit=4, xval=0).fit(X, y)
    problem, _ = model._build_problem(X, y, None, None)
    options = with_rpart_rules(problem.options, min_risk_ratio=-1.0)
    whole = replace(problem, options=options).grow()
    assert whole.n_leaves > model.tree_.n_leaves
    assert prune_by_cp(whole, 0.02) == model.tree_


def test_importance_of_the_tree_counts_surrogates_on_request() -> None:
    model = ceiba.rpart("class", xval=0).fit(IRIS_X, IRIS_Y)
    own = model.tree_.importance(normalize=False)
    both = model.tree_.importance(normalize=False, surrogates=True)
    assert np.count_nonzero(own) == 2
    assert np.count_nonzero(both) == 4
    assert model.feature_importances_ == pytest.approx(own / own.sum())
