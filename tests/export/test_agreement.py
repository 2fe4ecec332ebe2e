"""Every export, executed for real, agrees with `predict` on every row.

Rows hold values exactly at cuts and one step beside them, infinities, huge numbers, -0.0, missing
values and unseen levels; names and levels try to break out of quotes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ceiba
from tests.export.agreement import N_ROWS, N_TREES, parts, several
from tests.export.drawn_trees import draw
from tests.export.runtimes import (
    COMPILER,
    NODE,
    run_c,
    run_duckdb,
    run_javascript,
    run_onnx,
    run_pmml,
    run_postgresql,
    run_python,
    run_sqlite,
)
from tests.export.servers import has_pmml_evaluator, pmml_evaluator, postgres_folder
from tests.marks import slow

# ---------------------------------------------------------------------- SQL


@parts()
def test_sqlite_agrees_with_predict(part: int | None) -> None:
    for drawn in several(part, flat=True):
        run_sqlite(drawn)


@parts()
def test_duckdb_agrees_with_predict(part: int | None) -> None:
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    for drawn in several(part, flat=True):
        run_duckdb(drawn)


@pytest.mark.parametrize("seed", [*range(2), *slow(range(2, 24))])
def test_sql_in_nested_parts_agrees_with_predict(seed: int) -> None:
    """Of more leaves than one CASE lists: multiway nodes, surrogates, rows that stay, the root."""
    drawn = draw(seed, 500, missing=("learn", "surrogate", "majority")[seed % 3], n_inner=90)
    assert drawn.tree.n_leaves > 64
    run_sqlite(drawn)
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    run_duckdb(drawn)


@parts()
def test_postgresql_agrees_with_predict(part: int | None) -> None:
    if postgres_folder() is None:
        pytest.skip("PostgreSQL is not installed")
    for drawn in several(part, flat=True):
        run_postgresql(drawn)


# ---------------------------------------------------------------------- languages


@parts()
def test_python_agrees_with_predict(part: int | None) -> None:
    for drawn in several(part):
        run_python(drawn)


@parts()
def test_javascript_agrees_with_predict(part: int | None, tmp_path: Path) -> None:
    if NODE is None:
        pytest.skip("node is not installed")
    run_javascript(several(part), tmp_path)


@parts()
def test_c_agrees_with_predict(part: int | None, tmp_path: Path) -> None:
    if COMPILER is None:
        pytest.skip("no C compiler is installed")
    run_c(several(part), tmp_path)


# ---------------------------------------------------------------------- ONNX and PMML


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@parts()
def test_onnxruntime_agrees_with_predict(part: int | None, dtype: str) -> None:
    pytest.importorskip("onnx", reason="onnx is not installed")
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    seeds = range(N_TREES) if part is None else range(1000 + 10 * part, 1010 + 10 * part)
    for seed in seeds:
        kinds = ("learn", "surrogate", "majority")
        rows = N_ROWS if part is None else 10_000
        run_onnx(draw(seed, rows, missing=kinds[seed % 3], float32=dtype == "float32"), dtype)


@pytest.fixture
def evaluator() -> Any:
    if not has_pmml_evaluator():
        pytest.skip("java, jpype1 or jpmml-evaluator is not installed")
    return pmml_evaluator()


@pytest.mark.parametrize("step", ["6h", *slow(["1D", "137s"])])
def test_pmml_takes_dates_as_iso_text(step: str, evaluator: Any, tmp_path: Path) -> None:
    import pandas as pd

    times = pd.Series(pd.date_range("2024-02-27", periods=60, freq=step))
    model = ceiba.DecisionTreeClassifier().fit(pd.DataFrame({"t": times}), times.index // 7 % 2)
    model.tree_.export("pmml", tmp_path / "tree.pmml")
    style = "%Y-%m-%d" if step == "1D" else "%Y-%m-%dT%H:%M:%S"
    texts = [*times.dt.strftime(style), None]
    result = evaluator(tmp_path / "tree.pmml").evaluateAll(
        pd.DataFrame({"t": pd.Series(texts, dtype=object)})
    )
    assert result["leaf"].astype(int).tolist() == model.apply({"t": texts}).tolist()


@parts()
def test_pmml_agrees_with_predict(part: int | None, evaluator: Any, tmp_path: Path) -> None:
    for drawn in several(part, flat=True):
        run_pmml(drawn, tmp_path)
