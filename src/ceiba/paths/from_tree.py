"""Derive the conditions under which rows take a branch or reach a node of a tree.

They include missing and unseen values, so a condition selects exactly the rows of its node. The
rules are those of `ceiba.tree.routing.trace`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from ceiba.errors import TreeError
from ceiba.paths.conditions import Chain, Clause, Condition
from ceiba.paths.value_set import ValueSet
from ceiba.table import Schema
from ceiba.tree import SplitTable, Tree
from ceiba.tree.splits import SplitKind

STAYS: Final = -1  # used instead of a branch number for rows that end in an inner node


def node_condition(tree: Tree, node: int, *, stays: bool = False) -> Condition:
    """Return the condition under which rows reach a node or, with `stays`, end in it."""
    return node_conditions(tree, [(node, stays)])[0]


def node_conditions(
    tree: Tree, ends: Iterable[tuple[int, bool]], *, top: int = 0, sequential: bool = False
) -> list[Condition]:
    """Return the condition of each (node, stays) pair; see `node_condition`."""
    # The conditions apply to rows in `top`, an ancestor of all the nodes. With `sequential`, the
    # caller tests the default branch of each node last, so that branch needs no clause.
    pairs = list(ends)
    on_path = nodes_on_paths(tree, (node for node, _ in pairs), top)
    clauses: dict[int, dict[str, Clause]] = {top: {}}
    for node in sorted(on_path):
        below = tree.branch_node[tree.branch_start[node] : tree.branch_start[node + 1]].tolist()
        if not any(child in on_path for child in below):
            continue
        # Read the split once for all branches, because a node may have thousands of branches.
        answers = _BranchValues.of(tree.splits, node, tree.schema)
        for branch, child in enumerate(below):
            if child in on_path:
                clauses[child] = clauses[node]
                if not sequential or branch != int(tree.default_branch[node]):
                    step = _clause(tree, node, branch, answers)
                    clauses[child] = add_clause(clauses[node], step)
    conditions = []
    for node, stays in pairs:
        mine = clauses[node]
        if stays:
            mine = add_clause(mine, branch_clause(tree, node, STAYS))
        conditions.append(Condition(tree.schema, tuple(mine.values())))
    return conditions


def nodes_on_paths(tree: Tree, nodes: Iterable[int], top: int = 0) -> set[int]:
    """Return the nodes on the paths from `top` to its descendants `nodes`, including both ends."""
    on_path = {top}
    for node in nodes:
        while node not in on_path:
            on_path.add(node)
            node = int(tree.parent[node])
    return on_path


def end_nodes(tree: Tree) -> list[tuple[int, bool]]:
    """Return (node, is_inner) pairs of the leaves and the inner nodes in which rows may end."""
    stays = ~tree.is_leaf & (tree.default_branch < 0) & (tree.missing != "fractional")
    return [(node, bool(stays[node])) for node in np.flatnonzero(tree.is_leaf | stays).tolist()]


def end_conditions(tree: Tree) -> list[tuple[int, Condition]]:
    """Return (node, condition) pairs of the nodes in which rows may end."""
    # Unless `missing="fractional"`, a row satisfies one condition, or none if the root predicts it.
    return reachable_ends(tree, end_nodes(tree))


def _order_sequentially(
    tree: Tree, ends: list[tuple[int, bool]], top: int
) -> list[tuple[int, bool]]:
    """Sort end nodes so that the default branch of each node comes last."""
    on_path = nodes_on_paths(tree, (node for node, _ in ends), top)
    order: dict[int, int] = {}
    waiting = [top]
    while waiting:
        node = waiting.pop()
        order[node] = len(order)
        below = tree.branch_node[tree.branch_start[node] : tree.branch_start[node + 1]].tolist()
        if below:
            # The last branch needs no condition, so put the default branch last: it would have the
            # longest condition, because it takes missing values.
            below.append(below.pop(int(tree.default_branch[node])))
            waiting += [child for child in reversed(below) if child in on_path]
    return sorted(ends, key=lambda end: order[end[0]])


def reachable_ends(
    tree: Tree, ends: list[tuple[int, bool]], *, top: int = 0, sequential: bool = False
) -> list[tuple[int, Condition]]:
    """Return the end nodes that rows can reach, with the conditions of their paths from `top`."""
    if sequential:  # a row ends in the first node whose condition holds
        ends = _order_sequentially(tree, ends, top)
    conditions = node_conditions(tree, ends, top=top, sequential=sequential)
    possible = []
    for (node, _), condition in zip(ends, conditions, strict=True):
        clauses = tuple(drop_refused_values(tree, clause) for clause in condition.clauses)
        if all(clause.choices for clause in clauses):
            possible.append((node, Condition(tree.schema, clauses)))
    return possible


def places_every_row(tree: Tree) -> bool:
    """Whether every row reaches a leaf, whatever its values."""
    if "error" in (tree.missing, tree.unseen) or root_answers(tree):
        return False
    return bool((tree.default_branch >= 0)[~tree.is_leaf].all())


def drop_refused_values(tree: Tree, clause: Clause) -> Clause:
    """Return a clause without the values that `missing="error"` or `unseen="error"` rejects."""
    choices = []
    for values, chains in clause.choices:
        if tree.missing == "error":
            values = values.present
        if tree.unseen == "error":
            values = replace(values, codes=values.codes - {values.info.n_levels})
        if not values.is_empty:
            choices.append((values, chains))
    return Clause(clause.info, tuple(choices))


def refuse_fractional(tree: Tree, format_name: str) -> None:
    """Raise an error if rows may take several branches, which `format_name` cannot express."""
    if tree.missing == "fractional":
        raise TreeError(
            f"missing='fractional', which divides rows among branches, is not supported by "
            f"{format_name}. Export to python, c or javascript, or fit with missing='learn'."
        )


def unknown_levels(tree: Tree, node: int) -> ValueSet | None:
    """Return the levels for which a node uses the prediction of the root, or None if none."""
    if tree.unseen != "default" or tree.is_leaf[node]:
        return None
    unseen = _BranchValues.of(tree.splits, node, tree.schema).values_to(0)[2]
    return None if unseen.is_empty else unseen


def root_answers(tree: Tree) -> bool:
    """Whether some rows with unknown levels get the prediction of the root."""
    return any(unknown_levels(tree, node) is not None for node in range(tree.n_nodes))


def add_clause(clauses: dict[str, Clause], clause: Clause) -> dict[str, Clause]:
    """Return `clauses` (by column) with `clause` added, or merged into an existing one."""
    name = clause.info.name
    return {**clauses, name: clauses[name] & clause if name in clauses else clause}


def branch_clause(tree: Tree, node: int, branch: int) -> Clause:
    """Return the clause under which rows take a branch, or end in the node (branch STAYS)."""
    return _clause(tree, node, branch, _BranchValues.of(tree.splits, node, tree.schema))


def _clause(tree: Tree, node: int, branch: int, answers: _BranchValues) -> Clause:
    yes, missing, unseen = answers.values_to(branch)
    if tree.unseen == "missing":
        undecided = missing | unseen
    else:
        undecided = missing
        if branch == int(tree.majority_branch[node]) and tree.unseen != "default":
            yes = yes | unseen
    chain = _fallback_chain(tree, node, branch)
    if not chain.tests:
        yes = yes | undecided if chain.default else yes
        return Clause(yes.info, () if yes.is_empty else ((yes, ()),))
    choices: tuple[tuple[ValueSet, tuple[Chain, ...]], ...] = ((yes, ()), (undecided, (chain,)))
    return Clause(yes.info, tuple(choice for choice in choices if not choice[0].is_empty))


def _fallback_chain(tree: Tree, node: int, branch: int) -> Chain:
    """Return the condition under which rows that the split cannot route take `branch`."""
    if tree.missing == "fractional":
        at = int(tree.branch_start[node]) + branch
        return Chain((), branch != STAYS and bool(tree.branch_share[at] > 0))
    tests = []
    table = tree.active_surrogates
    if table is not None:
        for k in range(*table.start[node : node + 2].tolist()):
            yes, missing, unseen = _BranchValues.of(table.splits, k, tree.schema).values_to(branch)
            tests.append((yes, missing | unseen))
    return Chain(tuple(tests), int(tree.default_branch[node]) == branch).simplify()


@dataclass(frozen=True)
class _BranchValues:
    """The values that a split routes to each branch."""

    splits: SplitTable
    at: int
    everything: ValueSet
    codes_of: dict[int, list[int]]  # codes of the levels in each branch

    @staticmethod
    def of(splits: SplitTable, i: int, schema: Schema) -> _BranchValues:
        codes_of: dict[int, list[int]] = {}
        if splits.kind[i] == SplitKind.LEVELS:
            codes, branches = splits.level_map(i)
            for code, branch in zip(codes.tolist(), branches.tolist(), strict=True):
                codes_of.setdefault(branch, []).append(code)
        info = schema.columns[int(splits.column[i])]
        return _BranchValues(splits, i, ValueSet.everything(info), codes_of)

    def values_to(self, branch: int) -> tuple[ValueSet, ValueSet, ValueSet]:
        """Return three sets: values sent to `branch`, the missing value, and unassigned levels."""
        splits, i, everything = self.splits, self.at, self.everything
        info = everything.info
        missing, empty = ValueSet.only_missing(info), ValueSet.only_missing(info).present
        if splits.kind[i] == SplitKind.PRESENCE:
            return (everything.present, missing, empty)[branch], empty, empty
        if splits.kind[i] == SplitKind.CUT:
            cut, low = float(splits.cut[i]), int(splits.low_branch[i])
            side = everything.up_to if branch == low else everything.above
            yes = side(cut, int(splits.digits[i]))
            unseen = empty if info.is_numeric else everything.of_codes([info.n_levels])
            return (yes if branch != STAYS else empty), missing, unseen
        if splits.kind[i] == SplitKind.INTERVALS:
            lower, upper = splits.bounds(i, max(branch, 0))
            digits = int(splits.digits[i])
            yes = everything.up_to(upper, digits) & everything.above(lower, digits)
            return (yes if branch != STAYS else empty), missing, empty
        return everything.of_codes(self.codes_of.get(branch, [])), missing, self._unmet_levels

    @cached_property
    def _unmet_levels(self) -> ValueSet:
        codes, _ = self.splits.level_map(self.at)
        absent = self.everything.codes - frozenset(codes.tolist())
        return ValueSet(self.everything.info, codes=absent, missing=False)
