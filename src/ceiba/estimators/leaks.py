"""A warning after fitting: one column alone decides the target, which is mostly a leak.

Looked for where the tree begins: a column that parts the rows into two or three branches without
mistakes (at most 0.5 % of the root's risk is left), each of at least 0.5 % of the rows. Tables of
fewer than 200 rows are not looked at: there such a column is common, and a fit takes microseconds.
"""

from __future__ import annotations

import math
import warnings

from ceiba.errors import LeakWarning
from ceiba.table import Table
from ceiba.table.identifiers import warned_identifier
from ceiba.tree import Tree

FEWEST_ROWS = 200
_LEFT = 0.005
#: Share of the impurity (of any criterion) that a column which leaves no risk cannot leave. The
#: core knows it at once; the arrays of the tree would take as long as a small fit.
_HOPELESS = 0.25


def warn_of_leak(tree: Tree, table: Table) -> None:
    """Warn if the first column of a tree, fitted to `FEWEST_ROWS` or more, decides the target."""
    if tree._left_by_first_feature > _HOPELESS:
        return
    if tree.n_outputs > 1 or tree.n_leaves == 1:
        return
    whole = float(tree.risk[0])
    column, start = tree.splits.column, tree.branch_start
    parts = tree.branch_node[start[0] : start[1]].tolist()
    again = [i for i in parts if not tree.is_leaf[i] and column[i] == column[0]]
    if again and len(parts) <= 2:  # one branch parted again by the same column
        most = max(again, key=lambda i: float(tree.risk[i]))
        parts.remove(most)
        parts += tree.branch_node[start[most] : start[most + 1]].tolist()
    left = float(tree.risk[parts].sum())
    smallest = int(tree.n_rows[parts].min())
    decides = whole > 0 and left <= _LEFT * whole and math.isfinite(left)  # squares may overflow
    if not decides or smallest < max(2, table.n_rows // 200):
        return
    first = int(column[0])
    by_column = table.is_whole and table.matrix is None and table.sparse is None
    if by_column and warned_identifier(table.columns, first):
        return
    name = tree.schema.names[first]
    target = "the target" if tree.target.name is None else repr(tree.target.name)
    warnings.warn(
        f"Column {name!r} alone decides {target}: it leaves {left / whole:.2g} of the risk. Is it "
        f"known before {target} is? If not, it is a leak: leave it out.",
        LeakWarning,
        stacklevel=4,
    )
