"""scikit-learn's own checks of the estimators of rpart()."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

import ceiba

# minsplit and minbucket count rows, never weights: that is rpart's rule. The other one asks for an
# array library that is not installed.
NOT_MEANT = ("check_sample_weight_equivalence_on_dense_data", "check_array_api_input")


def _checks():
    for method in ("class", "anova", "poisson"):
        for estimator, check in estimator_checks_generator(ceiba.rpart(method, xval=0)):
            name = getattr(check, "func", check).__name__
            if name not in NOT_MEANT:
                yield pytest.param(estimator, check, id=f"{method}-{name}-{check.keywords}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "check"), list(_checks()))
def test_rpart_passes_the_check_of_scikit_learn(estimator, check):
    check(estimator)


def test_minsplit_counts_rows_whatever_their_weight():
    X, y = [[0.0], [1.0]] * 6, [0, 1] * 6
    model = ceiba.rpart("class", minsplit=20, minbucket=1, xval=0)
    assert model.fit(X, y, sample_weight=[10] * 12).get_n_leaves() == 1
