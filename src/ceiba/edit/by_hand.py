"""Trees changed by hand: what `set_split`, `regrow`, `grow_leaves`, `copy_splits`, `forbid` do.

All go down to one node with the training rows, let the core grow there under the stop rules of the
whole tree and graft the result in (`ceiba.edit.forced`). The rest of the old tree is not touched.

Rules for growing at and below a node (columns not asked about or asked first, sealed leaves) are
kept in the notes of the tree: they survive edits elsewhere and travel in the model file. A column
that is forbidden further up stays forbidden below. A forbidden column is taken out of the table
that the place grows on; a preferred one is so cheap (`column_cost`) that it is asked about wherever
it gains anything at all.

Copied questions keep their cuts and level sets; values, gains and the way of missing values come
from the rows of the new place. Where a question would leave a branch empty, the new place has a
leaf. Levels that the question does not know go where the most rows of the original go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.edit.forced.division import EmptyBranchError, SplitLike
from ceiba.edit.forced.graft import graft, plant
from ceiba.edit.forced.here import Here
from ceiba.errors import OptionError, TreeError
from ceiba.grow import Problem, read_per_column
from ceiba.table import Table
from ceiba.tree import LevelSets, NodeNote, SplitTable, Tree, with_note
from ceiba.tree.splits import Split, with_cut_digits

if TYPE_CHECKING:
    from ceiba.tree import Tree
_CHEAP: Final = 1e-9  # a preferred column gains this many times more than it does


@dataclass(frozen=True)
class GrowingRules:
    """What holds for growing at one node, by its own rules and those of the nodes above."""

    forbid: frozenset[str] = frozenset()
    prefer: frozenset[str] = frozenset()
    sealed: bool = False


def rules_at(tree: Tree, node: int) -> GrowingRules:
    """Return the rules that hold at a node."""
    if not tree.notes:
        return GrowingRules()
    notes = [tree.notes[i] for i in tree.path(node).nodes if i in tree.notes]
    forbidden = frozenset(name for note in notes for name in note.forbid or ())
    preferred = frozenset(name for note in notes for name in note.prefer or ())
    node_note = tree.notes.get(node)
    return GrowingRules(forbidden, preferred - forbidden, bool(node_note and node_note.sealed))


def forbid(tree: Tree, node: int, columns: str | Iterable[str]) -> Tree:
    """Forbid columns at and below a node; none allows all again."""
    names = _names(tree, columns)
    if len(names) == len(tree.schema.names):
        raise OptionError("forbid: all columns are named. Seal the node to keep it a leaf.")
    return with_note(tree, node, replace(_note(tree, node), forbid=names or None))


def prefer(tree: Tree, node: int, columns: str | Iterable[str]) -> Tree:
    """Ask about columns first, at and below a node; none takes the rule away."""
    return with_note(tree, node, replace(_note(tree, node), prefer=_names(tree, columns) or None))


def seal(tree: Tree, node: int, sealed: bool = True) -> Tree:
    """Make a leaf of a node that growing leaves alone; or let it grow again."""
    tree = tree.collapse(node) if sealed else tree
    return with_note(tree, node, replace(_note(tree, node), sealed=True if sealed else None))


def _note(tree: Tree, node: int) -> NodeNote:
    tree.node(node)
    return (tree.notes or {}).get(int(node), NodeNote())


def _names(tree: Tree, columns: str | Iterable[str]) -> tuple[str, ...]:
    """Check names of columns, and give them in the order of the table."""
    asked = {columns} if isinstance(columns, str) else set(columns)
    for name in asked:
        tree.schema.index(name)
    return tuple(name for name in tree.schema.names if name in asked)


def grown(here: Here, rules: GrowingRules, levels: int | None = None) -> Tree:
    """Grow a tree at a place, of at most so many levels."""
    if levels == 0:
        return here.leaf()
    options = here.problem.options
    if levels is not None:
        deepest = here.depth + levels
        allowed = deepest if options.max_depth is None else min(options.max_depth, deepest)
        options = replace(options, max_depth=allowed)
    problem = here.problem.with_changes(options=options)
    if rules.prefer:
        problem = _preferring(problem, rules.prefer)
    if not rules.forbid:
        return replace(here, problem=problem).grown()
    names = problem.table.schema.names
    columns = [j for j, name in enumerate(names) if name not in rules.forbid]
    part = replace(here, problem=_without(problem, columns)).grown()
    return _widened(part, problem, np.array(columns))


def grow_leaves_in(tree: Tree, node: int, problem: Problem, levels: int | None = None) -> Tree:
    """Split the leaves at and below a node further, but not those that are sealed."""
    check_levels(levels)
    places = {node: Here.at(tree, node, problem)}
    for i in range(node + 1, int(tree.subtree_end[node])):
        above = int(tree.parent[i])
        places[i] = places[above].down(tree, i)
        if tree.branch_index[i] == tree.n_branches[above] - 1:
            del places[above]  # its rows are needed no more
    new = tree
    # From the last to the first, the numbers of the leaves that are still to come stay the same.
    for i in sorted(places, reverse=True):
        rules = rules_at(tree, i)
        if rules.sealed or not len(places[i].rows):
            continue
        here = replace(places[i], leaves=new.n_leaves - 1)
        new = grafted(new, i, grown(here, rules, levels), problem.table)
    return new


def grafted(tree: Tree, node: int, part: Tree, table: Table) -> Tree:
    """Put a tree in the place of a node, which keeps its note; an answer set by hand is gone."""
    new = graft(tree, node, with_cut_digits(part, table))
    note = (tree.notes or {}).get(node)
    if note is None:
        return new
    rest = replace(note, answer=None, before=None, reason=None)
    rest = rest if part.n_nodes == 1 else replace(rest, sealed=None)
    return new if rest == NodeNote() else with_note(new, node, rest)


def check_levels(levels: Any) -> None:
    """Refuse a number of levels that is none."""
    whole = isinstance(levels, int | np.integer) and not isinstance(levels, bool)
    if levels is not None and not (whole and levels >= 0):
        raise OptionError(
            f"levels must be None (to the end) or an int of at least 0. Got {levels!r}."
        )


def _preferring(problem: Problem, names: frozenset[str]) -> Problem:
    costs = problem.options.column_cost
    every = problem.table.schema.names
    cost = (
        np.ones(len(every)) if costs is None else read_per_column("column_cost", costs, every, 1.0)
    )
    cost = np.where([name in names for name in every], cost * _CHEAP, cost)
    return problem.with_changes(options=replace(problem.options, column_cost=cost.tolist()))


def _without(problem: Problem, columns: list[int]) -> Problem:
    """Return the problem of some of the columns."""
    names, changes = problem.table.schema.names, {}
    for option, free in (("monotonic_cst", 0.0), ("column_cost", 1.0)):
        values = getattr(problem.options, option)
        if values is not None:
            changes[option] = read_per_column(option, values, names, free)[columns].tolist()
    options = replace(problem.options, **changes)
    return problem.with_changes(table=problem.table.select(columns), options=options)


def _widened(part: Tree, problem: Problem, positions: npt.NDArray[Any]) -> Tree:
    """Replace the schema of a tree of some columns by that of all."""

    def moved(splits: SplitTable) -> SplitTable:
        column = splits.column
        return replace(
            splits, column=np.where(column >= 0, positions[np.maximum(column, 0)], column)
        )

    tables = {
        name: replace(stored, splits=moved(stored.splits))
        for name in ("surrogates", "competitors")
        if (stored := getattr(part, name)) is not None
    }
    schema = problem.table.schema.with_target(problem.target.info)
    return replace(part, schema=schema, splits=moved(part.splits), **tables)


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
    """Return a level set with its unknown levels of the node added to the largest branch."""
    if not isinstance(split, LevelSets):
        return split
    column = place.problem.table.column(split.column)
    codes = np.unique(column.values[place.rows])
    levels = column.info.levels
    named = {level for group in split.branches for level in group}
    present = [levels[code] for code in codes.tolist() if 0 <= code < len(levels)]
    rest = tuple(level for level in present if level not in named)
    if not rest:
        return split
    start, end = tree.branch_start[source : source + 2]
    most = int(np.argmax(tree.n_rows[tree.branch_node[start:end]]))
    groups = list(split.branches)
    groups[most] = (*groups[most], *rest)
    return LevelSets(split.column, tuple(groups))
