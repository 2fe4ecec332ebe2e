"""Reasons against a row: exact values against accepted rows, and changes that do what they say."""

from __future__ import annotations

import json

import numpy as np
import pytest

import ceiba
from ceiba.audit import reasons
from ceiba.tree.routing import route
from tests.audit.test_mimic import loans
from tests.trust.shapley_oracle import coalitions, shapley


def worth_against(tree, row, accepted):  # type: ignore[no-untyped-def]
    """Value of each coalition: unknown columns take their values from each accepted row."""
    names = list(row)
    worth = {}
    for known in coalitions(len(names)):
        mixed = {
            name: np.full(len(accepted[name]), row[name]) if j in known else accepted[name]
            for j, name in enumerate(names)
        }
        shares = route.predict_proba(tree, route.read(tree, mixed))
        worth[known] = shares.mean(axis=0)
    return worth


def test_contributions_equal_the_definition_against_accepted_rows() -> None:
    X, y = loans(300)
    model = ceiba.DecisionTreeClassifier(max_depth=3).fit(X, y)
    wanted = model.classes_[1]
    accepted = X[model.predict(X) == wanted]
    columns = {name: accepted[name].to_numpy() for name in X.columns}
    for i in np.flatnonzero(model.predict(X) != wanted)[:5].tolist():
        row = X.iloc[i].to_dict()
        phi = shapley(worth_against(model.tree_, row, columns), len(row))[:, 1]
        found = model.reasons(X.iloc[[i]], target=wanted, against=X)
        order = [reason.contribution for reason in found]
        assert order == sorted(order, reverse=True)
        for reason in found:
            j = list(row).index(reason.column)
            assert reason.contribution == pytest.approx(-phi[j], abs=1e-12)


def test_every_change_flips_the_answer_and_none_is_missed() -> None:
    X, y = loans(400, seed=5)
    model = ceiba.DecisionTreeClassifier(max_depth=4).fit(X, y)
    refused = X[model.predict(X) == model.classes_[0]]
    for i in range(20):
        row = refused.iloc[i].to_dict()
        for reason in model.reasons(row):
            tried = {
                "income": [*np.linspace(0, 70, 300), *X["income"]],
                "age": [*range(0, 120)],
                "city": ["Oslo", "Lima", "Rome"],
            }[reason.column]
            flips = [
                value
                for value in tried
                if model.predict_one({**row, reason.column: value}).answer == model.classes_[1]
            ]
            if reason.change is None:
                assert not flips
            else:
                changed = {**row, reason.column: reason.change.new}
                assert model.predict_one(changed).answer == model.classes_[1]


def test_protected_columns_are_refused_by_name() -> None:
    X, y = loans()
    model = ceiba.DecisionTreeClassifier(max_depth=3).fit(X, y)
    with pytest.raises(ceiba.OptionError, match="use protected columns, got 'income'"):
        model.reasons(X.iloc[[0]], protected=["income"])
    with pytest.raises(ceiba.OptionError, match="column not found: 'incom'"):
        model.reasons(X.iloc[[0]], protected=["incom"])
    fixed = model.reasons(X.iloc[[0]], fixed=["income"])
    assert all(reason.column != "income" for reason in fixed)


def test_many_rows_are_a_table_and_rows_with_the_wanted_answer_have_no_reasons() -> None:
    X, y = loans()
    model = ceiba.DecisionTreeClassifier(max_depth=3).fit(X, y)
    wanted = model.classes_[1]
    table = model.reasons(X[:40], target=wanted)
    has_it = np.flatnonzero(model.predict(X[:40]) == wanted)
    assert set(table["row"].tolist()).isdisjoint(has_it.tolist())
    assert table["rank"].max() <= 4
    found = reasons(model.tree_, X[:40], target=wanted)
    assert json.loads(json.dumps([r.to_dict() for r in found], default=str))


@pytest.mark.parametrize("lang", ["en", "es", "pt"])
def test_sentences_exist_in_three_languages(lang: str) -> None:
    tree = ceiba.tree.build(("income <= 20", {"no": 8, "yes": 2}, {"no": 1, "yes": 9}))
    text = str(tree.reasons({"income": 15}, lang=lang))
    assert text.startswith("1. income ")
    assert "income > 20" in text
    tree = ceiba.tree.build(("job in {a, b}", {"no": 8, "yes": 2}, {"no": 1, "yes": 9}),
                            levels={"job": ["a", "b", "c", "d"]})  # fmt: skip
    each = {"en": "in", "es": "en", "pt": "em"}[lang]
    text = str(tree.reasons({"job": "a"}, lang=lang))
    assert text.count(f"job {each} {{") == 2, text


def test_missing_values_and_rows_without_reasons_have_a_sentence() -> None:
    tree = ceiba.tree.build(("income <= 20", {"no": 8, "yes": 2}, {"no": 1, "yes": 9}))
    for lang, words in (
        ("en", "income is missing:"),
        ("es", "falta income:"),
        ("pt", "falta income:"),
    ):
        missing = tree.reasons({"income": None}, lang=lang)
        assert str(missing).startswith(f"1. {words}")
    assert str(tree.reasons({"income": 30}, target="yes")).startswith("The row already has")
    assert str(tree.reasons({"income": 15}, fixed=["income"])).startswith(
        "No allowed column counts against"
    )


def test_numbers_have_reasons_for_a_range() -> None:
    X, _ = loans()
    model = ceiba.DecisionTreeRegressor(max_depth=3).fit(X, X["income"] + X["age"])
    low = int(np.argmin(model.predict(X)))
    found = model.reasons(X.iloc[[low]], target=(80, None))
    assert found
    assert all(reason.contribution > 0 for reason in found)


def test_protected_column_of_a_surrogate_is_refused() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    X = {"x": np.where(rng.random(200) < 0.1, np.nan, x), "proxy": x + rng.normal(0, 0.1, 200)}
    model = ceiba.DecisionTreeClassifier(max_depth=1, missing="surrogate").fit(X, x > 0)
    used = X["x"] if model.tree_.splits.column[0] == 0 else X["proxy"]
    other = "proxy" if used is X["x"] else "x"
    with pytest.raises(ceiba.OptionError, match=f"use protected columns, got '{other}'"):
        model.reasons({"x": -1.0, "proxy": -1.0}, protected=[other])
