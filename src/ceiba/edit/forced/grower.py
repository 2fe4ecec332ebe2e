"""Growing with forced splits: the top of the tree is written down, the rest is searched for.

`forced_splits` is a nested literal as in `ceiba.tree.build`, with None where the tree is free:
`("age <= 30", None, ("city in {Oslo, Lima}", None, None))`; one sentence alone is the root's split.
It acts in `Problem.grow`, so the trees of cross-validation have the same splits and pruning judges
them like any other. Where a fold has no rows on one side of a forced split, its tree grows freely.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ceiba.edit.forced.division import EmptyBranchError
from ceiba.edit.forced.graft import plant
from ceiba.edit.forced.here import Here
from ceiba.errors import OptionError, TreeError
from ceiba.tree import Tree
from ceiba.tree.splits.written import read_written

if TYPE_CHECKING:
    from ceiba.grow.core_options import Place
    from ceiba.grow.problem import Problem


def grow_forced(problem: Problem, rows: Any, below: Place | None) -> Tree:
    """Grow a tree whose first splits are given; those of some rows alone may have no effect."""
    free = problem.changed(options=replace(problem.options, forced_splits=None))
    here = Here.root(free, rows)
    if below is not None:
        here = replace(here, seed=below.seed)
    return _grown(here, problem.options.forced_splits, strict=rows is None)


def _grown(here: Here, literal: Any, strict: bool) -> Tree:
    """Grow from the leaves of the literal up; its depth is what somebody wrote by hand."""
    if literal is None:
        return here.grown()
    question, branches = (literal[0], literal[1:]) if isinstance(literal, tuple) else (literal, ())
    try:
        stem, places = here.forced(question)
    except EmptyBranchError as error:
        if strict:
            raise TreeError(f"forced_splits, {question!r}: {error}") from None
        return here.grown()
    except TreeError as error:
        raise TreeError(f"forced_splits, {question!r}: {error}") from None
    order = _order(here, question, len(places))
    if branches and len(branches) != len(places):
        raise OptionError(
            f"forced_splits: {question!r} has {len(places)} branches, and {len(branches)} are "
            "written. Write one for each, None where the tree is free."
        )
    parts: list[Tree | None] = [None] * len(places)
    for b, part in zip(order, branches or (None,) * len(places), strict=True):
        parts[b] = _grown(places[b], part, strict)
    return plant(stem, [part for part in parts if part is not None])


def _order(here: Here, question: Any, n_branches: int) -> list[int]:
    """Return the branch that each written branch is: first where the sentence is true."""
    if not isinstance(question, str | list):
        return list(range(n_branches))
    columns = {info.name: info for info in here.problem.table.schema.columns}
    written = list(read_written(question, columns).branches)
    return [*written, *(b for b in range(n_branches) if b not in written)]
