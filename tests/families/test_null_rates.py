"""How often noise is split at a nominal 5 %: `min_significance`, `ChiSquare` and `chaid()`.

Each situation draws columns that know nothing of the target; a root split is false. The slow test
prints the rates that docs/numbers.md shows; the fast one is a short run of the situations that went
wrong before (missing values, heavy tails).
"""

from __future__ import annotations

import numpy as np
import pytest

import ceiba
from ceiba.prune import ChiSquare

pytestmark = pytest.mark.filterwarnings("ignore::ceiba.errors.DataWarning")

ROWS = 200


def numbers(rng, n_columns, n_values=None, missing=0.0):
    """Columns of continuous or rounded numbers."""
    shape = (ROWS, n_columns)
    X = rng.normal(size=shape) if n_values is None else rng.integers(0, n_values, shape) * 1.0
    X[rng.random(shape) < missing] = np.nan
    return X


def levels(rng, n_levels, missing=0.0, zipf=False):
    """One column of levels."""
    share = 1 / np.arange(1, n_levels + 1) if zipf else np.ones(n_levels)
    names = np.array([f"l{i:03d}" for i in range(n_levels)], object)
    column = names[rng.choice(n_levels, ROWS, p=share / share.sum())]
    column[rng.random(ROWS) < missing] = None
    return {"x": column}


def classes(rng, share=0.5, n_classes=2):
    if n_classes > 2:
        return rng.integers(0, n_classes, ROWS)
    y = (rng.random(ROWS) < share).astype(int)
    y[:2] = 0, 1
    return y


def times(rng, censored=0.4, tied=False):
    """Exponential times with independent censoring, rounded up to 8 values if tied."""
    time, limit = rng.exponential(size=(2, ROWS)) / np.array([[1 - censored], [censored]])
    y = np.stack([np.minimum(time, limit), time <= limit], axis=1)
    y[:, 0] = np.ceil(np.minimum(4 * y[:, 0], 8)) if tied else y[:, 0]
    y[0, 1] = 1.0
    return y


TARGETS = {
    "two classes": classes,
    "8 % of one class": lambda rng: classes(rng, 0.08),
    "4 classes": lambda rng: classes(rng, n_classes=4),
    "normal": lambda rng: rng.normal(size=ROWS),
    "lognormal": lambda rng: rng.lognormal(size=ROWS),
    "Cauchy": lambda rng: rng.standard_cauchy(size=ROWS),
    "Poisson": lambda rng: rng.poisson(1.0, ROWS).astype(float),
    "times, 40 % censored": times,
    "tied times, 80 % censored": lambda rng: times(rng, 0.8, tied=True),
}
COLUMNS = {
    "1 number": lambda rng: numbers(rng, 1),
    "10 numbers": lambda rng: numbers(rng, 10),
    "50 numbers": lambda rng: numbers(rng, 50),
    "number of 5 values": lambda rng: numbers(rng, 1, 5),
    "number of 2 values, 30 % missing": lambda rng: numbers(rng, 1, 2, 0.3),
    "1 number, 30 % missing": lambda rng: numbers(rng, 1, None, 0.3),
    "10 numbers, 30 % missing": lambda rng: numbers(rng, 10, None, 0.3),
    "2 levels": lambda rng: levels(rng, 2),
    "5 levels": lambda rng: levels(rng, 5),
    "20 levels": lambda rng: levels(rng, 20),
    "50 levels": lambda rng: levels(rng, 50),
    "200 levels": lambda rng: levels(rng, 200),
    "3 levels, 30 % missing": lambda rng: levels(rng, 3, 0.3),
    "50 Zipf levels": lambda rng: levels(rng, 50, zipf=True),
}
SITUATIONS = [
    *((column, "two classes") for column in COLUMNS),
    ("1 number", "8 % of one class"),
    ("20 levels", "8 % of one class"),
    ("1 number", "4 classes"),
    ("1 number, 30 % missing", "4 classes"),
    *((column, "normal") for column in ("1 number", "10 numbers", "20 levels")),
    ("number of 2 values, 30 % missing", "normal"),
    ("1 number, 30 % missing", "normal"),
    *((column, "lognormal") for column in ("1 number", "10 numbers", "50 Zipf levels")),
    ("1 number, 30 % missing", "lognormal"),
    *((column, "Cauchy") for column in ("1 number", "10 numbers", "20 levels")),
    ("1 number", "Poisson"),
    *((column, "times, 40 % censored") for column in ("1 number", "10 numbers", "20 levels")),
    ("1 number, 30 % missing", "times, 40 % censored"),
    *((column, "tied times, 80 % censored") for column in ("1 number", "10 numbers", "5 levels")),
]


