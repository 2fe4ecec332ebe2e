"""Exports of survival trees equal `predict`, `predict_median` and the survival functions."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import OptionError
from tests.export import runtimes
from tests.export.drawn_trees import Drawn
from tests.export.servers import has_pmml_evaluator
from tests.export.test_excel import OFFICE, away_from_cuts, computed

from .cases import simulate

TIMES = [1.0, 4.0, 12.0]


@pytest.fixture(scope="module")
def rows() -> dict[str, Any]:
    drawn = simulate(120, 9)
    rows = {name: drawn[name].tolist() for name in ("age", "stage", "noise")}
    rows["age"][:3], rows["stage"][3:6] = [None] * 3, [None] * 3
    return rows


@pytest.fixture(scope="module")
def fitted() -> Any:
    frame = simulate(300, 3)
    frame["died"] &= frame["age"] > 45  # some medians are not reached
    model = ceiba.DecisionTreeSurvival(max_depth=3, min_samples_leaf=15)
    return model.fit(frame, ("weeks", "died"))


def expected(fitted: Any, rows: Any) -> tuple[Any, Any, Any]:
    curves = fitted.predict_survival_function(rows)
    medians = [None if np.isinf(m) else m for m in fitted.predict_median(rows)]
    assert None in medians
    return fitted.predict(rows), medians, np.stack([curve(TIMES) for curve in curves])


def test_python_module_predicts_risk_median_and_survival(fitted: Any, rows: Any) -> None:
    module: dict[str, Any] = {}
    exec(fitted.export("python"), module)
    risk, median, survival = expected(fitted, rows)
    for i in range(120):
        row = {name: values[i] for name, values in rows.items()}
        assert module["predict"](row) == risk[i]
        assert module["predict_median"](row) == median[i]
        assert [module["predict_survival"](row, t) for t in TIMES] == survival[i].tolist()


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_sql_has_risk_median_and_survival(fitted: Any, rows: Any, dialect: str) -> None:
    query = fitted.export("sql", dialect=dialect, times=TIMES)
    if dialect == "duckdb":
        duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
        data = pytest.importorskip("polars").DataFrame(rows)  # read by duckdb
        assert len(data) == 120
        found = duckdb.sql(query).pl().to_dict(as_series=False)
    else:
        with sqlite3.connect(":memory:") as base:
            base.execute("CREATE TABLE data (age, stage, noise)")
            cells = zip(*(rows[name] for name in ("age", "stage", "noise")), strict=True)
            base.executemany("INSERT INTO data VALUES (?, ?, ?)", cells)
            cursor = base.execute(query)
            names = [column[0] for column in cursor.description]
            found = dict(zip(names, zip(*cursor.fetchall(), strict=True), strict=True))
    risk, median, survival = expected(fitted, rows)
    assert list(found["prediction"]) == risk.tolist()
    assert list(found["median"]) == median
    for k, name in enumerate(("survival_1", "survival_4", "survival_12")):
        assert np.array(found[name]) == pytest.approx(survival[:, k])


def test_json_nodes_have_events_median_and_survival(fitted: Any, rows: Any) -> None:
    nodes = json.loads(fitted.export("json", times=TIMES))["nodes"]
    risk, median, survival = expected(fitted, rows)
    for i, leaf in enumerate(fitted.apply(rows).tolist()):
        assert nodes[leaf]["prediction"] == risk[i]
        assert nodes[leaf]["median"] == median[i]
        assert nodes[leaf]["survival"] == pytest.approx(survival[i])


@pytest.fixture(scope="module")
def drawn(rows: Any) -> list[Drawn]:
    """Trees of both criteria, missing values learned, by surrogates and by majority."""
    frame = simulate(400, 5)
    frame["age"][::9] = np.nan
    rows = {**rows, "stage": ["IV", "IV", *rows["stage"][2:]]}  # unseen
    options = [
        {"missing": "learn"},
        {"missing": "surrogate", "min_samples_leaf": 9},
        {"missing": "majority", "criterion": "exponential", "max_depth": 3},
    ]
    models = [ceiba.DecisionTreeSurvival(**o).fit(frame, ("weeks", "died")) for o in options]
    return [Drawn(model.tree_, rows, seed) for seed, model in enumerate(models)]


def test_queries_and_modules_predict_the_relative_risk(drawn: list[Drawn]) -> None:
    for one in drawn:
        runtimes.run_sqlite(one)
        runtimes.run_duckdb(one)
        runtimes.run_python(one)


def test_onnx_predicts_the_relative_risk(drawn: list[Drawn]) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    runtimes.run_onnx(drawn[0], "float64")


@pytest.mark.skipif(runtimes.NODE is None, reason="node is not installed")
def test_javascript_predicts_the_relative_risk(drawn: list[Drawn], tmp_path: Path) -> None:
    runtimes.run_javascript(drawn, tmp_path)


@pytest.mark.skipif(runtimes.COMPILER is None, reason="no C compiler is installed")
def test_c_predicts_the_relative_risk(drawn: list[Drawn], tmp_path: Path) -> None:
    runtimes.run_c(drawn, tmp_path)


@pytest.mark.skipif(not has_pmml_evaluator(), reason="Java or jpmml_evaluator is not installed")
def test_pmml_predicts_the_relative_risk(drawn: list[Drawn], tmp_path: Path) -> None:
    runtimes.run_pmml(drawn[0], tmp_path)
    runtimes.run_pmml(drawn[1], tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(OFFICE is None, reason="LibreOffice is not installed")
def test_workbooks_compute_the_relative_risk(drawn: list[Drawn], tmp_path: Path) -> None:
    rows = [away_from_cuts(one) for one in drawn]
    pairs = list(zip(drawn, rows, strict=True))
    books = {str(one.seed): one.tree.export("excel", X=X) for one, X in pairs}
    found = computed(books, tmp_path)
    for one, X in pairs:
        lines = found[str(one.seed)]
        assert [line["leaf"] for line in lines] == one.tree.apply(X).tolist()
        risk = [line["prediction"] for line in lines]
        np.testing.assert_allclose(risk, one.tree.predict(X), rtol=1e-14)


def test_times_of_other_trees_are_refused(fitted: Any) -> None:
    tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    for name in ("sql", "json"):
        with pytest.raises(OptionError, match="times=.* requires a survival tree"):
            tree.export(name, times=[1])
    with pytest.raises(OptionError, match="times must be finite"):
        fitted.export("sql", times=[-1])
    with pytest.raises(OptionError, match="times is not supported with form='leaf'"):
        fitted.export("sql", times=[1], form="leaf")
