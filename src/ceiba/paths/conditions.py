"""Conditions of tree paths: conjunctions of clauses, one for each column on the path.

Tests on one column merge: bounds to one interval, level sets to their intersection. With
surrogates, other columns decide in turn where a split cannot route a value (a `Chain`). A clause is
then a choice: the value is in one set, or it is in another set and the chains of that set hold.
Masks, text, Python, SQL and PMML are all computed by a `fold` over this structure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ceiba.paths.value_set import ValueSet
from ceiba.table import ColumnInfo, Schema, Table, read_like
from ceiba.words import words

T = TypeVar("T")
Leaf = Callable[[ValueSet], T]
Join = Callable[[list[T]], T]


@dataclass(frozen=True)
class Chain:
    """A condition decided by the first surrogate that can route the row, or by `default`.

    `tests` are pairs of value sets: values that satisfy the test, and values that it cannot route.
    """

    tests: tuple[tuple[ValueSet, ValueSet], ...]
    default: bool

    def simplify(self) -> Chain:
        """Return an equivalent chain of surrogates without redundant tests."""
        tests, default = list(self.tests), self.default
        for k, (_, undecided) in enumerate(tests):
            if undecided.is_empty:
                tests, default = tests[: k + 1], False
                break
        while tests:
            agree, undecided = tests[-1]
            if not (agree | undecided).is_everything if default else not agree.is_empty:
                break
            tests.pop()
        return Chain(tuple(tests), default)

    def fold(self, leaf: Leaf[T], every: Join[T], some: Join[T]) -> T:
        """Convert and combine the value sets of a simplified, nonempty chain; see `Clause.fold`."""
        agree, undecided = self.tests[-1]
        result = leaf(agree | undecided if self.default else agree)
        for agree, undecided in reversed(self.tests[:-1]):
            result = every([leaf(undecided), result])
            if not agree.is_empty:
                result = some([leaf(agree), result])
        return result


@dataclass(frozen=True)
class Clause:
    """A condition on one column: alternative value sets, each with conditions on surrogates."""

    info: ColumnInfo
    choices: tuple[tuple[ValueSet, tuple[Chain, ...]], ...]

    @property
    def values(self) -> ValueSet | None:
        """The value set of the clause, or None if it has alternatives or surrogate conditions."""
        return self.choices[0][0] if len(self.choices) == 1 and not self.choices[0][1] else None

    @property
    def is_trivial(self) -> bool:
        """Whether every row satisfies the clause."""
        return self.values is not None and self.values.is_everything

    def __and__(self, other: Clause) -> Clause:
        merged: dict[tuple[Chain, ...], ValueSet] = {}
        for values, chains in self.choices:
            for other_values, further in other.choices:
                common = values & other_values
                if common.is_empty:
                    continue
                key = chains + tuple(chain for chain in further if chain not in chains)
                # Take the union of the value sets that have the same surrogate conditions.
                merged[key] = merged[key] | common if key in merged else common
        return Clause(self.info, tuple((values, chains) for chains, values in merged.items()))

    def fold(self, leaf: Leaf[T], every: Join[T], some: Join[T]) -> T:
        """Convert value sets with `leaf`, and combine them with `every` (and) and `some` (or)."""
        parts = []
        for values, chains in self.choices:
            further = [chain.fold(leaf, every, some) for chain in chains]
            parts.append(every([leaf(values), *further]) if further else leaf(values))
        return parts[0] if len(parts) == 1 else some(parts)

    def holds(self, table: Table) -> NDArray[np.bool_]:
        """Return a mask of the rows that satisfy the clause."""
        nothing = np.zeros(table.n_rows, bool)
        return self.fold(
            lambda values: values.holds(table.column(values.info.name)),
            np.logical_and.reduce,
            lambda parts: np.logical_or.reduce([nothing, *parts]),
        )

    def text(
        self,
        *,
        digits: int | None = None,
        max_levels: int | None = None,
        complete: bool = False,
        lang: str = "en",
    ) -> str:
        """Return the clause as text; `complete` adds surrogates, missing and unseen values."""
        word = words(lang)
        both, either = word["split.and"], word["split.or"]
        if complete:
            return self.fold(
                lambda values: values.text(
                    digits=digits, max_levels=max_levels, missing=True, unseen=True, lang=lang
                ),
                lambda parts: join_texts(parts, both, either),
                lambda parts: join_texts(parts, either, both) or word["split.never"],
            )
        has_missing = self.info.n_missing > 0
        plain = [values for values, chains in self.choices if not chains]
        if not plain:
            if not self.choices:
                return word["split.never"]
            first = self.choices[0][0].text(digits=digits, max_levels=max_levels, lang=lang)
            return word("split.by_surrogates", text=first)
        text = plain[0].text(digits=digits, max_levels=max_levels, missing=has_missing, lang=lang)
        by_chain = any(values.missing for values, chains in self.choices if chains)
        if text.endswith(f" {word['split.is_present']}") and by_chain:
            return ""
        if text and by_chain and has_missing:
            return word("split.missing_by_surrogates", text=text)
        return text

    def python(self, row: str = "row") -> str:
        """Return the clause as a Python expression that tests a dict called `row`."""
        return self.fold(
            lambda values: values.python(row),
            " and ".join,
            lambda parts: (
                "(" + " or ".join(f"({text})" for text in parts) + ")" if parts else "False"
            ),
        )


@dataclass(frozen=True)
class Condition:
    """A conjunction of clauses, one per column, in the order of the path."""

    schema: Schema
    clauses: tuple[Clause, ...]

    def __len__(self) -> int:
        return len(self.clauses)

    @property
    def values(self) -> dict[str, ValueSet] | None:
        """The value set of each column as a dict, or None if a clause has no single value set."""
        sets = {clause.info.name: clause.values for clause in self.clauses}
        if any(values is None for values in sets.values()):
            return None
        return {name: values for name, values in sets.items() if values is not None}

    def select(self, X: object) -> NDArray[np.bool_]:
        """Return a mask of the rows of X that satisfy the condition."""
        table = X if isinstance(X, Table) else read_like(X, self.schema, match="name")
        selected = np.ones(table.n_rows, bool)
        for clause in self.clauses:
            selected &= clause.holds(table)
        return selected

    def parts(self, **options: Any) -> tuple[str, ...]:
        """Return the text of each nontrivial clause; see `text` for the options."""
        texts = (clause.text(**options) for clause in self.clauses if not clause.is_trivial)
        return tuple(text for text in texts if text)

    def text(self, **options: Any) -> str:
        """Return the condition as text; see `Clause.text` for the options."""
        word = words(options.get("lang", "en"))
        text = join_texts(self.parts(**options), word["split.and"], word["split.or"])
        return text or word["split.all_rows"]

    def python(self, row: str = "row") -> str:
        """Return the condition as a Python expression; see `Clause.python` for `row`."""
        texts = [clause.python(row) for clause in self.clauses]
        return " and ".join(text for text in texts if text != "True") or "True"

    def __str__(self) -> str:
        return self.text()


def join_texts(parts: Iterable[str], word: str = " and ", other: str = " or ") -> str:
    """Join texts with `word`; put texts that contain `other` in parentheses."""
    texts = [text for text in parts if text]
    return word.join(f"({text})" if len(texts) > 1 and other in text else text for text in texts)
