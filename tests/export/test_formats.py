"""Exports at the edges: depth, hostile names, dates, several outputs, and what is refused."""

from __future__ import annotations

import ctypes
import datetime
import json
import math
import shutil
import sqlite3
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import DataError, OptionError, TreeError
from ceiba.table import ColumnInfo, Kind, Schema, TargetInfo
from tests.marks import slow
from tests.tree.random_trees import random_tree


def chain(depth: int) -> ceiba.Tree:
    """A tree in which every question leads to one leaf and the next question."""
    parent = [-1] + [i for i in range(0, 2 * depth, 2) for _ in (0, 1)]
    column = [0 if i % 2 == 0 and i < 2 * depth else -1 for i in range(2 * depth + 1)]
    return ceiba.tree.from_arrays(
        Schema((ColumnInfo("x", Kind.NUMERIC),), TargetInfo("y", "regression", (), 1)),
        parent=parent,
        splits=ceiba.tree.SplitTable.cuts(np.array(column), np.arange(2 * depth + 1.0)),
        value=np.arange(2 * depth + 1.0),
    )


def python_of(tree: ceiba.Tree) -> dict[str, Any]:
    module: dict[str, Any] = {}
    exec(compile(tree.export("python"), "exported", "exec"), module)
    return module


# ---------------------------------------------------------------------- depth


ROWS = {"x": [-1.0, 0.0, 17.0, 17.5, 398.0, 399.0, 1e9, None]}


def test_python_depth_200_predicts() -> None:
    tree = chain(200)
    predict = python_of(tree)["predict"]
    assert [predict({"x": x}) for x in ROWS["x"]] == tree.predict(ROWS).tolist()


def test_sql_depth_200_runs_in_sqlite() -> None:
    tree = chain(200)
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE data (i, x)")
        base.executemany("INSERT INTO data VALUES (?, ?)", list(enumerate(ROWS["x"])))
        result = base.execute(tree.export("sql", dialect="sqlite") + "ORDER BY i").fetchall()
    assert [row[3] for row in result] == tree.predict(ROWS).tolist()


def test_javascript_depth_200_runs(tmp_path: Path) -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    tree = chain(200)
    code = tree.export("javascript") + (
        "\nconsole.log(JSON.stringify(" + json.dumps(ROWS["x"]) + ".map((x) => predict({x}))));"
    )
    (tmp_path / "t.js").write_text(code, "utf-8")
    done = subprocess.run(["node", tmp_path / "t.js"], capture_output=True, check=True)
    assert json.loads(done.stdout) == tree.predict(ROWS).tolist()


