"""Paths through a tree: which values a path admits, as value sets and as conditions."""

from __future__ import annotations

from ceiba.paths.conditions import Clause, Condition
from ceiba.paths.of_tree import accepted, clause_of, condition_of, conditions_of, ends_of
from ceiba.paths.value_set import ValueSet

__all__ = [
    "Clause",
    "Condition",
    "ValueSet",
    "accepted",
    "clause_of",
    "condition_of",
    "conditions_of",
    "ends_of",
]
