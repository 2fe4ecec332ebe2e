"""What is printed in Spanish and Portuguese: no English left, the data untouched."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ceiba.cli.languages.check_phrases import CHECK_CELLS, CHECK_PHRASES
from ceiba.cli.languages.phrases import CELLS, PHRASES
from ceiba.cli.languages.prior_phrases import PRIOR_PHRASES
from ceiba.cli.languages.translation import speaking, translated
from tests.cli.running import ok, run

COMMANDS = [
    ("learn", "iris.csv", "-t", "species", "--test-size", "0.3", "-m", "x.ceiba"),
    ("show", "iris.ceiba", "--max-depth", "1"),
    ("rules", "iris.ceiba"),
    ("explain", "iris.ceiba", "iris.csv", "--row", "60"),
    ("evaluate", "iris.ceiba", "iris.csv"),
    ("describe", "iris.csv"),
    ("summary", "iris.ceiba"),
    ("prune", "iris.ceiba"),
    ("drift", "iris.ceiba", "iris.csv", "--with-target"),
    ("stability", "iris.ceiba", "iris.csv", "--resamples", "3"),
    ("stability", "iris.ceiba", "iris.csv", "--rivals", "0"),
    ("learn", "iris.csv", "-t", "species", "--prune", "1se", "-m", "pruned.ceiba"),
    ("explain", "iris.ceiba", "-v", "sepal width=3"),
    ("compare", "iris.ceiba", "iris.ceiba", "iris.csv"),
    ("curve", "iris.csv", "-t", "sepal width", "--drop", "species", "--repeats", "2"),
    ("counterfactual", "iris.ceiba", "iris.csv", "--row", "60"),
    ("learn", "iris.csv", "-t", "sepal width", "--drop", "species", "-m", "cifras.ceiba"),
    ("evaluate", "cifras.ceiba", "iris.csv"),
    ("drift", "cifras.ceiba", "iris.csv", "--with-target"),
    ("stability", "cifras.ceiba", "iris.csv", "--resamples", "3"),
    ("rules", "cifras.ceiba"),
    ("ask", "iris.ceiba"),
    ("datasets",),
    ("export", "iris.ceiba", "sql", "-o", "iris.sql"),
    ("predict", "iris.ceiba", "iris.csv", "-o", "answers.csv"),
]
#: Words that only English has.
ENGLISH = re.compile(
    r"\b(rows?|leaf|leaves|root|columns?|missing|rules?|kept|saved|accuracy|truth|always|warning|"
    r"numbers?|target|if|and|probability|training|confidence|the|of|risk|chosen|share|ours|yes)\b"
)


@pytest.mark.parametrize("lang", ["es", "pt"])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: "-".join(command[::3]))
def test_no_english_is_left(learned: Path, command: tuple[str, ...], lang: str) -> None:
    if command[1:2] == ("cifras.ceiba",) and not (learned / "cifras.ceiba").exists():
        run("learn", "iris.csv", "-t", "sepal width", "--drop", "species", "-m", "cifras.ceiba",
            cwd=learned)  # fmt: skip
    done = run(*command, "--lang", lang, cwd=learned, stdin=b"1\n2\n3\n4\n")
    assert done.returncode == 0, done.stderr
    text = done.stdout + done.stderr
    assert not ENGLISH.findall(text), text


#: Commands on a tree with class priors, whose lines say which figures are prior-weighted.
PRIOR_COMMANDS = [
    ("show", "prior.ceiba"),
    ("rules", "prior.ceiba"),
    ("explain", "prior.ceiba", "iris.csv", "--row", "60"),
    ("evaluate", "prior.ceiba", "iris.csv"),
    ("summary", "prior.ceiba"),
    ("prune", "prior.ceiba"),
    ("learn", "iris.csv", "-t", "species", "--prior", "setosa=0.2,versicolor=0.5,virginica=0.3",
     "--prune", "1se", "-m", "pruned_prior.ceiba"),
]  # fmt: skip
BY_PRIORS = {
    "en": r"prior-\s*weighted",
    "es": r"según\s+las\s+(probabilidades\s+)?previas",
    "pt": r"segundo\s+as\s+probabilidades\s+a\s+priori",
}


@pytest.fixture(scope="module")
def with_prior(learned: Path) -> Path:
    prior = "setosa=0.2,versicolor=0.5,virginica=0.3"
    options = ["--prior", prior, "--max-depth", 2, "-q", "-m", "prior.ceiba"]
    ok("learn", "iris.csv", "-t", "species", *options, cwd=learned)
    return learned


@pytest.mark.parametrize("lang", ["en", "es", "pt"])
@pytest.mark.parametrize("command", PRIOR_COMMANDS, ids=lambda command: "-".join(command[::3]))
def test_figures_say_that_they_are_prior_weighted(
    with_prior: Path, command: tuple[str, ...], lang: str
) -> None:
    done = run(*command, "--lang", lang, cwd=with_prior)
    assert done.returncode == 0, done.stderr
    text = done.stdout + done.stderr
    if command[0] != "show":  # it shows no share, only answers and rows
        assert re.search(BY_PRIORS[lang], text), text
    if lang != "en":
        also = re.compile(r"\b(prior-weighted|weighted|these|over|interval|stated|cost|its)\b")
        assert not ENGLISH.findall(text) + also.findall(text), text


def test_ask_gives_the_prior_weighted_probability(with_prior: Path) -> None:
    texts = {
        lang: run("ask", "prior.ceiba", "--lang", lang, cwd=with_prior, stdin=b"5\n1.5\n").stdout
        for lang in ("en", "es", "pt")
    }
    assert "; prior-weighted probability " in texts["en"], texts["en"]
    assert "of them" not in texts["en"]
    assert "; probabilidad según las probabilidades previas: " in texts["es"]
    assert "; probabilidade segundo as probabilidades a priori: " in texts["pt"]


def test_figures_are_the_same_in_every_language(learned: Path) -> None:
    figures = {
        lang: re.findall(r"\d[\d.]*", run("evaluate", "iris.ceiba", "iris.csv", "--lang", lang,
                                          cwd=learned).stdout)
        for lang in ("en", "es", "pt")
    }  # fmt: skip
    assert [one.rstrip(".") for one in figures["es"]] == [one.rstrip(".") for one in figures["en"]]
    assert figures["pt"] == figures["es"]


def test_table_stays_aligned(learned: Path) -> None:
    text = run("evaluate", "iris.ceiba", "iris.csv", "--lang", "es", cwd=learned).stdout
    table = [line for line in text.split("\n") if "  " in line]
    assert table[0].startswith("real \\ predicho")
    assert len({len(line) for line in table}) == 1


def test_classes_keep_their_names(tmp_path: Path) -> None:
    rows = "".join(f"{i % 7},{('high', 'low', 'yes')[i % 3]}\n" for i in range(60))
    (tmp_path / "c.csv").write_text("number,error\n" + rows, "utf-8")
    assert run("learn", "c.csv", "-t", "error", "-q", cwd=tmp_path).returncode == 0
    text = run("evaluate", "c.ceiba", "c.csv", "--lang", "es", cwd=tmp_path).stdout
    head = text.split("\n")[1].split()
    assert head == ["real", "\\", "predicho", "high", "low", "yes", "filas", "error"]
    assert "number <= " in run("show", "c.ceiba", "--lang", "es", cwd=tmp_path).stdout


def test_unknown_language_is_refused(learned: Path) -> None:
    done = run("show", "iris.ceiba", "--lang", "de", cwd=learned)
    assert done.returncode == 2
    assert "en, es or pt" in done.stderr


def test_every_phrase_has_both_translations_with_its_groups() -> None:
    for pattern, *words in (*PHRASES, *CHECK_PHRASES, *PRIOR_PHRASES):
        groups = re.compile(pattern).groups
        assert len(words) == 2
        for text in words:
            used = {int(one) for one in re.findall(r"\\(\d)", text)}
            assert used <= set(range(1, groups + 1))
    assert all(len(words) == 2 and all(words) for words in (CELLS | CHECK_CELLS).values())


MISTAKES = {
    ("show", "none.ceiba"): ("No existe el archivo del modelo 'none.ceiba'.", 4),
    ("describe", "none.csv"): ("No existe el archivo 'none.csv'.", 3),
    ("learn", "iris.csv", "-t", "specie"): (
        "--target 'specie': iris.csv no tiene esa columna. ¿Quiso decir 'species'? Tiene sepal", 2,
    ),
    ("learn", "iris.csv", "-t", "species", "--criterion", "ginni"): (
        "chi2 o likelihood_ratio, no 'ginni'. ¿Quiso decir 'gini'?", 2,
    ),
    ("learn", "iris.csv", "-t", "species", "--max-depth", "0"): (
        "--max-depth debe ser un número entero de al menos 1, no 0.", 2,
    ),
    ("explain", "iris.ceiba", "iris.csv", "--row", "900"): (
        "iris.csv tiene 150 filas; no hay fila 900.", 3,
    ),
}  # fmt: skip


@pytest.mark.parametrize("command", MISTAKES, ids=" ".join)
def test_usual_mistakes_are_told_in_the_language(learned: Path, command: tuple[str, ...]) -> None:
    message, code = MISTAKES[command]
    done = run(*command, "--lang", "es", cwd=learned)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert not re.search(r"\b(the|is|must|Did|Got)\b", done.stderr), done.stderr
    assert message not in run(*command, cwd=learned).stderr  # the next one speaks English again


@pytest.mark.parametrize("lang", ["es", "pt"])
def test_view_speaks_the_language(learned: Path, lang: str) -> None:
    pytest.importorskip("textual")
    import ceiba
    from ceiba.cli.terminal.view_app import _KEYS, TreeViewer

    with speaking(lang):
        viewer = TreeViewer(ceiba.load(learned / "iris.ceiba").tree_)
        assert not ENGLISH.findall(viewer._figures(0).plain), viewer._figures(0).plain
        assert viewer._label(0).plain.startswith({"es": "raíz", "pt": "raiz"}[lang])
        assert all(translated(words) != words for *_, words in _KEYS)
