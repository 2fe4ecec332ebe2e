"""Edit trees by hand: set and copy splits, regrow subtrees, and forbid or prefer columns.

An edit routes the training rows to one node, grows there under the stopping rules of the whole tree
and replaces the node by the result (`ceiba.edit.forced`). Other nodes are unchanged.

Rules for growing at and below a node (forbidden or preferred columns, sealed leaves) are stored in
the notes of the tree. Other edits preserve them, and model files contain them. A column that is
forbidden at a node is forbidden in its whole subtree. Forbidden columns are removed from the table
that the subtree grows on. Preferred columns have a tiny `column_cost`, so they win.

Copied splits keep their cuts and level sets; values, gains and the branch of missing values are
those of the rows at the new node. A split that would leave a branch empty becomes a leaf. Levels
that the split does not list go to the branch that has the most rows at the original node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.edit.forced.graft import graft, join_branches
from ceiba.edit.forced.node_site import NodeSite
from ceiba.edit.forced.partition import EmptyBranchError, SplitLike
from ceiba.errors import OptionError, TreeError
from ceiba.grow import Problem, read_interactions, read_per_column
from ceiba.table import Table
from ceiba.tree import LevelSets, NodeNote, SplitTable, Tree, with_note
from ceiba.tree.splits import Split, with_cut_digits

if TYPE_CHECKING:
    from ceiba.tree import Tree
_PREFERRED_COST: Final = 1e-9  # factor that reduces the `column_cost` of preferred columns


@dataclass(frozen=True)
class GrowingRules:
    """Rules for growing a subtree at a node, including the column rules of its ancestors."""

    forbid: frozenset[str] = frozenset()
    prefer: frozenset[str] = frozenset()
    sealed: bool = False


def rules_at(tree: Tree, node: int) -> GrowingRules:
    """Return the growing rules that apply at a node."""
    if not tree.notes:
        return GrowingRules()
    notes = [tree.notes[i] for i in tree.path(node).nodes if i in tree.notes]
    forbidden = frozenset(name for note in notes for name in note.forbid or ())
    preferred = frozenset(name for note in notes for name in note.prefer or ())
    node_note = tree.notes.get(node)
    return GrowingRules(forbidden, preferred - forbidden, bool(node_note and node_note.sealed))


def forbid(tree: Tree, node: int, columns: str | Iterable[str]) -> Tree:
    """Forbid splits on columns at and below a node; an empty list removes the rule."""
    names = _check_names(tree, columns)
    if len(names) == len(tree.schema.names):
        raise OptionError(
            "forbid() must leave at least one column to split on. Use seal() to make a node a leaf."
        )
    return with_note(tree, node, replace(_note(tree, node), forbid=names or None))


def prefer(tree: Tree, node: int, columns: str | Iterable[str]) -> Tree:
    """Prefer splits on columns at and below a node; an empty list removes the rule."""
    return with_note(
        tree, node, replace(_note(tree, node), prefer=_check_names(tree, columns) or None)
    )


def seal(tree: Tree, node: int, sealed: bool = True) -> Tree:
    """Turn a node into a leaf that is not split again, or lift this restriction."""
    tree = tree.collapse(node) if sealed else tree
    return with_note(tree, node, replace(_note(tree, node), sealed=True if sealed else None))


def _note(tree: Tree, node: int) -> NodeNote:
    tree.node(node)
    return (tree.notes or {}).get(int(node), NodeNote())


def _check_names(tree: Tree, columns: str | Iterable[str]) -> tuple[str, ...]:
    """Check column names and return them in table order."""
    requested = {columns} if isinstance(columns, str) else set(columns)
    for name in requested:
        tree.schema.index(name)
    return tuple(name for name in tree.schema.names if name in requested)


def grow_at(site: NodeSite, rules: GrowingRules, levels: int | None = None) -> Tree:
    """Grow a tree of depth at most `levels` at a node, following the node's growing rules."""
    if levels == 0:
        return site.leaf()
    options = site.problem.options
    if levels is not None:
        deepest = site.depth + levels
        allowed = deepest if options.max_depth is None else min(options.max_depth, deepest)
        options = replace(options, max_depth=allowed)
    problem = site.problem.with_changes(options=options)
    names = problem.table.schema.names
    if rules.prefer:
        old_costs = {} if options.column_cost is None else options.column_cost
        costs = read_per_column("column_cost", old_costs, names, 1.0)
        costs = np.where([name in rules.prefer for name in names], costs * _PREFERRED_COST, costs)
        problem = problem.with_changes(options=replace(options, column_cost=costs.tolist()))
    if not rules.forbid:
        return replace(site, problem=problem).grow()
    columns = [j for j, name in enumerate(names) if name not in rules.forbid]
    selected = select_columns(problem, columns, site.path)
    subtree = replace(site, problem=selected, path=()).grow()
    return _restore_columns(subtree, problem, np.array(columns))


