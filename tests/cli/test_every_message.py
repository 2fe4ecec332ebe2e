"""Help, wrong usage and errors in Spanish and Portuguese: no message is left in English.

Messages are found in the source: whatever the command line raises is translated with made-up values
in the places that differ, and must hold no English word.
"""

from __future__ import annotations

import ast
import re
import string
from pathlib import Path

import pytest

import ceiba.cli
from ceiba.cli.languages.error_phrases import ERRORS
from ceiba.cli.languages.translation import speaking, translated, translated_error
from ceiba.cli.main import COMMANDS
from ceiba.cli.options.option_words import in_flag_words
from tests.cli.running import run

ROOM = Path(ceiba.cli.__file__).parent
NAMES = [name for _, names in COMMANDS.values() for name in names]
LANGUAGES = ("es", "pt")
#: Words that only English has; options such as --by, and examples of commands, are set aside.
ENGLISH = re.compile(
    r"\b(the|is|are|was|has|have|of|and|or|not|but|there|give|which|writes?|needs?|must|got|with|"
    r"without|file|column|rows?|class|known|it|its|to|from|for|be|by|what|how|"
    r"usage|options?|missing|required|default|see|such)\b",
    re.IGNORECASE,
)
_SET_ASIDE = re.compile(
    r"(debe|deve) ser [^.]* (o|ou) \w+|ordena\w+ por [^.]*|--?\w[\w-]*|"
    r"^\s*[│]?\s*ceiba .*$|`[^`]*`|'[^']*'|"
    r"\(\"default\"\)",
    re.M,
)


def english_in(text: str) -> list[str]:
    return ENGLISH.findall(_SET_ASIDE.sub(" ", text))


