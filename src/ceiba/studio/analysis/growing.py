"""Find splits that rank above the splits chosen by `grow_leaves`, which maximizes the gain.

`fit` takes the split with the largest gain. If another column ranks first (see `rivals.py`), the
split of that column is used instead, and the subtree below is regrown. The new splits are arguments
of the action `grow`, so that journal and script repeat them without a search.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ceiba.edit import rules_at
from ceiba.studio.analysis.node_analysis import NodeAnalysis
from ceiba.studio.analysis.rivals import find_first_rival
from ceiba.studio.work.actions import ActionContext, grow, replace_split
from ceiba.studio.work.state import branch_path, levels_below_leaf


def choose_splits(
    analysis: NodeAnalysis,
    context: ActionContext,
    node: int,
    levels: Any,
    on_node: Callable[[int, int], None],
) -> list[list[Any]]:
    """Return [node, split] pairs, in pre-order, that replace splits chosen by `grow_leaves`.

    `on_node(done, total)` is called before each node; `total` changes with the splits.
    """
    options = analysis.problem.options
    by_gain = options.max_leaf_nodes is None and options.column_cost is None
    if not by_gain or "tests" in options.growers or options.min_significance is not None:
        return []  # with these options, a split is not selected by its gain alone
    before, splits = analysis.tree, list[list[Any]]()
    state, _ = grow(context, node, levels)
    i = node
    while i < (end := int(state.fitted_tree.subtree_end[node])):
        on_node(i - node, end - node)
        tree = state.fitted_tree
        if not tree.is_leaf[i] and levels_below_leaf(before, branch_path(tree, i)) is not None:
            first = _first_split(NodeAnalysis(state, analysis.data, analysis.row_cache), i)
            if first is not None:
                splits.append([i, first])
                state, _ = replace_split(context, state, i, first, levels)
        i += 1
    return splits


def _first_split(analysis: NodeAnalysis, node: int) -> Any:
    """Return the first-ranked split of a node, or None if its current split is kept."""
    if rules_at(analysis.tree, node).prefer:
        return None
    first, column = find_first_rival(analysis, node), int(analysis.tree.splits.column[node])
    in_tree = first is not None and first["column"] == analysis.tree.schema.names[column]
    return None if first is None or in_tree else first["given"]
