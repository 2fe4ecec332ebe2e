"""The way to a node as one simplified condition: what a row must fulfil to come there.

Tests on one column are merged: bounds to one interval, level sets to their intersection. Missing
and unseen values are part of it, so the condition selects exactly the rows of the node:

- without surrogates every test asks one column, and a path is a conjunction of value sets;
- with surrogates a value that its test cannot place asks other columns in turn (a `Chain`). A
  clause is then a choice: the value is in this set, or it is in that one and its chains agree.

The rules of routing are those of `ceiba.tree.trace`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ceiba.paths.value_set import ValueSet
from ceiba.tree.splits.split_table import SplitKind

if TYPE_CHECKING:
    from ceiba.table import ColumnInfo, Schema, Table
    from ceiba.tree import SplitTable, Tree

__all__ = [
    "Chain",
    "Clause",
    "Condition",
    "all_of",
    "clause_of",
    "condition_of",
    "conditions_of",
    "joined_with",
]

STAYS = -1  # as a branch: the row goes no further


@dataclass(frozen=True)
class Chain:
    """Stand-in tests asked in turn: the first that can place the row decides, else `default`.

    `tests` are pairs of value sets: those that say yes, and those that cannot say.
    """

    tests: tuple[tuple[ValueSet, ValueSet], ...]
    default: bool

    def holds(self, table: Table) -> NDArray[np.bool_]:
        """Tell for each row whether the chain agrees."""
        found = np.full(table.n_rows, self.default)
        for yes, silent in reversed(self.tests):
            column = table.column(yes.info.name)
            found = yes.holds(column) | (silent.holds(column) & found)
        return found

    def python(self, row: str = "row") -> str:
        """Write the chain as a Python expression."""
        said = str(self.default)
        for yes, silent in reversed(self.tests):
            said = f"({yes.python(row)} or ({silent.python(row)} and {said}))"
        return said


@dataclass(frozen=True)
class Clause:
    """What a condition says of one column: a choice of value sets, some with chains to fulfil."""

    info: ColumnInfo
    choices: tuple[tuple[ValueSet, tuple[Chain, ...]], ...]

    @property
    def values(self) -> ValueSet | None:
        """The one value set of a clause without chains, else None."""
        return self.choices[0][0] if len(self.choices) == 1 and not self.choices[0][1] else None

    def __and__(self, other: Clause) -> Clause:
        merged: dict[tuple[Chain, ...], ValueSet] = {}
        for values, chains in self.choices:
            for more, further in other.choices:
                both = values & more
                if both.is_empty:
                    continue
                key = chains + tuple(chain for chain in further if chain not in chains)
                # Choices with the same chains differ in the missing value or in levels only.
                joined = merged[key].union(both) if key in merged else both
                assert joined is not None
                merged[key] = joined
        return Clause(self.info, tuple((values, chains) for chains, values in merged.items()))

    def holds(self, table: Table) -> NDArray[np.bool_]:
        """Tell for each row whether it fulfils the clause."""
        column = table.column(self.info.name)
        found = np.zeros(table.n_rows, bool)
        for values, chains in self.choices:
            agree = values.holds(column)
            for chain in chains:
                agree &= chain.holds(table)
            found |= agree
        return found

    def text(self, *, digits: int | None = None, max_levels: int | None = None) -> str:
        """Say the clause; chains are mentioned, not spelled out."""
        known = self.info.n_missing > 0
        plain = [values for values, chains in self.choices if not chains]
        if not plain:
            said = [v.text(digits=digits, max_levels=max_levels) for v, _ in self.choices]
            return f"{said[0]}, by surrogates" if said else "never"
        text = plain[0].text(digits=digits, max_levels=max_levels, missing=known)
        by_chain = any(values.missing for values, chains in self.choices if chains)
        if text.endswith(" is present") and by_chain:
            return ""
        return f"{text} (missing: by surrogates)" if text and by_chain and known else text

    def python(self, row: str = "row") -> str:
        """Write the clause as a Python expression."""
        said = [
            " and ".join([values.python(row), *(chain.python(row) for chain in chains)])
            for values, chains in self.choices
        ]
        if len(said) == 1:
            return said[0]
        return "(" + " or ".join(f"({part})" for part in said) + ")" if said else "False"


@dataclass(frozen=True)
class Condition:
    """A conjunction: one clause per column asked, in the order in which the path asks.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.paths import condition_of
    >>> tree = ceiba.tree.build(("x <= 9", ("x <= 2.5", "a", ("y <= 1", "b", "a")), "a"))
    >>> condition = condition_of(tree, 4)
    >>> print(condition)
    2.5 < x <= 9 and y <= 1
    >>> condition.select({"x": [1.0, 3.0], "y": [0.0, 0.0]}).tolist()
    [False, True]
    """

    schema: Schema
    clauses: tuple[Clause, ...]

    def __len__(self) -> int:
        return len(self.clauses)

    @property
    def values(self) -> dict[str, ValueSet] | None:
        """The value set of each column; None where surrogates make it more than that."""
        found = {clause.info.name: clause.values for clause in self.clauses}
        if any(values is None for values in found.values()):
            return None
        return {name: values for name, values in found.items() if values is not None}

    def select(self, X: object) -> NDArray[np.bool_]:
        """Tell for each row of X whether it fulfils the condition.

        Parameters
        ----------
        X : table
            Anything that `predict` accepts; columns are matched by name.
        """
        from ceiba.table import Table, read_like

        table = X if isinstance(X, Table) else read_like(X, self.schema, match="name")
        found = np.ones(table.n_rows, bool)
        for clause in self.clauses:
            found &= clause.holds(table)
        return found

    def parts(self, *, digits: int | None = None, max_levels: int | None = None) -> tuple[str, ...]:
        """Say each clause that restricts something."""
        said = (clause.text(digits=digits, max_levels=max_levels) for clause in self.clauses)
        return tuple(text for text in said if text)

    def text(self, *, digits: int | None = None, max_levels: int | None = None) -> str:
        """Say the whole condition."""
        return all_of(self.parts(digits=digits, max_levels=max_levels)) or "all rows"

    def python(self, row: str = "row") -> str:
        """Write the condition as a Python expression about the dict `row`.

        It is true for exactly the rows that the tree sends to the node: None and NaN are missing,
        a level that is not in the schema is unseen. Dates need `import datetime`.
        """
        said = [clause.python(row) for clause in self.clauses]
        return " and ".join(part for part in said if part != "True") or "True"

    def __str__(self) -> str:
        return self.text()


def condition_of(tree: Tree, node: int, *, stays: bool = False) -> Condition:
    """Give the condition under which a row comes to a node.

    Parameters
    ----------
    tree : Tree
    node : int
    stays : bool, default=False
        The condition under which it also goes no further, in an inner node.

    Returns
    -------
    Condition
        With `missing="fractional"`, of the rows that come there with any share.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.paths import condition_of
    >>> tree = ceiba.tree.build(("Patrons", {"None": "No", "Some": "Yes", "Full": "No"}))
    >>> condition_of(tree, 2).python()
    "row['Patrons'] in ['Some']"
    """
    nodes = tree.path(node).nodes
    asked = [(at, int(tree.branch_index[below])) for at, below in pairwise(nodes)]
    if stays:
        asked.append((node, STAYS))
    clauses: dict[str, Clause] = {}
    for at, branch in asked:
        clauses = joined_with(clauses, clause_of(tree, at, branch))
    return Condition(tree.schema, tuple(clauses.values()))


def conditions_of(tree: Tree, ends: Iterable[tuple[int, bool]]) -> list[Condition]:
    """Give the conditions of many nodes, each with whether rows stay there, in one walk.

    What a node's condition has beyond its parent's is one clause, so depth does not cost twice.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.paths.conditions import conditions_of
    >>> tree = ceiba.tree.build(("x <= 9", ("x <= 2.5", "a", "b"), "a"))
    >>> [str(condition) for condition in conditions_of(tree, [(2, False), (3, False)])]
    ['x <= 2.5', '2.5 < x <= 9']
    """
    wanted = list(ends)
    left = np.zeros(tree.n_nodes, bool)  # nodes on the way to a wanted one
    left[[node for node, _ in wanted]] = True
    parent = tree.parent.tolist()
    for node in range(tree.n_nodes - 1, 0, -1):
        if left[node]:
            left[parent[node]] = True
    clauses: dict[int, dict[str, Clause]] = {0: {}}
    start, below = tree.branch_start.tolist(), tree.branch_node.tolist()
    for node in np.flatnonzero(left & ~tree.is_leaf).tolist():
        # One look at the split for all branches: a node may have thousands.
        answers = _Answers.of(tree.splits, node, tree.schema)
        for branch, child in enumerate(below[start[node] : start[node + 1]]):
            if left[child]:
                more = clause_of(tree, node, branch, answers)
                clauses[child] = joined_with(clauses[node], more)
    found = []
    for node, stays in wanted:
        mine = clauses[node]
        if stays:
            mine = joined_with(mine, clause_of(tree, node, STAYS))
        found.append(Condition(tree.schema, tuple(mine.values())))
    return found


def all_of(parts: Iterable[str], word: str = " and ") -> str:
    """Join what must all hold; beside others, a part with an "or" in it stands in brackets.

    Examples
    --------
    >>> from ceiba.paths.conditions import all_of
    >>> all_of(["x > 1 or missing", "", "z <= 2"])
    '(x > 1 or missing) and z <= 2'
    """
    kept = [part for part in parts if part]
    return word.join(f"({part})" if len(kept) > 1 and " or " in part else part for part in kept)


def joined_with(clauses: dict[str, Clause], more: Clause) -> dict[str, Clause]:
    """Give the clauses joined with one more; columns stay in order of first appearance."""
    name = more.info.name
    return {**clauses, name: clauses[name] & more if name in clauses else more}


def clause_of(tree: Tree, node: int, branch: int, answers: _Answers | None = None) -> Clause:
    """Give what the split of one node asks of a row that takes `branch`.

    `answers` are those of the split, where they are known already.
    """
    answers = answers or _Answers.of(tree.splits, node, tree.schema)
    yes, missing, unseen = answers.to(branch)
    if tree.unseen == "missing":
        silent = missing.union(unseen)
    else:
        silent = missing
        if branch == int(tree.majority_branch[node]):
            yes = _joined(yes, unseen)
    assert silent is not None  # unseen levels are codes, numbers have none
    chain = _chain(tree, node, branch)
    if not chain.tests:
        if chain.default:
            yes = _joined(yes, silent)
        return Clause(yes.info, () if yes.is_empty else ((yes, ()),))
    choices = [(yes, ())] if not yes.is_empty else []
    if not silent.is_empty:
        choices.append((silent, (chain,)))  # type: ignore[arg-type]
    return Clause(yes.info, tuple(choices))


def _chain(tree: Tree, node: int, branch: int) -> Chain:
    """Give what decides for `branch` when the split itself cannot say."""
    if tree.missing == "fractional":
        at = int(tree.branch_start[node]) + branch
        return Chain((), branch != STAYS and bool(tree.branch_weight[at] > 0))
    tests = []
    if tree.stand_ins is not None:
        for k in range(*tree.stand_ins.start[node : node + 2].tolist()):
            yes, missing, unseen = _Answers.of(tree.stand_ins.splits, k, tree.schema).to(branch)
            tests.append((yes, _joined(missing, unseen)))
    return Chain(tuple(tests), int(tree.default_branch[node]) == branch)


@dataclass(frozen=True)
class _Answers:
    """What a split can be answered, and where each answer leads."""

    splits: SplitTable
    at: int
    everything: ValueSet
    codes_of: dict[int, list[int]]  # of each branch, for a split by levels

    @staticmethod
    def of(splits: SplitTable, i: int, schema: Schema) -> _Answers:
        codes_of: dict[int, list[int]] = {}
        if splits.kind[i] == SplitKind.LEVELS:
            codes, branches = splits.level_map(i)
            for code, branch in zip(codes.tolist(), branches.tolist(), strict=True):
                codes_of.setdefault(branch, []).append(code)
        info = schema.columns[int(splits.column[i])]
        return _Answers(splits, i, ValueSet.everything(info), codes_of)

    def to(self, branch: int) -> tuple[ValueSet, ValueSet, ValueSet]:
        """Give the values that lead to `branch`, the missing one, and the levels not met."""
        splits, i, everything = self.splits, self.at, self.everything
        info = everything.info
        missing, nothing = ValueSet.only_missing(info), ValueSet.only_missing(info).present
        if splits.kind[i] == SplitKind.PRESENCE:
            return (everything.present, missing, nothing)[branch], nothing, nothing
        if splits.kind[i] == SplitKind.CUT:
            cut, low = float(splits.cut[i]), int(splits.low_branch[i])
            yes = everything.up_to(cut) if branch == low else everything.above(cut)
            unseen = nothing if info.is_numeric else everything.of_codes([info.n_levels])
            return (yes if branch != STAYS else nothing), missing, unseen
        return everything.of_codes(self.codes_of.get(branch, [])), missing, self._not_met

    @cached_property
    def _not_met(self) -> ValueSet:
        codes, _ = self.splits.level_map(self.at)
        absent = self.everything.codes - frozenset(codes.tolist())
        return ValueSet(self.everything.info, codes=absent, missing=False)


def _joined(a: ValueSet, b: ValueSet) -> ValueSet:
    both = a.union(b)
    assert both is not None  # one of them has no numbers
    return both
