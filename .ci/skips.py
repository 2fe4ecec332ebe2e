"""Fail if a test was skipped for a reason that is not listed below.

Usage: skips.py JUNIT.XML. A test that is skipped although it could run protects nothing.
Reasons about a folder of reference data are allowed only if that folder is absent.
"""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

# pattern of the reason -> allowed here?
SHARED = Path(__file__).resolve().parents[2] / "shared"
ALLOWED = {
    r"no folder .*: set CEIBA_(ORACLE|DATA)": not SHARED.is_dir(),
    r"R is not installed|rpart is not installed": True,
    r"(needs|only on) (Windows|macOS|Linux)": True,
    r"(YDF|LightGBM|XGBoost|chefboost|Weka|imodels) is not installed": True,
    r"(node|java|PostgreSQL|shap|CHAID|mlflow|Graphviz|scikit-learn 1.8) is not installed": True,
    r"(onnx\w*|duckdb|jp\w+1?) is not installed": True,
    r"(MariaDB|pyspark|LibreOffice) is not installed": True,
    r"jpmml-evaluator is not installed": True,
    r"no C compiler is installed": True,
    r"(scikit-survival|lifelines) is not installed": True,
    r"(Firefox|websockets) is not installed": True,  # Chromium runs the same tests
    r"WebAssembly is not built": True,  # needs emscripten
    r"sphinx is not installed": True,  # comes with make docs
}


def skipped(report: Path) -> list[tuple[str, str]]:
    """List (test, reason) of every skipped test of a JUnit report; xfail is not a skip."""
    return [
        (f"{case.get('classname')}::{case.get('name')}", mark.get("message") or mark.text or "")
        for case in ET.parse(report).iter("testcase")
        for mark in case.iter("skipped")
        if mark.get("type") != "pytest.xfail"
    ]


def is_allowed(reason: str) -> bool:
    """Return whether a pattern that applies here matches the reason."""
    return any(here and re.search(pattern, reason) for pattern, here in ALLOWED.items())


def main(report: Path) -> int:
    """Print the skipped tests; return 1 if any of them should have run."""
    skips = skipped(report)
    wrong = [(test, reason) for test, reason in skips if not is_allowed(reason)]
    for test, reason in wrong:
        print(f"skipped but should run here: {test}: {reason}")
    print(f"skips: {len(skips)}, of these not allowed: {len(wrong)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
