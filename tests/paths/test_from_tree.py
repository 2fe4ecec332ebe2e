"""Where rows end: every row satisfies the condition of exactly one end, in words too."""

from __future__ import annotations

import numpy as np
import pytest

from ceiba.paths.from_tree import end_conditions, node_condition
from ceiba.table.read_for_predict import read_like
from ceiba.tree import build
from tests.export.agreement import several


def test_ends_every_row_satisfies_exactly_one_or_the_root_answers() -> None:
    for drawn in several(None, flat=True)[:12]:
        tree = drawn.tree
        table = read_like(drawn.rows, tree.schema, match="name")
        nowhere = (
            0 if tree.unseen == "default" else -1
        )  # a row that meets a level unknown to a node
        reached = np.full(table.n_rows, -1)
        for node, condition in end_conditions(tree):
            rows = condition.select(table)
            assert (reached[rows] == -1).all(), drawn.seed
            reached[rows] = node
        ends = np.where(reached < 0, nowhere, reached)
        assert ends.tolist() == tree.apply(table).tolist(), drawn.seed


def test_ends_leave_out_what_no_row_can_reach() -> None:
    tree = build(("x <= 5", ("x <= 7", "a", "b"), "c"))
    assert [(node, str(condition)) for node, condition in end_conditions(tree)] == [
        (2, "x <= 5"),
        (4, "x > 5"),
    ]


@pytest.mark.parametrize("rule", ["learn", "error"])
def test_complete_text_mentions_missing_values_unless_they_are_refused(rule: str) -> None:
    tree = build(("x <= 5", "a", "b"), missing=rule)
    texts = [condition.text(complete=True) for _, condition in end_conditions(tree)]
    assert texts == ["x <= 5 or missing" if rule == "learn" else "x <= 5", "x > 5"]


def test_complete_text_spells_out_unseen_levels() -> None:
    tree = build(("c", {("p", "q"): "yes", ("r",): "no"}))
    assert node_condition(tree, 1).text() == "c in {p, q}"
    assert node_condition(tree, 1).text(complete=True) == "c not in {r} or missing"
