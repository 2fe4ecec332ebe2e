"""Exports of survival trees equal `predict`, `predict_median` and the survival functions."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import OptionError

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


def test_sql_has_risk_median_and_survival(fitted: Any, rows: Any) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    polars = pytest.importorskip("polars")
    data = polars.DataFrame(rows)  # read by duckdb
    assert len(data) == 120
    found = duckdb.sql(fitted.export("sql", dialect="duckdb", times=TIMES)).pl()
    risk, median, survival = expected(fitted, rows)
    assert found["prediction"].to_list() == risk.tolist()
    assert found["median"].to_list() == median
    for k, name in enumerate(("survival_1", "survival_4", "survival_12")):
        assert found[name].to_numpy() == pytest.approx(survival[:, k])


def test_json_nodes_have_events_median_and_survival(fitted: Any, rows: Any) -> None:
    nodes = json.loads(fitted.export("json", times=TIMES))["nodes"]
    risk, median, survival = expected(fitted, rows)
    for i, leaf in enumerate(fitted.apply(rows).tolist()):
        assert nodes[leaf]["prediction"] == risk[i]
        assert nodes[leaf]["median"] == median[i]
        assert nodes[leaf]["survival"] == pytest.approx(survival[i])


def test_onnx_predicts_the_relative_risk(fitted: Any) -> None:
    onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    frame = simulate(80, 4)
    numeric = {name: frame[name] for name in ("age", "noise", "weeks", "died")}
    model = ceiba.DecisionTreeSurvival(max_depth=3).fit(numeric, ("weeks", "died"))
    session = onnxruntime.InferenceSession(model.export("onnx"))
    feed = {
        entry.name: np.asarray(numeric[entry.name], dtype=np.float64).reshape(-1, 1)
        for entry in session.get_inputs()
    }
    out = dict(zip([o.name for o in session.get_outputs()], session.run(None, feed), strict=True))
    value = next(v for name, v in out.items() if "leaf" not in name)
    assert np.ravel(value) == pytest.approx(model.predict(numeric), rel=1e-6)


@pytest.mark.parametrize("format_name", ["c", "javascript", "pmml", "excel", "svg", "dot"])
def test_other_formats_write_the_relative_risk(fitted: Any, format_name: str) -> None:
    assert len(fitted.export(format_name)) > 500


def test_times_of_other_trees_are_refused(fitted: Any) -> None:
    tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    for name in ("sql", "json"):
        with pytest.raises(OptionError, match="times requires a survival tree"):
            tree.export(name, times=[1])
    with pytest.raises(OptionError, match="times must be finite"):
        fitted.export("sql", times=[-1])
    with pytest.raises(OptionError, match="times is not supported with form='leaf'"):
        fitted.export("sql", times=[1], form="leaf")