def grow_leaves_in(tree: Tree, node: int, problem: Problem, levels: int | None = None) -> Tree:
    """Replace the leaves at and below a node, except sealed ones, with newly grown subtrees."""
    check_levels(levels)
    sites = {node: NodeSite.at(tree, node, problem)}
    for i in range(node + 1, int(tree.subtree_end[node])):
        above = int(tree.parent[i])
        sites[i] = sites[above].descend(tree, i)
        if tree.branch_index[i] == tree.n_branches[above] - 1:
            del sites[above]  # no later branch needs the rows of this node
    new = tree
    # Go from the last leaf to the first, so that the ids of the remaining leaves do not change.
    for i in sorted(sites, reverse=True):
        rules = rules_at(tree, i)
        if rules.sealed or not len(sites[i].rows):
            continue
        site = replace(sites[i], leaves=new.n_leaves - 1)
        new = replace_node(new, i, grow_at(site, rules, levels), problem.table)
    return new


def replace_node(tree: Tree, node: int, subtree: Tree, table: Table) -> Tree:
    """Replace a node with a tree, and remove the parts of its note that no longer apply."""
    new = graft(tree, node, with_cut_digits(subtree, table))
    note = (tree.notes or {}).get(node)
    if note is None:
        return new
    new_note = replace(note, answer=None, before=None, reason=None)
    new_note = new_note if subtree.n_nodes == 1 else replace(new_note, sealed=None)
    return new if new_note == NodeNote() else with_note(new, node, new_note)


def check_levels(levels: Any) -> None:
    """Raise an error unless `levels` is None or a non-negative int."""
    is_integer = isinstance(levels, int | np.integer) and not isinstance(levels, bool)
    if levels is not None and not (is_integer and levels >= 0):
        raise OptionError(f"levels must be None (no limit) or a non-negative int, got {levels!r}.")


def select_columns(problem: Problem, columns: list[int], path: Sequence[int]) -> Problem:
    """Return a problem with only some columns, for growing below splits on columns in `path`."""
    names, changes = problem.table.schema.names, dict[str, Any]()
    _, groups = read_interactions(problem.options.interaction_cst, names, path)
    if groups:  # map the columns of the groups to their new indices
        new_groups = [[columns.index(j) for j in group if j in columns] for group in groups]
        changes["interaction_cst"] = [group for group in new_groups if group] or [[]]
    for option, free in (("monotonic_cst", 0.0), ("column_cost", 1.0)):
        values = getattr(problem.options, option)
        if values is not None:
            changes[option] = read_per_column(option, values, names, free)[columns].tolist()
    options = replace(problem.options, **changes)
    return problem.with_changes(table=problem.table.select(columns), options=options)


def _restore_columns(subtree: Tree, problem: Problem, positions: npt.NDArray[Any]) -> Tree:
    """Renumber the columns of a tree that was grown on selected columns of a table."""

    def moved(splits: SplitTable) -> SplitTable:
        column = splits.column
        return replace(
            splits, column=np.where(column >= 0, positions[np.maximum(column, 0)], column)
        )

    tables = {
        name: replace(table, splits=moved(table.splits))
        for name in ("surrogates", "competitors")
        if (table := getattr(subtree, name)) is not None
    }
    schema = problem.table.schema.with_target(problem.target.info)
    return replace(subtree, schema=schema, splits=moved(subtree.splits), **tables)


