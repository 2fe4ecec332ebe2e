"""Paths through a tree: which values a path admits, as sets and as conditions."""

from __future__ import annotations

from ceiba.paths.conditions import Condition, condition_of

__all__ = [
    "Condition",
    "condition_of",
]
