"""Generated when the site is built: lessons, live report, pictures of guides, playground.

They are written only if they changed, so that Sphinx rebuilds them only then.
"""

from __future__ import annotations

import os
import re
import tempfile
from contextlib import redirect_stdout
from doctest import DocTestParser
from io import StringIO
from pathlib import Path
from typing import Any

import playground

from ceiba.lessons import lesson, run
from ceiba.lessons.run import LessonRun, worked_figures
from ceiba.lessons.source import NUMBERS
from ceiba.lessons.writing import page
from ceiba.words import LANGUAGES

#: A picture of the gallery for each lesson; minutes to read it and to run its cells.
CARDS = {
    1: ("restaurant_tree", 20),
    2: ("restaurant_learning_curve", 15),
    3: ("gaussians_regions", 20),
    4: ("sine_staircase", 20),
    5: ("iris_pruning_curve", 20),
    6: ("water_tree", 20),
    7: ("seattle_tree", 20),
    8: ("gaussians_path", 20),
    9: ("lung_curves", 20),
}
#: What one learns in each lesson, in order, for its card.
LEARNED = {
    "en": [
        "How a program finds the questions that decide, from twelve evenings in a restaurant.",
        "How to measure a tree on unseen rows, watch it fit noise, and prune what chance added.",
        "How CART finds the best cut by sorting and counting, and divides the plane into regions.",
        "How a tree predicts numbers by steps: first a curve, then patients and baseball players.",
        "How to choose the size: grow the full tree, prune it step by step, and cross-validate.",
        "How to handle leaks, missing values and costs in weather data and samples of water.",
        "How C4.5 and CHAID correct the preference for columns with many levels.",
        "How to show a tree as rules, explain a prediction, deploy the tree and detect changes.",
        "How a tree predicts times of which some are not complete yet, and how to evaluate it.",
    ],
    "es": [
        "Cómo un programa encuentra las preguntas que deciden, a partir de doce noches.",
        "Cómo medir un árbol en filas nuevas, verlo aprender ruido y podar lo que puso el azar.",
        "Cómo CART encuentra el mejor corte ordenando y contando, y divide el plano en regiones.",
        "Cómo un árbol predice números por peldaños: una curva, pacientes y jugadores de béisbol.",
        "Cómo elegir el tamaño: crecer del todo, podar paso a paso y validar de forma cruzada.",
        "Cómo tratar columnas que delatan, valores ausentes y costes en dos tablas reales.",
        "Cómo C4.5 y CHAID corrigen la preferencia por las columnas de muchos niveles.",
        "Cómo mostrar un árbol como reglas, explicar un caso, publicarlo y detectar cambios.",
        "Cómo un árbol predice tiempos que aún no han terminado, y cómo se evalúa.",
    ],
    "pt": [
        "Como um programa encontra as perguntas que decidem, a partir de doze noites.",
        "Como medir uma árvore em linhas novas, vê-la aprender ruído e podar o que veio do acaso.",
        "Como o CART encontra o melhor corte ordenando e contando, e divide o plano em regiões.",
        "Como uma árvore prevê números em degraus: uma curva, pacientes e jogadores de beisebol.",
        "Como escolher o tamanho: crescer até o fim, podar aos poucos e usar validação cruzada.",
        "Como tratar colunas que entregam a resposta, valores ausentes e custos em tabelas reais.",
        "Como C4.5 e CHAID corrigem a preferência por colunas com muitos níveis.",
        "Como mostrar uma árvore como regras, explicar um caso, publicá-la e notar mudanças.",
        "Como uma árvore prevê tempos que ainda não terminaram, e como avaliá-la.",
    ],
}
MINUTES = {"en": "{} minutes", "es": "{} minutos", "pt": "{} minutos"}
HUBS = {
    "en": """# Nine lessons

From one good question to a tree that decides. Each lesson takes ten to twenty minutes, has
interactive pictures and exercises with solutions, and runs as a notebook: `ceiba lesson 3`.
""",
    "es": """# Nueve lecciones

De una buena pregunta a un árbol que decide. Cada lección lleva de diez a veinte minutos, tiene
imágenes interactivas y ejercicios resueltos, y se ejecuta como cuaderno:
`ceiba lesson 3 --lang es`.
""",
    "pt": """# Nove lições

De uma boa pergunta a uma árvore que decide. Cada lição leva de dez a vinte minutos, tem imagens
interativas e exercícios resolvidos, e roda como notebook: `ceiba lesson 3 --lang pt`.
""",
}
LINKS = {
    "en": "\n[Español](../es/index.md) · [Português](../pt/index.md) · "
    "[for teachers](../../teaching.md)\n",
    "es": "\n[English](../en/index.md) · [Português](../pt/index.md)\n",
    "pt": "\n[English](../en/index.md) · [Español](../es/index.md)\n",
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
        more = "worked\n../../teaching\n../es/index\n../pt/index\n" if lang == "en" else ""
        lines = "\n".join(str(number) for number in NUMBERS)
        tree = f"\n```{{toctree}}\n:hidden:\n{lines}\n{more}```\n"
        cards = "".join(card(finished[number], lang) for number in NUMBERS)
        grid = f"\n:::::{{grid}} 1 2 2 2\n:gutter: 3\n{cards}:::::\n"
        write(folder / lang / "index.md", HUBS[lang] + LINKS[lang] + grid + tree)
    write(folder / "en" / "worked.md", worked_page(finished))


def card(done: LessonRun, lang: str) -> str:
    """Return the card of a lesson: picture, title, minutes, and what one learns in it."""
    number = done.lesson.number
    picture, minutes = CARDS[number]
    title = done.lesson.title(lang)
    images = "".join(
        f'<img class="only-{theme}-picture" src="../../_static/gallery/{theme}/{picture}.png" '
        f'alt="" loading="lazy">'
        for theme in ("light", "dark")
    )
    return f"""
::::{{grid-item-card}} {number}. {title}
:link: {number}
:link-type: doc
:class-card: lesson-card

```{{raw}} html
<div class="lesson-picture">{images}</div>
```
{LEARNED[lang][number - 1]} *{MINUTES[lang].format(minutes)}*
::::
"""


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


def make_report(home: Path, path: Path) -> None:
    """Write the report that the home page embeds, by running the code that the page shows."""
    [code] = re.findall(r"```python\n(.*?)```", home.read_text("utf-8"), re.S)
    path.parent.mkdir(parents=True, exist_ok=True)
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            exec(compile(code, str(home), "exec"), {})
        finally:
            os.chdir(before)
        page = (Path(folder) / path.name).read_text("utf-8")
    path.write_text(page, encoding="utf-8")


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
    make_report(source / "index.md", source / "_made" / "titanic.html")
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
