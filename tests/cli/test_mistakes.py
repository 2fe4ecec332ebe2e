"""User errors: exit codes, messages, no traceback; help."""

from __future__ import annotations

from pathlib import Path

import pytest

from ceiba.errors import ModelFileError
from tests.cli.running import in_process_of_its_own, ok, run


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["learn", "weather.csv"], 2, "--target"),
        (["learn", "weather.csv", "-t", "RIAN"], 2, "Did you mean 'RAIN'"),
        (["learn", "weather.csv", "-t", "RAIN", "--drop", "cloud"], 2, "Did you mean 'clouds'"),
        (
            ["learn", "weather.csv", "-t", "RAIN", "--weight", "wind", "--drop", "wind"],
            2,
            "must not contain the weight",
        ),
        (
            ["learn", "--example", "lung", "--time", "time", "--event", "died", "--drop", "died"],
            2,
            "must not contain the target",
        ),
        (["learn", "weather.csv", "-t", "RAIN", "--criterion", "x"], 2, "criterion"),
        (["learn", "weather.csv", "-t", "RAIN", "--set", "depth=2"], 2, "Unknown option for"),
        (["learn", "weather.csv", "-t", "RAIN", "--recipe", "rprt"], 2, "Did you mean 'rpart'"),
        (["learn", "weather.csv", "-t", "RAIN", "--test-size", "2"], 2, "greater than 0 and"),
        (["learn", "weather.csv", "-t", "RAIN", "--numeric", "wind"], 3, "line 2, column 'wind'"),
        (["learn", "none.csv", "-t", "x"], 3, "File not found: 'none.csv'"),
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
    with pytest.raises(ModelFileError, match="not a model file"):  # Python prints it
        run("--debug", "show", "weather.csv", cwd=folder)


def test_help_of_every_command_has_an_example(tmp_path: Path) -> None:
    from ceiba.cli.main import COMMANDS

    for name in (name for names in COMMANDS.values() for name in names):
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


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (
            ["--missing", "leran"],
            "--missing must be learn, majority, surrogate, fractional or error",
        ),
        (["--criterion", "x"], "--criterion must be"),
        (["--max-depth", "0"], "--max-depth must be"),
        (["--prune", "2se"], "--prune must be"),
        (["--task", "classify"], "one of classification, regression"),
        (["--recipe", "rprt"], "Did you mean 'rpart'"),
        (["--test-size", "2"], "greater than 0 and"),
        (["--test-size", "0.3", "--test", "weather.csv"], "not both"),
        (["--test", "none.csv"], "File not found: 'none.csv'"),
        (["--costs", "none.csv"], "File not found: 'none.csv'"),
        (["--set", "depth=2"], "Unknown option for"),
        (["--set", "prune=1", "--max-leaf-nodes", "1"], "--"),
        (["--time-limit", "3"], "--search optimal"),
        (["--separator", "ab"], "--separator must be one character or 'tab', got 'ab'"),
        (["--encoding", "utf-88"], "--encoding must be a codec such as 'utf-8'"),
        (["--names", "a", "--names-from", "b"], "not both"),
    ],
)
def test_wrong_option_is_found_before_the_file_is_read(
    folder: Path, flags: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("the file was read")

    monkeypatch.setattr("ceiba.table.files.reading.load_table", never)
    done = run("learn", "weather.csv", "-t", "RAIN", *flags, cwd=folder)
    assert done.returncode in (2, 3), done.stderr
    assert said in done.stderr
    for word in ("parameter", "DecisionTree", "object", "None", "Traceback"):
        assert word not in done.stderr, done.stderr


def test_warning_is_said_once(folder: Path) -> None:
    rows = "".join(f"person {i},{i % 3},{'ab'[i % 2]}\n" for i in range(60))
    (folder / "w.csv").write_text("Name,x,y\n" + rows, "utf-8")
    flags = ("--min-samples-split", 3, "--min-samples-leaf", 5)
    said = run("learn", "w.csv", "-t", "y", *flags, cwd=folder).stderr
    assert said.count("'Name'") == 1
    assert said.count("--min-samples-split 3 has no effect") == 1
    assert "pandas" not in said
