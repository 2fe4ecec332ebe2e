"""ceiba together with other libraries: containers as X, pipelines, shap, joblib, cloudpickle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba

ROWS: dict[str, list[Any]] = {
    "clouds": [8.0, 7.0, 6.0, 1.0, 0.0, None] * 4,
    "wind": ["west", "west", "east", "east", None, "west"] * 4,
}
RAIN = ["yes", "yes", "no", "no", "no", "yes"] * 4


def containers() -> list[Any]:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    return [ROWS, pd.DataFrame(ROWS), pl.DataFrame(ROWS), pl.LazyFrame(ROWS), pa.table(ROWS)]


def test_same_tree_from_every_container() -> None:
    trees = [ceiba.DecisionTreeClassifier().fit(X, RAIN).tree_ for X in containers()]
    assert all(tree == trees[0] for tree in trees)


def test_duckdb_relation_as_x() -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    import pyarrow as pa

    same = ceiba.DecisionTreeClassifier().fit(ROWS, RAIN)
    with duckdb.connect() as base:
        base.register("rows", pa.table({**ROWS, "RAIN": RAIN}))
        relation = base.sql("SELECT clouds, wind FROM rows")
        model = ceiba.DecisionTreeClassifier().fit(relation, RAIN)
        by_name = ceiba.DecisionTreeClassifier().fit(base.sql("SELECT * FROM rows"), "RAIN")
        answers = [model.predict(relation), model.tree_.predict(relation)]
    assert model.tree_ == same.tree_
    named = {**ROWS, "RAIN": RAIN}
    assert by_name.tree_ == ceiba.DecisionTreeClassifier().fit(named, "RAIN").tree_
    assert all(one.tolist() == same.predict(ROWS).tolist() for one in answers)


def test_pipeline_with_column_transformer() -> None:
    import pandas as pd
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    frame = pd.DataFrame(ROWS)
    before = ColumnTransformer(
        [("wind", OneHotEncoder(handle_unknown="ignore"), ["wind"])], remainder="passthrough",
        sparse_threshold=0,
    )  # fmt: skip
    model = make_pipeline(before, ceiba.DecisionTreeClassifier()).fit(frame, RAIN)
    assert (model.predict(frame) == np.array(RAIN)).all()


def test_shap_through_to_sklearn() -> None:
    shap = pytest.importorskip("shap", reason="shap is not installed")
    rng = np.random.default_rng(0)
    X = rng.integers(0, 20, size=(60, 3)).astype(float)
    y = 2.0 * X[:, 0] + X[:, 1]
    model = ceiba.DecisionTreeRegressor(max_depth=3).fit(X, y)
    values = shap.TreeExplainer(model.tree_.to_sklearn()).shap_values(X)
    whole = values.sum(axis=1) + model.tree_.value[0, 0, 0]
    np.testing.assert_allclose(whole, model.predict(X), rtol=1e-6)


@pytest.mark.parametrize("way", ["joblib", "cloudpickle", "model file"])
def test_fitted_model_travels(way: str, tmp_path: Path) -> None:
    model = ceiba.DecisionTreeClassifier(prune="1se", missing="surrogate").fit(ROWS, RAIN)
    if way == "joblib":
        import joblib

        joblib.dump(model, tmp_path / "m")
        back = joblib.load(tmp_path / "m")
    elif way == "cloudpickle":
        import cloudpickle

        back = cloudpickle.loads(cloudpickle.dumps(model))
    else:
        model.save(tmp_path / "m.ceiba")
        back = ceiba.load(tmp_path / "m.ceiba")
    assert back.tree_ == model.tree_
    assert back.predict(ROWS).tolist() == model.predict(ROWS).tolist()
    assert str(back.pruning_table_) == str(model.pruning_table_)


@pytest.mark.parametrize("name", ["CostComplexity", "ChiSquare", "Pessimistic"])
def test_pruning_object_travels_in_the_model_file(name: str, tmp_path: Path) -> None:
    from ceiba import prune

    model = ceiba.DecisionTreeClassifier(prune=getattr(prune, name)()).fit(ROWS, RAIN)
    model.save(tmp_path / "m.ceiba")
    assert repr(ceiba.load(tmp_path / "m.ceiba")) == repr(model)
