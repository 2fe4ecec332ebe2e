"""Every export, executed for real, agrees with `predict` on every row.

Rows hold values exactly at cuts and one step beside them, infinities, huge numbers, -0.0, missing
values and unseen levels; names and levels try to break out of quotes.
"""

from __future__ import annotations

import ctypes
import json
import math
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from tests.export.agreement import N_ROWS, N_TREES, compare, parts, several
from tests.export.drawn_trees import Drawn, draw

# ---------------------------------------------------------------------- SQL


def sql_answers(drawn: Drawn, names: list[str], fetched: list[Any]) -> None:
    columns = dict(zip(names, zip(*fetched, strict=True), strict=True))
    compare(drawn, columns["leaf"], columns["prediction"])
    if drawn.tree.task == "classification":
        proba: Any = drawn.tree.predict_proba(drawn.rows)
        for k, label in enumerate(drawn.tree.target.classes[0].tolist()):
            result = np.array(columns[f"probability_{label}"], float)
            np.testing.assert_allclose(result, proba[:, k], rtol=1e-15)  # SQLite's last bit


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@parts()
def test_sqlite_agrees_with_predict(part: int | None) -> None:
    for drawn in several(part, flat=True):
        with sqlite3.connect(":memory:") as base:
            names = ", ".join(quoted(name) for name in drawn.rows)
            base.execute(f"CREATE TABLE data (row_id, {names})")
            places = ", ".join("?" * (len(drawn.rows) + 1))
            rows = zip(range(drawn.n), *drawn.rows.values(), strict=True)
            base.executemany(f"INSERT INTO data VALUES ({places})", rows)
            cursor = base.execute(drawn.tree.export("sql", dialect="sqlite") + "ORDER BY row_id")
            sql_answers(drawn, [one[0] for one in cursor.description], cursor.fetchall())


@parts()
def test_duckdb_agrees_with_predict(part: int | None) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    import pyarrow as pa

    for drawn in several(part, flat=True):
        with duckdb.connect() as base:
            rows = dict(drawn.rows)
            for name, values in rows.items():
                if any(isinstance(value, float) for value in values):  # NaN is missing too
                    rows[name] = [
                        math.nan if value is None and i % 2 else value
                        for i, value in enumerate(values)
                    ]
            base.register("arrow", pa.table({"row_id": range(drawn.n), **rows}))
            base.execute("CREATE TABLE data AS SELECT * FROM arrow")
            result = base.execute(drawn.tree.export("sql", dialect="duckdb") + "ORDER BY row_id")
            sql_answers(drawn, [one[0] for one in result.description], result.fetchall())


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """Start a server of its own; give the command that runs psql against it."""
    import getpass
    import os
    import tempfile

    result = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    tool = shutil.which("initdb") or (str(result[-1]) if result else None)
    if tool is None or shutil.which("psql") is None:
        pytest.skip("PostgreSQL is not installed")
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    as_user: list[str] = []
    if getpass.getuser() == "root":  # the server refuses to run as root
        if shutil.which("runuser") is None:
            pytest.skip("PostgreSQL is not installed for users other than root")
        as_user = ["runuser", "-u", "nobody", "--"]
        shutil.chown(folder, "nobody")
    bin_folder = Path(tool).parent
    options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
    quiet: dict[str, Any] = {"check": True, "capture_output": True, "cwd": folder}
    env = {**os.environ, "HOME": str(folder)}
    data = folder / "data"
    subprocess.run(
        [*as_user, tool, "-D", data, "-A", "trust", "-U", "tester", "-E", "UTF8",
         "--locale=C.UTF-8"], env=env, **quiet,
    )  # fmt: skip
    control = [*as_user, str(bin_folder / "pg_ctl"), "-D", str(data), "-w"]
    log = str(folder / "log")
    subprocess.run([*control, "-o", options, "-l", log, "start"], env=env, **quiet)
    try:
        yield ["psql", "-h", str(folder), "-U", "tester", "-d", "postgres", "-X", "-q", "-At"]
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], env=env, **quiet)
        shutil.rmtree(folder, ignore_errors=True)


def copy_text(value: Any) -> str:
    if value is None:
        return "\\N"
    if isinstance(value, float):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, repr(value))
    text = str(value).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")
    return text.replace("\r", "\\r")


