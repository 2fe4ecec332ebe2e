"""The skip check of CI: an unknown reason fails, a listed one passes."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

REPORT = """<testsuites><testsuite>
<testcase classname="tests.a" name="test_x">
<skipped type="pytest.skip" message="{reason}"/>
</testcase>
<testcase classname="tests.a" name="test_y"/>
</testsuite></testsuites>"""


@pytest.fixture
def skips(project_root: Path) -> dict[str, Any]:
    return runpy.run_path(str(project_root / ".ci" / "skips.py"))


@pytest.mark.parametrize(
    ("reason", "status"), [("R is not installed", 0), ("felt like it", 1), ("", 1)]
)
def test_skips_reason_decides_exit_status(
    skips: dict[str, Any], tmp_path: Path, reason: str, status: int
) -> None:
    report = tmp_path / "junit.xml"
    report.write_text(REPORT.format(reason=reason), "utf-8")
    assert skips["main"](report) == status


def test_skips_about_shared_data_are_refused_where_the_folder_is_there(
    skips: dict[str, Any], tmp_path: Path
) -> None:
    report = tmp_path / "junit.xml"
    report.write_text(REPORT.format(reason="no folder x: set CEIBA_ORACLE"), "utf-8")
    assert skips["main"](report) == int(skips["SHARED"].is_dir())
