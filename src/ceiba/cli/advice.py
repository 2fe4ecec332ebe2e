"""What a good colleague would point out before learning: rare classes, rows left out."""

from __future__ import annotations

from typing import Final

from ceiba._polars import pl
from ceiba.task import Task

_RARE: Final = 5
_MANY_MISSING: Final = 0.05


def advice(y: pl.Series, task: Task, n_missing: int) -> list[str]:
    """Return remarks about the target, in words."""
    remarks = []
    total = len(y) + n_missing
    if n_missing > _MANY_MISSING * total:
        remarks.append(
            f"{n_missing} of {total} rows have no {y.name!r} and are left out. If they are not "
            "missing at random, the tree learns something else than you think."
        )
    if task.has_classes:
        counts = y.value_counts().sort("count")
        rare = counts.filter(counts["count"] < _RARE)
        for label, n in rare.rows()[:3]:
            remarks.append(f"Class {label!r} has only {n} row{'s' if n > 1 else ''}.")
    return remarks
