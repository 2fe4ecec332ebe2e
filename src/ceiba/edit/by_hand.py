"""Trees changed by hand: grow below a node anew, or force a split and let the rest follow.

Both go down to one node with the training rows, let the core grow there under the stop rules of the
whole tree and graft the result in (`ceiba.edit.forced`). The rest of the old tree is not touched.
"""

from __future__ import annotations

from ceiba.edit.forced.division import SplitLike
from ceiba.edit.forced.graft import plant
from ceiba.edit.forced.here import Here
from ceiba.edit.growing import check_levels, grafted, grown
from ceiba.edit.growing_rules import rules_at
from ceiba.grow.problem import Problem
from ceiba.tree import Tree


def regrow_in(tree: Tree, node: int, problem: Problem, levels: int | None = None) -> Tree:
    """Grow below a node anew, on data that are read already."""
    check_levels(levels)
    here = Here.at(tree, node, problem)
    return grafted(tree, node, grown(here, rules_at(tree, node), levels), problem.table)


def set_split_in(
    tree: Tree, node: int, split: SplitLike, problem: Problem, levels: int | None = None
) -> Tree:
    """Force the split of a node, on data that are read already."""
    check_levels(levels)
    stem, branches = Here.at(tree, node, problem).forced(split)
    rules = rules_at(tree, node)
    part = plant(stem, [grown(branch, rules, levels) for branch in branches])
    return grafted(tree, node, part, problem.table)
