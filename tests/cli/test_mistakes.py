"""User errors: exit codes, messages, no traceback; help."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import in_process_of_its_own, ok, run


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["learn", "weather.csv"], 2, "--target"),
        (["learn", "weather.csv", "-t", "RIAN"], 2, "Did you mean 'RAIN'"),
        (["learn", "weather.csv", "-t", "RAIN", "--drop", "cloud"], 2, "Did you mean 'clouds'"),
        (["learn", "weather.csv", "-t", "RAIN", "--criterion", "x"], 2, "criterion"),
        (["learn", "weather.csv", "-t", "RAIN", "--set", "depth=2"], 2, "no option 'depth'"),
        (["learn", "weather.csv", "-t", "RAIN", "--recipe", "rprt"], 2, "Did you mean 'rpart'"),
        (["learn", "weather.csv", "-t", "RAIN", "--test-size", "2"], 2, "between 0 and 1"),
        (["learn", "weather.csv", "-t", "RAIN", "--numeric", "wind"], 3, "line 2, column 'wind'"),
        (["learn", "none.csv", "-t", "x"], 3, "is not there"),
        (["learn", "empty.csv", "-t", "x"], 3, "empty"),
        (["show", "weather.csv"], 4, "not a model file"),
        (["show", "none.ceiba"], 4, "Cannot read"),
        (["nonsense"], 2, "nonsense"),
        (["datasets", "irsi"], 2, "Did you mean 'iris'"),
    ],
)
def test_mistake_has_its_exit_code_and_no_traceback(
    folder: Path, arguments: list[str], code: int, said: str
) -> None:
    (folder / "empty.csv").write_text("", "utf-8")
    done = run(*arguments, cwd=folder)
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_debug_shows_the_traceback(folder: Path) -> None:
    done = in_process_of_its_own("--debug", "show", "weather.csv", cwd=folder)
    assert "Traceback" in done.stderr


def test_help_of_every_command_has_an_example(tmp_path: Path) -> None:
    from ceiba.cli.main import COMMANDS

    for name in (name for _, names in COMMANDS.values() for name in names):
        text = ok(name, "--help", cwd=tmp_path)
        assert f"ceiba {name}" in " ".join(text.split()), name


def test_help_starts_in_under_400_ms_of_cpu(tmp_path: Path) -> None:
    import resource

    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        in_process_of_its_own("--help", cwd=tmp_path)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(times) < 0.4
