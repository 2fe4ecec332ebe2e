"""A Pipeline around a tree, carried to the raw columns, answers as the Pipeline does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler

import ceiba
from ceiba.errors import OptionError
from ceiba.export.pipeline import pipeline_tree


def table(seed=0, n=400, holes=0.15):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 12, n).round(1),
            "debt": rng.exponential(3, n),
            "city": rng.choice(["Oslo", "Lima", "Rome"], n),
            "job": rng.choice(["a", "b", "c", "d"], n),
        }
    )
    y = (frame.age + 8 * (frame.city == "Oslo") - 5 * (frame.job == "b") + rng.normal(size=n)) > 42
    for name in ("age", "city"):
        frame[name] = frame[name].astype(object).where(rng.random(n) >= holes, np.nan)
    frame["age"] = frame["age"].astype(float)
    return frame, np.where(y, "yes", "no")


NUMBERS, TEXTS = ["age", "debt"], ["city", "job"]
STEPS = {
    "one hot": make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), NUMBERS),
        (make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(sparse_output=False)),
         TEXTS),
    ),
    "ordinal": make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median"), MinMaxScaler()), NUMBERS),
        (make_pipeline(SimpleImputer(strategy="most_frequent"), OrdinalEncoder()), TEXTS),
    ),
    "passthrough": make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="most_frequent"), OrdinalEncoder()), TEXTS),
        remainder="passthrough",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("depth", [2, 6])
def test_tree_on_raw_columns_answers_as_the_pipeline(name, depth):
    X, y = table()
    model = make_pipeline(STEPS[name], ceiba.DecisionTreeClassifier(max_depth=depth)).fit(X, y)
    tree = pipeline_tree(model)
    fresh, _ = table(seed=1)
    for frame in (X, fresh):
        np.testing.assert_array_equal(tree.predict(frame), model.predict(frame))
        np.testing.assert_array_equal(tree.predict_proba(frame), model.predict_proba(frame))
    assert set(tree.schema.names) == set(X.columns)


def test_cuts_are_exact_to_the_last_bit():
    X, y = table(holes=0.0)
    numbers = X[NUMBERS]
    model = make_pipeline(StandardScaler(), ceiba.DecisionTreeClassifier(max_depth=3))
    model = model.fit(numbers, y)
    tree = pipeline_tree(model)
    cut = float(tree.splits.cut[0])
    name = tree.schema.names[int(tree.splits.column[0])]
    edge = pd.DataFrame({c: [30.0] * 3 for c in NUMBERS})
    edge[name] = [cut, np.nextafter(cut, np.inf), np.nextafter(cut, -np.inf)]
    np.testing.assert_array_equal(tree.predict_proba(edge), model.predict_proba(edge))


def test_carried_tree_is_saved_and_exported(tmp_path):
    X, y = table()
    model = make_pipeline(STEPS["one hot"], ceiba.DecisionTreeClassifier(max_depth=3)).fit(X, y)
    tree = pipeline_tree(model)
    tree.save(tmp_path / "m.ceiba")
    assert ceiba.load(tmp_path / "m.ceiba") == tree
    module: dict = {}
    exec(tree.export("python"), module)
    rows = X.astype(object).where(X.notna(), None).to_dict("records")
    assert [module["predict"](row) for row in rows] == model.predict(X).tolist()


def test_unknown_steps_and_other_pipelines_are_refused():
    X, y = table(holes=0.0)
    model = make_pipeline(PCA(), ceiba.DecisionTreeClassifier()).fit(X[NUMBERS], y)
    with pytest.raises(OptionError, match="PCA is not known"):
        pipeline_tree(model)
    arrays = make_pipeline(StandardScaler(), ceiba.DecisionTreeClassifier())
    with pytest.raises(OptionError, match="fitted on a frame"):
        pipeline_tree(arrays.fit(X[NUMBERS].to_numpy(), y))
