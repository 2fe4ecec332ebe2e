"""The exhaustive reference reproduces rpart's goldens: the rules it states are rpart's rules."""

from __future__ import annotations

import pytest

from tests.marks import slow
from tests.oracle.load import golden
from tests.oracle.reference_fit import fit_reference
from tests.oracle.rpart_goldens import check
from tests.oracle.rpart_problem import Problem
from tests.reference.cross_validation import cross_validate
from tests.reference.exact import exact

# one of each: criteria, weights (also zero), priors and losses, costs, holes under every surrogate
# setting, ordered and categorical columns, three and more classes, cp = -1, poisson with and
# without shrinkage
NAMES = [
    "BreastCancer__gini_default",
    "HouseVotes84__usesur1_style1_max1",
    "ToothGrowth__anova_wzero_minbucket",
    "Zoo__prior_loss_wt_info",
    "airquality__ozone_anova_usesur1",
    "airquality__temp_anova_cost",
    "car_test_frame__anova_style1",
    "cu_summary__anova_small_leaf",
    "cu_summary__anova_wzero_minbucket",
    "cu_summary__gini_tmax",
    "cu_summary__prior_loss_wt_info",
    "iris__info_full_cp0",
    "iris_petal__gini_tmax",
    "kyphosis__info_default",
    "kyphosis__loss_gini",
    "mtcars__anova_weights",
    "restaurant__weights_gini",
    "stagec__maxsur0",
    "stagec__pois_default",
    "stagec__usesur2_style1",
    "warpbreaks__pois_shrink03",
]


@pytest.mark.parametrize("name", NAMES)
def test_reference_reproduces_rpart(name, oracle_folder):
    outcome = check(golden("rpart", name), fit_reference)
    assert outcome.differences == []


CROSS_VALIDATED = [
    "ToothGrowth__anova_wzero_minbucket",
    "kyphosis__info_full_cp0",  # needs rpart's own complexities inside the folds
    "warpbreaks__pois_shrink03",
    *slow(
        [
            "cu_summary__anova_usesur1",
            "cu_summary__gini_default",
            "kyphosis__loss_gini",
            "stagec__usesur0",
            "stagec__usesur2_style1",
        ]
    ),
]


@pytest.mark.parametrize("name", CROSS_VALIDATED)
def test_reference_reproduces_the_clean_cross_validation(name, oracle_folder):
    expected = golden("rpart", name)
    problem, cv = Problem.of(expected), expected["cv"]
    cost = [exact(c) for c in expected["cost"]] if expected.get("cost") else None
    errors, spreads = cross_validate(
        problem.method(), problem.control(), cost, cv["folds"], cv["beta"]
    )
    assert errors == pytest.approx(cv.get("xerror_clean", cv["xerror"]), 1e-6)
    assert spreads == pytest.approx(cv.get("xstd_clean", cv["xstd"]), 1e-6)