def false_splits(column, target, runs, options):
    numeric = target in ("normal", "lognormal", "Cauchy", "Poisson")
    make = ceiba.DecisionTreeRegressor if numeric else ceiba.DecisionTreeClassifier
    make = ceiba.DecisionTreeSurvival if "times" in target else make
    return share_split(make(max_depth=1, **options), column, target, runs)


def share_split(model, column, target, runs):
    draw, truth = COLUMNS[column], TARGETS[target]
    rng = np.random.default_rng(len(column) * 100 + len(target))
    return np.mean([model.fit(draw(rng), truth(rng)).get_n_leaves() > 1 for _ in range(runs)])


@pytest.mark.slow
@pytest.mark.parametrize(("column", "target"), SITUATIONS)
def test_noise_is_split_in_three_to_six_percent_of_5000_runs(column, target):
    rate = false_splits(column, target, 5000, {"min_significance": 0.05})
    print(f"| {column} | {target} | {100 * rate:.1f} % |")
    assert 0.03 <= rate <= 0.06


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "target"),
    [
        ("number of 2 values, 30 % missing", "two classes"),
        ("3 levels, 30 % missing", "two classes"),
        ("1 number", "lognormal"),
        ("50 Zipf levels", "lognormal"),
    ],
)
def test_chi_square_pruning_keeps_noise_in_three_to_six_percent_of_5000_runs(column, target):
    rate = false_splits(column, target, 5000, {"prune": ChiSquare()})
    print(f"| {column} | {target} | {100 * rate:.1f} % (`ChiSquare`) |")
    assert 0.03 <= rate <= 0.06


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "target", "at_most"),
    [
        ("1 number", "two classes", 0.06),
        ("number of 5 values", "two classes", 0.06),
        ("3 levels, 30 % missing", "two classes", 0.06),
        ("20 levels", "two classes", 0.06),
        ("10 numbers", "two classes", 0.46),
        ("50 numbers", "two classes", 0.95),
    ],
)
def test_chaid_corrects_for_the_groups_of_a_column_not_for_columns(column, target, at_most):
    """Bonferroni's multiplier keeps one column below 5 %; m columns have up to 1 - 0.94^m."""
    rate = share_split(ceiba.chaid(max_depth=1), column, target, 5000)
    print(f"| {column} | {target} | {100 * rate:.1f} % (`chaid()`) |")
    assert rate <= at_most
    if column in ("10 numbers", "50 numbers"):
        assert rate > 0.1  # what docs/families.md warns of


@pytest.mark.parametrize(
    ("column", "target"),
    [
        ("number of 2 values, 30 % missing", "two classes"),
        pytest.param("3 levels, 30 % missing", "two classes", marks=pytest.mark.slow),
        pytest.param("50 Zipf levels", "lognormal", marks=pytest.mark.slow),
        ("1 number", "Cauchy"),
        pytest.param("1 number", "tied times, 80 % censored", marks=pytest.mark.slow),
    ],
)
def test_noise_is_seldom_split_with_missing_values_or_heavy_tails(column, target):
    """600 runs: 7.5 % is 2.8 standard errors above 5 %, 2.3 % as far below."""
    rate = false_splits(column, target, 600, {"min_significance": 0.05})
    assert 0.023 <= rate <= 0.075


def test_signal_of_a_heavy_tailed_target_is_found():
    rng = np.random.default_rng(0)
    x = rng.uniform(size=300)
    y = rng.lognormal(size=300) * np.where(x > 0.5, 4.0, 1.0)
    tree = ceiba.DecisionTreeRegressor(min_significance=0.05, max_depth=1).fit({"x": x}, y).tree_
    assert 0.4 < tree.splits.cut[0] < 0.6


def test_signal_in_what_is_missing_is_found():
    rng = np.random.default_rng(1)
    x = rng.normal(size=300)
    y = rng.integers(0, 2, 300)
    x[(y == 1) & (rng.random(300) < 0.4)] = np.nan
    tree = ceiba.DecisionTreeClassifier(min_significance=0.01, max_depth=1).fit({"x": x}, y).tree_
    assert tree.n_leaves == 2


def test_listed_p_values_say_where_they_are_only_bounds():
    listed = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(80, 1)), rng.integers(0, 2, 80)
        pruning = ChiSquare(correction="search")
        model = ceiba.DecisionTreeClassifier(prune=pruning, max_depth=1).fit(X, y)
        row = model.pruning_table_.row(0)
        listed.append((row["p_value"], row["p_value_by"]))
    # Only p-values above the level may be uncorrected, and these say "at least".
    for p_value, by in listed:
        if by.startswith("at least"):
            assert p_value > 0.05
        else:
            assert by.startswith(("at most", "exact"))
    assert any(by.startswith("at least") for _, by in listed)
