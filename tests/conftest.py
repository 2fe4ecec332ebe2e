"""Shared by all tests: hypothesis profiles, and the location of the reference data.

``CEIBA_ORACLE`` and ``CEIBA_DATA`` name other folders; without the folders, the tests that need
them skip with a reason.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.marks import examples

os.environ["MPLBACKEND"] = "Agg"  # no window system where tests run

# Deadlines measure the machine, not the code. CI always draws the same examples, so that a red run
# can be repeated.
settings.register_profile("dev", deadline=None, max_examples=examples(100))
settings.register_profile(
    "ci",
    settings.get_profile("dev"),
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


def pytest_runtest_setup() -> None:
    """Close figures that earlier tests and examples left open: many of them are a warning."""
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def _folder(variable: str, default: Path) -> Path:
    folder = Path(os.environ.get(variable, default))
    if not folder.is_dir():
        pytest.skip(f"no folder {folder}: set {variable}")
    return folder


@pytest.fixture(scope="session")
def project_root() -> Path:
    """Return the root of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def oracle_folder() -> Path:
    """Return the folder of reference trees (``CEIBA_ORACLE``, default ../shared/oracle)."""
    return _folder("CEIBA_ORACLE", SHARED / "oracle")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Return the folder of larger data sets (``CEIBA_DATA``, default ../shared/data)."""
    return _folder("CEIBA_DATA", SHARED / "data")
