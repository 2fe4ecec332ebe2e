"""CHAID: merging, multipliers, questions and whole trees."""

from __future__ import annotations

import itertools
import pickle
from ast import literal_eval

import numpy as np
import pytest
from scipy.special import chdtrc, fdtrc
from scipy.stats import chi2_contingency, f_oneway

import ceiba
from ceiba import _core
from ceiba.grow.chaid import merge, multiplier
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
        assert got.log_p == pytest.approx(expected.log_p)


@pytest.mark.parametrize("df", [1, 2, 3, 4, 5, 12, 31])
def test_tail_of_chi_square_equals_scipy(df):
    for x in (0.0, 1e-9, 0.3, 1.0, 4.0, 30.0, 200.0, 1400.0):
        assert _core.chi_square_tail(x, df) == pytest.approx(chdtrc(df, x), rel=1e-9)


@pytest.mark.parametrize("df2", [1, 2, 5, 100, 300_000])
def test_tail_of_f_equals_scipy(df2):
    for df1 in (1, 2, 7):
        for f in (0.0, 1e-9, 0.1, 1.0, 3.0, 50.0, 1000.0):
            assert _core.f_tail(f, df1, df2) == pytest.approx(fdtrc(df1, df2, f), rel=1e-8)


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


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"criterion": "gini"}, "alpha_merge.*chi2"),
        ({"class_prior": [0.5, 0.5]}, "class_prior"),
        ({"missing": "surrogate"}, "missing='surrogate'"),
        ({"min_significance": 0.05}, "alpha_split"),
        ({"max_leaf_nodes": 4}, "max_leaf_nodes"),
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
    found = model.tree_.split_tests()
    said = {frozenset(group.split(", ")) for group in found["groups"][0].split(" | ")}
    assert found["column"][0] == column
    assert said == groups
    assert found["statistic"][0] == pytest.approx(statistic)
    assert found["p_value"][0] == pytest.approx(p_value)
    assert len(model.predict(table.drop(columns=target))) == len(table)