def messages() -> list[tuple[str, str]]:
    """All messages that are raised in the room, with letters where something differs."""
    texts: list[tuple[str, str]] = []
    for path in sorted(ROOM.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                text = sample(node.exc.args[0], path.name)
                if text:
                    texts.append((path.name, text))
    return texts


def sample(node: ast.expr, name: str) -> str:
    """Write a message as it might be; "" if it is not written in place."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if not isinstance(node, ast.JoinedStr):
        return ""
    letters = iter(string.ascii_uppercase)
    parts = []
    for value in node.values:
        if isinstance(value, ast.Constant):
            parts.append(str(value.value))
            continue
        assert isinstance(value, ast.FormattedValue)
        source = ast.unparse(value.value)
        if "hint" in source or "did_you_mean" in source:
            parts.append(" Did you mean 'Q'?")
        elif source == "what":
            parts.append(_WHAT[name])
        elif source == "_wanted(info)":
            parts.append("a number")
        else:
            letter = f"{next(letters)}9"
            parts.append(f"'{letter}'" if value.conversion == ord("r") else letter)
    return "".join(parts)


#: What stands for a variable of this name, by file.
_WHAT = {"streams.py": "is not there", "evaluate.py": "the truth", "kinds.py": "a number"}
MESSAGES = messages()


def test_messages_are_found() -> None:
    assert len(MESSAGES) > 80


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_error_of_the_command_line_is_translated(lang: str) -> None:
    left = []
    with speaking(lang):
        for name, text in MESSAGES:
            said = translated(f"ceiba: {in_flag_words(text)}")
            if english_in(said):
                left.append((name, said))
    assert not left


def test_errors_keep_what_differs() -> None:
    for lang in LANGUAGES:
        with speaking(lang):
            for _, text in MESSAGES:
                before = set(re.findall(r"[A-Z]9", text))
                said = translated_error(in_flag_words(text))
                assert set(re.findall(r"[A-Z]9", said)) == before, said
    for english, *others in ERRORS:
        for text in others:
            numbered = [int(one) for one in re.findall(r"\{(\d)\}", text)]
            assert text.count("{}") <= english.count("{}")
            assert all(one < english.count("{}") for one in numbered)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", [*NAMES, ""])
def test_help_is_in_the_language(tmp_path: Path, name: str, lang: str) -> None:
    done = run(*([name] if name else []), "--help", "--lang", lang, cwd=tmp_path)
    assert done.returncode == 0
    without = re.sub(r"(?s)(Ejemplos?|Exemplos?):.*?(?=╭)", "", done.stdout)
    panels = [line for line in without.split("\n") if "classification" not in line]
    # Allowed names stand as they are typed.
    text = re.sub(r"Valores:[^\[╰]*", "", "\n".join(panels).replace("│", " "))
    assert not english_in(text), english_in(text)
    assert not re.search(r"<\w+>", text)


def test_help_is_in_english_again(tmp_path: Path) -> None:
    for name in ("show", "learn"):
        assert "Usage:" not in run(name, "--help", "--lang", "es", cwd=tmp_path).stdout
        back = run(name, "--help", cwd=tmp_path).stdout
        assert "Usage:" in back
        assert "─ Options ─" in back
        assert not re.search(r"<\w+>", back)


@pytest.mark.parametrize(("lang", "heading"), [("es", "SINOPSIS"), ("pt", "SINOPSE")])
def test_manual_page_is_in_the_language(tmp_path: Path, lang: str, heading: str) -> None:
    text = run("--lang", lang, "--man", cwd=tmp_path).stdout
    assert f".SH {heading}" in text
    assert "SYNOPSIS" not in text
    assert "Show the impurity" not in text
    assert ".SH SYNOPSIS" in run("--man", cwd=tmp_path).stdout


USAGE = [
    ("learn",),
    ("learn", "iris.csv"),
    ("learn", "iris.csv", "-t"),
    ("learn", "iris.csv", "-t", "species", "--max-dept", "3"),
    ("learn", "iris.csv", "-t", "species", "--max-depth", "three"),
    ("learn", "iris.csv", "-t", "species", "--quiet=3"),
    ("lern", "iris.csv"),
    ("show", "iris.ceiba", "more.ceiba"),
    ("explain", "iris.ceiba", "iris.csv", "--row", "first"),
    ("learn", "iris.csv", "-t", "species", "--test-size", "much"),
    ("learn", "iris.csv", "-t", "species", "--test-size", "3"),
    ("learn", "iris.csv", "-t", "species", "--criterion", "x"),
    ("learn", "iris.csv", "-t", "species", "--missing", "x"),
    ("learn", "iris.csv", "-t", "species", "--prune", "2se"),
    ("learn", "iris.csv", "-t", "species", "--min-samples-leaf", "-1"),
    ("learn", "iris.csv", "-t", "species", "--set", "depth=3"),
    ("learn", "iris.csv", "-t", "species", "--recipe", "chaid", "--prune", "1se", "--unseen", "x"),
    ("learn", "iris.csv", "-t", "species", "--task", "regression"),
    ("plot", "iris.ceiba", "-o", "a.doc"),
    ("plot", "iris.ceiba", "--kind", "pie"),
    ("export", "iris.ceiba", "cobol"),
    ("export", "iris.ceiba", "sql", "--dialect", "db2"),
    ("counterfactual", "iris.ceiba", "iris.csv", "--target", "rose"),
    ("counterfactual", "iris.ceiba", "iris.csv", "--k", "0"),
    ("stability", "iris.ceiba", "iris.csv", "--resamples", "1"),
    ("stability", "iris.ceiba", "iris.csv", "--rivals", "1"),
    ("stability", "iris.ceiba", "iris.csv", "--rivals", "900"),
    ("evaluate", "iris.ceiba", "empty.csv"),
    ("evaluate", "iris.ceiba", "other.csv"),
    ("predict", "iris.ceiba", "other.csv"),
    ("predict", "iris.ceiba", "iris.csv", "-o", "nowhere/a.csv"),
    ("prune", "iris.ceiba", "--alpha", "-1"),
    ("rules", "iris.ceiba", "--sort", "size"),
    ("report", "iris.ceiba", "--stability", "3"),
    ("show", "other.csv"),
    ("curve", "iris.csv", "-t", "species", "--repeats", "0"),
    ("view", "none.ceiba"),
    ("datasets", "irsi"),
]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("command", USAGE, ids=" ".join)
def test_wrong_usage_is_told_in_the_language(
    learned: Path, command: tuple[str, ...], lang: str
) -> None:
    (learned / "empty.csv").write_text("", "utf-8")
    (learned / "other.csv").write_text("a,b\n1,2\n3,4\n", "utf-8")
    done = run(*command, "--lang", lang, cwd=learned)
    assert done.returncode in (2, 3, 4), done.stderr
    assert "ceiba: " in done.stderr
    assert not english_in(done.stderr), done.stderr
