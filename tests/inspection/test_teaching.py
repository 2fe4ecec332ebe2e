"""Figures that teaching texts compute by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_diabetes, load_iris

import ceiba
from ceiba.errors import DataError, OptionError
from ceiba.inspection import plurality, weakest_links
from ceiba.inspection.node_tables import expected_costs


@pytest.mark.parametrize("base", [2, math.e, 10])
def test_entropy_in_any_base(base):
    p = np.array([5, 3, 2]) / 10
    expected = -(p * np.log(p)).sum() / math.log(base)
    assert ceiba.impurity(counts=[5, 3, 2], criterion="entropy", base=base) == pytest.approx(
        expected
    )
    x, y = [1, 2, 3, 4], ["a", "a", "b", "c"]
    bits = ceiba.gain(x, y, 2.5, "entropy")
    assert ceiba.gain(x, y, 2.5, "entropy", base=base) == pytest.approx(bits / math.log2(base))
    assert ceiba.gain(x, y, None, "entropy", base=base) == pytest.approx(
        ceiba.gain(x, y, None, "entropy") / math.log2(base)
    )


def test_gain_ratio_has_no_base():
    x, y = [1, 2, 3, 4], ["a", "a", "b", "b"]
    for split, expected in ((None, 1.0), (2.5, 1.0), ("multiway", 0.5)):
        assert ceiba.gain(x, y, split, "gain_ratio") == pytest.approx(expected)
        for base in (2, math.e, 10):
            with pytest.raises(OptionError, match="base has no effect with criterion='gain_ratio'"):
                ceiba.gain(x, y, split, "gain_ratio", base=base)


@pytest.mark.parametrize(("base", "criterion"), [(1, "entropy"), (True, "entropy"), (2, "gini")])
def test_base_that_is_none_is_refused(base, criterion):
    with pytest.raises(OptionError, match="base"):
        ceiba.impurity(["a", "b"], criterion, base=base)


def test_plurality_is_the_most_frequent_label():
    assert plurality(["b", "a", "b"]) == "b"
    assert plurality([2, 1]) == 1
    assert plurality(["a", "b"], weight=[1, 3]) == "b"


def test_expected_costs_of_every_answer():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 2)), rng.integers(0, 3, 90)
    costs = np.array([[0, 1, 4], [2, 0, 1], [3, 1, 0.0]])
    tree = ceiba.DecisionTreeClassifier(cost_matrix=costs, max_depth=2).fit(X, y).tree_
    for node in range(tree.n_nodes):
        listed = expected_costs(tree, node)
        p = tree.counts[node, 0] / tree.counts[node, 0].sum()
        np.testing.assert_allclose(listed["expected cost"], p @ costs)
        chosen = listed["answer"][listed["chosen"] == "*"].tolist()
        assert chosen == [tree.node(node).label]
        assert (p @ costs)[chosen[0]] == pytest.approx((p @ costs).min())
        best = listed["expected cost"].min()
        assert tree.risk[node] == pytest.approx(best * tree.share[node])
    with pytest.raises(OptionError, match="classification"):
        expected_costs(ceiba.tree.build(("x <= 1", 1.0, 2.0)))


@pytest.mark.parametrize("risk", ["cost", "impurity"])
def test_links_of_every_step_equal_their_definition(risk):
    X, y = load_iris(return_X_y=True)
    tree = ceiba.DecisionTreeClassifier().fit(X[:, 2:], y).tree_
    sequence = tree.pruning_sequence(risk=risk)
    table = weakest_links(tree, risk=risk)
    own = tree.risk if risk == "cost" else tree.share * tree.impurity
    for step in range(len(sequence)):
        small = sequence.tree(step)
        shown = table["step"] == step
        # The nodes of the small tree have the numbers of the whole one, by their order.
        kept = [i for i in range(tree.n_nodes) if _kept(tree, sequence, step, i)]
        assert len(kept) == small.n_nodes
        inner = [i for i, is_leaf in zip(kept, small.is_leaf, strict=True) if not is_leaf]
        assert table["node"][shown].tolist() == inner
        for node, g in zip(inner, table["g"][shown].tolist(), strict=True):
            leaves = [i for i, is_leaf in zip(kept, small.is_leaf, strict=True)
                      if is_leaf and node <= i < tree.subtree_end[node]]  # fmt: skip
            expected = (own[node] - own[leaves].sum()) / (len(leaves) - 1)
            assert g == pytest.approx(expected, abs=1e-12)
        if step + 1 < len(sequence):
            assert table["g"][shown].min() == pytest.approx(sequence.alpha[step + 1])


def _kept(tree, sequence, step, node):
    while node > 0:
        node = int(tree.parent[node])
        if sequence.node_alpha[node] <= sequence.alpha[step]:
            return False
    return True


def test_chi_square_of_every_split_of_any_tree():
    X, y = load_iris(return_X_y=True)
    tree = ceiba.DecisionTreeClassifier(max_depth=3).fit(X, y).tree_
    tests = tree.split_tests()
    assert len(tests) == np.count_nonzero(~tree.is_leaf)
    for row in tests:
        below = [child.counts[0] for child in tree.node(row["node"]).children]
        counts = np.array(below)
        counts = counts[:, counts.sum(axis=0) > 0]
        known = stats.chi2_contingency(counts, correction=False)
        assert row["statistic"] == pytest.approx(known.statistic)
        assert row["p_value"] == pytest.approx(known.pvalue)
        assert row["df"] == known.dof


def test_f_test_of_every_split_of_a_regression_tree():
    X, y = load_diabetes(return_X_y=True)
    tree = ceiba.DecisionTreeRegressor(max_depth=2).fit(X, y).tree_
    for row in tree.split_tests():
        parts = [y[tree.rows(child.id, X)] for child in tree.node(row["node"]).children]
        known = stats.f_oneway(*parts)
        assert row["statistic"] == pytest.approx(known.statistic)
        assert row["p_value"] == pytest.approx(known.pvalue)
    with pytest.raises(OptionError, match="without training counts"):
        ceiba.tree.build(("x <= 1", "a", "b")).split_tests()


@pytest.mark.parametrize("make", [ceiba.id3, ceiba.DecisionTreeClassifier])
def test_unseen_level_gets_the_answer_of_the_whole_training_set(make):
    data = ceiba.datasets.load_restaurant()
    model = make(unseen="default").fit(data.X, data.y)
    tree = model.tree_
    row = {name: data.X[name][0] for name in data.X}
    packed = row | {"Patrons": "Packed"}
    root = tree.root.label
    assert tree.predict_one(packed).answer == root
    table = {name: [value, value] for name, value in row.items()} | {"Patrons": ["Packed", "Some"]}
    assert model.predict(table).tolist() == [root, "Yes"]
    assert tree.apply(table)[0] == 0
    np.testing.assert_array_equal(tree.predict_proba(table)[0], tree.value[0, 0])
    known = make().fit(data.X, data.y)
    assert (known.predict(data.X) == model.predict(data.X)).all()
    assert model.explain(packed).answer == root
    program: dict[str, Any] = {}
    exec(tree.export("python"), program)
    assert program["predict"](packed) == root


def test_explanation_of_a_row_needs_its_way_only():
    tree = ceiba.tree.build(
        ("Patrons", {"None": "No", "Some": "Yes", "Full": ("WaitEstimate <= 30", "Yes", "No")}),
        levels={"Type": ["Thai", "French"]},
    )
    assert tree.explain({"Patrons": "Some"}).answer == "Yes"
    assert tree.explain({"Patrons": "Full", "WaitEstimate": 10}).leaf == 4
    with pytest.raises(DataError, match="no column 'WaitEstimate'"):
        tree.explain({"Patrons": "Full"})
    model = ceiba.DecisionTreeClassifier.from_tree(tree)
    assert model.explain({"Patrons": "None"}).answer == "No"


def test_hand_written_tree_shows_no_invented_shares():
    text = ceiba.tree.build(("x <= 2", "a", ("y <= 3", "b", "a"))).to_text(unicode=False)
    assert "p=" not in text
    assert text.splitlines()[0] == "root"


def test_regions_have_labels():
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot as plt

    tree = ceiba.tree.build(("x <= 2.5", "a", ("y <= 1", "b", "a")))
    ax = ceiba.plot.plot_regions(tree, region_labels=True)
    assert {text.get_text() for text in ax.texts} >= {"R1", "R2", "R3"}
    plt.close(ax.figure)
