"""Run the tree tests of the installed scikit-learn with ceiba's estimators in place of its own.

Usage: python tests/peers/scikit_learn.py REPORT.XML [pytest arguments]. Everything that builds on
scikit-learn's trees (forests, boosting) is imported first and keeps them; then the two names are
replaced, and the test modules, which look them up in `sklearn.tree`, meet ours.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import sklearn.ensemble
import sklearn.feature_selection
import sklearn.inspection
import sklearn.model_selection
import sklearn.multioutput
import sklearn.tree
import sklearn.utils.estimator_checks

import ceiba


def main(report: str, arguments: list[str]) -> int:
    sklearn.tree.DecisionTreeClassifier = ceiba.DecisionTreeClassifier
    sklearn.tree.DecisionTreeRegressor = ceiba.DecisionTreeRegressor
    folder = Path(sklearn.tree.__file__).parent / "tests"
    tests = [str(folder / f"test_{name}.py") for name in ("tree", "monotonic_tree")]
    quiet = ["-q", "--tb=no", "-W", "ignore", "-p", "no:cacheprovider", "-p", "no:xdist"]
    place = ["-c", "/dev/null", "--rootdir", str(folder), "--import-mode=importlib"]
    return int(pytest.main([*tests, *quiet, *place, f"--junitxml={report}", *arguments]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
