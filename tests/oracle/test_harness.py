"""The harness itself: it passes what is right and notices what is wrong."""

from __future__ import annotations

import pytest
import sklearn.tree

import ceiba
from tests.oracle import rpart_goldens, sklearn_goldens
from tests.oracle.load import golden
from tests.oracle.reference_fit import fit_reference
from tests.oracle.report import Outcome, Report
from tests.oracle.rpart_problem import Problem


def test_scikit_learn_matches_its_own_golden(oracle_folder):
    outcome = sklearn_goldens.check(golden("sklearn", "Glass__sk_gini_d4_leaf3"), sklearn.tree)
    assert outcome.verdict == "match"


def test_wrong_figure_is_noticed_in_its_part(oracle_folder):
    wrong = golden("sklearn", "iris__sk_gini_ccp005")
    wrong["root_impurity"] += 0.001
    outcome = sklearn_goldens.check(wrong, sklearn.tree)
    assert outcome.parts["structure"] == "differ"


def test_wrong_agreement_is_noticed_as_surrogates(oracle_folder):
    wrong = golden("rpart", "kyphosis__gini_default")
    wrong["nodes"][0]["surrogates"][0]["agree"] += 0.01
    outcome = rpart_goldens.check(wrong, fit_reference)
    assert outcome.parts["surrogates"] == "differ"
    assert outcome.parts["structure"] == "match"


def test_wrong_route_of_an_incomplete_row_is_noticed_as_routing(oracle_folder):
    wrong = golden("rpart", "stagec__gini_default")
    wrong["na_rows"]["node"][0] += 1
    assert rpart_goldens.check(wrong, fit_reference).parts["routing"] == "differ"


def test_poisson_error_of_a_golden_is_that_of_the_fit(oracle_folder):
    """rpart 4.1.19 with parms = list(shrink = 0.3, method = "sqrt") on the folds of the golden."""
    known = {**golden("rpart", "warpbreaks__pois_shrink03"), "poisson_error": "sqrt"}
    cv = rpart_goldens.fit_ceiba(Problem.of(known), ceiba).cv
    xerror = [0.256472897610454, 0.255396979852925, 0.203676617806850, 0.214900664242126,
              0.211659794876219, 0.196103300858717]  # fmt: skip
    assert cv["xerror"] == pytest.approx(xerror, rel=1e-12)
    assert cv["xstd"][:2] == pytest.approx([0.0469264685110452, 0.0414086198899337], rel=1e-12)


def test_difference_in_no_part_is_still_a_failure():
    assert Report([Outcome("rpart", "x", {"structure": "match"}, ["something else"])]).failed


def test_report_does_not_fail_for_what_is_not_built():
    report = Report([Outcome("Weka", "x", {"structure": "not built"})])
    assert not report.failed


def test_last_line_counts_goldens_per_kind_and_part():
    outcomes = [
        Outcome("rpart", "a", {"structure": "match", "pruning": "differ"}),
        Outcome("rpart", "b", {"structure": "match", "pruning": "match"}),
        Outcome("Weka", "c", {"structure": "not built"}),
    ]
    assert Report(outcomes).total() == (
        "oracle: 1 of 2 goldens match "
        "(rpart 1 of 2: structure 2 of 2, pruning 1 of 2; Weka not built, 1 waiting)"
    )
