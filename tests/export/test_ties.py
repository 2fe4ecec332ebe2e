"""Exports that once went their own way: ties of parted rows, a column called leaf, C warnings."""

from __future__ import annotations

import ctypes
import json
import math
import shutil
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import OptionError

# ---------------------------------------------------------------------- ties of parted rows


def tied_trees() -> list[tuple[Any, list[dict[str, Any]]]]:
    """Trees of parted rows, and rows whose classes are equal on paper but not in the last bits."""
    results = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(12, 30))
        X: dict[str, Any] = {
            name: [None if one == 4 else float(one) for one in rng.integers(0, 5, n)]
            for name in "abc"
        }
        y = rng.permutation(np.arange(n) % 3)
        tree = ceiba.c45(prune=None).fit(X, [f"c{k}" for k in y]).tree_
        rows = [
            {name: None if rng.random() < 0.6 else float(rng.integers(0, 4)) for name in "abc"}
            for _ in range(40)
        ]
        proba: Any = tree.predict_proba(rows)
        most = proba.max(axis=1, keepdims=True)
        near = (proba >= most * (1 - 1e-12)).argmax(axis=1) != proba.argmax(axis=1)
        if near.any():
            results.append(
                (tree, [row for row, is_near in zip(rows, near, strict=True) if is_near])
            )
    return results


@pytest.fixture(scope="module")
def tied() -> list[tuple[Any, list[dict[str, Any]]]]:
    trees = tied_trees()
    assert sum(len(rows) for _, rows in trees) >= 5
    return trees


def test_python_decides_ties_as_predict_does(tied: list[Any]) -> None:
    for tree, rows in tied:
        module: dict[str, Any] = {}
        exec(tree.export("python"), module)
        assert [module["predict"](row) for row in rows] == tree.predict(rows).tolist()


def test_javascript_decides_ties_as_predict_does(tied: list[Any], tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    lines = []
    for k, (tree, rows) in enumerate(tied):
        (tmp_path / f"t{k}.js").write_text(tree.export("javascript"), "utf-8")
        lines.append(f"out.push({json.dumps(rows)}.map(require('./t{k}.js').predict));")
    script = "const out = [];\n" + "\n".join(lines) + "\nconsole.log(JSON.stringify(out));\n"
    (tmp_path / "run.js").write_text(script, "utf-8")
    done = subprocess.run([node, tmp_path / "run.js"], capture_output=True, check=True)
    for (tree, rows), answers in zip(tied, json.loads(done.stdout), strict=True):
        assert answers == tree.predict(rows).tolist()


def compiled(sources: list[str], folder: Path) -> Any:
    compiler = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    paths = [folder / f"t{k}.c" for k in range(len(sources))]
    for path, source in zip(paths, sources, strict=True):
        path.write_text(source, "utf-8")
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC"]
    subprocess.run([compiler, *strict, *paths, "-o", folder / "all.so", "-lm"], check=True)
    return ctypes.CDLL(str(folder / "all.so"))


def test_c_decides_ties_as_predict_does(tied: list[Any], tmp_path: Path) -> None:
    library = compiled(
        [tree.export("c", name=f"t{k}") for k, (tree, _) in enumerate(tied)], tmp_path
    )
    for k, (tree, rows) in enumerate(tied):
        predict = getattr(library, f"t{k}_predict")
        labels = tree.target.classes[0].tolist()
        for row, answer in zip(rows, tree.predict(rows).tolist(), strict=True):
            values = [math.nan if row[name] is None else row[name] for name in tree.schema.names]
            given = (ctypes.c_double * len(values))(*values)
            assert labels[predict(given, 0)] == answer


@pytest.mark.parametrize("kind", ["numbers", "levels", "root", "regression", "outputs"])
def test_c_compiles_without_a_warning(kind: str, tmp_path: Path) -> None:
    X: Any = np.arange(20.0).reshape(10, 2)
    y: Any = np.arange(10) % 3
    if kind == "levels":
        X = {"a": list("xyxyzzyxyx")}
    model: Any = ceiba.DecisionTreeClassifier(max_depth=None)
    if kind == "root":
        y = np.zeros(10)
    if kind == "regression":
        model = ceiba.DecisionTreeRegressor()
    if kind == "outputs":
        y = np.stack([y, y % 2], axis=1)
    compiled([model.fit(X, y).tree_.export("c")], tmp_path)


# ---------------------------------------------------------------------- SQL


@pytest.mark.parametrize("name", ["leaf", "Leaf", "LEAF"])
def test_sql_of_a_table_with_a_column_leaf_asks_for_a_prefix(name: str) -> None:
    X = {name: [float(i % 7) for i in range(20)]}
    tree = ceiba.DecisionTreeClassifier().fit(X, ["yes" if v > 3 else "no" for v in X[name]]).tree_
    with pytest.raises(OptionError, match=f"column {name!r}.*another prefix"):
        tree.export("sql", dialect="sqlite")
    tree.export("sql", form="prediction")  # adds no column
    with sqlite3.connect(":memory:") as base:
        base.execute(f'CREATE TABLE data ("{name}" REAL)')
        base.executemany("INSERT INTO data VALUES (?)", [(v,) for v in X[name]])
        cursor = base.execute(tree.export("sql", dialect="sqlite", prefix="tree_"))
        names = [one[0] for one in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    assert [row["tree_prediction"] for row in rows] == tree.predict(X).tolist()
    assert [row["tree_leaf"] for row in rows] == tree.apply(X).tolist()


def test_sql_of_a_target_called_leaf_asks_for_a_prefix() -> None:
    model = ceiba.DecisionTreeClassifier().fit({"x": [1.0, 2.0], "leaf": ["a", "b"]}, "leaf")
    with pytest.raises(OptionError, match="column 'leaf'"):
        model.tree_.export("sql")
