"""The reference C4.5 against every J48 golden: it knows the rules that the core must follow."""

from __future__ import annotations

import pytest

from tests.oracle.load import folder, golden
from tests.oracle.weka_problem import problem
from tests.reference.c45 import C45, SMALL, Column

NAMES = sorted(path.stem for path in (folder() / "weka").glob("*j48*.json"))


def columns(given):
    return [Column(c.name, c.codes(), c.levels if c.kind != "numeric" else ()) for c in given]


def best(distribution):
    answer = 0
    for k, p in enumerate(distribution):
        if p - distribution[answer] > SMALL:
            answer = k
    return answer


@pytest.mark.parametrize("name", NAMES)
def test_reference_equals_j48_golden(name):
    expected = golden("weka", name)
    given = problem(expected)
    options = given.options
    labels = [given.classes.index(label) for label in given.labels]
    tree = C45(
        columns(given.columns),
        labels,
        len(given.classes),
        M=options["min_samples"],
        binary=options["binary"],
        confidence=options["confidence"],
        raising=options["raising"],
    )
    nodes = list(tree.nodes())
    confusion = [[0.0] * len(given.classes) for _ in given.classes]
    for row, label in enumerate(labels):
        confusion[label][best(tree.distribution(row))] += 1
    assert (sum(not node.sons for node in nodes), len(nodes)) == (
        expected["n_leaves"],
        expected["size"],
    )
    assert confusion == expected["train_confusion"]
    if given.incomplete is not None:
        holes = columns(given.incomplete)
        for row, shares in enumerate(expected["na_rows"]["prob"]):
            assert tree.distribution(row, None, holes) == pytest.approx(shares, abs=6e-4)
