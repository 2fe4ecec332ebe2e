"""The functions of rpart under their names, formulas, control and parms."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_diabetes, load_iris

import ceiba
from ceiba.errors import DataError, OptionError, TreeError
from ceiba.families.rpart.formula import read_formula
from ceiba.families.rpart.rows import scale_times


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


def test_left_son_has_the_smaller_mean_of_the_rows_that_the_split_placed():
    swapped = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(150, 3)).round(1)
        X = {f"x{j}": np.where(rng.random(150) < 0.3, np.nan, x[:, j]) for j in range(3)}
        time = rng.uniform(0.1, 9, 150)
        events = rng.poisson(np.exp(0.3 * x[:, 0]))
        method, exposure = [("anova", None), ("poisson", time)][seed % 2]
        model = ceiba.rpart(method, xval=0, minsplit=8, cp=0.002)
        model.fit(X, events, **({"exposure": time} if exposure is not None else {}))
        tree, numbers = model.tree_, model.node_numbers_.tolist()
        path = model.decision_path(X).toarray().astype(bool)
        weight = np.ones(150) if exposure is None else time
        swapped += len(model._training["swapped"])
        for node in np.flatnonzero(~tree.is_leaf):
            placed = ~np.isnan(X[tree.schema.names[tree.splits.column[node]]])
            rate = {
                numbers[child]: events[here].sum() / weight[here].sum()
                for child in np.flatnonzero(tree.parent == node)
                if (here := path[:, child] & placed).any()
            }
            left, right = 2 * numbers[node], 2 * numbers[node] + 1
            assert rate[left] <= rate[right] * (1 + 1e-12)
        assert [n.node for n in model.summary().nodes] == sorted(numbers)
    assert swapped > 0


def test_snip_and_path_take_rs_numbers(model):
    snipped = model.snip(3)
    assert 6 not in snipped.node_numbers_.tolist()
    assert 3 in snipped.node_numbers_.tolist()
    assert model.path([1, 3])[1] == ["root"]
    assert len(model.path(3)[3]) == 2
    with pytest.raises(TreeError, match="Node 99 not found"):
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
    with pytest.raises(OptionError, match="not supported with method='anova'"):
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
    with pytest.raises(OptionError, match="passed twice"):
        ceiba.rpart(cp=0.1, control={"cp": 0.2})
    with pytest.raises(OptionError, match="'minsplits' is not an option of `control`.*minsplit"):
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


def test_survival_times_are_scaled_to_a_hazard_of_one():
    rng = np.random.default_rng(0)
    time, status = rng.weibull(2.0, 400) + 0.01, rng.random(400) < 0.7
    scaled = scale_times(time, status)
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
        ([1.0, 2.0], [0, 0], "at least one row must have an event"),
        ([1.0, 2.0], [1, 3], "status must be 1.*got 3"),
    ],
)
def test_wrong_survival_data_are_refused(time, status, message):
    with pytest.raises(DataError, match=message):
        scale_times(time, status)
    with pytest.raises(DataError, match="two columns"):
        ceiba.rpart("exp").fit([[1], [2]], [1.0, 2.0])


def test_reprune_advises_what_rpart_takes():
    X, y = np.arange(60.0).reshape(-1, 1), ["a", "b", "c"] * 5 + ["a"] * 25 + ["b"] * 20
    model = ceiba.rpart().fit(X, y)
    for refused in (lambda: model.reprune(rule="1se"), lambda: model.reprune(cp=0.9).reprune(cp=0)):
        with pytest.raises(ceiba.OptionError, match=r"a cp from cp_table_, as in reprune\(cp="):
            refused()
    assert model.reprune(cp=1.0).get_n_leaves() == 1


# ---------------------------------------------------------------------- beside rpart 4.1.19

EVENTS = np.array([0, 1, 0, 2, 1, 0, 1, 3, 0, 2, 1, 2, 4, 3, 2, 6, 3, 5, 2, 7, 4, 6, 3, 5])


@pytest.fixture(scope="module")
def data():
    x, time = np.arange(1, 25), np.tile([1, 2, 0.5, 1.5], 6)
    columns = {"x": x, "z": np.tile([3, 1, 2, np.nan, 4, 6], 4), "kind": list("abcd") * 6}
    columns |= {"events": EVENTS, "time": time, "pay": 1000 * EVENTS**3 + 12.5 * x}
    return pd.DataFrame(columns | {"status": 1 + (EVENTS > 2), "t2": time + x / 100})


def small(method=None):
    return ceiba.rpart(method, minsplit=6, minbucket=7, cp=0.02, xval=0)


@pytest.mark.parametrize(
    ("method", "formula", "lines"),
    [
        (
            "anova",
            "pay ~ x + z + kind",
            [
                "1) root 24 182892800000  54531.25",
                "  2) x< 15.5 15   4246652000  10366.67 *",
                "  3) x>=15.5 9 100625700000 128138.90 *",
            ],
        ),
        (
            "poisson",
            "cbind(time, events) ~ x + z + kind",
            [
                "1) root 24 39.996360 2.1000000",
                "  2) x< 12.5 12 11.591480 0.9046154 *",
                "  3) x>=12.5 12  5.243081 3.2953850 *",
            ],
        ),
        (
            "exp",
            "Surv(t2, status) ~ x + z + kind",
            [
                "1) root 24 20.697970 1.0000000",
                "  2) kind=b,d 12  8.504162 0.7280931 *",
                "  3) kind=a,c 12  6.930086 2.4846020 *",
            ],
        ),
        (
            "exp",
            "Surv(t2, status == 2) ~ x + z + kind",
            [
                "1) root 24 20.697970 1.0000000",
                "  2) kind=b,d 12  8.504162 0.7280931 *",
                "  3) kind=a,c 12  6.930086 2.4846020 *",
            ],
        ),
        (
            "poisson",
            "Surv(t2, status) ~ x + z + kind",
            [
                "1) root 24 15.086420 0.3333333",
                "  2) x< 12.5 12  4.925463 0.1064963 *",
                "  3) x>=12.5 12  2.743244 0.5440158 *",
            ],
        ),
        (
            None,
            "log(pay + 1) ~ . - events",
            [
                "1) root 24 190.221300  8.835494",
                "  2) status< 1.5 13  62.378800  6.790614 *",
                "  3) status>=1.5 11   9.238917 11.252170 *",
            ],
        ),
        (
            None,
            "sqrt(events) ~ log(x) + I(z^2/(1 + z)) + factor(kind) + (time + status)",
            [
                "1) root 24 14.787600 1.4173390",
                "  2) status< 1.5 13  4.571651 0.8516206 *",
                "  3) status>=1.5 11  1.138524 2.0859150 *",
            ],
        ),
    ],
)
def test_to_r_prints_what_r_prints(data, method, formula, lines):
    """Recorded from rpart 4.1.19; without a method, of which R makes "anova" here."""
    assert small(method).fit(formula, data).to_r().split("\n")[5:] == lines


def test_printcp_prints_the_figures_of_r(data, capsys):
    for method, formula, whole, table in [
        ("anova", "pay ~ x + z + kind", "1.8289e+11/24 = 7620534049", "0.42659      0   1.00000"),
        ("poisson", "cbind(time, events) ~ x", "39.996/24 = 1.6665", "0.5791      0    1.0000"),
        ("exp", "Surv(t2, status) ~ kind", "20.698/24 = 0.86242", "0.25431      0   1.00000"),
    ]:
        small(method).fit(formula, data).printcp()
        text = capsys.readouterr().out
        assert f"Root node error: {whole}\n" in text
        assert f"\n1 {table}\n" in text


def test_apparent_r_square_of_the_root_is_zero():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(97, 3))
        model = ceiba.rpart("anova", xval=0).fit(X, X[:, 0] * 1e7 + rng.normal(size=97))
        assert model.rsq()["apparent"][0] == 0.0


# ---------------------------------------------------------------------- formulas


@pytest.mark.parametrize("left", ["pay", "log(pay)", "sqrt(I(pay + x))", "pay > 500"])
def test_every_name_of_the_left_side_leaves_the_dot(data, left):
    columns, _ = read_formula(f"{left} ~ .", data)
    gone = {"pay"} | ({"x"} if "x" in left else set())
    assert list(columns) == [name for name in data.columns if name not in gone]


FRAMES = [
    lambda frame: frame[frame.columns[::-1]],
    lambda frame: pl.from_pandas(frame),
    lambda frame: frame.to_dict("list"),
    lambda frame: frame.to_dict("records"),
]


@pytest.mark.parametrize("to", FRAMES)
@pytest.mark.parametrize(
    ("method", "formula"),
    [
        ("anova", "events ~ x + kind"),
        ("anova", "log(pay) ~ log(x) + I(x/(1 + z)) + factor(time) + (kind + z)"),
        ("class", "factor(status) ~ sqrt(x) + kind"),
        ("class", "kind ~ . - time - t2"),
        ("exp", "Surv(t2, status) ~ x + kind"),
        ("poisson", "cbind(time, events) ~ log(x) + kind"),
    ],
)
def test_model_of_a_formula_takes_the_training_frame(data, method, formula, to):
    model = small(method).fit(formula, data)
    frame = to(data)
    X, _ = read_formula(formula, data)
    known = small(method).fit(X, read_formula(formula, data)[1])
    assert model.tree_.splits == known.tree_.splits
    np.testing.assert_array_equal(model.predict(frame), known.predict(X))
    np.testing.assert_array_equal(model.apply(frame), known.apply(X))
    few = data.iloc[:2]
    np.testing.assert_array_equal(model.predict(few), model.predict(frame)[:2])
    row = data.iloc[0].to_dict()
    assert model.predict_one(row).answer == model.predict(few)[0]
    assert str(model.explain(row)) == str(known.explain({k: next(iter(v)) for k, v in X.items()}))
    evaluation = model.evaluate(frame)
    if method == "class":
        np.testing.assert_array_equal(model.predict_proba(frame), known.predict_proba(X))
        assert model.score(frame) == pytest.approx(1 - evaluation.error)
    else:
        assert model.score(frame) == pytest.approx(evaluation.r2)
    pruned = model.prune(cp=0.9)
    assert len(pruned.predict(frame)) == 24


def test_residuals_and_scores_name_the_target(data):
    model = small("anova").fit("events ~ x", data)
    residuals = data["events"] - model.predict(data)
    for y in (None, "events", data["events"]):
        np.testing.assert_allclose(model.residuals(data, y), residuals)
        assert model.score(data, y) == pytest.approx(1 - residuals.var() / data["events"].var())
        assert model.evaluate(data, y).mse == pytest.approx((residuals**2).mean())
    logs = small("anova").fit("log(pay) ~ x", data)
    np.testing.assert_allclose(logs.residuals(data), np.log(data["pay"]) - logs.predict(data))
    for use in (logs.residuals, logs.evaluate, logs.score):
        with pytest.raises(OptionError, match=r"must be 'log\(pay\)', the target of the model"):
            use(data, "pay")
    with pytest.raises(OptionError, match="y is required"):
        small("anova").fit(data[["x"]], data["events"]).evaluate(data[["x"]])


def test_rows_without_a_target_are_no_obstacle(data):
    holed = data.assign(events=data["events"].where(data.index != 3).astype(float))
    model = small("anova").fit("events ~ x", holed)
    assert np.flatnonzero(np.isnan(model.residuals(holed, "events"))).tolist() == [3]
    assert model.evaluate(holed).mse == pytest.approx(np.nanmean(model.residuals(holed) ** 2))
    gone = data.assign(t2=data["t2"].where(data.index != 3))
    survival = small("exp").fit("Surv(t2, status) ~ x", gone)
    assert survival.n_rows_dropped_ == 1
    left = small("exp").fit("Surv(t2, status) ~ x", data.drop(index=3))
    assert survival.to_r().split("\n")[2:] == left.to_r().split("\n")[2:]
    assert survival.to_r().startswith("n=23 (1 observation deleted due to missingness)\n")


def test_formula_and_data_are_fitted_at_once_as_in_r(data):
    model = ceiba.rpart("kind ~ x + z", data, minsplit=6, xval=0)
    known = ceiba.rpart("class", minsplit=6, xval=0).fit("kind ~ x + z", data)
    assert type(model) is type(known)
    assert model.tree_ == known.tree_
    weighted = ceiba.rpart(formula="events ~ .", data=data, method="poisson", weights="time")
    assert weighted.tree_.weight[0] == data["time"].sum()
    assert "time" not in weighted.tree_.schema.names
    for wrong in (lambda: ceiba.rpart("kind ~ x"), lambda: ceiba.rpart(data=data)):
        with pytest.raises(OptionError, match=r"Pass both: rpart\('y ~ a \+ b', data\)"):
            wrong()
    with pytest.raises(OptionError, match="passed twice"):
        ceiba.rpart("class", method="anova")
    with pytest.raises(OptionError, match=r"formula must be a string, got ndarray"):
        ceiba.rpart(np.zeros((3, 2)), np.zeros(3))


def test_terms_keep_what_they_compute_with():
    rng = np.random.default_rng(0)
    data = {"y": rng.normal(size=60), "x": rng.normal(size=60), "2": rng.normal(size=60)}
    data |= {"a b (c)": rng.normal(size=60), "name": ['"', "'", "b"] * 20}
    right = "I(x * 1234567.891) + I(x^2) + log(a b (c) + 9) + `2` + (name == '\"') + a b (c)"
    model = small("anova").fit(f"y ~ {right}", data)
    known = ["I(x * 1234567.891)", "I(x^2)", "log(`a b (c)` + 9)", "2", "name == '\"'", "a b (c)"]
    assert model.tree_.schema.names == tuple(known)
    X, _ = read_formula(f"y ~ {right}", data)
    np.testing.assert_array_equal(X["I(x * 1234567.891)"], data["x"] * 1234567.891)
    np.testing.assert_array_equal(X["name == '\"'"], [True, False, False] * 20)
    np.testing.assert_array_equal(model.predict(data), model.predict(X))
    with pytest.raises(DataError, match="a b"):
        model.predict({name: data[name] for name in ("x", "2", "name")})


def test_formula_may_name_thousands_of_columns():
    data = {f"x{j}": np.arange(30.0) for j in range(3000)} | {"y": np.arange(30.0)}
    columns, _ = read_formula("y ~ " + " + ".join(f"x{j}" for j in range(3000)), data)
    assert len(columns) == 3000
    with pytest.warns(ceiba.CeibaWarning, match="dropped"):
        assert list(read_formula("y ~ y + x1", data)[0]) == ["x1"]
    with pytest.raises(OptionError, match="nested too deeply"):
        read_formula("y ~ I(" + "+".join(["x1"] * 9000) + ")", data)


@pytest.mark.parametrize("term", ["x*z", "x:z", "poly(x, 2)", "(x + z)^2", "x %in% z", "x/z"])
def test_interactions_are_refused_in_the_words_of_r(data, term):
    with pytest.raises(OptionError, match=r"^Interactions and poly\(\) are not supported: "):
        small().fit(f"events ~ {term}", data)


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("events ~ log(kind)", r"Cannot compute log\(kind\): 'kind' contains strings"),
        ("events ~ sqr(x)", "function 'sqr' is not supported.*Did you mean 'sqrt'"),
        ("events ~ factor(x, 2)", "only factor\\(column\\) is supported"),
        ("events ~ log(xx)", "'xx', which is not a column"),
        ("events ~ sqrt(x, z)", "sqrt takes 1 argument"),
        ("events ~ log(x", r"expected ',' or '\)' in the arguments of 'log'"),
        ("events ~ x +", "unexpected end"),
        ("events ~ x z", "unexpected 'z'"),
        ("events ~ x $ z", r"unexpected '\$ z'"),
        ("events ~ offset(x)", "Pass exposure to fit"),
        ("events ~ " + "(" * 9000 + "x" + ")" * 9000, "nested too deeply"),
        ("Surv(t2) ~ x", "requires two columns, the time and the status"),
        ("Surv(t2, kind) ~ x", r"status must be numeric.*== \"dead\""),
        ("Surv(t2, events) ~ x", "Surv\\(time, status == 2\\)"),
    ],
)
def test_wrong_formula_is_a_clear_error(data, formula, words):
    with pytest.raises(ceiba.CeibaError, match=words):
        ceiba.rpart(xval=0).fit(formula, data)


def test_poisson_takes_time_and_events_in_every_form(data):
    known = small("poisson").fit(data[["x", "z"]], data["events"], exposure=data["time"])
    pair = np.stack([data["time"], data["events"]], axis=1)
    for model in (
        small("poisson").fit("Surv(time, events) ~ x + z", data),
        small("poisson").fit("events ~ x + z", data, exposure="time"),
        small("poisson").fit(data[["x", "z", "time", "events"]], ["time", "events"]),
        small("poisson").fit(data[["x", "z"]], pair),
        small().fit("cbind(time, events) ~ x + z", data),
    ):
        assert model.to_r() == known.to_r()
