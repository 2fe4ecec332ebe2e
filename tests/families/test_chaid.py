"""CHAID: merging, multipliers, questions and whole trees."""

from __future__ import annotations

import itertools
from ast import literal_eval

import numpy as np
import pytest
from scipy.stats import chi2_contingency, f_oneway

import ceiba
from ceiba.estimators.recipes.chaid_merge import merge, multiplier

# Five categories by two classes. By hand: (0, 1) differ least (p 0.685), then (2, 3) (p 0.629);
# then 4 against (0, 1) has p 0.353 and may join it if the order of the column allows that.
CELLS = np.array([[30, 20], [28, 22], [10, 40], [12, 38], [25, 25]])


@pytest.mark.parametrize(
    ("kind", "groups", "ways"),
    [
        ("nominal", [[0, 1, 4], [2, 3]], 15),
        ("ordered", [[0, 1], [2, 3], [4]], 6),
        ("floating", [[0, 1, 4], [2, 3]], 7),
    ],
)
def test_merge_of_hand_computed_table(kind, groups, ways):
    merged = merge(CELLS, kind, "pearson")
    assert merged.groups == groups
    assert merged.multiplier == ways
    table = np.array([CELLS[group].sum(axis=0) for group in groups])
    expected = chi2_contingency(table, correction=False)
    assert merged.test.statistic == pytest.approx(expected.statistic)
    assert merged.test.df == (expected.dof,)
    assert merged.p_value == pytest.approx(expected.pvalue * ways)
    assert merged.steps[0] == (((0,), (1,)), pytest.approx(0.6853, abs=1e-4))
    assert merged.steps[1] == (((2,), (3,)), pytest.approx(0.6292, abs=1e-4))


def partitions(items):
    """All set partitions."""
    if not items:
        yield []
        return
    first, *rest = items
    for smaller in partitions(rest):
        for k in range(len(smaller)):
            yield [*smaller[:k], [first, *smaller[k]], *smaller[k + 1 :]]
        yield [[first], *smaller]


def consecutive(group, floating):
    known = sorted(c for c in group if c != floating)
    return known == list(range(known[0], known[0] + len(known))) if known else True


@pytest.mark.parametrize("c", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("kind", ["nominal", "ordered", "floating"])
def test_multiplier_counts_the_ways_to_make_groups(c, kind):
    floating = c - 1 if kind == "floating" else -1
    for r in range(2, c + 1):
        ways = sum(
            len(p) == r and (kind == "nominal" or all(consecutive(g, floating) for g in p))
            for p in partitions(list(range(c)))
        )
        assert multiplier(c, r, kind) == ways


def slow_merge(cells, alpha):
    """Nominal merging as the paper says it, every pair anew."""
    groups = [[k] for k in range(len(cells))]
    while len(groups) > 2:
        p = {
            (a, b): chi2_contingency(
                np.array([cells[groups[a]].sum(axis=0), cells[groups[b]].sum(axis=0)]),
                correction=False,
            ).pvalue
            for a, b in itertools.combinations(range(len(groups)), 2)
        }
        (a, b), best = max(p.items(), key=lambda item: item[1])
        if best <= alpha:
            break
        groups[a] += groups.pop(b)
    return sorted(sorted(group) for group in groups)


@pytest.mark.parametrize("seed", range(8))
def test_merge_equals_slow_merging(seed):
    rng = np.random.default_rng(seed)
    cells = rng.integers(3, 40, (12, 3))
    merged = merge(cells, "nominal", "pearson", alpha_merge=0.05)
    assert sorted(merged.groups) == slow_merge(cells, 0.05)


def test_f_statistic_equals_analysis_of_variance():
    rng = np.random.default_rng(0)
    y = [rng.normal(mean, 1, 30) for mean in (0.0, 0.1, 3.0)]
    cells = np.array([[len(v), v.sum(), (v**2).sum()] for v in y])
    merged = merge(cells, "nominal", "f", alpha_merge=0.001)
    assert merged.groups == [[0, 1], [2]]
    expected = f_oneway(np.concatenate(y[:2]), y[2])
    assert merged.test.statistic == pytest.approx(expected.statistic)
    assert merged.test.p_value == pytest.approx(expected.pvalue)


def test_likelihood_ratio_equals_g_test():
    merged = merge(CELLS[:2] * [1, 3], "nominal", "likelihood_ratio")
    expected = chi2_contingency(CELLS[:2] * [1, 3], correction=False, lambda_="log-likelihood")
    assert merged.test.statistic == pytest.approx(expected.statistic)


def test_small_group_is_merged_although_it_differs():
    cells = np.array([[50, 0], [0, 50], [0, 3]])
    assert merge(cells, "nominal", "pearson", min_rows=5).groups == [[0], [1, 2]]


def numbers(missing_like=None, n=600):
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 3, n)
    y = np.where(x < 1, 0.1, np.where(x < 2, 0.9, 0.4))
    if missing_like is not None:
        holes = rng.random(n) < 0.2
        y[holes], x[holes] = missing_like, np.nan
    return {"x": x}, (rng.random(n) < y).astype(int)


