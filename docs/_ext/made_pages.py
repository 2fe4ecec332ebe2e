"""Generated when the site is built: lessons, live report, pictures of guides, playground.

They are written only if they changed, so that Sphinx rebuilds them only then.
"""

from __future__ import annotations

from contextlib import redirect_stdout
from doctest import DocTestParser
from io import StringIO
from pathlib import Path
from typing import Any

import playground

import ceiba
from ceiba.lessons import lesson, run
from ceiba.lessons.page import page
from ceiba.lessons.run import LessonRun, worked_figures
from ceiba.lessons.source import NUMBERS
from ceiba.words import LANGUAGES

HUBS = {
    "en": """# Eight lessons

From one good question to a tree that decides. Each lesson takes ten to twenty minutes, has
interactive pictures and exercises with solutions, and runs as a notebook: `ceiba lesson 3`.
""",
    "es": """# Ocho lecciones

De una buena pregunta a un árbol que decide. Cada lección lleva de diez a veinte minutos, tiene
imágenes interactivas y ejercicios resueltos, y se ejecuta como cuaderno:
`ceiba lesson 3 --lang es`.
""",
    "pt": """# Oito lições

De uma boa pergunta a uma árvore que decide. Cada lição leva de dez a vinte minutos, tem imagens
interativas e exercícios resolvidos, e roda como notebook: `ceiba lesson 3 --lang pt`.
""",
}
WORKED = """# Every worked figure

The teaching documents behind ceiba contain worked figures. This page lists each one with the lesson
and the cell that computes it. A test compares the values; if a document has a misprint, the lesson
notes it. The salaries of baseball players (`hitters...`) come from a synthetic table here, and from
the real table in the test.

| figure | lesson: cell | value here |
|---|---|---|
"""


def write(path: Path, text: str) -> None:
    """Write a file if it would change."""
    if not path.is_file() or path.read_text("utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def make_lessons(folder: Path) -> None:
    """Run the lessons and write their pages, the hub of each language, and the list of figures."""
    finished = {number: run(lesson(number)) for number in NUMBERS}
    for lang in LANGUAGES:
        for number in NUMBERS:
            write(folder / lang / f"{number}.md", page(finished[number], lang))
        more = "worked\n../../teaching\n" if lang == "en" else ""
        lines = "\n".join(str(number) for number in NUMBERS)
        tree = f"\n```{{toctree}}\n:maxdepth: 1\n{lines}\n{more}```\n"
        write(folder / lang / "index.md", HUBS[lang] + tree)
    write(folder / "en" / "worked.md", worked_page(finished))


def worked_page(finished: dict[int, LessonRun]) -> str:
    """List the worked figures with the cells that compute them."""
    rows = []
    for one in worked_figures():
        value = "" if "correct" in one.expression else short(one.value(finished[one.lesson]))
        link = f"[{one.lesson}: {one.cell}](#lesson-{one.lesson}-en-{one.cell})"
        rows.append(f"| `{one.id}` | {link} | {value} |")
    return WORKED + "\n".join(rows) + "\n"


def short(value: Any) -> str:
    """Return a value in a few characters."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list) and all(isinstance(one, int | float) for one in value):
        return ", ".join(f"{one:.4g}" for one in value)
    if isinstance(value, bool):
        return "holds" if value else "does not hold"
    if isinstance(value, dict | list):
        return f"{len(value)} entries"
    return f"`{value}`"


def make_report(path: Path) -> None:
    """Write the report that the home page embeds."""
    iris = ceiba.datasets.load_iris()
    rows = {part: [i for i in range(150) if (i % 3 == 0) == part] for part in (True, False)}
    held, seen = (
        ({k: [v[i] for i in part] for k, v in iris.X.items()}, [iris.y[i] for i in part])
        for part in (rows[True], rows[False])
    )
    pruning = ceiba.CostComplexity(rule="1se", keep_unpruned=True)
    model = ceiba.DecisionTreeClassifier(prune=pruning).fit(*seen)
    path.parent.mkdir(parents=True, exist_ok=True)
    model.report(path, train=seen, test=held, title="Iris")


def draw_guide(page: Path, folder: Path) -> None:
    """Run the examples of "Answer for a model" and draw what they create."""
    names: dict[str, Any] = {}
    for example in DocTestParser().get_examples(page.read_text("utf-8")):
        code = compile(example.source, str(page), "single")
        with redirect_stdout(StringIO()):
            exec(code, names)
    write(folder / "answer_story.svg", names["story"].model.to_svg())
    axes = names["tree"].plot(names["X_new"][names["columns"]], names["y_new"])
    axes.figure.savefig(folder / "answer_tree.svg", metadata={"Date": None})


def make(app: Any) -> None:
    """Write all pages before Sphinx collects its sources."""
    source = Path(app.srcdir)
    make_lessons(source / "lessons")
    make_report(source / "_made" / "iris_report.html")
    draw_guide(source / "howto" / "answer_for_a_model.md", source / "_made")
    write(source / "_made" / "playground.html", playground.page())


def set_context(app: Any, name: str, template: str, context: dict[str, Any], tree: object) -> None:
    """Set the level of the headings of the menu."""
    menu = context.get("furo_navigation_tree", "")
    context["furo_navigation_tree"] = menu.replace(
        'role="heading"', 'role="heading" aria-level="2"'
    )


def setup(app: Any) -> dict[str, bool]:
    """Connect both hooks."""
    app.connect("builder-inited", make)
    app.connect("html-page-context", set_context, priority=900)  # after the theme
    return {"parallel_read_safe": True, "parallel_write_safe": True}
