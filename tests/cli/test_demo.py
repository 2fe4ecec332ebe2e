"""``ceiba demo`` end to end, and what the command says when something is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import ok, run


def run_code(code: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], Path]:
    folder = tmp_path_factory.mktemp("demo")
    finished = run("demo", cwd=folder)
    assert finished.returncode == 0, finished.stderr
    assert finished.stderr == ""
    return finished.stdout.splitlines(), folder


def test_demo_prints_the_worked_gains(done: tuple[list[str], Path]) -> None:
    words = [line.split() for line in done[0]]
    gains = {line[0]: line[1] for line in words if len(line) >= 2}
    assert gains["Patrons"] == "0.541"
    assert gains["Type"] == "0.000"


def test_demo_prints_both_trees(done: tuple[list[str], Path]) -> None:
    text = "\n".join(done[0])
    assert "Patrons = Full" in text
    assert "petal length <= 2.45" in text


def test_demo_sets_accuracy_beside_the_majority(done: tuple[list[str], Path]) -> None:
    assert "accuracy 1.000, always 'No' 0.500" in done[0]


def test_demo_last_line_is_the_path_of_the_report(done: tuple[list[str], Path]) -> None:
    lines, folder = done
    assert (folder / lines[-1]).read_text("utf-8").startswith("<!doctype html>")


def test_demo_writes_a_picture(done: tuple[list[str], Path]) -> None:
    lines, folder = done
    [path] = [line for line in lines if line.endswith(".png")]
    assert (folder / path).read_bytes().startswith(b"\x89PNG")


def test_demo_shows_the_choice_of_the_size(done: tuple[list[str], Path]) -> None:
    assert any(line.startswith("chosen: alpha") for line in done[0])


def test_demo_out_names_another_folder(tmp_path: Path) -> None:
    finished = run("demo", "--out", tmp_path / "a" / "b", cwd=tmp_path)
    assert finished.stdout.splitlines()[-1] == str(tmp_path / "a" / "b" / "iris_report.html")


def test_demo_without_matplotlib_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    finished = run("demo", cwd=tmp_path)
    assert finished.returncode == 0
    assert "pip install ceiba[plot]" in finished.stdout


def test_main_without_typer_names_the_extra() -> None:
    code = "import sys; sys.modules['typer'] = None\nfrom ceiba.cli.main import main; main()"
    finished = run_code(code)
    assert finished.returncode == 1
    assert "pip install ceiba[cli]" in finished.stderr


def test_version_is_that_of_the_package(tmp_path: Path) -> None:
    import ceiba

    assert ok("--version", cwd=tmp_path).strip() == f"ceiba {ceiba.__version__}"


def test_unknown_command_is_refused(tmp_path: Path) -> None:
    assert run("dmo", cwd=tmp_path).returncode == 2


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['ceiba', '--help']\n"
        "from ceiba.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: print([m for m in ('sklearn', 'numpy') if m in sys.modules])"
    )
    assert run_code(code).stdout.splitlines()[-1] == "[]"
