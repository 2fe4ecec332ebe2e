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
    assert finished.stderr.startswith("Learning one tree")
    return finished.stdout.splitlines(), folder


def test_demo_prints_the_tree_its_size_and_the_next_command(done: tuple[list[str], Path]) -> None:
    lines, _ = done
    assert any("sex = female" in line for line in lines)
    assert any(line.startswith("Size: 5 leaves") for line in lines)
    assert any(line.startswith("On 297 passengers that it has not seen: ") for line in lines)
    assert lines[-1].endswith("ceiba studio --example titanic")


def test_demo_writes_the_report_and_says_where(done: tuple[list[str], Path]) -> None:
    lines, folder = done
    [path] = [line.split()[1] for line in lines if line.startswith("Report: ")]
    assert (folder / path).read_text("utf-8").startswith("<!doctype html>")


def test_demo_out_names_another_folder(tmp_path: Path) -> None:
    finished = run("demo", "--out", tmp_path / "a" / "b", cwd=tmp_path)
    assert (tmp_path / "a" / "b" / "titanic.html").is_file(), finished.stderr


@pytest.mark.parametrize(("terminal", "flags", "opened"), [
    (True, [], 1), (True, ["--no-browser"], 0), (False, [], 0),
])  # fmt: skip
def test_demo_opens_the_report_on_a_desktop_only(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    terminal: bool,
    flags: list[str],
    opened: int,
) -> None:
    pages: list[str] = []
    monkeypatch.setattr("webbrowser.open", pages.append)
    monkeypatch.setattr("ceiba.cli.commands.samples._has_desktop", lambda: terminal)
    assert run("demo", *flags, cwd=tmp_path).returncode == 0
    assert len(pages) == opened


def test_demo_speaks_spanish(tmp_path: Path) -> None:
    text = ok("demo", "--lang", "es", cwd=tmp_path)
    assert "Tamaño: 5 hojas" in text
    assert 'lang="es"' in (tmp_path / "out" / "titanic.html").read_text("utf-8")


def test_main_without_typer_names_the_extra() -> None:
    code = "import sys; sys.modules['typer'] = None\nfrom ceiba.cli.main import main; main()"
    finished = run_code(code)
    assert finished.returncode == 1
    assert "pip install 'ceiba[cli]'" in finished.stderr


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
