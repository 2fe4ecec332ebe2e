"""predict_one gives the answers of predict, whatever the row comes as."""

from __future__ import annotations

import datetime
import io
import json
import math

import numpy as np
import pandas as pd
import pytest

import ceiba
from ceiba.errors import DataError, DataTypeError, SchemaError


def table(seed=0, n=300, holes=0.15):
    rng = np.random.default_rng(seed)
    start = datetime.datetime(2024, 1, 1, 12)
    day = [start + datetime.timedelta(hours=int(d)) for d in rng.integers(0, 999, n)]
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=n).round(2),
            "k": rng.integers(0, 6, n),
            "city": rng.choice(["Oslo", "Lima", "Rome", "Bern"], n),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n), ["S", "M", "L"], ordered=True),
            "flag": rng.random(n) < 0.5,
            "day": pd.to_datetime(day),
        }
    )
    signal = frame.x + (frame.city == "Oslo") + (frame["size"] == "L") + frame.flag + 0.3 * frame.k
    y = np.digitize(signal + rng.normal(scale=0.2, size=n), [1.0, 2.0])
    frame.loc[rng.random(n) < holes, "x"] = np.nan
    frame["city"] = frame["city"].astype(object).where(rng.random(n) >= holes, None)
    return frame, y


SETTINGS = [
    {},
    {"max_depth": 4, "missing": "majority"},
    {"missing": "surrogate"},
    {"missing": "fractional"},
    {"unseen": "missing"},
    {"categorical_splits": "multiway", "criterion": "entropy"},
    {"cost_matrix": [[0, 5, 5], [1, 0, 1], [1, 1, 0]]},
]


@pytest.mark.parametrize("options", SETTINGS)
def test_answers_are_those_of_predict(options):
    X, y = table()
    model = ceiba.DecisionTreeClassifier(**options).fit(X, y)
    tree = model.tree_
    fresh, _ = table(seed=1, n=30)
    fresh.loc[::7, "city"] = "Paris"  # not seen
    answers, proba, leaf = tree.predict(fresh), tree.predict_proba(fresh), tree.apply(fresh)
    rows = fresh.to_dict("records")
    for i, row in enumerate(rows):
        row = {key: None if isinstance(v, float) and math.isnan(v) else v for key, v in row.items()}
        row["day"] = row["day"].isoformat()
        one = model.predict_one(json.loads(json.dumps(row)))
        assert one.answer == answers[i]
        assert one.leaf == leaf[i]
        np.testing.assert_allclose(list(one.probability.values()), proba[i], atol=1e-15)


@pytest.mark.parametrize("options", SETTINGS[:6])
def test_frames_of_a_few_rows_are_answered_like_large_ones(options):
    X, y = table()
    model = ceiba.DecisionTreeClassifier(**options).fit(X, y)
    plain = X.drop(columns="day")
    other = ceiba.DecisionTreeClassifier(**options).fit(plain, y)
    for fitted, frame in ((model, X), (other, plain)):
        for at in range(0, 120, 3):
            part = frame.iloc[at : at + 3]
            assert (fitted.predict(part) == fitted.tree_.predict(part)).all()
            assert (fitted.predict_proba(part) == fitted.tree_.predict_proba(part)).all()


def test_regression_and_several_outputs():
    X, y = table(holes=0.0)
    number = ceiba.DecisionTreeRegressor(max_depth=3).fit(X, y * 1.5)
    row = X.iloc[3].to_dict()
    one = number.predict_one(row)
    assert (one.answer, one.probability) == (number.predict(X)[3], None)
    both = ceiba.DecisionTreeClassifier(max_depth=3).fit(X, np.stack([y, y > 0], axis=1))
    assert both.predict_one(row).answer == tuple(both.predict(X)[3])


def test_row_needs_only_the_columns_on_its_way():
    tree = ceiba.tree.build(("clouds <= 4.5", "no", ("wind <= 3", "no", "yes")))
    assert tree.predict_one({"clouds": 2}).answer == "no"
    assert tree.predict_one({"clouds": 9, "wind": 9, "id": "x"}).answer == "yes"
    with pytest.raises(DataError, match="no column 'wind', which the prediction requires.*'winds'"):
        tree.predict_one({"clouds": 9, "winds": 3})
    assert tree.predict_one([9, 9]).answer == "yes"
    assert tree.predict_one(pd.Series({"wind": 1, "clouds": 9})).answer == "no"


@pytest.mark.parametrize("wrong", ["clouds", 3, None])
def test_what_is_no_row_is_refused(wrong):
    tree = ceiba.tree.build(("clouds <= 4.5", "no", "yes"))
    with pytest.raises(DataTypeError, match="requires a dict"):
        tree.predict_one(wrong)
    with pytest.raises(DataError, match="2 values"):
        tree.predict_one([1, 2])


def test_unseen_and_missing_values_may_be_errors():
    X = {"c": ["a", "b"] * 5}
    model = ceiba.DecisionTreeClassifier(missing="error", unseen="error").fit(X, [0, 1] * 5)
    assert model.predict_one({"c": "b"}).answer == 1
    with pytest.raises(DataError):
        model.predict_one({"c": None})
    with pytest.raises((DataError, SchemaError)):
        model.predict_one({"c": "z"})


