"""Every golden of the oracle, one test each: what `make oracle` prints, as tests."""

from __future__ import annotations

import json

import pytest

import ceiba
from tests.oracle import rpart_goldens, sklearn_goldens, weka_goldens
from tests.oracle.load import folder, golden


def names(kind):
    index = folder() / "index.json"
    if not index.is_file():
        return [
            pytest.param("", marks=pytest.mark.skip(reason="no oracle folder: set CEIBA_ORACLE"))
        ]
    return [entry["id"] for entry in json.loads(index.read_text("utf-8")) if entry["kind"] == kind]


def settle(outcome):
    if outcome.verdict == "not built":
        pytest.skip("not built yet")
    assert outcome.differences == [], outcome.parts


@pytest.mark.parametrize("name", names("sklearn"))
def test_tree_equals_scikit_learn_golden(name):
    settle(sklearn_goldens.check(golden("sklearn", name), ceiba))


@pytest.mark.skipif(not hasattr(ceiba, "rpart"), reason="ceiba.rpart is not built yet")
@pytest.mark.parametrize("name", names("rpart"))
def test_tree_equals_rpart_golden(name):
    settle(rpart_goldens.check(golden("rpart", name), lambda p: rpart_goldens.fit_ceiba(p, ceiba)))


@pytest.mark.parametrize("name", names("weka"))
def test_tree_equals_weka_golden(name):
    settle(weka_goldens.check(golden("weka", name)))
