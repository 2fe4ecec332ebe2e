"""The lessons, each run once for all tests of the room."""

from __future__ import annotations

import pytest

from ceiba.lessons import lesson, run
from ceiba.lessons.run import LessonRun
from ceiba.lessons.source import NUMBERS


@pytest.fixture(scope="package")
def finished() -> dict[int, LessonRun]:
    return {number: run(lesson(number)) for number in NUMBERS}
