"""What `forced_splits` may be: a split, or nested tuples of them, None where nothing is forced."""

from __future__ import annotations

from typing import Any, Final

from ceiba.options.checks import Check
from ceiba.tree import Cut, Intervals, LevelSets, Presence

_QUESTIONS: Final = (str, list, Cut, Intervals, LevelSets, Presence)


def _is_forced(literal: Any) -> bool:
    waiting = [literal]
    while waiting:
        part = waiting.pop()
        if isinstance(part, tuple):
            if not part or not isinstance(part[0], _QUESTIONS):
                return False
            waiting.extend(branch for branch in part[1:] if branch is not None)
        elif not isinstance(part, _QUESTIONS):
            return False
    return True


FORCED_SPLITS: Final = Check(
    "a split such as 'age <= 30', or a tuple (split, branch, branch) whose branches are splits "
    "again or None",
    _is_forced,
)
