"""CHAID: merging, multipliers, questions and whole trees."""

from __future__ import annotations

import itertools
import pickle
from ast import literal_eval

import numpy as np
import pandas as pd
import pytest
from scipy.special import chdtrc, fdtrc
from scipy.stats import chi2_contingency, f_oneway

import ceiba
from ceiba import _core
from ceiba.grow.chaid import hopeless, merge, multiplier
from tests.reference.chaid_merge import merge as reference_merge

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
    merged = merge(CELLS, kind, "chi2")
    assert merged.groups == groups
    assert merged.test.factor == pytest.approx(ways)
    table = np.array([CELLS[group].sum(axis=0) for group in groups])
    expected = chi2_contingency(table, correction=False)
    assert merged.test.statistic == pytest.approx(expected.statistic)
    assert merged.test.df == (expected.dof,)
    assert merged.test.adjusted_p_value == pytest.approx(expected.pvalue * ways)
    assert merged.steps[0] == (0, 1, pytest.approx(0.6853, abs=1e-4))
    assert merged.steps[1] == (2, 3, pytest.approx(0.6292, abs=1e-4))


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
    merged = merge(cells, "nominal", "chi2", alpha_merge=0.05)
    assert sorted(merged.groups) == slow_merge(cells, 0.05)


@pytest.mark.parametrize("kind", ["nominal", "ordered", "floating"])
@pytest.mark.parametrize("statistic", ["chi2", "likelihood_ratio", "f_test"])
@pytest.mark.parametrize("seed", range(6))
def test_core_merges_as_the_reference_does(kind, statistic, seed):
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 60, 15)
    if statistic == "f_test":
        y = [rng.normal(rng.choice([0.0, 0.4, 2.0]), 1, n) for n in size]
        cells = np.array([[len(v), v.sum(), (v**2).sum()] for v in y])
    else:
        cells = np.stack([rng.multinomial(n, rng.dirichlet([2, 2, 1])) for n in size])
    name = {"chi2": "pearson", "f_test": "f"}.get(statistic, statistic)
    for alpha, rows in ((0.05, 1), (0.3, 12), (0.001, 1), (1.0, 30)):
        got = merge(cells, kind, statistic, alpha_merge=alpha, min_rows=rows)
        expected = reference_merge(cells, kind, name, alpha_merge=alpha, min_rows=rows)
        assert got.groups == expected.groups
        assert [p for *_, p in got.steps] == pytest.approx([p for _, p in expected.steps])
        assert got.test.log_adjusted_p_value == pytest.approx(expected.log_p)


@pytest.mark.parametrize("df", [1, 2, 3, 4, 5, 12, 31])
def test_tail_of_chi_square_equals_scipy(df):
    for x in (0.0, 1e-9, 0.3, 1.0, 4.0, 30.0, 200.0, 1400.0):
        assert _core.chi_square_tail(x, df) == pytest.approx(chdtrc(df, x), rel=1e-9)


@pytest.mark.parametrize("df2", [1, 2, 5, 100, 300_000])
def test_tail_of_f_equals_scipy(df2):
    for df1 in (1, 2, 7):
        for f in (0.0, 1e-9, 0.1, 1.0, 3.0, 50.0, 1000.0):
            assert _core.f_tail(f, df1, df2) == pytest.approx(fdtrc(df1, df2, f), rel=1e-8)


@pytest.mark.parametrize("df", [1, 2, 3, 7, 40, 999, 4000])
def test_logarithm_of_the_tail_of_chi_square_equals_scipy_where_that_is_not_zero(df):
    for x in (1e-9, 0.5 * df, 1.0 * df, df + 1.9, df + 2.1, 1.5 * df, df + 50.0):
        expected = np.log(chdtrc(df, x))
        assert _core.log_chi_square_tail(x, df) == pytest.approx(expected, rel=1e-8, abs=1e-13)
        assert _core.chi_square_tail(x, df) == pytest.approx(chdtrc(df, x), rel=1e-8)


def test_logarithms_of_tails_far_out_follow_the_closed_forms():
    for x in (10.0, 2e3, 1e5):
        assert _core.log_chi_square_tail(x, 2) == pytest.approx(-x / 2)
        assert _core.log_chi_square_tail(x, 4) == pytest.approx(-x / 2 + np.log1p(x / 2))
        for df2 in (20.0, 3e5):
            closed = -df2 / 2 * np.log1p(2 * x / df2)
            assert _core.log_f_tail(x, 2, df2) == pytest.approx(closed, rel=1e-9)


