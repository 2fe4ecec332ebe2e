"""The lessons, each run once for all tests of the room."""

from __future__ import annotations

import pytest

from ceiba.lessons import NUMBERS, Finished, lesson, run


@pytest.fixture(scope="package")
def finished() -> dict[int, Finished]:
    return {number: run(lesson(number)) for number in NUMBERS}
