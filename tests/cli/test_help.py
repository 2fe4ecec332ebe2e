"""Help lines and completion: all from one declaration of the options."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ceiba.cli.main import COMMANDS, make_app
from ceiba.cli.options.completion import list_nodes, read_columns
from tests.cli.running import ok

NAMES = [name for names in COMMANDS.values() for name in names]


@pytest.fixture(scope="module")
def group() -> Any:
    from typer.main import get_command

    return get_command(make_app())


@pytest.mark.parametrize("name", NAMES)
def test_every_option_says_what_it_does_and_its_default(group: Any, name: str) -> None:
    for parameter in group.commands[name].params:
        if "--help" in parameter.opts:
            continue
        line = parameter.help or ""
        assert len(line) > 10, (name, parameter.opts)
        if parameter.param_type_name == "option":
            flag = parameter.is_flag
            assert flag or parameter.required or "[default: " in line, (name, parameter.opts, line)
            assert flag or parameter.metavar.strip(), (name, parameter.opts)


def test_allowed_values_are_listed_and_are_those_that_work(group: Any) -> None:
    from ceiba.cli.options.completion import CHOICES
    from ceiba.cli.options.estimator_from_flags import _RECIPES

    assert set(CHOICES["recipe"]) == set(_RECIPES)
    for command in group.commands.values():
        for parameter in command.params:
            for choice in CHOICES.get(parameter.name, ()):
                assert choice in parameter.help


def test_help_of_learn_speaks_of_options_not_of_parameters(group: Any) -> None:
    options = {text for one in group.commands["learn"].params for text in one.opts}
    for one in group.commands["learn"].params:
        assert "`" not in (one.help or ""), one.help
        assert set(re.findall(r"--[a-z][\w-]+", one.help or "")) <= options, one.help
    assert "\n----" not in group.commands["learn"].help


def test_recipes_that_are_offered_exist() -> None:
    from ceiba import families
    from ceiba.cli.options.completion import CHOICES

    assert all(callable(getattr(families, name)) for name in CHOICES["recipe"])


def test_options_of_learn_are_grouped(tmp_path: Path) -> None:
    text = ok("learn", "--help", cwd=tmp_path)
    for heading in ("Input file", "Columns", "Growing", "Pruning", "Output", "Evaluation"):
        assert heading in text


# ---------------------------------------------------------------------- completion


def completed(words: str, cwd: Path) -> list[str]:
    env = {**os.environ, "_CEIBA_COMPLETE": "complete_bash", "COMP_WORDS": words,
           "COMP_CWORD": str(len(words.split(" ")) - 1)}  # fmt: skip
    program = "import sys; sys.argv[0] = 'ceiba'; from ceiba.cli.main import main; main()"
    done = subprocess.run([sys.executable, "-c", program], cwd=cwd, env=env, capture_output=True,
                          text=True, check=False)  # fmt: skip
    return done.stdout.split("\n")[:-1] if done.stdout else []


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("ceiba learn iris.csv --recipe c", {"cart", "c45", "chaid"}),
        ("ceiba learn iris.csv --target spe", {"species"}),
        ("ceiba export iris.ceiba s", {"sql", "svg", "sklearn"}),
        ("ceiba stability iris.ceiba iris.csv --rivals ", {"0", "2"}),
    ],
)
def test_shell_completes_names_of_all_kinds(learned: Path, words: str, wanted: set[str]) -> None:
    assert set(completed(words, learned)) == wanted


def test_columns_and_nodes_are_those_of_the_file(learned: Path) -> None:
    assert read_columns(str(learned / "iris.csv"))[-1] == "species"
    assert read_columns(str(learned / "none.csv")) == []
    assert list_nodes(str(learned / "iris.ceiba")) == ["0", "2"]
    assert list_nodes(str(learned / "iris.csv")) == []
