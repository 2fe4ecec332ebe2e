"""List the significance tests of a tree's splits."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ceiba.errors import OptionError
from ceiba.listing import Listing, rows_to_columns
from ceiba.tree import SplitKind, Tree
from ceiba.tree.splits import SplitTests, range_sentence

_NAMES: Final = {
    "chi2": "chi-square of the groups",
    "likelihood_ratio": "likelihood ratio of the groups",
    "f_test": "F of the groups",
    "search": "of the levels, or of the best cut",
}
_MISSING: Final = "missing"


def split_tests(tree: Tree) -> Listing:
    """Return the significance test by which each split was chosen, or a test of its branches.

    Trees grown by tests (`ceiba.chaid`, `min_significance`) have stored tests. For any other tree
    the statistics of the nodes give Pearson's chi-square of branches against classes, where weights
    count as rows, or the F test of the branches' means. The p-values of these two tests do not
    account for the search that chose the split.

    Parameters
    ----------
    tree : Tree

    Returns
    -------
    Listing
        node, column, statistic, df, p_value, groups; for stored tests also factor and
        adjusted_p_value.

    Examples
    --------
    >>> import ceiba
    >>> data = ceiba.datasets.load_iris()
    >>> tree = ceiba.chaid(max_depth=1).fit(data.X, data.y).tree_
    >>> listing = ceiba.inspection.split_tests(tree)
    >>> listing["column"].tolist(), int(listing["df"][0])
    (['petal length'], 6)
    """
    table = tree.tests
    if table is None and tree.n_nodes == 1:  # no split passed a test
        table = SplitTests.of_nodes(1, {})
    if table is None:
        return _test_branches(tree)
    nodes = np.flatnonzero(~np.isnan(table.p_value))
    tests: list[Any] = [table.of(node) for node in nodes.tolist()]
    columns: dict[str, Any] = {
        "node": nodes,
        "column": [tree.schema.names[tree.splits.column[node]] for node in nodes.tolist()],
        "statistic": table.statistic[nodes],
        "df": [" and ".join(f"{d:g}" for d in test.df) for test in tests]
        if not np.isnan(table.df2[nodes]).all()
        else table.df[nodes],
        "p_value": table.p_value[nodes],
        "factor": np.array([test.factor for test in tests]),
        "adjusted_p_value": np.array([test.adjusted_p_value for test in tests]),
        "groups": [" | ".join(_branch_groups(tree, node)) for node in nodes.tolist()],
    }
    legend = (
        f"statistic: {_NAMES.get(table.name, 'of the test')}; adjusted_p_value: p_value times the "
        "factor that corrects for the search (Bonferroni)"
    )
    return Listing(columns, title="tests", legend=legend)


def _test_branches(tree: Tree) -> Listing:
    """Test for each split whether the target differs between its branches."""
    from scipy import stats

    if tree.n_outputs > 1 or not tree.n_rows[0]:
        kind = "several outputs" if tree.n_outputs > 1 else "a tree without training counts"
        raise OptionError(f"split_tests is not supported for {kind}.")
    classes = tree.counts is not None
    if not classes and tree.criterion != "squared_error":
        raise OptionError(f"split_tests is not supported with criterion={tree.criterion!r}.")
    rows: list[tuple[Any, ...]] = []
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        children = tree.branch_node[tree.branch_start[node] : tree.branch_start[node + 1]]
        statistic, df = (_chi_square if classes else _f_ratio)(tree, children)
        if classes:
            p = float(stats.chi2.sf(statistic, df[0])) if df[0] > 0 else 1.0
        else:
            p = float(stats.f.sf(statistic, *df)) if df[0] > 0 and df[1] > 0 else 1.0
        df_text = " and ".join(f"{d:g}" for d in df)
        split = tree.node(node).split
        assert split is not None
        groups = [split.sentence(b, tree.schema) for b in range(len(children))]
        column = tree.schema.names[tree.splits.column[node]]
        rows.append((node, column, statistic, df[0] if classes else df_text, p, " | ".join(groups)))
    names = ("node", "column", "statistic", "df", "p_value", "groups")
    of = "Pearson's chi-square of branches and classes" if classes else "F of the branches' means"
    return Listing(
        rows_to_columns(names, rows),
        title="tests",
        legend=f"statistic: {of}; p_value: of one split, not of the search that chose it",
    )


def _chi_square(tree: Tree, children: Any) -> tuple[float, tuple[float, ...]]:
    """Return Pearson's chi-square statistic of branches and classes, and its degrees of freedom."""
    assert tree.counts is not None
    counts = tree.counts[children, 0, :]
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return statistic, (float((counts.shape[0] - 1) * (counts.shape[1] - 1)),)


def _f_ratio(tree: Tree, children: Any) -> tuple[float, tuple[float, ...]]:
    """Return the F statistic of the branches and its two degrees of freedom."""
    weight, mean = tree.weight[children], tree.value[children, 0, 0]
    within = float((weight * tree.impurity[children]).sum())
    middle = float((weight * mean).sum() / weight.sum())
    between = float((weight * (mean - middle) ** 2).sum())
    df = (float(len(children) - 1), float(tree.n_rows[children].sum() - len(children)))
    if df[1] <= 0:
        return float("nan"), df
    return (between / df[0]) / (within / df[1]) if within > 0 else float("inf"), df


def _branch_groups(tree: Tree, node: int) -> list[str]:
    """Return a description of the values that are sent to each branch."""
    n = int(tree.n_branches[node])
    if tree.splits.kind[node] == SplitKind.LEVELS:
        return _level_groups(tree, node, n)
    if tree.splits.kind[node] == SplitKind.PRESENCE:
        return [_MISSING, "present"]
    return _interval_groups(tree, node, n)


def _interval_groups(tree: Tree, node: int, n: int) -> list[str]:
    bounds = [tree.splits.bounds(node, b) for b in range(n)]
    digits = int(tree.splits.digits[node])
    groups = [
        [] if low == np.inf else [range_sentence("x", (low, high), None, (digits, digits)) or "x"]
        for low, high in bounds
    ]
    home = int(tree.default_branch[node])
    if home >= 0 and (tree.sent_default[node] > 0 or not groups[-1]):
        groups[home].append(_MISSING)
    return [", ".join(group) for group in groups]


def _level_groups(tree: Tree, node: int, n: int) -> list[str]:
    levels = tree.schema.columns[tree.splits.column[node]].levels
    codes, branches = tree.splits.level_map(node)
    groups = [[str(levels[c]) for c in codes[branches == b].tolist()] for b in range(n)]
    if tree.splits.has_missing_branch[node] or (
        tree.sent_default[node] > 0 and tree.default_branch[node] >= 0
    ):
        groups[int(tree.default_branch[node])].append(_MISSING)
    return [", ".join(group) for group in groups]
