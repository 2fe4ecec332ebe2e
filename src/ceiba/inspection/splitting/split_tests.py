"""The tests of a tree's splits as a table: column, groups, statistic, p-values."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ceiba.errors import OptionError
from ceiba.listing import Listing
from ceiba.tree import SplitKind, SplitTests, Tree

_NAMES: Final = {
    "chi2": "chi-square of the groups",
    "likelihood_ratio": "likelihood ratio of the groups",
    "f_test": "F of the groups",
    "search": "of the levels, or of the best cut",
}
_MISSING: Final = "missing"


def split_tests(tree: Tree) -> Listing:
    """List the test by which each node was split.

    Parameters
    ----------
    tree : Tree
        One that grew by tests (`ceiba.chaid`, `min_significance`).

    Returns
    -------
    Listing
        node, column, statistic, df, p_value, factor, adjusted_p_value, groups.

    Examples
    --------
    >>> import ceiba
    >>> data = ceiba.datasets.load_iris()
    >>> tree = ceiba.chaid(max_depth=1).fit(data.X, data.y).tree_
    >>> listing = ceiba.inspection.split_tests(tree)
    >>> listing["column"].tolist(), int(listing["df"][0])
    (['petal length'], 6)
    """
    stored = tree.tests
    if stored is None and tree.n_nodes == 1:  # no test was significant, or nothing could be tested
        stored = SplitTests.of_nodes(1, {}, [False])
    if stored is None:
        raise OptionError(
            "This tree holds no tests: its splits were chosen by their gain, or it was counted "
            "anew on other rows. Grow it with ceiba.chaid() or min_significance=0.05."
        )
    nodes = np.flatnonzero(~np.isnan(stored.p_value))
    tests: list[Any] = [stored.of(node) for node in nodes.tolist()]
    columns: dict[str, Any] = {
        "node": nodes,
        "column": [tree.schema.names[tree.splits.column[node]] for node in nodes.tolist()],
        "statistic": stored.statistic[nodes],
        "df": [" and ".join(f"{d:g}" for d in test.df) for test in tests]
        if not np.isnan(stored.df2[nodes]).all()
        else stored.df[nodes],
        "p_value": stored.p_value[nodes],
        "factor": np.array([test.factor for test in tests]),
        "adjusted_p_value": np.array([test.adjusted_p_value for test in tests]),
        "groups": [" | ".join(_groups(tree, node)) for node in nodes.tolist()],
    }
    legend = (
        f"statistic: {_NAMES.get(stored.name, 'of the test')}; adjusted_p_value: p_value times the "
        "factor that pays for the search (Bonferroni)"
    )
    return Listing(columns, title="tests", legend=legend)


def _groups(tree: Tree, node: int) -> list[str]:
    """Say into which groups the test of a node parts its rows."""
    assert tree.tests is not None
    groups: list[str] = []
    # A split may be continued below: in older model files intervals of numbers are cuts one below
    # another. Rows without a value take the default branch.
    waiting = [(node, -np.inf, np.inf, bool(tree.sent_default[node] > 0))]
    while waiting:
        at, low, high, missing = waiting.pop()
        if at != node and not tree.tests.continues[at]:
            groups.append(_interval(low, high) + (f", {_MISSING}" if missing else ""))
            continue
        first, last = tree.branch_start[at : at + 2].tolist()
        below = tree.branch_node[first:last].tolist()
        kind = tree.splits.kind[at]
        if kind == SplitKind.INTERVALS:
            groups += _interval_groups(tree, at, last - first)
        elif kind == SplitKind.LEVELS:
            groups += _level_groups(tree, at, last - first)
        elif kind == SplitKind.CUT:
            cut, home = float(tree.splits.cut[at]), int(tree.default_branch[at])
            waiting.append((below[1], cut, high, missing and home == 1))
            waiting.append((below[0], low, cut, missing and home == 0))
        else:
            groups.append(_MISSING)
            if tree.tests.continues[below[0]]:
                waiting.append((below[0], low, high, False))
            else:
                groups.append("present")
    return groups


def _interval_groups(tree: Tree, node: int, n: int) -> list[str]:
    bounds = [tree.splits.bounds(node, b) for b in range(n)]
    groups = [[] if low == np.inf else [_interval(low, high)] for low, high in bounds]
    if tree.sent_default[node] > 0 or not groups[-1]:
        groups[int(tree.default_branch[node])].append(_MISSING)
    return [", ".join(group) for group in groups]


def _level_groups(tree: Tree, node: int, n: int) -> list[str]:
    levels = tree.schema.columns[tree.splits.column[node]].levels
    codes, branches = tree.splits.level_map(node)
    groups = [[str(levels[c]) for c in codes[branches == b].tolist()] for b in range(n)]
    if tree.sent_default[node] > 0 and tree.default_branch[node] >= 0:
        groups[int(tree.default_branch[node])].append(_MISSING)
    return [", ".join(group) for group in groups]


def _interval(low: float, high: float) -> str:
    left = "" if low == -np.inf else f"{low:.6g} < "
    right = "" if high == np.inf else f" <= {high:.6g}"
    return f"{left}x{right}"
