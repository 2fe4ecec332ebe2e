"""Every golden of the oracle, one test each: what `make oracle` prints, as tests."""

from __future__ import annotations

from functools import partial

import pytest

import ceiba
from tests.oracle import rpart_goldens, sklearn_goldens, weka_goldens
from tests.oracle.load import folder, golden


def names(kind):
    names = sorted(path.stem for path in (folder() / kind).glob("*.json"))
    absent = pytest.mark.skip(reason=f"no folder {folder()}: set CEIBA_ORACLE")
    return names or [pytest.param("", marks=absent)]


@pytest.mark.parametrize("name", names("sklearn"))
def test_tree_equals_scikit_learn_golden(name):
    outcome = sklearn_goldens.check(golden("sklearn", name), ceiba)
    assert outcome.differences == [], outcome.parts


@pytest.mark.parametrize("name", names("rpart"))
def test_tree_equals_rpart_golden(name):
    fit = partial(rpart_goldens.fit_ceiba, library=ceiba)
    outcome = rpart_goldens.check(golden("rpart", name), fit)
    assert outcome.differences == [], outcome.parts


@pytest.mark.parametrize("name", names("weka"))
def test_tree_equals_weka_golden(name):
    outcome = weka_goldens.check(golden("weka", name), ceiba)
    assert outcome.differences == [], outcome.parts
