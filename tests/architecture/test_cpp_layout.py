"""Folders of the C++ core stay small enough to read, and lines short enough."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CPP = Path(__file__).resolve().parents[2] / "cpp"
FOLDERS = sorted({p.parent for p in CPP.rglob("*.?pp")})


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: p.relative_to(CPP).as_posix())
def test_folder_holds_at_most_16_files(folder: Path) -> None:
    assert len([p for p in folder.iterdir() if p.is_file()]) <= 16


def test_lines_have_at_most_120_columns() -> None:
    long = [
        f"{path.relative_to(CPP)}:{number}"
        for path in CPP.rglob("*.?pp")
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if len(line) > 120
    ]
    assert long == []


def test_no_switch_names_criteria() -> None:
    """They are visited by their list: a forgotten case must not become another criterion."""
    switches = [
        p.name for p in CPP.rglob("*.?pp") if re.search(r"switch \(.*criteri", p.read_text())
    ]
    assert switches == []
