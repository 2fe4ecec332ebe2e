"""A drawn tree through each of its exports, in the runtime that the export is for.

Each function raises if the runtime is there and disagrees with `predict` on any row.
"""

from __future__ import annotations

import ctypes
import json
import math
import shutil
import sqlite3
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np

from tests.export.agreement import compare
from tests.export.drawn_trees import Drawn
from tests.export.servers import pmml_evaluator, psql

NODE = shutil.which("node")
DOT = shutil.which("dot")
COMPILER = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")


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


def run_sqlite(drawn: Drawn) -> None:
    with sqlite3.connect(":memory:") as base:
        names = ", ".join(quoted(name) for name in drawn.rows)
        base.execute(f"CREATE TABLE data (row_id, {names})")
        places = ", ".join("?" * (len(drawn.rows) + 1))
        rows = zip(range(drawn.n), *drawn.rows.values(), strict=True)
        base.executemany(f"INSERT INTO data VALUES ({places})", rows)
        cursor = base.execute(drawn.tree.export("sql", dialect="sqlite") + "ORDER BY row_id")
        sql_answers(drawn, [one[0] for one in cursor.description], cursor.fetchall())


def run_duckdb(drawn: Drawn) -> None:
    import duckdb
    import pyarrow as pa

    with duckdb.connect() as base:
        rows = dict(drawn.rows)
        for name, values in rows.items():
            if any(isinstance(value, float) for value in values):  # NaN is missing too
                rows[name] = [
                    math.nan if value is None and i % 2 else value for i, value in enumerate(values)
                ]
        base.register("arrow", pa.table({"row_id": range(drawn.n), **rows}))
        base.execute("CREATE TABLE data AS SELECT * FROM arrow")
        result = base.execute(drawn.tree.export("sql", dialect="duckdb") + "ORDER BY row_id")
        sql_answers(drawn, [one[0] for one in result.description], result.fetchall())


def run_postgresql(drawn: Drawn) -> None:
    kinds = []
    for info in drawn.tree.schema.columns:
        text = "integer" if info.levels and isinstance(info.levels[0], int) else "text"
        kinds.append(f"{quoted(info.name)} {'float8' if info.is_numeric else text}")
    lines = [f"DROP TABLE IF EXISTS data; CREATE TABLE data (row_id int, {', '.join(kinds)});",
             "COPY data FROM STDIN;"]  # fmt: skip
    for i, row in enumerate(zip(*drawn.rows.values(), strict=True)):
        lines.append("\t".join([str(i), *map(copy_text, row)]))
    query = drawn.tree.export("sql", dialect="postgresql")
    lines += ["\\.", f"SELECT json_agg(q ORDER BY row_id) FROM ({query}) AS q;"]
    done = subprocess.run(
        [*psql(), "-v", "ON_ERROR_STOP=1"], input="\n".join(lines), text=True,
        capture_output=True, check=True, encoding="utf-8",
    )  # fmt: skip
    rows = json.loads(done.stdout)
    compare(drawn, [one["leaf"] for one in rows], [one["prediction"] for one in rows])


def copy_text(value: Any) -> str:
    """Write a value as COPY reads it."""
    if value is None:
        return "\\N"
    if isinstance(value, float):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, repr(value))
    text = str(value).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")
    return text.replace("\r", "\\r")


def run_python(drawn: Drawn) -> None:
    module: dict[str, Any] = {}
    exec(compile(drawn.tree.export("python"), "exported", "exec"), module)
    rows = [
        dict(zip(drawn.rows, row, strict=True)) for row in zip(*drawn.rows.values(), strict=True)
    ]
    exact = drawn.tree.missing != "fractional" or drawn.tree.task == "classification"
    compare(drawn, map(module["apply"], rows), map(module["predict"], rows), exact)
    if drawn.tree.task == "classification":
        proba: Any = drawn.tree.predict_proba(drawn.rows)
        result = [list(module["predict_proba"](row).values()) for row in rows]
        np.testing.assert_allclose(result, proba, rtol=1e-12)


def run_javascript(trees: list[Drawn], folder: Path) -> None:
    assert NODE is not None
    odd = {math.inf: "Infinity", -math.inf: "-Infinity"}
    for k, drawn in enumerate(trees):
        (folder / f"tree_{k}.js").write_text(drawn.tree.export("javascript"), "utf-8")
        rows = [
            [
                [name, {"$": odd[v]} if v in odd else v]
                for name, v in zip(drawn.rows, row, strict=True)
            ]
            for row in zip(*drawn.rows.values(), strict=True)
        ]
        (folder / f"rows_{k}.json").write_text(json.dumps(rows), "utf-8")
    (folder / "run.js").write_text(
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
        [NODE, str(folder / "run.js"), str(len(trees))], capture_output=True, check=True
    )
    for drawn, (leaf, predicted) in zip(trees, json.loads(done.stdout), strict=True):
        exact = drawn.tree.missing != "fractional" or drawn.tree.task == "classification"
        compare(drawn, leaf, predicted, exact)


def run_c(trees: list[Drawn], folder: Path) -> None:
    assert COMPILER is not None
    source = folder / "trees.c"
    source.write_text(
        "\n".join(one.tree.export("c", name=f"t{k}") for k, one in enumerate(trees)), "utf-8"
    )
    library = folder / "trees.so"
    strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"]
    subprocess.run(
        [COMPILER, *strict, "-O1", "-shared", "-fPIC", source, "-o", library, "-lm"], check=True
    )
    loaded = ctypes.CDLL(str(library))
    for k, drawn in enumerate(trees):
        compare_c(loaded, f"t{k}", drawn)


def compare_c(library: Any, name: str, drawn: Drawn) -> None:
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


def run_onnx(drawn: Drawn, dtype: str) -> None:
    import onnxruntime as runtime

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


def run_pmml(drawn: Drawn, folder: Path) -> None:
    import pandas as pd

    path = folder / "tree.pmml"
    drawn.tree.export("pmml", path)
    frame = pd.DataFrame({k: pd.Series(v, dtype=object) for k, v in drawn.rows.items()})
    result = pmml_evaluator()(path).evaluateAll(frame)
    target = next(name for name in result.columns if name not in ("leaf",))
    leaf = [int(text.split(":")[0]) for text in result["leaf"]]  # "0:5": the root, asked at 5
    compare(drawn, leaf, result[target].tolist())


def run_sklearn(drawn: Drawn) -> None:
    """For trees of numbers that are float32; a cost matrix is not carried over."""
    model = drawn.tree.to_sklearn()
    rows = np.column_stack([np.array(cells, float) for cells in drawn.rows.values()])
    compare(drawn, model.apply(rows).tolist(), model.predict(rows).tolist())


def run_drawings(drawn: Drawn) -> None:
    """Graphviz and a parser of XML take the drawings."""
    assert DOT is not None
    ElementTree.fromstring(drawn.tree.export("svg"))
    done = subprocess.run(
        [DOT, "-Tplain"], input=drawn.tree.export("dot"), capture_output=True, check=True,
        encoding="utf-8",
    )  # fmt: skip
    n_nodes = sum(line.startswith("node ") for line in done.stdout.split("\n"))
    assert n_nodes == drawn.tree.n_nodes, drawn.seed
