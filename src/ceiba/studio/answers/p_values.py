"""P-values that take a while: the search of a column repeated on permuted targets."""

from __future__ import annotations

from typing import Any, Final

from ceiba.grow.significance.search_p_values import SplitTest
from ceiba.studio.answers.bench import Bench
from ceiba.studio.answers.rivals import PERMUTED, rivals
from ceiba.studio.work.splits import read_json

_DRAWS: Final = 999


def p_values(bench: Bench, node: int) -> dict[str, Any]:
    """Return the p-values of a node that bounds do not settle."""
    here = bench.at(node)
    pending = [one for one in rivals(bench, node)["rivals"] if one["p_bound"] == "pending"]
    tests = {}
    for one in pending if len(here.rows) <= PERMUTED else []:
        stem, _ = here.forced(read_json(one["given"], bench.problem.table.schema))
        test = SplitTest(
            stem, bench.problem, "search", "auto", 0.05, _DRAWS, 0, bench.problem.table.n_columns
        )
        made = test(0, here.rows)
        tests[one["column"]] = {"p_value": made.p_value, "p_bound": made.bound}
    return {"node": node, "p_values": tests}
