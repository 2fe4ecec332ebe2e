"""Control characters in names, levels and classes are written out wherever people look."""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

import ceiba
from tests.cli.running import run

EVIL = "\x1b]0;title\x07\x1b[2J\x00\x9b31m\x7f"
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def evil_model() -> Any:
    X = {f"name{EVIL}": [1.0, 2.0, 3.0, 4.0], f"other{EVIL}": [f"a{EVIL}", "b", f"a{EVIL}", "c"]}
    y = [f"yes{EVIL}", "no", "no", f"yes{EVIL}"]
    return ceiba.DecisionTreeClassifier(max_competitors=1).fit(X, y)


def texts(model: Any) -> dict[str, str]:
    tree = model.tree_
    row = {name: ["b" if name.startswith("o") else 1.0] for name in tree.schema.names}
    return {
        "str": str(tree),
        "rules": str(tree.rules()),
        "summary": str(tree.summary()),
        "explain": str(model.explain(row)),
        "importance": str(model.importance_table()),
        "split_table": str(ceiba.inspection.split_table(row, [1])),
        "svg": tree.export("svg"),
        "dot": tree.export("dot"),
    }


@pytest.mark.parametrize(
    "name", ["str", "rules", "summary", "explain", "importance", "split_table", "svg", "dot"]
)
def test_no_control_character_is_shown(name: str) -> None:
    text = texts(evil_model())[name]
    assert not CONTROL.search(text)
    if name not in ("split_table",):
        assert "\\x1b" in text


def test_svg_is_well_formed() -> None:
    ET.fromstring(texts(evil_model())["svg"])


def test_dot_is_read_by_graphviz() -> None:
    dot = shutil.which("dot")
    if dot is None:
        pytest.skip("Graphviz is not installed")
    text = texts(evil_model())["dot"].encode()
    subprocess.run([dot, "-Tsvg"], input=text, check=True, capture_output=True)


@pytest.mark.parametrize("command", ["show", "rules", "summary", "explain"])
def test_command_line_shows_no_control_character(command: str, tmp_path: Path) -> None:
    evil_model().save(tmp_path / "m.ceiba")
    more = ["--row", "name=1"] if command == "explain" else []
    done = run(command, "m.ceiba", *more, cwd=tmp_path)
    assert done.stdout or done.stderr
    assert not CONTROL.search(done.stdout + done.stderr)


def test_one_line_stays_one_line() -> None:
    model = ceiba.DecisionTreeClassifier().fit({"a\nb": [1.0, 2.0]}, ["x", "y\nz"])
    assert str(model.tree_).count("\n") == 2
    assert "a\\nb <= 1.5" in str(model.tree_)


@pytest.mark.slow
def test_one_endless_cell_in_a_small_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.csv.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"x,y\n1,a\n2,b\n3,")
        for _ in range(600):
            file.write(b"z" * 2**20)
        file.write(b"\n")
    assert path.stat().st_size < 2**22
    script = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)); "
        f"sys.argv = ['ceiba', 'learn', {str(path)!r}, '--target', 'y', '--model', '/dev/null']; "
        "from ceiba.cli.main import main; main()"
    )
    if sys.platform != "linux":
        pytest.skip("needs Linux")
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 3, done.stderr
    assert "line 4: a record exceeds 256 MiB" in done.stderr