def test_c_depth_200_compiles_and_runs(tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("no C compiler is installed")
    tree = chain(200)
    tree.export("c", tmp_path / "t.c")
    library = tmp_path / "t.so"
    subprocess.run(["gcc", "-shared", "-fPIC", tmp_path / "t.c", "-o", library, "-lm"], check=True)
    predict = ctypes.CDLL(str(library)).tree_predict
    predict.restype = ctypes.c_double
    predicted = []
    for x in ROWS["x"]:
        row = (ctypes.c_double * 1)(math.nan if x is None else x)
        predicted.append(predict(row, 0))
    assert predicted == tree.predict(ROWS).tolist()


def test_onnx_depth_200_runs() -> None:
    pytest.importorskip("onnx", reason="onnx is not installed")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    tree = chain(200)
    session = runtime.InferenceSession(tree.export("onnx"))
    feed = {"x": np.array([[math.nan if x is None else x] for x in ROWS["x"]])}
    assert session.run(["value"], feed)[0].tolist() == tree.predict(ROWS).tolist()


@pytest.mark.parametrize("name", ["python", "c", "javascript", "json", "pmml", "rules", "sql"])
def test_chain_of_3000_levels_is_written(name: str) -> None:
    assert chain(3000).export(name)


# ---------------------------------------------------------------------- many levels and leaves


@pytest.fixture(scope="module")
def many_levels() -> tuple[ceiba.Tree, dict[str, list[Any]]]:
    """A tree of more than 3,000 leaves over a column of 4,000 levels."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4000, 20_000)
    X = {"code": [f"level {code:04d}" for code in codes], "x": rng.normal(size=20_000).tolist()}
    y = rng.normal(size=4000)[codes] + rng.normal(size=20_000)
    return ceiba.DecisionTreeRegressor(min_samples_leaf=5).fit(X, y).tree_, X


def rows_of(X: dict[str, list[Any]], n: int) -> list[dict[str, Any]]:
    return [
        dict(zip(X, row, strict=True)) for row in zip(*(v[:n] for v in X.values()), strict=True)
    ]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Column 'code'")
def test_programs_of_many_levels_write_each_set_once(
    many_levels: tuple[ceiba.Tree, dict[str, list[Any]]], tmp_path: Path
) -> None:
    tree, X = many_levels
    assert tree.n_leaves > 2500
    texts = {name: tree.export(name) for name in ("python", "javascript", "c")}
    assert max(map(len, texts.values())) < 2_000_000  # levels x nodes: 20 MB and more
    rows = [*rows_of(X, 500), {"code": "unknown", "x": 0.0}, {"code": None, "x": None}]
    expected = tree.predict({name: [row[name] for row in rows] for name in X}).tolist()
    module: dict[str, Any] = {}
    exec(compile(texts["python"], "exported", "exec"), module)
    assert [module["predict"](row) for row in rows] == expected
    if shutil.which("node"):
        code = (
            f"{texts['javascript']}\nconsole.log(JSON.stringify({json.dumps(rows)}.map(predict)));"
        )
        (tmp_path / "t.js").write_text(code, "utf-8")
        done = subprocess.run(["node", tmp_path / "t.js"], capture_output=True, check=True)
        assert json.loads(done.stdout) == expected
    if shutil.which("gcc"):
        (tmp_path / "t.c").write_text(texts["c"], "utf-8")
        build = ["gcc", "-shared", "-fPIC", tmp_path / "t.c", "-o", tmp_path / "t.so", "-lm"]
        subprocess.run(build, check=True)
        library = ctypes.CDLL(str(tmp_path / "t.so"))
        library.tree_level.restype = library.tree_predict.restype = ctypes.c_double
        for row, answer in zip(rows, expected, strict=True):
            text = None if row["code"] is None else row["code"].encode()
            x = math.nan if row["x"] is None else row["x"]
            cells = (ctypes.c_double * 2)(library.tree_level(0, text), x)
            assert library.tree_predict(cells, 0) == answer


@pytest.mark.filterwarnings("ignore:Column 'code'")
@pytest.mark.parametrize("engine", ["sqlite", *slow(["duckdb"])])
def test_sql_of_thousands_of_leaves_runs_in_seconds(
    engine: str, many_levels: tuple[ceiba.Tree, dict[str, list[Any]]]
) -> None:
    tree, X = many_levels
    base: Any = sqlite3.connect(":memory:")
    if engine == "duckdb":
        base = pytest.importorskip("duckdb", reason="duckdb is not installed").connect()
    base.execute("CREATE TABLE data (i INTEGER, code TEXT, x DOUBLE)")
    rows = [*rows_of(X, 300), {"code": "unknown", "x": 0.0}, {"code": None, "x": None}]
    base.executemany(
        "INSERT INTO data VALUES (?, ?, ?)", [(i, *row.values()) for i, row in enumerate(rows)]
    )
    query = tree.export("sql", dialect=engine)
    start = time.process_time()
    result = base.execute(f"SELECT prediction FROM ({query}) AS q ORDER BY i").fetchall()
    assert time.process_time() - start < 30  # a flat CASE of IN lists: minutes
    expected = tree.predict({name: [row[name] for row in rows] for name in X}).tolist()
    assert [row[0] for row in result] == expected
    base.close()


# ---------------------------------------------------------------------- hostile names


EVIL = ['x"; DROP TABLE data; --', "'); DROP TABLE data; --", "*/ ; /*", "\n); --", "`${x}`"]


def test_sql_injection_by_names_levels_and_classes_is_inert() -> None:
    literal = (EVIL[0], {EVIL[1]: EVIL[2], EVIL[3]: EVIL[4]})
    tree = ceiba.tree.build(literal, target=EVIL[1])
    rows = [*EVIL, None]
    with sqlite3.connect(":memory:") as base:
        name = '"' + EVIL[0].replace('"', '""') + '"'
        base.execute(f"CREATE TABLE data ({name})")
        base.executemany("INSERT INTO data VALUES (?)", [(row,) for row in rows])
        query = tree.export("sql", dialect="sqlite", table="data", prefix="c_")
        result = [row[2] for row in base.execute(query)]
        assert base.execute("SELECT count(*) FROM data").fetchone() == (len(rows),)
    assert result == tree.predict({EVIL[0]: rows}).tolist()


HOSTILE = [
    *EVIL,
    "a\tb",
    "\u2028",
    "\u202e",
    "??/",
    "%s%n",
    "</script>",
    "\x7f",
    "'",
    '"',
    "\\",
    "$$",
]


@pytest.mark.parametrize("engine", ["duckdb", "javascript", "c"])
def test_hostile_names_levels_and_classes_run_in_their_engines(engine: str, tmp_path: Path) -> None:
    """Of each hostile text as column, level, class and target; every answer is that of predict."""
    rows = [*HOSTILE, "other", None]
    for k, text in enumerate(HOSTILE):
        other = HOSTILE[k - 1]
        tree = ceiba.tree.build((text, {text: other, other: text}), target=other)
        expected = tree.predict({text: rows}).tolist()
        if engine == "duckdb":
            duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
            name = '"' + text.replace('"', '""') + '"'
            with duckdb.connect() as base:
                base.execute(f"CREATE TABLE data (i INTEGER, {name} TEXT)")
                base.executemany("INSERT INTO data VALUES (?, ?)", list(enumerate(rows)))
                result = base.execute(tree.export("sql", dialect="duckdb") + "ORDER BY i")
                found = [row[3] for row in result.fetchall()]
                count = base.execute("SELECT count(*) FROM data").fetchone()
                assert count == (len(rows),)
        elif engine == "javascript":
            if shutil.which("node") is None:
                pytest.skip("node is not installed")
            asked = json.dumps([{text: row} for row in rows])
            code = (
                f"{tree.export('javascript')}\nconsole.log(JSON.stringify({asked}.map(predict)));"
            )
            (tmp_path / "t.js").write_text(code, "utf-8")
            done = subprocess.run(["node", tmp_path / "t.js"], capture_output=True, check=True)
            found = json.loads(done.stdout)
        else:
            if shutil.which("gcc") is None:
                pytest.skip("no C compiler is installed")
            source, library = tmp_path / f"t{k}.c", tmp_path / f"t{k}.so"
            source.write_text(tree.export("c"), "utf-8")
            strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
            subprocess.run(["gcc", *strict, source, "-o", library, "-lm"], check=True)
            loaded = ctypes.CDLL(str(library))
            loaded.tree_level.restype = ctypes.c_double
            loaded.tree_label.restype = ctypes.c_char_p
            found = []
            for row in rows:
                code = loaded.tree_level(0, None if row is None else row.encode())
                which = loaded.tree_predict((ctypes.c_double * 1)(code), 0)
                found.append(loaded.tree_label(0, which).decode())
        assert found == expected, text


def test_sql_unknown_column_is_an_error_and_no_text() -> None:
    tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE data (y)")
        with pytest.raises(sqlite3.OperationalError, match="no such column"):
            base.execute(tree.export("sql", dialect="sqlite"))


def test_python_and_javascript_hostile_names_run_nothing(tmp_path: Path) -> None:
    marks = [
        '"""\nimport os; os.mkdir("made")\n"""', "\nrequire('fs').mkdirSync('made');\n//", "\u2028;"
    ]  # fmt: skip
    for mark in marks:
        tree = ceiba.tree.build((mark, {mark: mark, "b": "c"}), target=mark)
        module = python_of(tree)
        assert module["predict"]({mark: mark}) == mark
        if shutil.which("node"):
            code = tree.export("javascript") + "\nconsole.log(predict({}) !== undefined);"
            (tmp_path / "t.js").write_text(code, "utf-8")
            subprocess.run(["node", "t.js"], cwd=tmp_path, check=True, capture_output=True)
    assert not (tmp_path / "made").exists()
    assert not Path("made").exists()


# ---------------------------------------------------------------------- dates and booleans


def dated() -> tuple[ceiba.Tree, dict[str, list[Any]]]:
    days = [datetime.date(2024, 5, 1) + datetime.timedelta(days=i) for i in range(40)]
    flags = [i % 3 == 0 for i in range(40)]
    y = [
        ("a" if flag else "b") if day.day < 20 else "c"
        for day, flag in zip(days, flags, strict=True)
    ]
    X: dict[str, list[Any]] = {"day": days, "flag": flags}
    return ceiba.DecisionTreeClassifier().fit(X, y).tree_, X


def test_python_takes_dates_and_booleans() -> None:
    tree, X = dated()
    predict = python_of(tree)["predict"]
    rows = [dict(zip(X, row, strict=True)) for row in zip(*X.values(), strict=True)]
    assert [predict(row) for row in rows] == tree.predict(X).tolist()


def test_sqlite_takes_dates_as_texts() -> None:
    tree, X = dated()
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE data (day, flag)")
        rows = [(day.isoformat(), flag) for day, flag in zip(*X.values(), strict=True)]
        base.executemany("INSERT INTO data VALUES (?, ?)", rows)
        query = tree.export("sql", dialect="sqlite")
        result = [row[3] for row in base.execute(query)]
    assert result == tree.predict(X).tolist()


def test_duckdb_takes_dates_and_booleans() -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    import pyarrow as pa

    tree, X = dated()
    with duckdb.connect() as base:
        base.register("data", pa.table(X))
        result = base.execute(tree.export("sql", dialect="duckdb")).fetchall()
    assert [row[3] for row in result] == tree.predict(X).tolist()


def test_ansi_writes_cuts_between_dates_as_timestamps() -> None:
    tree, _ = dated()
    assert "TIMESTAMP '2024-05-" in tree.export("sql")


# ---------------------------------------------------------------------- several outputs


def test_several_outputs_in_python_and_onnx() -> None:
    X = {"x": [1.0, 2.0, 3.0, 4.0]}
    y = np.array([["a", "u"], ["a", "v"], ["b", "v"], ["b", "w"]])
    tree = ceiba.DecisionTreeClassifier().fit(X, y).tree_
    predict = python_of(tree)["predict"]
    assert [predict({"x": x}) for x in X["x"]] == tree.predict(X).tolist()
    pytest.importorskip("onnx", reason="onnx is not installed")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    session = runtime.InferenceSession(tree.export("onnx"))
    result = session.run(["label_0", "label_1"], {"x": np.array([[x] for x in X["x"]])})
    assert np.stack(result, axis=1).tolist() == tree.predict(X).tolist()


def test_several_outputs_sql_has_a_column_each() -> None:
    X, y = {"x": [1.0, 2.0]}, np.array([[1.0, 5.0], [2.0, 6.0]])
    tree = ceiba.DecisionTreeRegressor().fit(X, y).tree_
    assert '"prediction_0"' in (text := tree.export("sql"))
    assert '"prediction_1"' in text
    with pytest.raises(TreeError, match="single-output tree, got 2 outputs"):
        tree.export("sql", form="prediction")


# ---------------------------------------------------------------------- what is refused


@pytest.mark.parametrize("name", ["sql", "pmml", "onnx", "rules"])
def test_fractional_is_refused_where_it_cannot_be_said(name: str) -> None:
    tree = random_tree(1, missing="fractional")
    with pytest.raises(TreeError, match=f"fractional.* supported by {name}.*python"):
        tree.export(name)


@pytest.mark.parametrize(
    ("name", "level"), [("sql", "a\x00"), ("c", "a\x00"), ("pmml", "a\x01"), ("sql", "\ud800")]
)
def test_text_that_a_format_cannot_hold_is_refused(name: str, level: str) -> None:
    tree = ceiba.tree.build(("x", {"b": "a", level: "c"}))
    with pytest.raises(TreeError, match=f"{name}: "):
        tree.export(name)


def test_several_outputs_are_refused_by_pmml() -> None:
    tree = ceiba.DecisionTreeRegressor().fit([[1], [2]], [[1.0, 2.0], [3.0, 4.0]]).tree_
    with pytest.raises(TreeError, match="pmml: several outputs are not supported"):
        tree.export("pmml")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("sqll", {}, "Did you mean 'sql'"),
        ("sql", {"dialect": "postgres"}, "dialect 'postgres'.*postgresql"),
        ("sql", {"form": "x"}, "form must be .*, got 'x'"),
        ("c", {"name": "1 x"}, "C identifier"),
        ("javascript", {"module": "x"}, "module must be .*, got 'x'"),
        ("onnx", {"dtype": "int8"}, "dtype must be .*, got 'int8'"),
    ],
)
def test_wrong_options_are_refused(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        ceiba.tree.build(("x <= 2.5", "a", "b")).export(name, **options)


@pytest.mark.parametrize("strategy", ["missing", "unseen"])
def test_refused_rows_raise_in_python_and_are_null_in_sql(strategy: str) -> None:
    tree = ceiba.tree.build(("c", {"a": "x", "b": "y"}), **{strategy: "error"})  # type: ignore[arg-type]
    value = None if strategy == "missing" else "zebra"
    with pytest.raises(ValueError, match="missing|unseen"):
        python_of(tree)["predict"]({"c": value})
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE data (c)")
        base.executemany("INSERT INTO data VALUES (?)", [(value,), ("a",)])
        result = base.execute(tree.export("sql", dialect="sqlite")).fetchall()
    assert [row[2] for row in result] == [None, "x"]


@pytest.mark.parametrize("missing", ["fractional", "majority"])
def test_c_and_python_reject_unseen_levels(missing: Any, tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("no C compiler is installed")
    options: dict[str, Any] = {"missing": missing, "unseen": "error"}
    classes = ceiba.tree.build(("c", {"a": "x", "b": "y"}), **options)
    numbers = ceiba.tree.build(("c", {"a": 1.5, "b": 2.5}), **options)
    for tree in (classes, numbers):
        with pytest.raises(ValueError, match="unseen level"):
            python_of(tree)["predict"]({"c": "zebra"})
        with pytest.raises(DataError, match="was not seen"):
            tree.predict({"c": ["zebra"]})
    source, path = tmp_path / "t.c", tmp_path / "t.so"
    source.write_text(classes.export("c", name="k") + numbers.export("c", name="x"), "utf-8")
    strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run(["gcc", *strict, source, "-o", path, "-lm"], check=True)
    library = ctypes.CDLL(str(path))
    for function in (library.k_level, library.x_predict, library.k_probability):
        function.restype = ctypes.c_double
    for text, node, value in ((b"a", 1, 1.5), (b"b", 2, 2.5), (b"zebra", -1, math.nan)):
        code = library.k_level(0, text)
        for cell in [code] if node > 0 else [code, -1.0]:
            row = (ctypes.c_double * 1)(cell)
            assert (library.k_apply(row), library.x_apply(row)) == (node, node)
            assert library.k_predict(row, 0) == (node - 1 if node > 0 else -1)
            assert repr(library.x_predict(row, 0)) == repr(value)
            assert math.isnan(library.k_probability(row, 0, 0)) == (node < 0)


def test_single_leaf_is_exported() -> None:
    tree = ceiba.DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "a"]).tree_
    assert python_of(tree)["predict"]({}) == "a"
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE data (x0)")
        base.execute("INSERT INTO data VALUES (1)")
        assert base.execute(tree.export("sql", dialect="sqlite")).fetchall()[0][2] == "a"
    assert "<TreeModel" in tree.export("pmml")
    assert tree.export("rules").startswith("if all rows then a")
    pytest.importorskip("onnx", reason="onnx is not installed")
    with pytest.raises(TreeError, match="without splits"):
        tree.export("onnx")


# ---------------------------------------------------------------------- files


def test_export_with_path_writes_what_it_gives(tmp_path: Path) -> None:
    tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    assert tree.export("python", tmp_path / "t.py") == (tmp_path / "t.py").read_text("utf-8")


def test_export_object_is_not_written(tmp_path: Path) -> None:
    tree = ceiba.tree.build(("x <= 2.5", 1.0, 2.0))
    with pytest.raises(OptionError, match="path is not supported"):
        tree.export("sklearn", tmp_path / "t.bin")


def test_every_registered_format_can_be_loaded() -> None:
    from ceiba.export import FORMATS

    for one in FORMATS.values():
        assert callable(one.load())
    assert {"sql", "python", "c", "javascript", "json", "onnx", "pmml", "rules"} <= set(FORMATS)


def test_sqlite_cuts_of_many_digits_are_exact() -> None:
    from ceiba.export.code.sql_dialects import format_quotient

    rng = np.random.default_rng(0)
    drawn = np.concatenate([rng.normal(size=300), 10.0 ** rng.uniform(-300, 300, 300)])
    with sqlite3.connect(":memory:") as base:
        for x in [*drawn.tolist(), 5e-324, 2.0**60, -0.1, 1e15 + 0.125, 1.7e308]:
            assert base.execute(f"SELECT {format_quotient(x)}").fetchone()[0] == x