def test_numbers_are_split_into_intervals_and_new_rows_are_placed():
    X, y = numbers()
    model = ceiba.chaid().fit(X, y)
    assert model.predict({"x": [0.5, 1.5, 2.9, -7.0, 99.0]}).tolist() == [0, 1, 0, 0, 0]
    assert model.split_table_["column"][0] == "x"


def test_missing_joins_the_group_that_it_resembles():
    X, y = numbers(missing_like=0.9)
    model = ceiba.chaid().fit(X, y)
    assert model.predict({"x": [np.nan, 1.5, 0.5]}).tolist() == [1, 1, 0]
    assert "missing" in model.split_table_["groups"][0]


def test_missing_that_differs_from_all_is_a_branch_of_its_own():
    X, y = numbers(missing_like=1.0, n=3000)
    tree = ceiba.chaid().fit(X, y).tree_
    assert tree.splits.kind[0] == ceiba.tree.SplitKind.PRESENCE
    assert tree.predict_proba({"x": [np.nan]})[0, 1] == 1.0


def test_noise_is_not_split():
    rng = np.random.default_rng(3)
    X = {"a": rng.choice(list("abcdefgh"), 500), "b": rng.normal(size=500)}
    assert ceiba.chaid().fit(X, rng.integers(0, 2, 500)).get_n_leaves() == 1


def test_frequency_weights_equal_repeated_rows():
    rng = np.random.default_rng(4)
    level = rng.choice(list("abcd"), 120)
    y = (rng.random(120) < np.where(level < "c", 0.3, 0.7)).astype(int)
    weight = rng.integers(1, 4, 120)
    weighted = ceiba.chaid(frequency_weights=True).fit({"x": level}, y, sample_weight=weight)
    repeated = ceiba.chaid().fit({"x": np.repeat(level, weight)}, np.repeat(y, weight))
    assert weighted.split_table_["p_value"] == pytest.approx(repeated.split_table_["p_value"])
    assert np.allclose(weighted.tree_.value, repeated.tree_.value)


def test_regression_tree_has_group_means():
    rng = np.random.default_rng(5)
    level = rng.choice(list("abcd"), 400)
    y = np.where(level == "d", 5.0, 0.0) + rng.normal(size=400)
    model = ceiba.chaid(task="regression", alpha_merge=0.001).fit({"x": level}, y)
    assert model.get_n_leaves() == 2
    assert model.predict({"x": ["d"]})[0] == pytest.approx(y[level == "d"].mean())


def test_column_choice_does_not_favour_many_levels():
    rng = np.random.default_rng(6)
    chosen = []
    for _ in range(60):
        two = rng.integers(0, 2, 300)
        y = (rng.random(300) < 0.35 + 0.3 * two).astype(int)
        X = {
            "many": rng.choice(list("abcdefghijklmnopqrst"), 300),
            "two": np.array(["n", "y"])[two],
        }
        table = ceiba.chaid(max_depth=1).fit(X, y).split_table_
        chosen += list(table["column"])
    assert chosen.count("two") >= 50
    assert chosen.count("many") <= 5


def root_of_package(package, frame, target):
    columns = {name: "nominal" for name in frame if name != target}
    tree = package.Tree.from_pandas_df(
        frame, columns, target, alpha_merge=0.05, max_depth=1, min_child_node_size=7
    )
    split = tree.tree_store[0].split
    groups = {frozenset(group) for group in literal_eval(split.groupings)}
    return split.column, groups, split.score, split.p


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("dataset", "target"), [("titanic", "Survived"), ("HouseVotes84", "Class")]
)
def test_root_equals_that_of_package_chaid(dataset, target):
    """Their Bonferroni factor is 1, so only roots where it does not decide can agree."""
    package = pytest.importorskip("CHAID", reason="CHAID is not installed")
    from tests.oracle.load import folder, frame, read_csv

    if not folder().is_dir():
        pytest.skip("no folder of reference data: set CEIBA_ORACLE")
    table = frame(list(read_csv(f"{dataset}.csv", dataset).values())).astype(object)
    table = table.dropna()
    column, groups, statistic, p_value = root_of_package(package, table, target)
    model = ceiba.chaid(max_depth=1).fit(table.drop(columns=target), table[target])
    found = model.split_table_
    said = {frozenset(group.split(", ")) for group in found["groups"][0].split(" | ")}
    assert found["column"][0] == column
    assert said == groups
    assert found["statistic"][0] == pytest.approx(statistic)
    assert found["p_value"][0] == pytest.approx(p_value)
    assert len(model.predict(table.drop(columns=target))) == len(table)
