"""CHAID: growing by tests (Kass 1980; Biggs, de Ville and Suen 1991)."""

from __future__ import annotations

from ceiba.grow.chaid.grow import grow_by_tests
from ceiba.grow.chaid.merge import Merged, hopeless, merge, multiplier

__all__ = ["Merged", "grow_by_tests", "hopeless", "merge", "multiplier"]
