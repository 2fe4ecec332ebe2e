"""What only `make test-full` runs: values of parametrized tests, and examples of properties."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest

_FULL = bool(os.environ.get("CEIBA_FULL"))  # set by make test-full


def slow(values: Iterable[Any]) -> list[Any]:
    """Return parameters that `make test` leaves out; a tuple is one value per argument."""
    rows = [value if isinstance(value, tuple) else (value,) for value in values]
    return [pytest.param(*row, marks=pytest.mark.slow) for row in rows]


def examples(n: int) -> int:
    """Return how many examples hypothesis draws: all of them in `make test-full`, else half."""
    return n if _FULL else n // 2
