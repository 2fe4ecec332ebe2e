"""A Pipeline around a tree, carried to the raw columns, answers as the Pipeline does."""

from __future__ import annotations

import ctypes
import io
import pickle
import shutil
import sqlite3
import subprocess

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)

import ceiba
from ceiba.errors import DataError, OptionError, TreeError
from ceiba.export import pipeline_tree
from tests.export.drawn_trees import Drawn
from tests.export.runtimes import compare_c

NUMBERS, TEXTS, CODES = ["age", "debt"], ["city", "job"], ["rank"]


def table(seed=0, n=400, holes=0.15, unknown=False):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 12, n).round(1),
            "note": rng.choice(["x", "y"], n),
            "debt": rng.exponential(3, n),
            "city": rng.choice(["Oslo", "Lima", "Rome"], n, p=[0.5, 0.3, 0.2]),
            "job": rng.choice(["a", "b", "c", "d"], n),
            "rank": rng.integers(1, 5, n),
        }
    )
    y = frame.age + 8 * (frame.city == "Oslo") - 5 * (frame.job == "b") + 3 * (frame["rank"] == 2)
    y = (y + rng.normal(size=n)) > 42
    for name in ("age", "city"):
        gone = rng.random(n) < holes
        frame[name] = frame[name].astype(object).where(~gone, np.nan)
        y = y ^ (gone & (rng.random(n) < 0.5))  # holes say something
    frame["age"] = frame["age"].astype(float)
    if unknown:
        for name, new in (("city", "Quito"), ("job", "z"), ("rank", 9)):
            frame[name] = frame[name].where(rng.random(n) >= 0.2, new)
    return frame, np.where(y, "yes", "no")


def encoded(encoder, *scaling, fill="most_frequent", numbers=NUMBERS, remainder="drop"):
    texts = make_pipeline(SimpleImputer(strategy=fill), encoder) if fill else encoder
    return make_column_transformer(
        (make_pipeline(*scaling) if scaling else "passthrough", numbers),
        (texts, [*TEXTS, *CODES] if fill != "constant" else TEXTS),
        remainder=remainder,
    )


IGNORE = OneHotEncoder(handle_unknown="ignore")
STEPS = {
    "one hot": encoded(IGNORE, SimpleImputer(), StandardScaler()),
    "dense one hot": encoded(
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
        SimpleImputer(strategy="median"), MinMaxScaler((-3, 7)),
    ),
    "no impute": encoded(IGNORE, fill=None),
    "constant": encoded(IGNORE, RobustScaler(), fill="constant"),
    "drop": encoded(
        OneHotEncoder(handle_unknown="ignore", drop="first"), SimpleImputer(), MaxAbsScaler()
    ),
    "rare": encoded(
        OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=90), SimpleImputer()
    ),
    "indicator": encoded(IGNORE, SimpleImputer(add_indicator=True), StandardScaler()),
    "clipped": encoded(IGNORE, SimpleImputer(), MinMaxScaler(clip=True)),
    "ordinal": encoded(
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), SimpleImputer()
    ),
    "ordinal above": encoded(
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=99), SimpleImputer()
    ),
    "ordinal missing": encoded(
        OrdinalEncoder(
            handle_unknown="use_encoded_value", unknown_value=-2, encoded_missing_value=-1
        ),
        SimpleImputer(), fill=None,
    ),
    "scaled codes": make_pipeline(
        encoded(OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
                SimpleImputer()),
        StandardScaler(),
    ),
    "by type": make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()),
         make_column_selector(dtype_include="number")),
        (IGNORE, make_column_selector(dtype_exclude="number")),
    ),
    "native": make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["age"]),
        remainder="passthrough",
    ).set_output(transform="pandas"),
}  # fmt: skip
# Steps that refuse unknown levels.
STRICT = {
    "one hot": encoded(OneHotEncoder(), SimpleImputer(), StandardScaler()),
    "ordinal": encoded(OrdinalEncoder(), SimpleImputer(), MinMaxScaler()),
}


def fitted(steps, depth=6, model=None, **options):
    X, y = table()
    if model is None:
        model = ceiba.DecisionTreeClassifier(max_depth=depth, **options)
    return make_pipeline(steps, model).fit(X, y)


def agree(tree, model, frame):
    np.testing.assert_array_equal(tree.predict(frame), model.predict(frame))
    np.testing.assert_array_equal(tree.predict_proba(frame), model.predict_proba(frame))


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.filterwarnings("ignore:Found unknown categories")
def test_tree_on_raw_columns_answers_as_the_pipeline(name):
    model = fitted(STEPS[name], depth=7)
    tree = pipeline_tree(model)
    assert tree.n_leaves == model[-1].get_n_leaves()
    agree(tree, model, table()[0])
    agree(tree, model, table(seed=1)[0])
    agree(tree, model, table(seed=2, unknown=True, holes=0.4)[0])


