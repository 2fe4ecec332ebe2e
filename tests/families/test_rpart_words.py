"""The functions of rpart under their names, formulas, control and parms."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris

import ceiba
from ceiba.errors import DataError, OptionError, TreeError
from ceiba.families.rpart.formula import read_formula
from ceiba.families.rpart.survival import scaled_times


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.columns = ["sl", "sw", "pl", "pw"]
    return X, y


@pytest.fixture(scope="module")
def model(iris):
    return ceiba.rpart("class", cp=0.0, minsplit=5).fit(*iris)


def test_prune_is_the_model_of_that_cp(iris, model):
    for cp in (0.02, 0.45, 0.6, 1.0):
        smaller = model.prune(cp)
        assert smaller.tree_ == ceiba.rpart("class", cp=cp, minsplit=5, xval=0).fit(*iris).tree_
        rows = len(smaller.cp_table_)
        ours, whole = smaller.cp_table_, model.cp_table_
        np.testing.assert_allclose(ours["relative_cv_risk"], whole["relative_cv_risk"][:rows])
    assert model.prune(0.45).get_n_leaves() < model.get_n_leaves()
    with pytest.raises(OptionError, match="cp must be"):
        model.prune(-1)


def test_node_numbers_are_those_of_a_heap(model):
    numbers = model.node_numbers_
    tree = model.tree_
    assert numbers[0] == 1
    assert len(set(numbers.tolist())) == tree.n_nodes
    for node in range(1, tree.n_nodes):
        assert numbers[node] // 2 == numbers[tree.parent[node]]


def test_snip_and_path_take_rs_numbers(model):
    snipped = model.snip(3)
    assert 6 not in snipped.node_numbers_.tolist()
    assert 3 in snipped.node_numbers_.tolist()
    assert model.path([1, 3])[1] == ["root"]
    assert len(model.path(3)[3]) == 2
    with pytest.raises(TreeError, match="no node 99"):
        model.snip(99)


def test_predict_in_the_forms_of_r(iris, model):
    X, y = iris
    assert (model.predict(X, type="class") == model.predict(X)).all()
    assert (model.predict(X, type="vector") == model.predict(X) + 1).all()
    np.testing.assert_array_equal(model.predict(X, type="prob"), model.predict_proba(X))
    matrix = model.predict(X, type="matrix")
    assert matrix.shape == (150, 1 + 3 + 3 + 1)
    np.testing.assert_allclose(matrix[:, 4:7], model.predict_proba(X))
    with pytest.raises(OptionError, match="Did you mean 'prob'"):
        model.predict(X, type="probs")
    number = ceiba.rpart("anova", xval=0).fit(X, y * 1.0)
    assert (number.predict(X, type="vector") == number.predict(X)).all()
    with pytest.raises(OptionError, match="for method='class'"):
        number.predict(X, type="prob")


def test_residuals_and_rsq():
    X, y = load_diabetes(return_X_y=True)
    model = ceiba.rpart("anova", xval=5).fit(X, y)
    np.testing.assert_allclose(model.residuals(X, y), y - model.predict(X))
    rsq = model.rsq()
    expected = 1 - ((y - model.predict(X)) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    assert rsq["apparent"][-1] == pytest.approx(expected)
    assert "x relative" in rsq


def test_printcp_prints_what_r_prints(model, capsys):
    model.printcp()
    text = capsys.readouterr().out
    assert text.startswith("Classification tree:\nrpart(")
    assert "Root node error: 100/150 = 0.66667" in text
    assert "CP nsplit rel error" in text
    assert "n= 150" in text


def test_plotcp_draws_every_tree(model):
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot as plt

    ax = ceiba.plot.plotcp(model)
    assert len(ax.get_xticks()) == len(model.cp_table_)
    plt.close(ax.figure)
    with pytest.raises(OptionError, match="xval=10"):
        ceiba.plot.plotcp(ceiba.rpart(xval=0).fit([[1], [2]], [0, 1]))
    with pytest.raises(OptionError, match="plot_pruning"):
        ceiba.plot.plotcp(ceiba.DecisionTreeClassifier())


def test_control_and_parms_are_parameters_in_groups():
    grouped = ceiba.rpart(
        "class", control={"cp": 0.1, "minsplit": 5}, parms={"split": "information"}
    )
    assert (
        grouped.get_params()
        == ceiba.rpart("class", cp=0.1, minsplit=5, split="information").get_params()
    )
    with pytest.raises(OptionError, match="given twice"):
        ceiba.rpart(cp=0.1, control={"cp": 0.2})
    with pytest.raises(OptionError, match="control has no 'minsplits'.*minsplit"):
        ceiba.rpart(control={"minsplits": 3})


def test_formula_names_columns(iris):
    X, y = iris
    data = X.assign(kind=y)
    plain = ceiba.rpart("class", xval=0).fit(X[["pl", "pw"]], y)
    assert (
        ceiba.rpart("class", xval=0).fit("kind ~ pl + pw", data).tree_.splits == plain.tree_.splits
    )
    columns, target = read_formula("kind ~ . - sw - sl", data)
    assert list(columns) == ["pl", "pw"]
    assert target is not None
    with pytest.raises(DataError, match="'pll'.*'pl'"):
        read_formula("kind ~ pll", data)
    for wrong in ("kind ~", "~ pl", "kind ~ pl - pw", "kind ~ 1"):
        with pytest.raises(OptionError):
            read_formula(wrong, data)


def test_formula_that_computes_is_evaluated_by_formulaic(iris):
    pytest.importorskip("formulaic")
    X, y = iris
    columns, _ = read_formula("kind ~ log(pl) + pw", X.assign(kind=y))
    np.testing.assert_allclose(columns["log(pl)"], np.log(X["pl"]))


def test_survival_times_are_scaled_to_a_hazard_of_one():
    rng = np.random.default_rng(0)
    time, status = rng.weibull(2.0, 400) + 0.01, rng.random(400) < 0.7
    scaled = scaled_times(time, status)
    assert (np.argsort(scaled, kind="stable") == np.argsort(time, kind="stable")).all()
    assert status.sum() / scaled.sum() == pytest.approx(1.0)


def test_survival_tree_takes_time_and_status():
    rng = np.random.default_rng(1)
    n = 300
    x = rng.random(n)
    time = rng.exponential(1 / np.where(x > 0.5, 4.0, 1.0)) + 1e-6
    status = (rng.random(n) < 0.8).astype(int)
    frame = pd.DataFrame({"x": x, "z": rng.random(n), "time": time, "status": status})
    model = ceiba.rpart("exp", xval=0).fit(frame, ["time", "status"])
    assert model.tree_.root.split.column == "x"
    assert model.tree_.root.split.cut == pytest.approx(0.5, abs=0.05)
    low, high = model.predict(pd.DataFrame({"x": [0.1, 0.9], "z": [0.5, 0.5]}))
    assert high > 2 * low
    by_formula = ceiba.rpart("exp", xval=0).fit("Surv(time, status) ~ x + z", frame)
    assert by_formula.tree_.splits == model.tree_.splits
    guessed = ceiba.rpart(xval=0).fit("Surv(time, status) ~ x + z", frame)
    assert guessed.method == "exp"
    assert guessed.tree_ == by_formula.tree_


@pytest.mark.parametrize(
    ("time", "status", "message"),
    [
        ([1.0, 0.0], [1, 0], "above 0"),
        ([1.0, 2.0], [0, 0], "no row has status 1"),
        ([1.0, 2.0], [1, 2], "status is 1"),
    ],
)
def test_wrong_survival_data_are_refused(time, status, message):
    with pytest.raises(DataError, match=message):
        scaled_times(time, status)
    with pytest.raises(DataError, match="two columns"):
        ceiba.rpart("exp").fit([[1], [2]], [1.0, 2.0])


def test_reprune_advises_what_rpart_takes():
    X, y = np.arange(60.0).reshape(-1, 1), ["a", "b", "c"] * 5 + ["a"] * 25 + ["b"] * 20
    model = ceiba.rpart().fit(X, y)
    for refused in (lambda: model.reprune(rule="1se"), lambda: model.reprune(cp=0.9).reprune(cp=0)):
        with pytest.raises(ceiba.OptionError, match=r"cp_table_ and give its cp: reprune\(cp="):
            refused()
    assert model.reprune(cp=1.0).get_n_leaves() == 1
