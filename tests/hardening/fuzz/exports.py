"""Random trees with ugly names, cuts and levels through every export, in its real runtime.

Runtimes that are not installed are left out; `tests/export` says so when it skips them.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import ceiba
from tests.export import runtimes, servers
from tests.export.agreement import compare
from tests.export.drawn_trees import Drawn
from tests.export.drawn_trees import draw as draw_tree
from tests.export.test_json import route, rows_of
from tests.hardening.fuzz.shrinking import without_part

_FLAT = ("learn", "surrogate", "majority")
_ROWS = 200
KIND = "runtime"  # cases are counted by it


def _in_folder(run: Callable[[Drawn, Path], None]) -> Callable[[Drawn], None]:
    def one(drawn: Drawn) -> None:
        with tempfile.TemporaryDirectory() as folder:
            run(drawn, Path(folder))

    return one


def _json(drawn: Drawn) -> None:
    nodes = json.loads(drawn.tree.export("json"))["nodes"]
    leaves = [route(nodes, row) for row in rows_of(drawn)]
    compare(drawn, leaves, [nodes[leaf]["prediction"] for leaf in leaves])


#: How an export is run; queries and ONNX have no fractional rows.
RUNTIMES: dict[str, Callable[[Drawn], None]] = {
    "python": runtimes.run_python,
    "sqlite": runtimes.run_sqlite,
    "json": _json,
    "scikit-learn": runtimes.run_sklearn,
}
if find_spec("duckdb"):
    RUNTIMES["duckdb"] = runtimes.run_duckdb
if servers.postgres_folder():
    RUNTIMES["postgresql"] = runtimes.run_postgresql
if servers.has_pmml_evaluator():
    RUNTIMES["pmml"] = _in_folder(runtimes.run_pmml)
if find_spec("onnx") and find_spec("onnxruntime"):
    RUNTIMES["onnx float64"] = lambda drawn: runtimes.run_onnx(drawn, "float64")
    RUNTIMES["onnx float32"] = lambda drawn: runtimes.run_onnx(drawn, "float32")
if runtimes.NODE:
    RUNTIMES["javascript"] = _in_folder(lambda drawn, at: runtimes.run_javascript([drawn], at))
if runtimes.COMPILER:
    RUNTIMES["c"] = _in_folder(lambda drawn, at: runtimes.run_c([drawn], at))
if runtimes.DOT:
    RUNTIMES["drawings"] = runtimes.run_drawings
_ANY = ("python", "javascript", "c", "drawings")


def start() -> None:
    """Start what runs beside the campaign, before memory is limited."""
    if "postgresql" in RUNTIMES:
        servers.psql()
    if "pmml" in RUNTIMES:
        servers.pmml_evaluator()


def draw(seed: int) -> dict[str, Any]:
    rng = random.Random(seed)
    runtime = rng.choice(sorted(RUNTIMES))
    missing = (*_FLAT, "fractional") if runtime in _ANY else _FLAT
    return {
        "runtime": runtime,
        "tree": rng.randrange(10**6),
        "n_inner": rng.choice([1, 3, 8, 14, 30]),
        "missing": rng.choice(missing),
        "rows": list(range(_ROWS)),
    }


def check(case: dict[str, Any]) -> None:
    runtime = case["runtime"]
    if runtime not in RUNTIMES:
        return
    drawn = _fitted(case) if runtime == "scikit-learn" else _drawn(case)
    rows = {name: [cells[i] for i in case["rows"]] for name, cells in drawn.rows.items()}
    RUNTIMES[runtime](replace(drawn, rows=rows))


def _drawn(case: dict[str, Any]) -> Drawn:
    return draw_tree(
        case["tree"],
        _ROWS,
        missing=case["missing"],
        float32=case["runtime"] == "onnx float32",
        n_inner=case["n_inner"],
    )


def _fitted(case: dict[str, Any]) -> Drawn:
    """A tree of numbers, float32 and some missing: what scikit-learn's trees can be."""
    rng = np.random.default_rng(case["tree"])
    n_columns = int(rng.integers(1, 5))
    X = rng.normal(size=(_ROWS, n_columns)).astype(np.float32).astype(float)
    if rng.random() < 0.5:
        X = np.round(X * 4) / 4
    holes = rng.choice([0.0, 0.2])
    X[rng.random(X.shape) < holes] = np.nan
    kinds = (ceiba.DecisionTreeClassifier, ceiba.DecisionTreeRegressor)
    y: Any = (rng.integers(0, 3, _ROWS), rng.normal(size=_ROWS))
    which = int(rng.integers(2))
    model = kinds[which](max_leaf_nodes=case["n_inner"] + 1, missing="learn").fit(X, y[which])
    names = [column.name for column in model.tree_.schema.columns]
    return Drawn(model.tree_, dict(zip(names, X.T.tolist(), strict=True)), case["tree"])


def smaller(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for rows in without_part(case["rows"]):
        if rows:
            yield {**case, "rows": rows}
