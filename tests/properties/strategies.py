"""Small tables that are hard on a tree: ties, repeated values, constant columns, uneven weights.

Values come from a handful of numbers, so equal values, tied splits and pure nodes are the rule.
Some columns are plain decimals (0.1, 0.2, ...), whose sums round.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from tests.reference.criteria import CLASSIFICATION as CLASS_CRITERIA
from tests.reference.criteria import REGRESSION as NUMBER_CRITERIA

FEW = st.integers(0, 4).map(float)
DECIMALS = st.integers(0, 12).map(lambda i: i / 10)
CONSTANT = st.just(1.5)


@dataclass(frozen=True)
class Problem:
    """A table with its target, weights (or None) and criterion."""

    X: list[list[float | None]]  # numbers, or level codes; None is missing
    y: list[float] | list[list[float]]
    weight: list[float] | None
    criterion: str
    kinds: tuple[str, ...] = ()  # per column numeric, categorical or ordered; () is all numeric

    @property
    def is_class(self) -> bool:
        return self.criterion in CLASS_CRITERIA


@st.composite
def columns_of_numbers(draw, n_rows, holes=False):
    n_columns = draw(st.integers(1, 3))
    columns = []
    for _ in range(n_columns):
        values = draw(st.sampled_from([FEW, FEW, DECIMALS, CONSTANT]))
        cells = st.one_of(st.none(), values, values, values) if holes else values
        columns.append(draw(st.lists(cells, min_size=n_rows, max_size=n_rows)))
    return [list(row) for row in zip(*columns, strict=True)]


def weights(n_rows):
    """None, small whole weights, or weights that round."""
    one = st.one_of(st.integers(1, 4).map(float), st.sampled_from([0.1, 0.3, 0.7, 2.5]))
    return st.one_of(st.none(), st.lists(one, min_size=n_rows, max_size=n_rows))


def uneven_weights(n_rows):
    """Weights over twelve orders of magnitude."""
    one = st.builds(lambda m, e: m * 10.0**e, st.integers(1, 9), st.integers(-6, 6))
    return st.lists(one, min_size=n_rows, max_size=n_rows)


def classes(n_rows):
    return st.integers(2, 4).flatmap(
        lambda k: st.lists(st.integers(0, k - 1), min_size=n_rows, max_size=n_rows)
    )


def numbers(n_rows, criterion):
    few, decimals = st.integers(0, 6).map(float), st.integers(-20, 20).map(lambda i: i / 10)
    if criterion == "poisson":  # counts, not all zero
        return st.lists(few, min_size=n_rows, max_size=n_rows).filter(any)
    return st.lists(st.one_of(few, decimals), min_size=n_rows, max_size=n_rows)


@st.composite
def problems(draw, criteria=CLASS_CRITERIA + NUMBER_CRITERIA, weights=weights, holes=False):
    n_rows = draw(st.integers(2, 11))
    criterion = draw(st.sampled_from(criteria))
    y = classes(n_rows) if criterion in CLASS_CRITERIA else numbers(n_rows, criterion)
    return Problem(
        draw(columns_of_numbers(n_rows, holes)), draw(y), draw(weights(n_rows)), criterion
    )


@st.composite
def mixed_problems(
    draw, criteria=CLASS_CRITERIA + NUMBER_CRITERIA, max_levels=5, max_classes=4, holes=True
):
    """Numeric, categorical and ordered columns with missing values; level 0 may be absent."""
    n_rows = draw(st.integers(2, 12))
    criterion = draw(st.sampled_from(criteria))
    kind = st.sampled_from(["numeric", "categorical", "categorical", "ordered"])
    kinds = tuple(draw(st.lists(kind, min_size=1, max_size=3)))
    columns = []
    for kind_of_column in kinds:
        codes = st.integers(0, max_levels - 1)
        values = FEW if kind_of_column == "numeric" else codes
        cells = st.one_of(st.none(), values, values, values, values) if holes else values
        columns.append(draw(st.lists(cells, min_size=n_rows, max_size=n_rows)))
    X = [list(row) for row in zip(*columns, strict=True)]
    labels = st.lists(st.integers(0, max_classes - 1), min_size=n_rows, max_size=n_rows)
    y = draw(labels if criterion in CLASS_CRITERIA else numbers(n_rows, criterion))
    return Problem(X, y, draw(weights(n_rows)), criterion, kinds)


# One stop at a time, now and then two: each must hold by itself.
STOPS = {
    "max_depth": st.integers(1, 4),
    "min_samples_split": st.integers(2, 8),
    "min_samples_leaf": st.integers(1, 4),
    # odd thresholds: what lies exactly on one is decided by the rounding of a sum
    "min_weight_fraction_leaf": st.sampled_from([0.0, 0.0937, 0.2411, 0.4113]),
    "min_impurity_decrease": st.sampled_from([0.0, 0.0113, 0.0517, 0.2031]),
}


@st.composite
def stops(draw):
    names = draw(st.sets(st.sampled_from(sorted(STOPS)), max_size=2))
    return {name: draw(STOPS[name]) for name in sorted(names)}
