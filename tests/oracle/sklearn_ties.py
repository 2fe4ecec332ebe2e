"""Exactly tied cuts of one column, which scikit-learn's seeds do not reveal.

`stable_over_seeds` tells ties between columns, because the seed shuffles those. Two cuts of the
same column with exactly the same gain are always tried in the same order, and rounding decides:
scikit-learn may take the later one. Here the nodes of a fitted tree are searched for such ties in
exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.reference.criteria import gain
from tests.reference.distribution import distribution
from tests.reference.exact import above, exact


def tied_cuts(
    fitted: Any, X: np.ndarray, y: np.ndarray, weight: Any, criterion: str
) -> Iterator[str]:
    """Nodes whose column has another cut with exactly the gain of the chosen one."""
    tree, on_path = fitted.tree_, fitted.decision_path(X).toarray().astype(bool)
    target = [exact(v) for v in y]
    weights = [exact(w) for w in (weight if weight is not None else np.ones(len(y)))]
    for node in np.flatnonzero(np.asarray(tree.children_left) >= 0).tolist():
        rows = np.flatnonzero(on_path[:, node]).tolist()
        column, chosen = X[:, tree.feature[node]], float(tree.threshold[node])
        ties = {}
        for low in sorted(set(column[rows]))[:-1]:
            sides = [r for r in rows if column[r] <= low], [r for r in rows if column[r] > low]
            ties[low] = gain(criterion, [distribution(target, weights, side) for side in sides])
        own = ties[max(low for low in ties if low <= chosen)]
        equal = [low for low, g in ties.items() if not above(g, own) and not above(own, g)]
        if len(equal) > 1:
            yield f"node {node}: {len(equal)} cuts of its column gain the same {float(own):.6g}"