@parts()
def test_postgresql_agrees_with_predict(part: int | None, postgres: list[str]) -> None:
    for drawn in several(part, flat=True):
        kinds = []
        for info in drawn.tree.schema.columns:
            kind = "float8" if info.is_numeric else (
                "integer" if isinstance(info.levels[0], int) else "text"
            )  # fmt: skip
            kinds.append(f"{quoted(info.name)} {kind}")
        lines = [f"DROP TABLE IF EXISTS data; CREATE TABLE data (row_id int, {', '.join(kinds)});",
                 "COPY data FROM STDIN;"]  # fmt: skip
        for i, row in enumerate(zip(*drawn.rows.values(), strict=True)):
            lines.append("\t".join([str(i), *map(copy_text, row)]))
        query = drawn.tree.export("sql", dialect="postgresql")
        lines += ["\\.", f"SELECT json_agg(q ORDER BY row_id) FROM ({query}) AS q;"]
        done = subprocess.run(
            [*postgres, "-v", "ON_ERROR_STOP=1"], input="\n".join(lines), text=True,
            capture_output=True, check=True, encoding="utf-8",
        )  # fmt: skip
        rows = json.loads(_finite(done.stdout))
        compare(drawn, [one["leaf"] for one in rows], [one["prediction"] for one in rows])


def _finite(text: str) -> str:
    """psql writes Infinity as a JSON text already; nothing to do but to join the lines."""
    return text.strip()


# ---------------------------------------------------------------------- languages


@parts()
def test_python_agrees_with_predict(part: int | None) -> None:
    for drawn in several(part):
        module: dict[str, Any] = {}
        exec(compile(drawn.tree.export("python"), "exported", "exec"), module)
        rows = [
            dict(zip(drawn.rows, row, strict=True))
            for row in zip(*drawn.rows.values(), strict=True)
        ]
        exact = drawn.tree.missing != "fractional" or drawn.tree.task == "classification"
        compare(drawn, map(module["apply"], rows), map(module["predict"], rows), exact)
        if drawn.tree.task == "classification":
            proba: Any = drawn.tree.predict_proba(drawn.rows)
            result = [list(module["predict_proba"](row).values()) for row in rows]
            np.testing.assert_allclose(result, proba, rtol=1e-12)


