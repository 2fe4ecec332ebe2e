"""What the tests of agreement share: the trees of one test, and the comparison with `predict`.

`make test` takes 15 trees and 1,000 rows each, `make test-full` 1,000 trees and 10,000 rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from tests.export.drawn_trees import Drawn, draw

N_TREES, N_ROWS = 15, 1000
FULL = [pytest.param(k, marks=pytest.mark.slow) for k in range(100)]  # 10 trees x 10,000 rows each


def several(part: int | None, *, flat: bool = False) -> list[Drawn]:
    """Draw the trees of one test: the small set, or one part of the full one."""
    seeds = range(N_TREES) if part is None else range(1000 + 10 * part, 1010 + 10 * part)
    rows = N_ROWS if part is None else 10_000
    kinds = ("learn", "surrogate", "majority")
    return [draw(seed, rows, missing=kinds[seed % 3] if flat else None) for seed in seeds]


def parts(argument: str = "part") -> pytest.MarkDecorator:
    return pytest.mark.parametrize(argument, [None, *FULL])


def compare(
    drawn: Drawn, leaf: Iterable[Any], predicted: Iterable[Any], exact: bool = True
) -> None:
    expected = drawn.tree.apply(drawn.rows).tolist()
    assert list(leaf) == expected, drawn.seed
    compare_answers(drawn, predicted, exact)


def compare_answers(drawn: Drawn, predicted: Iterable[Any], exact: bool = True) -> None:
    answers = drawn.tree.predict(drawn.rows).tolist()
    if exact:
        assert list(predicted) == answers, drawn.seed
    else:
        np.testing.assert_allclose(list(predicted), answers, rtol=1e-12)