@pytest.mark.parametrize("name", STRICT)
def test_unknown_levels_are_refused_where_the_pipeline_refuses_them(name):
    model = fitted(STRICT[name])
    tree = pipeline_tree(model)
    agree(tree, model, table(seed=1)[0])
    odd = table(seed=1)[0].assign(city="Quito")
    with pytest.raises(ValueError, match="unknown categories"):
        model.predict(odd)
    with pytest.raises(ceiba.DataError, match="not seen"):
        tree.predict(odd)


@pytest.mark.parametrize(
    "scaler",
    [StandardScaler(), MinMaxScaler((-1, 3)), MaxAbsScaler(), RobustScaler(),
     make_pipeline(RobustScaler(), MinMaxScaler(), StandardScaler())],
    ids=lambda one: type(one).__name__,
)  # fmt: skip
def test_cuts_are_exact_to_the_last_bit(scaler):
    X, y = table(holes=0.0)
    model = make_pipeline(scaler, ceiba.DecisionTreeClassifier(max_depth=6)).fit(X[NUMBERS], y)
    tree = pipeline_tree(model)
    assert tree.n_leaves > 8
    rows = []
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        cut, column = float(tree.splits.cut[node]), int(tree.splits.column[node])
        for near in (cut, np.nextafter(cut, np.inf), np.nextafter(cut, -np.inf)):
            for other in (-50.0, 0.0, 3.0, 38.0, 200.0):
                rows.append([near if j == column else other for j in range(2)])
    edge = pd.DataFrame(rows, columns=list(tree.schema.names))
    agree(tree, model, edge)
    ends = [model[-1].apply(model[:-1].transform(edge)), tree.apply(edge)]
    assert ends[0].tolist() == ends[1].tolist()


def test_numbers_of_a_regression_tree_are_those_of_the_pipeline():
    X, _ = table()
    y = X.debt * 2 + (X.city == "Oslo") + X.age.fillna(0)
    model = make_pipeline(STEPS["one hot"], ceiba.DecisionTreeRegressor(max_depth=5)).fit(X, y)
    fresh, _ = table(seed=1, unknown=True)
    np.testing.assert_array_equal(pipeline_tree(model).predict(fresh), model.predict(fresh))


def test_arrays_are_carried_by_place():
    X, y = table(holes=0.0)
    numbers = X[NUMBERS].to_numpy()
    model = make_pipeline(StandardScaler(), ceiba.DecisionTreeClassifier(max_depth=4))
    tree = pipeline_tree(model.fit(numbers, y))
    agree(tree, model, table(seed=1, holes=0.0)[0][NUMBERS].to_numpy())
    assert tree.schema.names == ("x0", "x1")


def test_columns_that_the_steps_drop_are_not_asked_for():
    tree = pipeline_tree(fitted(STEPS["one hot"]))
    assert "note" not in tree.schema.names
    row = {"age": 31.0, "debt": 1.0, "city": "Oslo", "job": "a", "rank": 2}
    assert tree.predict_one(row).answer in ("yes", "no")


# ---------------------------------------------------------------------- saved and exported


def raw_rows():
    frame, _ = table(seed=2, unknown=True, holes=0.3)
    return frame.drop(columns="note")


def plain(frame):
    return frame.astype(object).where(frame.notna(), None)


@pytest.fixture(scope="module")
def carried():
    model = fitted(STEPS["one hot"])
    return model, pipeline_tree(model)


def test_carried_tree_is_saved(carried, tmp_path):
    model, tree = carried
    tree.save(tmp_path / "m.ceiba", metadata={"made of": "a Pipeline"})
    back = ceiba.load(tmp_path / "m.ceiba")
    assert back == tree
    agree(back, model, raw_rows().assign(note="x"))
    buffer = io.BytesIO()
    ceiba.DecisionTreeClassifier.from_tree(tree).save(buffer)
    rows = raw_rows()
    again = ceiba.load(buffer.getvalue())
    assert again.predict(rows.to_dict("records")).tolist() == model.predict(rows).tolist()


def test_whole_pipeline_is_pickled(carried):
    model, _ = carried
    agree(pickle.loads(pickle.dumps(model)), model, table(seed=1)[0])


def answers(model):
    return model.predict(raw_rows().assign(note="x")).tolist()


def test_python_and_one_row_answer_as_the_pipeline(carried):
    model, tree = carried
    module: dict = {}
    exec(tree.export("python"), module)
    rows = plain(raw_rows()).to_dict("records")
    assert [module["predict"](row) for row in rows] == answers(model)
    assert [tree.predict_one(row).answer for row in rows] == answers(model)


def test_sql_answers_as_the_pipeline(carried):
    model, tree = carried
    with sqlite3.connect(":memory:") as base:
        rows = plain(raw_rows())
        base.execute(f"CREATE TABLE data (row_id, {', '.join(rows.columns)})")
        values = [(i, *row) for i, row in enumerate(rows.itertuples(index=False))]
        base.executemany(f"INSERT INTO data VALUES ({', '.join('?' * len(values[0]))})", values)
        query = tree.export("sql", dialect="sqlite")
        result = base.execute(f"SELECT prediction FROM ({query}) ORDER BY row_id").fetchall()
    assert [one for (one,) in result] == answers(model)