@parts()
def test_javascript_agrees_with_predict(part: int | None, tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    trees = several(part)
    odd = {math.inf: "Infinity", -math.inf: "-Infinity"}
    for k, drawn in enumerate(trees):
        (tmp_path / f"tree_{k}.js").write_text(drawn.tree.export("javascript"), "utf-8")
        rows = [
            [
                [name, {"$": odd[v]} if v in odd else v]
                for name, v in zip(drawn.rows, row, strict=True)
            ]
            for row in zip(*drawn.rows.values(), strict=True)
        ]
        (tmp_path / f"rows_{k}.json").write_text(json.dumps(rows), "utf-8")
    (tmp_path / "run.js").write_text(
        """
        const fs = require("fs"), out = [];
        for (let k = 0; k < Number(process.argv[2]); k++) {
          const tree = require(`./tree_${k}.js`);
          const rows = JSON.parse(fs.readFileSync(`${__dirname}/rows_${k}.json`)).map((pairs) => {
            const row = Object.create(null);
            for (const [name, v] of pairs) row[name] = v && v.$ ? Number(v.$) : v;
            return row;
          });
          out.push([rows.map(tree.apply), rows.map(tree.predict)]);
        }
        console.log(JSON.stringify(out));
        """,
        "utf-8",
    )
    done = subprocess.run(
        [node, str(tmp_path / "run.js"), str(len(trees))], capture_output=True, check=True
    )
    for drawn, (leaf, predicted) in zip(trees, json.loads(done.stdout), strict=True):
        exact = drawn.tree.missing != "fractional" or drawn.tree.task == "classification"
        compare(drawn, leaf, predicted, exact)


@parts()
def test_c_agrees_with_predict(part: int | None, tmp_path: Path) -> None:
    compiler = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    trees = several(part)
    source = tmp_path / "trees.c"
    source.write_text(
        "\n".join(one.tree.export("c", name=f"t{k}") for k, one in enumerate(trees)), "utf-8"
    )
    library = tmp_path / "trees.so"
    strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"]
    subprocess.run(
        [compiler, *strict, "-O1", "-shared", "-fPIC", source, "-o", library, "-lm"], check=True
    )
    loaded = ctypes.CDLL(str(library))
    for k, drawn in enumerate(trees):
        _compare_c(loaded, f"t{k}", drawn)


def _compare_c(library: Any, name: str, drawn: Drawn) -> None:
    tree = drawn.tree
    level = getattr(library, f"{name}_level")
    level.restype, level.argtypes = ctypes.c_double, [ctypes.c_int, ctypes.c_char_p]
    columns = []
    for j, info in enumerate(tree.schema.columns):
        values = drawn.rows[info.name]
        if info.is_numeric:
            columns.append([math.nan if v is None else v for v in values])
        else:
            codes = {v: level(j, None if v is None else str(v).encode()) for v in set(values)}
            columns.append([codes[v] for v in values])
    matrix = np.ascontiguousarray(np.array(columns, dtype=float).T)
    apply, predict = getattr(library, f"{name}_apply"), getattr(library, f"{name}_predict")
    pointer = ctypes.POINTER(ctypes.c_double)
    apply.restype, apply.argtypes = ctypes.c_long, [pointer]
    predict.argtypes = [pointer, ctypes.c_int]
    predict.restype = ctypes.c_int if tree.task == "classification" else ctypes.c_double
    rows = [row.ctypes.data_as(pointer) for row in matrix]
    predicted: list[Any] = [predict(row, 0) for row in rows]
    if tree.task == "classification":
        label = getattr(library, f"{name}_label")
        label.restype = ctypes.c_char_p
        classes = tree.target.classes[0].tolist()
        for c, one in enumerate(classes):
            assert label(0, c).decode() == str(one)
        predicted = [classes[c] for c in predicted]
    exact = tree.missing != "fractional" or tree.task == "classification"
    compare(drawn, [apply(row) for row in rows], predicted, exact)


# ---------------------------------------------------------------------- ONNX and PMML


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@parts()
def test_onnxruntime_agrees_with_predict(part: int | None, dtype: str) -> None:
    pytest.importorskip("onnx", reason="onnx is not installed")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    seeds = range(N_TREES) if part is None else range(1000 + 10 * part, 1010 + 10 * part)
    for seed in seeds:
        kinds = ("learn", "surrogate", "majority")
        rows = N_ROWS if part is None else 10_000
        drawn = draw(seed, rows, missing=kinds[seed % 3], float32=dtype == "float32")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1
        session = runtime.InferenceSession(drawn.tree.export("onnx", dtype=dtype), options)
        feed = {}
        for one in session.get_inputs():
            values = drawn.rows[one.name]
            if one.type == "tensor(string)":
                column = np.array(["" if v is None else v for v in values], dtype=object)
            else:
                column = np.array([math.nan if v is None else v for v in values], dtype=dtype)
            feed[one.name] = column.reshape(-1, 1)
        names = [one.name for one in session.get_outputs()]
        result = dict(zip(names, session.run(None, feed), strict=True))
        predicted = result["label"] if "label" in result else result["value"]
        compare(drawn, result["leaf"].tolist(), predicted.tolist())
        if "label" in result:
            proba: Any = drawn.tree.predict_proba(drawn.rows)
            assert result["probabilities"].tolist() == proba.tolist()


@pytest.fixture(scope="session")
def pmml_evaluator() -> Any:
    if shutil.which("java") is None:
        pytest.skip("java is not installed")
    pytest.importorskip("jpype", reason="jpype1 is not installed")
    evaluator = pytest.importorskip("jpmml_evaluator", reason="jpmml-evaluator is not installed")
    from jpmml_evaluator.jpype import JPypeBackend

    backend = JPypeBackend()
    return lambda path: evaluator.make_evaluator(str(path), backend=backend).verify()


@pytest.mark.parametrize("step", ["6h", "1D", "137s"])
def test_pmml_takes_dates_as_iso_text(step: str, pmml_evaluator: Any, tmp_path: Path) -> None:
    import pandas as pd

    times = pd.Series(pd.date_range("2024-02-27", periods=60, freq=step))
    model = ceiba.DecisionTreeClassifier().fit(pd.DataFrame({"t": times}), times.index // 7 % 2)
    model.tree_.export("pmml", tmp_path / "tree.pmml")
    style = "%Y-%m-%d" if step == "1D" else "%Y-%m-%dT%H:%M:%S"
    texts = [*times.dt.strftime(style), None]
    result = pmml_evaluator(tmp_path / "tree.pmml").evaluateAll(
        pd.DataFrame({"t": pd.Series(texts, dtype=object)})
    )
    assert result["leaf"].astype(int).tolist() == model.apply({"t": texts}).tolist()


@parts()
def test_pmml_agrees_with_predict(part: int | None, pmml_evaluator: Any, tmp_path: Path) -> None:
    import pandas as pd

    for drawn in several(part, flat=True):
        path = tmp_path / "tree.pmml"
        drawn.tree.export("pmml", path)
        frame = pd.DataFrame({k: pd.Series(v, dtype=object) for k, v in drawn.rows.items()})
        result = pmml_evaluator(path).evaluateAll(frame)
        target = next(name for name in result.columns if name not in ("leaf",))
        predicted = result[target].tolist()
        leaf = [int(text.split(":")[0]) for text in result["leaf"]]  # "0:5": the root, asked at 5
        compare(drawn, leaf, predicted)
