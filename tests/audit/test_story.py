"""The whole story on German credit: a black box, its errors, and a tree in its place."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

import ceiba

NAMES = [
    "account", "months", "history", "purpose", "amount", "savings", "employment", "rate", "status",
    "guarantor", "residence", "property", "age", "plans", "housing", "loans", "job", "dependants",
    "phone", "foreign", "risk",
]  # fmt: skip
PROTECTED = ["age", "status", "foreign"]


@pytest.fixture(scope="module")
def credit(data_folder: Path) -> pd.DataFrame:
    path = data_folder / "german_credit.csv"
    if not path.exists():
        pytest.skip("german_credit.csv is absent")
    frame = pd.read_csv(path, header=None, names=NAMES)
    return frame.assign(risk=frame["risk"].map({1: "good", 2: "bad"}))


def test_black_box_is_explained_and_replaced_by_a_tree(
    credit: pd.DataFrame, tmp_path: Path
) -> None:
    train, test = credit[:600], credit[600:].reset_index(drop=True)
    X, y = train.drop(columns="risk"), train["risk"]
    X_test, y_test = test.drop(columns="risk"), test["risk"]
    texts = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    encoder = make_column_transformer(
        (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), texts),
        remainder="passthrough",
    )
    box = make_pipeline(encoder, HistGradientBoostingClassifier(random_state=0)).fit(X, y)

    story = ceiba.mimic(box, X_test, y_test, leaves=8)
    assert story.model.get_n_leaves() <= 8
    assert 0.6 < story.fidelity <= 1
    assert "held-out rows" in story.report().html

    errors = ceiba.analyze_errors(box, X_test, y_test)
    low, high = errors.error_interval
    assert low < 1 - accuracy_score(y_test, box.predict(X_test)) < high

    allowed = [name for name in X if name not in PROTECTED]
    tree = ceiba.DecisionTreeClassifier(prune="1se", min_samples_leaf=20).fit(X[allowed], y)
    comparison = ceiba.compare(box, tree, X_test, y_test)
    figures = {row["figure"]: row for row in comparison.differences}
    answers = tree.predict(X_test[allowed])
    assert figures["error"]["second"] == pytest.approx(1 - accuracy_score(y_test, answers))
    score = box.predict_proba(X_test)[:, 1]
    assert figures["AUC"]["first"] == pytest.approx(roc_auc_score(y_test == "good", score))

    refused = X_test.loc[answers == "bad", allowed]
    for i in range(3):
        row = refused.iloc[i].to_dict()
        for reason in tree.reasons(row, target="good"):
            assert reason.contribution > 0
            if reason.change is not None:
                changed = row | {reason.column: reason.change.new}
                assert tree.predict_one(changed).answer == "good"

    card = tree.card(train=(X[allowed], y), test=(X_test[allowed], y_test))
    assert {row["column"] for row in card.sections["Training data"]} == set(allowed)  # type: ignore[index]
    database = sqlite3.connect(":memory:")
    X_test.to_sql("data", database, index_label="at")
    query = tree.export("sql", dialect="sqlite")
    said = pd.read_sql(f"SELECT * FROM ({query.rstrip().rstrip(';')}) ORDER BY at", database)
    assert np.array_equal(said["prediction"].to_numpy(), answers)
    tree.export("excel", tmp_path / "credit.xlsx", X=X_test[allowed])
    assert (tmp_path / "credit.xlsx").stat().st_size > 10_000
