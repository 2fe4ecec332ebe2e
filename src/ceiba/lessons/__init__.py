"""Eight lessons: one program each, with sentences in three languages; as pages and as notebooks."""

from __future__ import annotations

from ceiba.lessons.notebook import notebook
from ceiba.lessons.page import page
from ceiba.lessons.run import Finished, Output, run
from ceiba.lessons.source import NUMBERS, Cell, Lesson, lesson
from ceiba.lessons.tables import TABLES, LessonTable, read_from, table

__all__ = [
    "NUMBERS",
    "TABLES",
    "Cell",
    "Finished",
    "Lesson",
    "LessonTable",
    "Output",
    "lesson",
    "notebook",
    "page",
    "read_from",
    "run",
    "table",
]