def test_dicts_are_matched_by_name_and_frames_if_asked():
    X, y = table(holes=0.0)
    X = X.drop(columns="day")
    model = ceiba.DecisionTreeClassifier(max_depth=4).fit(X, y)
    expected = model.predict(X)
    turned = {name: X[name].tolist() for name in [*X.columns[::-1]]} | {"id": list(range(len(X)))}
    assert (model.predict(turned) == expected).all()
    assert (model.predict([{**row, "id": 1} for row in X.to_dict("records")]) == expected).all()
    frame = X[X.columns[::-1]].assign(id=1)
    with pytest.raises(SchemaError):
        model.predict(frame)
    by_name = ceiba.DecisionTreeClassifier(max_depth=4).fit(X.to_dict("list"), y)
    assert (by_name.predict(frame) == expected).all()
    assert (by_name.predict(frame.iloc[:2]) == expected[:2]).all()


def test_input_schema_accepts_the_rows_and_refuses_others():
    X, y = table()
    tree = ceiba.DecisionTreeClassifier(max_depth=4).fit(X, y).tree_
    schema = tree.input_schema()
    assert json.loads(json.dumps(schema)) == schema
    assert schema["properties"]["city"] == {
        "type": ["string", "null"],
        "examples": ["Bern", "Lima", "Oslo", "Rome"],
    }
    assert schema["properties"]["day"]["format"] == "date-time"
    assert set(schema["required"]) == {tree.schema.names[j] for j in tree.used_features}
    strict = ceiba.DecisionTreeClassifier(missing="error", unseen="error").fit(
        {"c": ["a", "b"]}, [0, 1]
    )
    assert strict.tree_.input_schema()["properties"]["c"] == {"type": "string", "enum": ["a", "b"]}


def test_model_goes_through_buffers_with_its_metadata():
    X, y = table(holes=0.0)
    model = ceiba.DecisionTreeClassifier(max_depth=3).fit(X, y)
    for compress in (False, True):
        file = io.BytesIO()
        model.save(file, metadata={"owner": "me"}, compress=compress)
        about = ceiba.read_metadata(file.getvalue())
        assert about["metadata"] == {"owner": "me"}
        assert about["class"] == "DecisionTreeClassifier"
        assert about["columns"] == list(X.columns)
        file.seek(0)
        again = ceiba.load(file)
        assert again.metadata_ == {"owner": "me"}
        assert again.tree_ == model.tree_
    with pytest.raises(ceiba.ModelFileError, match="binary mode"):
        ceiba.load(io.StringIO("{}"))
    with pytest.raises(ceiba.ModelFileError, match="not a ceiba model file"):
        ceiba.read_metadata(b"{}")


def test_rule_sets_are_saved_and_exported():
    X, y = table()
    X = X.drop(columns="day")
    for options in ({}, {"missing": "surrogate"}):
        base = ceiba.DecisionTreeClassifier(min_samples_leaf=5, **options)
        rules = ceiba.RuleSet(base).fit(X, y)
        file = io.BytesIO()
        rules.save(file, metadata={"a": 1})
        again = ceiba.load(file.getvalue())
        assert again.metadata_ == {"a": 1}
        assert str(again) == str(rules)
        assert (again.predict(X) == rules.predict(X)).all()
        assert (again.predict_proba(X) == rules.predict_proba(X)).all()
        module: dict = {}
        exec(rules.export("python"), module)
        plain = X.astype(object).where(X.notna(), None).to_dict("records")
        assert [module["predict"](row) for row in plain] == rules.predict(X).tolist()
    assert rules.export("text").startswith("Rule 1: ")
    duckdb = pytest.importorskip("duckdb")
    t = X.assign(size=X["size"].astype(str))
    query = f"SELECT {rules.export('sql')} AS answer FROM t"
    assert duckdb.sql(query).df()["answer"].tolist() == rules.predict(X).tolist()
    assert len(t)
    with pytest.raises(ceiba.OptionError, match="Allowed values: text, python, sql"):
        rules.export("pmml")


@pytest.mark.parametrize("unseen", ["majority", "missing", "error", "default"])
@pytest.mark.parametrize("left_out", ["target", "weight"])
def test_model_takes_its_own_training_frame(left_out, unseen):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(5, 20))
        out = rng.random(n) < 0.4
        out[:3] = True, False, False
        frame = pd.DataFrame({
            "text": pd.Series([f"L{k % 3}" if out[k] else None for k in range(n)], dtype=object),
            "mixed": pd.Series(["out" if out[k] else "ab"[k % 2] for k in range(n)], dtype=object),
            "number": [float(k) if out[k] else np.nan for k in range(n)],
            "x": rng.normal(size=n),
        })  # fmt: skip
        y = np.array(["pq"[k % 2] for k in range(n)], dtype=object)
        model = ceiba.DecisionTreeClassifier(max_depth=3, unseen=unseen)
        if left_out == "target":
            y[out] = None
            model.fit(frame, y, drop_missing_target=True)
        else:
            model.fit(frame, y, sample_weight=np.where(out, 0.0, 1.0))
        kinds = [column.kind.value for column in model.tree_.schema.columns]
        assert kinds == ["categorical", "categorical", "numeric", "numeric"]
        whole = model.predict(frame)
        assert [model.predict(frame[k : k + 1])[0] for k in range(n)] == whole.tolist()


def test_few_rows_are_refused_as_many_are():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [1.0, 5.0, 2.0], "s": ["a", "b", "a"]})
    model = ceiba.DecisionTreeClassifier(max_depth=1).fit(frame, [0, 1, 1])
    for wrong in ({"x": "text"}, {"y": "text"}, {"s": 1}, {"y": pd.Timestamp("2024-01-01")}):
        few = frame[:2].assign(**wrong)
        for rows in (few[:1], few, pd.concat([few] * 4, ignore_index=True)):
            with pytest.raises(ceiba.errors.SchemaError, match=repr(next(iter(wrong)))):
                model.predict(rows)
