"""Trees with `unseen="default"`: what exports and conditions say of rows that the root answers.

That every export agrees with `predict` on such rows is tested with all others (test_agreement).
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace

import numpy as np

import ceiba
from ceiba.paths.from_tree import node_condition
from tests.export.drawn_trees import draw

WIND = ceiba.tree.build(("wind", {"west": "yes", "east": "no"}), unseen="default")


def test_sql_gives_null_where_missing_values_are_refused() -> None:
    tree = ceiba.tree.build(
        ("wind", {"west": "yes", "east": ("clouds <= 4", "no", "yes")}),
        missing="error", unseen="default",
    )  # fmt: skip
    case = tree.export("sql", dialect="sqlite", form="leaf")
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE data (wind, clouds)")
        rows = [("west", 1), ("east", 9), ("south", 1), (None, 1), ("east", None)]
        base.executemany("INSERT INTO data VALUES (?, ?)", rows)
        answers = [one for (one,) in base.execute(f"SELECT {case} FROM data AS t")]
    assert answers == [1, 4, 0, None, None]


def test_sql_of_one_expression_answers_by_the_root() -> None:
    case = WIND.export("sql", dialect="sqlite", form="prediction")
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE data (wind)")
        base.executemany("INSERT INTO data VALUES (?)", [("east",), ("south",), (None,)])
        answers = [one for (one,) in base.execute(f"SELECT {case} FROM data AS t")]
    assert answers == WIND.predict({"wind": ["east", "south", None]}).tolist()


def test_json_says_where_the_root_answers() -> None:
    assert json.loads(WIND.export("json"))["nodes"][0]["unseen"] == "root"


def test_rules_end_with_the_answer_of_the_root() -> None:
    assert WIND.export("rules").splitlines()[-1].startswith("else ")


def test_conditions_of_leaves_select_no_rows_that_the_root_answers() -> None:
    answered = 0
    for seed in range(24):
        drawn = draw(seed, 300, missing=("learn", "surrogate", "majority")[seed % 3])
        tree = replace(drawn.tree, unseen="default")
        end = tree.apply(drawn.rows)
        answered += int((end != replace(tree, unseen="majority").apply(drawn.rows)).sum())
        for node in np.flatnonzero(tree.is_leaf).tolist():
            chosen = node_condition(tree, node).select(drawn.rows)
            assert chosen.tolist() == (end == node).tolist()
    assert answered > 100
