"""Names of several outputs are shown wherever their answers are."""

from __future__ import annotations

import json
import sqlite3

import pytest

import ceiba

FRAME = {
    "x": [1, 2, 3, 4, 5, 6],
    "size": ["s", "s", "m", "m", "l", "l"],
    "cost": ["low", "low", "low", "high", "high", "high"],
}
MODEL = ceiba.DecisionTreeClassifier().fit(FRAME, ["size", "cost"])
TREE = MODEL.tree_
NUMBERS = ceiba.DecisionTreeRegressor(max_depth=1).fit(
    {"x": [1, 2, 3, 4], "up": [1.0, 1.0, 3.0, 3.0], "down": [9.0, 9.0, 7.0, 7.0]}, ["up", "down"]
)


@pytest.mark.parametrize("format_name", ["text", "rules", "dot", "mermaid", "svg"])
def test_drawings_say_which_output_an_answer_is_of(format_name: str) -> None:
    written = TREE.export(format_name)
    assert "size = s" in written
    assert "cost = low" in written


def test_numbers_are_named_too() -> None:
    assert "up = 1, down = 9" in str(NUMBERS.tree_)
    assert "up = 1, down = 9" in NUMBERS.tree_.export("rules")
    assert "=> up = 1, down = 9  (" in str(NUMBERS.explain({"x": 1}))


def test_explanation_and_tables_name_the_outputs() -> None:
    assert "=> size = s, cost = low  (" in str(MODEL.explain({"x": 1}))
    assert "for size | cost" in str(TREE.rules())
    assert "for size, cost:" in str(TREE.summary())


def test_sql_names_its_columns_by_the_outputs() -> None:
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE data (x)")
        base.executemany("INSERT INTO data VALUES (?)", [(x,) for x in FRAME["x"]])
        cursor = base.execute(TREE.export("sql", dialect="sqlite"))
        names = [one[0] for one in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    assert [row["prediction_size"] for row in rows] == FRAME["size"]
    assert [row["prediction_cost"] for row in rows] == FRAME["cost"]
    assert [row["probability_cost_low"] for row in rows] == [1, 1, 1, 0, 0, 0]


def test_onnx_and_json_name_the_outputs() -> None:
    assert json.loads(TREE.export("json"))["outputs"] == ["size", "cost"]
    pytest.importorskip("onnx", reason="onnx is not installed")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    session = runtime.InferenceSession(TREE.export("onnx"))
    names = [one.name for one in session.get_outputs()]
    assert names == [
        "leaf", "label_size", "probabilities_size", "label_cost", "probabilities_cost",
    ]  # fmt: skip


@pytest.mark.parametrize("format_name", ["python", "c", "javascript"])
def test_programs_list_the_outputs(format_name: str) -> None:
    assert "'size', 'cost'" in TREE.export(format_name)


def test_outputs_without_names_are_numbered() -> None:
    plain = ceiba.DecisionTreeClassifier().fit([[1], [2]], [["a", "b"], ["c", "d"]]).tree_
    assert "prediction_0" in plain.export("sql")
    assert " = a" not in str(plain)