@pytest.mark.parametrize("statistic", ["chi2", "likelihood_ratio", "f_test"])
@pytest.mark.parametrize("n_levels", [3, 8, 40])
def test_only_a_column_that_cannot_reach_the_limit_is_called_hopeless(statistic, n_levels):
    said = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        size, effect = rng.integers(2, 30, n_levels), rng.choice([0.0, 0.5, 2.0])
        score = rng.normal(0, effect, n_levels)
        if statistic == "f_test":
            y = [rng.normal(mean, 1, n) for n, mean in zip(size, score, strict=True)]
            cells = np.array([[len(v), v.sum(), (v**2).sum()] for v in y])
        else:
            yes = rng.binomial(size, 1 / (1 + np.exp(-score)))
            cells = np.stack([yes, size - yes], axis=1).astype(float)
        for rows in (1, 7):
            merged = merge(cells, "nominal", statistic, min_rows=rows)
            reached = merged.test.log_adjusted_p_value if len(merged.groups) > 1 else 0.0
            for limit in (-1e-6, -1.0, -3.0, -10.0, -40.0, reached - 1e-3):
                said.append(hopeless(cells, statistic, limit, rows))
                assert not (said[-1] and reached < limit)
    assert any(said)
    assert not all(said)


def test_equal_levels_are_merged_first_pair_first():
    rng = np.random.default_rng(8)
    cells = rng.integers(0, 3, (60, 2)) + np.array([[1, 0]])
    expected = reference_merge(cells, "nominal", "pearson")
    got = merge(cells, "nominal", "chi2")
    assert got.groups == expected.groups
    assert [p for *_, p in got.steps] == pytest.approx([p for _, p in expected.steps])


def test_strongest_column_wins_where_p_values_are_zero_in_float64():
    rng = np.random.default_rng(9)
    level = rng.integers(0, 3, 40_000)
    blurred = np.where(rng.random(40_000) < 0.3, rng.integers(0, 3, 40_000), level)
    y = level + rng.normal(size=40_000)
    X = {"blurred": np.array(list("abc"))[blurred], "level": np.array(list("abc"))[level]}
    for task, target in (("regression", y), ("classification", y > 1)):
        tests = ceiba.chaid(task=task, max_depth=1).fit(X, target).tree_.split_tests()
        assert tests["p_value"][0] == 0.0
        assert tests["column"][0] == "level"


def test_p_value_of_zero_in_float64_still_pays_for_the_search():
    test = ceiba.tree.NodeTest("chi2", 1600.0, (1.0,), 0.0, 2772.0)
    assert test.log_p_value == pytest.approx(-804.0, abs=1)
    assert test.adjusted_p_value == 1.0


def test_f_statistic_equals_analysis_of_variance():
    rng = np.random.default_rng(0)
    y = [rng.normal(mean, 1, 30) for mean in (0.0, 0.1, 3.0)]
    cells = np.array([[len(v), v.sum(), (v**2).sum()] for v in y])
    merged = merge(cells, "nominal", "f_test", alpha_merge=0.001)
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
    assert merge(cells, "nominal", "chi2", min_rows=5).groups == [[0], [1, 2]]


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
    assert model.tree_.split_tests()["column"][0] == "x"


def test_missing_joins_the_group_that_it_resembles():
    X, y = numbers(missing_like=0.9)
    model = ceiba.chaid().fit(X, y)
    assert model.predict({"x": [np.nan, 1.5, 0.5]}).tolist() == [1, 1, 0]
    assert "missing" in model.tree_.split_tests()["groups"][0]


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
    assert weighted.tree_.split_tests()["p_value"] == pytest.approx(
        repeated.tree_.split_tests()["p_value"]
    )
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
        table = ceiba.chaid(max_depth=1).fit(X, y).tree_.split_tests()
        chosen += list(table["column"])
    assert chosen.count("two") >= 50
    assert chosen.count("many") <= 5


def mixed(n=500, seed=7):
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 3, n)
    level = rng.choice(list("abcde"), n).astype(object)
    y = rng.random(n) < np.where(x < 1, 0.2, np.where(x < 2, 0.9, 0.5)) * (0.4 + (level < "c"))
    x[::9], level[::11] = np.nan, None
    return {"x": x, "level": level}, np.where(y, "yes", "no")


