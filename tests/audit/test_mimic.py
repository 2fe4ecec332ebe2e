"""Fidelity of a tree that imitates a model, and where the model is wrong."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score, r2_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import ceiba
from ceiba.audit.error_analysis import find_segments
from ceiba.table import read


def loans(n: int = 600, seed: int = 0, classes: int = 2):  # type: ignore[no-untyped-def]
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(seed)
    frame = pandas.DataFrame(
        {
            "income": rng.normal(30, 8, n).round(1),
            "age": rng.integers(18, 80, n),
            "city": rng.choice(["Oslo", "Lima", "Rome"], n),
        }
    )
    score = frame["income"] / 8 + (frame["city"] == "Lima") + rng.normal(0, 1, n)
    cuts = np.quantile(score, np.arange(1, classes) / classes)
    return frame, np.array(["low", "middle", "high"])[np.searchsorted(cuts, score)]


def pipeline(model):  # type: ignore[no-untyped-def]
    columns = make_column_transformer((OneHotEncoder(), ["city"]), remainder=StandardScaler())
    return make_pipeline(columns, model)


@pytest.mark.parametrize("classes", [2, 3])
def test_fidelity_is_the_accuracy_against_the_model_on_held_out_rows(classes: int) -> None:
    X, y = loans(classes=classes)
    model = pipeline(LogisticRegression()).fit(X, y)
    mimic = ceiba.mimic(model, X, y, random_state=3)
    order = np.random.default_rng(3).permutation(len(X))
    test = np.sort(order[: round(0.3 * len(X))])
    rows = X.iloc[test]
    answers = mimic.model.predict(rows)
    assert mimic.fidelity == accuracy_score(model.predict(rows), answers)
    low, high = mimic.fidelity_interval
    assert low < mimic.fidelity < high
    assert mimic.accuracy is not None
    assert mimic.accuracy["accuracy"].tolist() == [
        accuracy_score(y[test], model.predict(rows)),
        accuracy_score(y[test], answers),
    ]
    assert sum(mimic.leaves["held-out rows"]) == len(test)
    for row in mimic.leaves:
        for i in row["example rows"]:
            assert mimic.model.predict(X.iloc[[i]])[0] != model.predict(X.iloc[[i]])[0]
    assert "agrees with the model on" in mimic.report().html


def test_probabilities_and_numbers_are_imitated_as_numbers() -> None:
    X, y = loans()
    model = pipeline(LogisticRegression()).fit(X, y)
    mimic = ceiba.mimic(model, X, of="probability", positive="low", leaves=5)
    assert mimic.model.get_n_leaves() <= 5
    test = np.sort(np.random.default_rng(0).permutation(len(X))[:180])
    share = model.predict_proba(X.iloc[test])[:, list(model.classes_).index("low")]
    assert mimic.fidelity == pytest.approx(r2_score(share, mimic.model.predict(X.iloc[test])))
    target = X["income"] * 2 + 1
    line = pipeline(LinearRegression()).fit(X, target)
    assert ceiba.mimic(line, X, target).accuracy is not None
    assert ceiba.mimic(line.predict(X), X).fidelity > 0.8


def test_a_model_may_be_a_function_a_column_or_a_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    X, y = loans()
    tree = ceiba.DecisionTreeClassifier(max_depth=2).fit(X, y)
    tree.save(tmp_path / "m.ceiba")
    figures = [
        ceiba.mimic(model, X).fidelity
        for model in (tree, tree.predict, tree.predict(X), tmp_path / "m.ceiba", tree.tree_)
    ]
    assert len(set(figures)) == 1
    assert figures[0] > 0.97


def test_an_optimal_tree_can_imitate() -> None:
    X, y = loans()
    model = pipeline(LogisticRegression()).fit(X, y)
    mimic = ceiba.mimic(model, X, search="optimal", max_depth=2)
    assert mimic.model.certificate_ is not None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"held_out": 1.5}, "held_out must be a float between 0 and 1"),
        ({"of": "both"}, "of must be 'answer' or 'probability'"),
        ({"positive": "low"}, "positive requires"),
        ({"leaves": 0}, "leaves must be a positive int, got 0"),
        ({"leaves": 3, "prune": "cv"}, "leaves or prune, not both"),
        ({"of": "probability", "positive": "x"}, "positive must be one of"),
    ],
)
def test_wrong_options_are_named(options: dict[str, object], message: str) -> None:
    X, y = loans()
    model = ceiba.DecisionTreeClassifier().fit(X, y)
    with pytest.raises(ceiba.OptionError, match=message):
        ceiba.mimic(model, X, **options)


def test_errors_of_a_foreign_model_are_ours() -> None:
    X, y = loans()
    model = LogisticRegression().fit(X[["income", "age"]].to_numpy(), y)
    with pytest.raises(ceiba.DataError, match="cannot predict X"):
        ceiba.mimic(model, X)
    with pytest.raises(ceiba.DataError, match="Predictions of model must have shape"):
        ceiba.mimic(lambda rows: [1, 2], X)
    with pytest.raises(ceiba.OptionError, match="got the class"):
        ceiba.mimic(LogisticRegression, X)


def test_model_gets_the_columns_that_it_was_fitted_on() -> None:
    X, y = loans()
    columns = ["age", "income"]
    model = LogisticRegression().fit(X[columns], y)
    expected = model.predict(X[columns])
    tree = ceiba.DecisionTreeClassifier(max_depth=2).fit(X[columns], y)
    for table in (X, pl.from_pandas(X), X.to_dict("list")):
        if not isinstance(table, dict):
            assert ceiba.compare(model, expected, table, y).mcnemar["disagree"] == 0
        for own in (tree, tree.tree_):
            assert ceiba.compare(own, tree.predict(X[columns]), table, y).mcnemar["disagree"] == 0


def test_columns_may_be_in_another_order() -> None:
    X, y = loans()
    tree = ceiba.DecisionTreeClassifier(max_depth=3).fit(X, y)
    back = X[X.columns[::-1]]
    for table in (back, pl.from_pandas(back), back.to_dict("list")):
        for own in (tree, tree.tree_):
            assert ceiba.compare(own, tree.predict(X), table, y).mcnemar["disagree"] == 0
    numbers = ["age", "income"]
    model = LogisticRegression().fit(X[numbers], y)
    found = ceiba.compare(model, model.predict(X[numbers]), X[numbers[::-1]], y)
    assert found.mcnemar["disagree"] == 0


def test_segments_of_errors_are_measured_on_rows_that_did_not_find_them() -> None:
    X, y = loans(2000)
    wrong = np.where(X["city"] == "Rome", "never", y)
    analysis = ceiba.analyze_errors(wrong, X, y)
    worst = analysis.segments.row(0)
    assert "Rome" in worst["condition"]
    assert worst["error"] == 1.0
    assert worst["p-value"] < 1e-6
    assert analysis.n_rows == 1000
    assert sum(analysis.segments["rows"]) == 1000
    assert analysis.tree.value[0, 0, 0] == pytest.approx(analysis.error)


def test_intervals_of_segments_cover_and_p_values_hold_their_level() -> None:
    """Errors at random: a segment differs by chance; one with 30 % is covered."""
    covered, rejected, n = 0, 0, 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        table = read(rng.normal(size=(400, 3)))
        figure = rng.random(400) < 0.3
        _, _, segments = find_segments(table, figure, seed, prune=None, max_leaf_nodes=4)
        rejected += min(segment.p_value for segment in segments) < 0.05
        for segment in segments:
            covered += segment.low <= 0.3 <= segment.high
            n += 1
    assert 0.93 <= covered / n <= 0.97
    assert rejected / 200 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)
