"""The three languages tell of one program: the same cells, pictures, values and outputs."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from ceiba.lessons import lesson, notebook
from ceiba.lessons.run import _execute
from ceiba.lessons.source import NUMBERS, Cell
from ceiba.lessons.writing import page
from ceiba.words import LANGUAGES

OTHERS = [lang for lang in LANGUAGES if lang != "en"]
VALUE = re.compile(r"\{\{(\w+)")


def signs(number: int, lang: str) -> list[tuple[str, str]]:
    return [
        (block.directive, block.name)
        for block in lesson(number).text(lang)
        if block.directive != "text"
    ]


def values(number: int, lang: str) -> set[str]:
    blocks = lesson(number).text(lang)
    return {name for block in blocks for name in VALUE.findall(block.text)}


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("lang", OTHERS)
def test_lesson_has_the_same_cells_pictures_and_exercises_in_each_language(number, lang):
    assert signs(number, lang) == signs(number, "en")


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("lang", OTHERS)
def test_lesson_names_the_same_values_in_each_language(number, lang):
    assert values(number, lang) == values(number, "en")


@pytest.mark.parametrize("number", NUMBERS)
def test_text_shows_every_cell_once_and_in_the_order_of_the_program(number):
    shown = [name for directive, name in signs(number, "en") if directive == "cell"]
    assert shown == [cell.name for cell in lesson(number).cells if cell.kind == "shown"]
    pictures = [name for directive, name in signs(number, "en") if directive == "figure"]
    assert sorted(pictures) == sorted(
        cell.name for cell in lesson(number).cells if cell.kind == "figure"
    )


@pytest.mark.parametrize("number", NUMBERS)
def test_lesson_has_four_to_six_exercises_with_solutions_that_run(number):
    names = [directive for directive, _ in signs(number, "en")]
    assert 4 <= names.count("exercise") <= 6
    assert names.count("exercise") == names.count("solution") == names.count("end")
    inside = "".join(f" {directive}" for directive in names)
    for part in inside.split(" exercise")[1:]:
        assert re.match(r" solution( cell)+ end", part), part


@pytest.mark.parametrize("number", NUMBERS)
def test_lesson_has_an_interactive_picture(number):
    assert "figure" in [directive for directive, _ in signs(number, "en")]


@pytest.mark.parametrize("number", NUMBERS)
def test_notebook_runs_from_top_to_bottom_and_gives_what_the_page_shows(number, finished):
    """The code cells alone, without the hidden ones: what a reader runs."""
    outputs = executed(notebook(finished[number]))
    expected = [one.text for one in finished[number].outputs.values()]
    assert [text for text in outputs if text is not None] == expected


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("lang", OTHERS)
def test_notebook_has_the_same_code_in_each_language(number, lang, finished):
    assert code(notebook(finished[number], lang)) == code(notebook(finished[number], "en"))


@pytest.mark.slow
@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("lang", OTHERS)
def test_notebook_gives_the_same_outputs_in_each_language(number, lang, finished):
    assert executed(notebook(finished[number], lang)) == executed(notebook(finished[number], "en"))


def code(made: dict[str, Any]) -> list[str]:
    return [cell["source"] for cell in made["cells"] if cell["cell_type"] == "code"]


def executed(made: dict[str, Any]) -> list[str | None]:
    """Run the code cells of a notebook; None stands for the empty cell of an exercise."""
    space: dict[str, Any] = {"__name__": "notebook"}
    texts: list[str | None] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for source in code(made):
            output = _execute(Cell("notebook", "shown", source), space, 0)
            texts.append(output.text if source else None)
    return texts


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_page_has_every_output_and_no_open_place(number, lang, finished):
    text = page(finished[number], lang)
    assert "{{" not in re.sub(r"```.*?```", "", text, flags=re.S)
    for output in finished[number].outputs.values():
        if output.text and not hasattr(output.value, "to_svg"):
            assert output.text in text


# --- every figure is computed

ALLOWED = re.compile(
    r"`[^`]*`"  # code
    r"|\$\$.*?\$\$|\$[^$]*\$"  # formulas
    r"|\{\{[^}]*\}\}"
    r"|C4\.5|ID3|C5\.0|1-SE|V = \d+|R\(T\)|T\(0\)",
    re.S,
)


def prose(number: int, lang: str) -> list[str]:
    """Return the prose of a lesson; what an exercise gives as its task may hold figures."""
    parts, asking = [], False
    for block in lesson(number).text(lang):
        if block.directive in ("exercise", "solution"):
            asking = block.directive == "exercise"
        elif block.directive in ("text", "figure") and not asking:
            parts.append(ALLOWED.sub("", block.text))
    return parts


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_prose_holds_no_figure_that_was_not_computed(number, lang):
    assert [word for part in prose(number, lang) for word in re.findall(r"\S*\d\S*", part)] == []


@pytest.mark.parametrize(
    "path",
    sorted(Path(__file__).parents[2].glob("src/ceiba/lessons/content/*/*.md")),
    ids=lambda p: f"{p.parent.name}-{p.stem}",
)
def test_lines_of_prose_are_short(path):
    from tests.architecture.test_prose import prose as lines

    text = path.read_text("utf-8")
    assert [line for _, line in lines(text) if len(line) > 122 and line[0] not in "@$"] == []