def test_tests_stand_in_the_tree_once_per_split():
    X, y = numbers()
    tree = ceiba.chaid(max_depth=1).fit(X, y).tree_
    ceiba.tree.check(tree)
    assert tree.n_leaves > 2  # cuts one below another, of one test
    assert tree.tests.continues.tolist() == [False, *(~tree.is_leaf[1:]).tolist()]
    assert np.flatnonzero(~np.isnan(tree.tests.p_value)).tolist() == [0]
    test = tree.root.test
    cells = [np.bincount(y[tree.apply(X) == leaf], minlength=2) for leaf in tree.leaves]
    expected = chi2_contingency(np.array(cells), correction=False)
    assert test.statistic == pytest.approx(expected.statistic)
    assert test.df == (expected.dof,)
    assert test.p_value == pytest.approx(expected.pvalue)
    assert test.factor == pytest.approx(multiplier(10, tree.n_leaves, "ordered"))
    assert tree.node(2).test is None


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_tests_survive_file_pickle_and_collapse(task, tmp_path):
    X, y = mixed()
    model = ceiba.chaid(task=task).fit(X, y if task == "classification" else (y == "yes") * 1.0)
    tree = model.tree_
    assert tree.n_leaves > 4
    model.save(tmp_path / "m.ceiba")
    assert ceiba.load(tmp_path / "m.ceiba").tree_ == tree
    assert pickle.loads(pickle.dumps(tree)) == tree
    last = int(np.flatnonzero(~tree.is_leaf)[-1])
    smaller = tree.collapse([last])
    ceiba.tree.check(smaller)
    assert smaller.node(0).test == tree.node(0).test
    assert smaller.node(last).test is None
    assert "adjusted_p_value" in str(tree.split_tests())


def test_tree_that_knows_no_tests_says_so():
    tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    assert tree.root.test is None
    with pytest.raises(ceiba.OptionError, match="holds no tests"):
        tree.split_tests()


def test_tree_without_splits_has_an_empty_list_of_tests():
    tree = ceiba.chaid().fit({"x": [1.0] * 30}, ["a", "b"] * 15).tree_
    listing = tree.split_tests()
    assert len(listing["node"]) == 0
    assert "adjusted_p_value" in str(listing)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"criterion": "gini"}, "alpha_merge.*chi2"),
        ({"class_prior": [0.5, 0.5]}, "class_prior"),
        ({"missing": "surrogate"}, "missing='surrogate'"),
        ({"min_significance": 0.05}, "alpha_split"),
        ({"max_leaf_nodes": 4}, "max_leaf_nodes"),
        ({"cost_matrix": np.array([[0, 1], [2, 0]])}, "(?s)cost_matrix.*at None"),
        ({"cuts": "value"}, "cuts='value'.*'midpoint'"),
    ],
)
def test_what_tests_cannot_be_combined_with_is_refused(options, match):
    X, y = mixed()
    with pytest.raises(ceiba.OptionError, match=match):
        ceiba.chaid(**{"alpha_merge": 0.01, **options}).fit(X, y)


def test_groups_that_weigh_too_little_are_no_leaves():
    X, y = mixed()
    weight = np.where(y == "yes", 1.0, 1e-6)
    free = ceiba.chaid().fit(X, y, sample_weight=weight).tree_
    bound = ceiba.chaid(min_weight_fraction_leaf=0.1).fit(X, y, sample_weight=weight).tree_
    lightest = [tree.weight[tree.leaves].min() / weight.sum() for tree in (free, bound)]
    assert lightest[0] < 0.1 <= lightest[1]
    assert 1 < bound.n_leaves < free.n_leaves


def test_criterion_of_the_one_estimator_is_the_recipe():
    X, y = mixed()
    model = ceiba.DecisionTreeClassifier(
        criterion="chi2", min_samples_split=20, min_samples_leaf=7
    ).fit(X, y)
    assert model.tree_ == ceiba.chaid().fit(X, y).tree_


def test_tree_of_tests_is_pruned_and_exported_like_any_other():
    X, y = mixed()
    tree = ceiba.chaid(alpha_split=0.5).fit(X, y).tree_
    pruned = tree.prune(float(tree.pruning_sequence().alpha[1]))
    assert 1 < pruned.n_leaves < tree.n_leaves
    assert pruned.root.test == tree.root.test
    model = ceiba.DecisionTreeClassifier(criterion="chi2", alpha_split=0.9, prune="1se").fit(X, y)
    assert model.pruning_table_["n_leaves"].max() >= model.get_n_leaves()
    assert "CASE" in tree.export("sql")


