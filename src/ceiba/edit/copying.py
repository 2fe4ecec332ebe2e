"""The questions of one subtree asked below another node, or of other rows.

Cuts and level sets are taken as they are; values, gains and the way of missing values come from the
rows of the new place. Where a question would leave a branch empty, the new place has a leaf. Levels
that the question does not know go where the most rows of the original go.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ceiba.edit.forced.division import EmptyBranchError
from ceiba.edit.forced.graft import plant
from ceiba.edit.forced.here import Here
from ceiba.edit.growing import grafted
from ceiba.errors import TreeError
from ceiba.grow import Problem
from ceiba.tree import LevelSets, Tree
from ceiba.tree.splits.split_table import Split


def copy_splits_in(tree: Tree, node: int, to: int, problem: Problem) -> Tree:
    """Ask the questions below a node below another one too."""
    tree.node(node)
    tree.node(to)
    if tree.is_leaf[node]:
        raise TreeError(f"Node {node} is a leaf: there are no questions to copy.")
    if to in tree.path(node).nodes or node in tree.path(to).nodes:
        raise TreeError(f"Nodes {node} and {to} lie on one path. Copy to a node beside it.")
    here = Here.at(tree, to, problem)
    part = replanted(tree, node, here, lambda i, at: asked_again(tree, i, at))
    return grafted(tree, to, part, problem.table)


def replanted(
    tree: Tree, node: int, here: Here, asked: Callable[[int, Here], tuple[Tree, list[Here]]]
) -> Tree:
    """Make a subtree again at another place: places on the way down, trees on the way up."""
    places: list[tuple[int, Here]] = [(node, here)]
    stems: list[Tree] = []
    below: list[list[int]] = []
    for k, (source, place) in enumerate(places):  # grows while it is walked through
        stem, branches = asked(source, place)
        stems.append(stem)
        first = tree.branch_start[source]
        below.append([])
        for b, branch in enumerate(branches):
            below[k].append(len(places))
            places.append((int(tree.branch_node[first + b]), branch))
    for k in reversed(range(len(stems))):
        if below[k]:
            stems[k] = plant(stems[k], [stems[at] for at in below[k]])
    return stems[0]


def asked_again(tree: Tree, source: int, place: Here) -> tuple[Tree, list[Here]]:
    """Ask the question of a node at another place; a leaf where a branch would be empty."""
    split = tree.node(source).split
    if split is None:
        return place.leaf(), []
    try:
        return place.forced(_for_all_levels(tree, source, split, place))
    except EmptyBranchError:
        return place.leaf(), []


def _for_all_levels(tree: Tree, source: int, split: Split, place: Here) -> Split:
    """Say of a level set where levels go that it does not know."""
    if not isinstance(split, LevelSets):
        return split
    column = place.problem.table.column(split.column)
    codes = np.unique(column.values[place.rows])
    levels = column.info.levels
    known = {level for group in split.branches for level in group}
    present = [levels[code] for code in codes.tolist() if 0 <= code < len(levels)]
    rest = tuple(level for level in present if level not in known)
    if not rest:
        return split
    start, end = tree.branch_start[source : source + 2]
    most = int(np.argmax(tree.n_rows[tree.branch_node[start:end]]))
    groups = list(split.branches)
    groups[most] = (*groups[most], *rest)
    return LevelSets(split.column, tuple(groups))
