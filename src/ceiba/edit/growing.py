"""Growing at one place of a tree: so many levels, under the rules that were set for its columns.

A forbidden column is taken out of the table that the place grows on. A preferred one is so cheap
(`column_cost`) that it is asked about wherever it gains anything at all.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.edit.forced.graft import graft
from ceiba.edit.forced.here import Here
from ceiba.edit.growing_rules import GrowingRules, rules_at
from ceiba.errors import OptionError
from ceiba.grow import Problem
from ceiba.grow.per_column import per_column
from ceiba.table import Table
from ceiba.tree import SplitTable, Tree
from ceiba.tree.notes import NodeNote, with_note
from ceiba.tree.splits.surrogates import with_cut_digits

_CHEAP: Final = 1e-9  # a preferred column gains this many times more than it does


def grown(here: Here, rules: GrowingRules, levels: int | None = None) -> Tree:
    """Grow a tree at a place, of at most so many levels."""
    if levels == 0:
        return here.leaf()
    options = here.problem.options
    if levels is not None:
        deepest = here.depth + levels
        allowed = deepest if options.max_depth is None else min(options.max_depth, deepest)
        options = replace(options, max_depth=allowed)
    problem = here.problem.changed(options=options)
    if rules.prefer:
        problem = _preferring(problem, rules.prefer)
    if not rules.forbid:
        return replace(here, problem=problem).grown()
    names = problem.table.schema.names
    kept = [j for j, name in enumerate(names) if name not in rules.forbid]
    part = replace(here, problem=_without(problem, kept)).grown()
    return _widened(part, problem, np.array(kept))


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
    kept = replace(note, answer=None, before=None, reason=None)
    kept = kept if part.n_nodes == 1 else replace(kept, sealed=None)
    return new if kept == NodeNote() else with_note(new, node, kept)


def check_levels(levels: Any) -> None:
    """Refuse a number of levels that is none."""
    whole = isinstance(levels, int | np.integer) and not isinstance(levels, bool)
    if levels is not None and not (whole and levels >= 0):
        raise OptionError(
            f"levels must be None (to the end) or an int of at least 0. Got {levels!r}."
        )


def _preferring(problem: Problem, names: frozenset[str]) -> Problem:
    given = problem.options.column_cost
    every = problem.table.schema.names
    cost = np.ones(len(every)) if given is None else per_column("column_cost", given, every, 1.0)
    cost = np.where([name in names for name in every], cost * _CHEAP, cost)
    return problem.changed(options=replace(problem.options, column_cost=cost.tolist()))


def _without(problem: Problem, kept: list[int]) -> Problem:
    """Return the problem of some of the columns."""
    names, changes = problem.table.schema.names, {}
    for option, free in (("monotonic_cst", 0.0), ("column_cost", 1.0)):
        given = getattr(problem.options, option)
        if given is not None:
            changes[option] = per_column(option, given, names, free)[kept].tolist()
    options = replace(problem.options, **changes)
    return problem.changed(table=problem.table.select(kept), options=options)


def _widened(part: Tree, problem: Problem, kept: npt.NDArray[Any]) -> Tree:
    """Replace the schema of a tree of some columns by that of all."""

    def moved(splits: SplitTable) -> SplitTable:
        own = splits.column
        return replace(splits, column=np.where(own >= 0, kept[np.maximum(own, 0)], own))

    tables = {
        name: replace(stored, splits=moved(stored.splits))
        for name in ("surrogates", "competitors")
        if (stored := getattr(part, name)) is not None
    }
    schema = problem.table.schema.with_target(problem.target.info)
    return replace(part, schema=schema, splits=moved(part.splits), **tables)