def by_package(dataset, target, kind="nominal", **options):
    """Give a table without missing values and the tree that the package CHAID grows on it."""
    package = pytest.importorskip("CHAID", reason="CHAID is not installed")
    from tests.oracle.load import folder, frame, read_csv

    if not folder().is_dir():
        pytest.skip("no folder of reference data: set CEIBA_ORACLE")
    table = frame(list(read_csv(f"{dataset}.csv", dataset).values())).astype(object).dropna()
    table = table.reset_index(drop=True)
    columns = {name: kind for name in table if name != target}
    settings = {"alpha_merge": 0.05, "max_depth": 3, "min_child_node_size": 7, **options}
    return table, package.Tree.from_pandas_df(table, columns, target, **settings)


def groups_of(split):
    return {frozenset(group) for group in literal_eval(split.groupings)}


def said_groups(found):
    return {frozenset(group.split(", ")) for group in found["groups"][0].split(" | ")}


PACKAGE_TABLES = [("titanic", "Survived"), ("HouseVotes84", "Class")]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("dataset", "target"), PACKAGE_TABLES)
def test_root_equals_that_of_package_chaid(dataset, target):
    """Their Bonferroni factor is 1, so only roots where it does not decide can agree."""
    table, theirs = by_package(dataset, target)
    split = theirs.tree_store[0].split
    model = ceiba.chaid(max_depth=1).fit(table.drop(columns=target), table[target])
    found = model.tree_.split_tests()
    assert found["column"][0] == split.column
    assert said_groups(found) == groups_of(split)
    assert found["statistic"][0] == pytest.approx(split.score)
    assert found["p_value"][0] == pytest.approx(split.p)
    assert len(model.predict(table.drop(columns=target))) == len(table)


def compared(table, target, theirs):
    """Count their splits and those where we find the same groups, given rows and column.

    They leave levels apart whose rows all have one class (the p-value of such a pair is not a
    number to them): there our groups must be theirs, such levels put together.
    """
    splits = [node for node in theirs.tree_store if node.split.column is not None]
    same = 0
    for node in splits:
        split, part = node.split, table.loc[node.indices]
        model = ceiba.chaid(max_depth=1, alpha_split=1.0, min_samples_split=2)
        found = model.fit(part[[split.column]], part[target]).tree_.split_tests()
        ours, other = said_groups(found), groups_of(split)
        assert found["statistic"][0] == pytest.approx(split.score)
        if ours == other:
            same += 1
            assert found["p_value"][0] == pytest.approx(split.p)
            assert found["df"][0] == split.dof
        for group in ours - other:
            assert group == frozenset().union(*(g for g in other if g <= group))
            assert part.loc[part[split.column].isin(group), target].nunique() == 1
    return len(splits), same


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("dataset", "target", "expected"), [("titanic", "Survived", 4), ("HouseVotes84", "Class", 3)]
)
def test_every_split_of_package_chaid_is_ours_on_its_rows_and_column(dataset, target, expected):
    table, theirs = by_package(dataset, target)
    assert compared(table, target, theirs) == (expected, expected)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("file", "target", "expected"),
    [
        ("car_evaluation.csv", 6, (5, 5)),
        ("nursery.csv", 8, (11, 9)),
        ("mushrooms.csv", 0, (5, 4)),
    ],
)
def test_splits_of_package_chaid_on_larger_tables(file, target, expected, data_folder):
    package = pytest.importorskip("CHAID", reason="CHAID is not installed")
    header = 0 if file.startswith("mush") else None
    table = pd.read_csv(data_folder / file, header=header, dtype=str).iloc[:, :12].astype(object)
    table.columns = [f"c{k}" for k in range(table.shape[1])]
    columns = {name: "nominal" for name in table if name != f"c{target}"}
    theirs = package.Tree.from_pandas_df(
        table, columns, f"c{target}", alpha_merge=0.05, max_depth=3, min_child_node_size=7
    )
    assert compared(table, f"c{target}", theirs) == expected


@pytest.mark.parametrize("power", [-900, 400])
def test_f_test_does_not_depend_on_the_unit_of_the_target(power):
    rng = np.random.default_rng(4)
    X = {"x": rng.normal(size=200), "c": rng.choice(list("abc"), 200)}
    y = X["x"] + (X["c"] == "a")
    plain = ceiba.chaid(task="regression").fit(X, y).tree_
    other = ceiba.chaid(task="regression").fit(X, y * 2.0**power).tree_
    assert plain.n_leaves > 3
    np.testing.assert_array_equal(other.splits.cut, plain.splits.cut)
    np.testing.assert_array_equal(other.tests.statistic, plain.tests.statistic)
