"""The families and RuleSet under scikit-learn's own checks."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import check_estimator

import ceiba

# p-values count rows; a weight of k is the row k times only with frequency_weights.
ROWS = {"check_sample_weight_equivalence_on_dense_data": "tests count rows, not weights"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("model", "excused"),
    [
        (ceiba.c45(), {}),
        (ceiba.id3(), {}),
        (ceiba.chaid(), ROWS),
        (ceiba.chaid(task="regression"), ROWS),
        (ceiba.RuleSet(), {}),
    ],
    ids=["c45", "id3", "chaid", "chaid regression", "RuleSet"],
)
def test_estimator_passes_the_checks(model, excused):
    results = check_estimator(model, on_fail=None, expected_failed_checks=excused)
    failed = [r["check_name"] for r in results if r["status"] == "failed"]
    assert failed == []
