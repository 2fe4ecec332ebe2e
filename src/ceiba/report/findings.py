"""What a careful reader would be told first: columns that may leak the target, leaves of few rows.

A leak is suspected when splits on one column alone do nearly all the work and the tree is nearly
free of error on its training rows (rain predicted from the millimetres of rain that fell). That is
a question to the user, not a verdict: some problems are that easy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ceiba.inspection.importance import importance

if TYPE_CHECKING:
    from ceiba.tree import Tree

__all__ = ["findings"]

LEAK_SHARE: Final = 0.9  # of the importance, by one column
LEAK_RISK: Final = 0.02  # R(T) / R(root)
SMALL_LEAF: Final = 5


def findings(tree: Tree) -> list[dict[str, Any]]:
    """Give findings as codes with figures; the page puts them into words.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.report.findings import findings
    >>> x = list(range(40))
    >>> model = ceiba.DecisionTreeClassifier().fit({"mm": x}, [v > 20 for v in x])
    >>> findings(model.tree_)[0]["code"]
    'leak'
    """
    found: list[dict[str, Any]] = []
    if tree.n_nodes == 1 or not tree.n_rows[0]:
        return found
    worth = importance(tree)
    best = int(np.argmax(worth))
    root = float(tree.risk[0])
    left = tree.tree_risk / root if root > 0 and np.isfinite(root) else np.nan
    if tree.n_rows[0] >= 20 and worth[best] >= LEAK_SHARE and left <= LEAK_RISK:
        found.append(
            {"code": "leak", "column": best, "share": float(worth[best]), "left": float(left)}
        )
    small = int(np.count_nonzero(tree.n_rows[tree.leaves] < SMALL_LEAF))
    if small and tree.n_leaves > 2:
        found.append({"code": "small_leaves", "n": small, "rows": SMALL_LEAF})
    return found
