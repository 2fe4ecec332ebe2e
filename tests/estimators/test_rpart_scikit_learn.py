"""scikit-learn's own checks of the estimators of rpart()."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import ceiba

# minsplit and minbucket count rows, never weights: that is rpart's rule.
COUNTS_ROWS = {"check_sample_weight_equivalence_on_dense_data": "minsplit counts rows, as in R"}

MODELS = [ceiba.rpart(method, xval=0) for method in ("class", "anova", "poisson")]


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(MODELS, expected_failed_checks=lambda _: COUNTS_ROWS)
def test_estimator_passes_the_checks_of_scikit_learn(estimator, check) -> None:
    check(estimator)
