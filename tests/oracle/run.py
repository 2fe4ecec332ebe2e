"""Runs the whole comparison: every golden of every kind against the installed library."""

from __future__ import annotations

from collections.abc import Iterator

from tests.oracle import rpart_goldens, sklearn_goldens, weka_goldens
from tests.oracle.load import goldens
from tests.oracle.report import Outcome, Report


def run(only: str = "") -> Report:
    """The report on all goldens whose name contains `only`."""
    return Report([outcome for outcome in outcomes() if only in outcome.name])


def outcomes() -> Iterator[Outcome]:
    import ceiba

    for golden in goldens("rpart"):
        if not hasattr(ceiba, "rpart"):
            yield waiting(rpart_goldens.KIND, golden["id"])
        else:
            yield rpart_goldens.check(golden, lambda p: rpart_goldens.fit_ceiba(p, ceiba))
    for golden in goldens("sklearn"):
        yield sklearn_goldens.check(golden, ceiba)
    for golden in goldens("weka"):
        yield weka_goldens.check(golden)


def waiting(kind: str, name: str) -> Outcome:
    return Outcome(kind, name, {"structure": "not built"})