def regrow_in(tree: Tree, node: int, problem: Problem, levels: int | None = None) -> Tree:
    """Regrow the subtree of a node on the training rows."""
    check_levels(levels)
    site = NodeSite.at(tree, node, problem)
    return replace_node(tree, node, grow_at(site, rules_at(tree, node), levels), problem.table)


def set_split_in(
    tree: Tree, node: int, split: SplitLike, problem: Problem, levels: int | None = None
) -> Tree:
    """Set the split of a node, and regrow its branches on the training rows."""
    check_levels(levels)
    stem, branches = NodeSite.at(tree, node, problem).force_split(split)
    rules = rules_at(tree, node)
    subtree = join_branches(stem, [grow_at(branch, rules, levels) for branch in branches])
    return replace_node(tree, node, subtree, problem.table)


def copy_splits_in(tree: Tree, node: int, to: int, problem: Problem) -> Tree:
    """Copy the splits of a node's subtree to another node."""
    tree.node(node)
    tree.node(to)
    if tree.is_leaf[node]:
        raise TreeError(f"Node {node} is a leaf and has no splits to copy.")
    if to in tree.path(node).nodes or node in tree.path(to).nodes:
        raise TreeError(f"The subtrees of nodes {node} and {to} must not overlap.")
    site = NodeSite.at(tree, to, problem)
    subtree = rebuild_subtree(tree, node, site, lambda i, at: repeat_split(tree, i, at))
    return replace_node(tree, to, subtree, problem.table)


def rebuild_subtree(
    tree: Tree,
    node: int,
    root: NodeSite,
    split_at: Callable[[int, NodeSite], tuple[Tree, list[NodeSite]]],
) -> Tree:
    """Rebuild a subtree at another node with the splits that `split_at` returns."""
    sites: list[tuple[int, NodeSite]] = [(node, root)]
    stems: list[Tree] = []
    below: list[list[int]] = []
    # Split from the top down (the list grows while it is iterated), then join from the bottom up.
    for k, (source, site) in enumerate(sites):
        stem, branches = split_at(source, site)
        stems.append(stem)
        first = tree.branch_start[source]
        below.append([])
        for b, branch in enumerate(branches):
            below[k].append(len(sites))
            sites.append((int(tree.branch_node[first + b]), branch))
    for k in reversed(range(len(stems))):
        if below[k]:
            stems[k] = join_branches(stems[k], [stems[at] for at in below[k]])
    return stems[0]


def repeat_split(tree: Tree, source: int, site: NodeSite) -> tuple[Tree, list[NodeSite]]:
    """Apply the split of a node at another node; return a leaf if a branch would be empty."""
    split = tree.node(source).split
    if split is None:
        return site.leaf(), []
    try:
        return site.force_split(_add_unknown_levels(tree, source, split, site))
    except EmptyBranchError:
        return site.leaf(), []


def _add_unknown_levels(tree: Tree, source: int, split: Split, site: NodeSite) -> Split:
    """Add to a split's largest branch the levels of the node that the split does not list."""
    if not isinstance(split, LevelSets):
        return split
    column = site.problem.table.column(split.column)
    codes = np.unique(column.values[site.rows])
    levels = column.info.levels
    named = {level for group in split.branches for level in group}
    present = [levels[code] for code in codes.tolist() if 0 <= code < len(levels)]
    unknown = tuple(level for level in present if level not in named)
    if not unknown:
        return split
    start, end = tree.branch_start[source : source + 2]
    largest = int(np.argmax(tree.n_rows[tree.branch_node[start:end]]))
    groups = list(split.branches)
    groups[largest] = (*groups[largest], *unknown)
    return LevelSets(split.column, tuple(groups))
