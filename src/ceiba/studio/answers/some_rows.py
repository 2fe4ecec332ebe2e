"""Some rows of a node, as they are shown."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ceiba.errors import OptionError
from ceiba.studio.answers.bench import Bench
from ceiba.table.display import show_number
from ceiba.tree.splits.sentences import level_text

_MOST: Final = 200


def some_rows(bench: Bench, node: int, limit: int) -> dict[str, Any]:
    """Return rows of a node, evenly chosen; the target comes first."""
    if not 1 <= limit <= _MOST:
        raise OptionError(f"limit: got {limit}. Give 1 to {_MOST}.")
    here = bench.at(node)
    rows = here.rows[np.unique(np.linspace(0, len(here.rows) - 1, limit).astype(int))]
    table, target = bench.problem.table, bench.problem.target
    truth = target.values[rows, 0]
    if target.info.classes:
        answers = [level_text(label) for label in target.info.classes[0][truth].tolist()]
    else:
        answers = [show_number(number) for number in truth.tolist()]
    cells = [answers]
    for column in table.columns:
        values = column.values[rows].tolist()
        info = column.info
        if info.is_numeric:
            cells.append(["" if v != v else show_number(v, info.display) for v in values])
        else:
            cells.append(
                [level_text(info.levels[v]) if 0 <= v < info.n_levels else "" for v in values]
            )
    names = [target.info.name or "target", *table.schema.names]
    return {"columns": names, "rows": [list(row) for row in zip(*cells, strict=True)]}
