"""The C++ unit tests of cpp/tests: arithmetic, sorting, tails and bounds of the core's headers.

`make test` compiles them into build/cpp-tests beforehand; each suite is one test here.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("CEIBA_CPP_TESTS", ROOT / "build" / "cpp-tests" / "ceiba_tests"))
# A suite has the name of its file; main.cpp runs them.
SUITES = sorted(p.stem for p in (ROOT / "cpp" / "tests").rglob("*.cpp") if p.stem != "main")


@pytest.mark.parametrize("suite", SUITES)
def test_suite_of_the_core_passes(suite: str) -> None:
    if not PROGRAM.exists():
        pytest.skip("build/cpp-tests is not compiled: run `make cpp-tests`")
    run = subprocess.run([PROGRAM, suite], capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_suites_cover_exact_arithmetic_sorting_tails_and_bounds() -> None:
    assert {
        "double_double",
        "expansion",
        "fixed_point",
        "rank_set",
        "radix_sort",
        "tails",
        "bounds",
    } <= set(SUITES)