def test_c_answers_as_the_pipeline(carried, tmp_path):
    model, tree = carried
    compiler = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    (tmp_path / "t.c").write_text(tree.export("c", name="t"), "utf-8")
    command = [compiler, "-std=c99", "-shared", "-fPIC", "t.c", "-o", "t.so", "-lm"]
    subprocess.run(command, check=True, cwd=tmp_path)
    rows = {name: plain(raw_rows())[name].tolist() for name in tree.schema.names}
    assert tree.predict(rows).tolist() == answers(model)
    compare_c(ctypes.CDLL(str(tmp_path / "t.so")), "t", Drawn(tree, rows, 0))


def test_onnx_answers_as_the_pipeline(carried):
    model, tree = carried
    pytest.importorskip("onnx", reason="onnx is not installed")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    session = runtime.InferenceSession(tree.export("onnx"))
    rows, feed = raw_rows(), {}
    for one in session.get_inputs():
        column = rows[one.name]
        text = one.type == "tensor(string)"
        values = column.astype(object).fillna("") if text else column.astype(float)
        feed[one.name] = values.to_numpy().reshape(-1, 1)
    assert session.run(["label"], feed)[0].tolist() == answers(model)


# ---------------------------------------------------------------------- refused


def test_unknown_steps_are_refused():
    X, y = table(holes=0.0)
    model = make_pipeline(PCA(), ceiba.DecisionTreeClassifier()).fit(X[NUMBERS], y)
    with pytest.raises(OptionError, match="PCA is not supported"):
        pipeline_tree(model)


@pytest.mark.parametrize("what", [ceiba.DecisionTreeClassifier(), make_pipeline(PCA())])
def test_what_is_no_pipeline_around_a_tree_is_refused(what):
    with pytest.raises(OptionError, match="ends in a fitted ceiba estimator"):
        pipeline_tree(what)


def test_surrogates_of_scaled_columns_are_refused():
    X, y = table()
    model = make_pipeline(StandardScaler(), ceiba.DecisionTreeClassifier(missing="surrogate"))
    with pytest.raises(TreeError, match="Impute every column, or .*rpart, usesurrogate=0"):
        pipeline_tree(model.fit(X[NUMBERS], y))


@pytest.mark.parametrize("tree", [ceiba.rpart(), ceiba.c45()])
@pytest.mark.parametrize(
    "encoder",
    [
        OneHotEncoder(),
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan),
        "passthrough",
    ],
)
def test_surrogates_and_fractions_are_dropped_after_a_fit_without_missing_values(tree, encoder):
    X, y = table(holes=0.0)
    encode = make_column_transformer((encoder, TEXTS), (StandardScaler(), NUMBERS))
    if encoder == "passthrough":
        encode.set_output(transform="pandas")
    model = make_pipeline(encode, tree).fit(X, y)
    raw = pipeline_tree(model)
    assert raw.n_leaves > 2
    new = table(seed=1, holes=0.0)[0]
    assert raw.predict(new).tolist() == model.predict(new).tolist()
    new["age"] = new["age"].where(new.index > 3)
    with pytest.raises(DataError, match="'age': values are missing in 4"):
        raw.predict(new)
    with pytest.raises(DataError, match="'city': .* was not seen"):
        raw.predict(X.assign(city="Quito"))


def test_surrogates_next_to_encoded_missing_values_are_refused():
    X, y = table(holes=0.0)
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), TEXTS), (StandardScaler(), NUMBERS)
    )
    model = make_pipeline(encode, ceiba.rpart()).fit(X, y)
    with pytest.raises(TreeError, match="Impute every column"):
        pipeline_tree(model)


@pytest.mark.parametrize("usesurrogate", [0, 2])
def test_rpart_follows_the_advice_about_surrogates(usesurrogate):
    X, y = table()
    steps = [SimpleImputer()] if usesurrogate else []
    model = make_pipeline(*steps, StandardScaler(), ceiba.rpart(usesurrogate=usesurrogate))
    model.fit(X[NUMBERS], y)
    new = table(seed=1)[0][NUMBERS]
    assert pipeline_tree(model).predict(new).tolist() == model.predict(new).tolist()


def test_column_asked_as_number_and_by_levels_is_refused():
    steps = make_column_transformer((StandardScaler(), ["rank"]), (OneHotEncoder(), ["rank"]))
    both = pd.DataFrame({"rank": np.arange(40) % 8})
    target = np.where((both["rank"] > 3) ^ (both["rank"] == 1), "a", "b")
    model = make_pipeline(steps, ceiba.DecisionTreeClassifier()).fit(both, target)
    assert len(set(model[-1].tree_.splits.column.tolist()) - {-1}) == 2
    with pytest.raises(TreeError, match="all be numeric or all use the same levels"):
        pipeline_tree(model)
