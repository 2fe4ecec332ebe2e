"""`ceiba lesson`: the list, and a notebook in each language."""

from __future__ import annotations

import json

import pytest

from tests.cli.running import ok, run


def test_lesson_without_a_number_lists_all(tmp_path):
    lines = ok("lesson", "--lang", "es", cwd=tmp_path).splitlines()
    assert len(lines) == 9
    assert lines[0].split() == ["1", "La", "pregunta", "que", "más", "dice"]


@pytest.mark.parametrize("lang", ["en", "es", "pt"])
def test_lesson_writes_a_notebook(tmp_path, lang):
    assert ok("lesson", "3", "--lang", lang, cwd=tmp_path).strip() == f"lesson_3_{lang}.ipynb"
    made = json.loads((tmp_path / f"lesson_3_{lang}.ipynb").read_text("utf-8"))
    assert (made["nbformat"], made["nbformat_minor"]) == (4, 5)
    assert {cell["cell_type"] for cell in made["cells"]} == {"code", "markdown"}
    assert len({cell["id"] for cell in made["cells"]}) == len(made["cells"])


def test_lesson_does_not_replace_a_notebook(tmp_path):
    (tmp_path / "lesson_1_en.ipynb").write_text("my work")
    finished = run("lesson", "1", cwd=tmp_path)
    assert finished.returncode != 0
    assert "File already exists" in finished.stderr
    assert (tmp_path / "lesson_1_en.ipynb").read_text() == "my work"


def test_lesson_with_a_folder_reads_the_tables_there(tmp_path):
    rows = "".join(
        f"{years},{hits},{100 + years * hits}\n"
        for years in range(1, 9)
        for hits in range(20, 200, 9)
    )
    (tmp_path / "Hitters.csv").write_text("Years,Hits,Salary\n" + rows)
    ok("lesson", "4", "--data", ".", "--out", "mine.ipynb", cwd=tmp_path)
    made = json.loads((tmp_path / "mine.ipynb").read_text("utf-8"))
    assert "read_from" in made["cells"][0]["source"]
    assert any("from the real table" in cell["source"] for cell in made["cells"])
