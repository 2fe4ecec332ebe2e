"""The ends that rules and SQL are written from: every row meets the conditions of exactly one."""

from __future__ import annotations

import math
from typing import Any

from ceiba.tree import Tree
from tests.export.agreement import several


def test_ends_every_row_satisfies_exactly_one() -> None:
    from ceiba.paths.routes import LevelSet, ends_of
    from ceiba.table import read_like

    def holds(tree: Tree, way: dict[int, Any], codes: list[Any]) -> bool:
        for column, one in way.items():
            value = codes[column]
            if isinstance(one, LevelSet):
                ok = one.missing if value < 0 else (
                    value in one.codes if value < one.n_levels else one.unknown
                )  # fmt: skip
            elif value != value:
                ok = one.missing
            else:
                # An interval without a lower end takes -inf too.
                above = one.low == -math.inf or value > one.low
                ok = one.present and above and value <= one.high
            if not ok:
                return False
        return True

    for drawn in several(None, flat=True)[:12]:
        tree = drawn.tree
        table = read_like(drawn.rows, tree.schema, match="name")
        ends = list(ends_of(tree))
        expected = tree.apply(table)
        for i in range(200):
            codes = [column.values[i].item() for column in table.columns]
            met = [
                end.node
                for end in ends
                if holds(tree, end.merged, codes)
                and all(any(holds(tree, way, codes) for way in one) for one in end.choices)
            ]
            assert met == [expected[i]], drawn.seed
