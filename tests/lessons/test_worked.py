"""Every worked figure of the teaching documents is computed by a cell of a lesson, and is right."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from ceiba.lessons import lesson, run
from ceiba.lessons.run import LessonRun, WorkedFigure, worked_figures
from ceiba.lessons.source import NUMBERS

#: Words about the figures, not figures.
COMMENTS = {"document", "where", "stated", "verdict", "comment", "note", "definition"}
FIGURES = worked_figures()


@pytest.fixture(scope="module")
def worked(oracle_folder) -> dict[str, Any]:
    return json.loads((oracle_folder / "worked_examples.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def finished(oracle_folder) -> dict[int, LessonRun]:
    """Lesson 4 reads the baseball players from the oracle's tables."""
    return {number: run(lesson(number), oracle_folder / "data") for number in NUMBERS}


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the single figures below an id."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in pairs:
        if isinstance(part, dict | list | tuple) and part:
            yield from leaves(part, f"{path}{key}/")
        else:
            yield f"{path}{key}", part


def below(value: Any, path: str) -> Any:
    for key in path.split("/"):
        value = value[int(key) if isinstance(value, list) else key]
    return value


def plain(value: Any) -> Any:
    """A fraction as a number; names of columns as ours."""
    if isinstance(value, str):
        if re.fullmatch(r"\d+/\d+|\d+", value):
            return float(Fraction(value))
        return value.lower().replace("l.", "l ")  # Petal.Length
    return value


def compare(ours: Any, theirs: Any) -> None:
    if not isinstance(theirs, dict | list):
        theirs, ours = [theirs], [ours]
    computed = dict(leaves(ours))
    for path, figure in leaves(theirs):
        if path.rsplit("/", 1)[-1] in COMMENTS:
            continue
        value = computed[path]
        if isinstance(figure, str | bool | list):
            figure, value = plain(figure), plain(value)
        if isinstance(figure, str | bool | list):
            assert value == figure, path
        else:
            assert value == pytest.approx(figure, rel=1e-9, abs=1e-12), path


def test_every_figure_is_listed_with_a_lesson_and_a_cell(worked):
    listed = {one.id for one in FIGURES}
    missing = [
        path
        for path, _ in leaves(worked)
        if not COMMENTS & set(path.split("/"))
        and not any(path == one or path.startswith(one + "/") for one in listed)
    ]
    assert missing == []


@pytest.mark.parametrize("figure", FIGURES, ids=lambda one: one.id)
def test_cell_computes_the_figure(figure: WorkedFigure, worked, finished):
    theirs = below(worked, figure.id)
    ours = figure.value(finished[figure.lesson], correct=theirs)
    if ours is True and isinstance(theirs, str | dict):
        return  # a statement that holds, where the document has no number
    compare(ours, theirs)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda one: one.id)
def test_figure_is_computed_by_a_cell_that_the_reader_sees(figure: WorkedFigure):
    lesson(figure.lesson).cell(figure.cell, "shown")


def test_wrong_figure_is_found():
    with pytest.raises(AssertionError):
        compare({"a": [1.0, 0.541]}, {"a": [1.0, 0.5408]})
