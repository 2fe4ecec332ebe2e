"""The nine lessons, and functions that run them or write them as pages and notebooks."""

from __future__ import annotations

from ceiba.lessons.run import run
from ceiba.lessons.source import NUMBERS as NUMBERS
from ceiba.lessons.source import lesson
from ceiba.lessons.tables import table
from ceiba.lessons.writing import notebook

__all__ = ["lesson", "notebook", "run", "table"]
