"""C4.5: the core against the plain reference on random tables, and what `c45()` promises."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

import ceiba
from tests.reference.c45 import C45, Column

LEVELS = ("a", "b", "c", "d")


def random_table(seed, n=90, holes=0.1):
    """Two columns of numbers, two of levels, three classes; some values missing."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 12, (2, n)).astype(float)
    codes = rng.integers(0, [[4], [3]], (2, n))
    signal = (numbers[0] > 5) * 1 + (codes[0] == 2) * 1
    y = np.where(rng.random(n) < 0.75, signal, rng.integers(0, 3, n))
    gone = rng.random((4, n)) < holes
    values = [
        [None if g else v for v, g in zip(row.tolist(), lost, strict=True)]
        for row, lost in zip([*numbers, *codes], gone, strict=True)
    ]
    return values, y.tolist()


def both(seed, *, binary=False, confidence=0.25, raising=True, M=2, holes=0.1):
    values, y = random_table(seed, holes=holes)
    columns = [
        Column("x", values[0]),
        Column("y", values[1]),
        Column("u", values[2], LEVELS),
        Column("v", values[3], LEVELS[:3]),
    ]
    theirs = C45(columns, y, 3, M=M, binary=binary, confidence=confidence, raising=raising)
    X = {
        "x": np.array(values[0], float),
        "y": np.array(values[1], float),
        "u": ceiba.table.Levels([None if v is None else LEVELS[v] for v in values[2]], LEVELS),
        "v": ceiba.table.Levels([None if v is None else LEVELS[v] for v in values[3]], LEVELS[:3]),
    }
    model = ceiba.c45(
        min_samples_leaf=M,
        confidence=confidence,
        raising=raising,
        categorical_splits="binary" if binary else "multiway",
    )
    return theirs, model.fit(X, y), X


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    "options",
    [
        {"confidence": None},
        {"confidence": None, "binary": True, "M": 1},
        {"raising": False},
        {"confidence": 0.1, "M": 5},
        {"binary": True},
        {"holes": 0.0},
    ],
    ids=str,
)
def test_tree_equals_reference_on_random_table(seed, options):
    theirs, ours, X = both(seed, **options)
    nodes = list(theirs.nodes())
    assert ours.tree_.n_nodes == len(nodes)
    assert ours.tree_.n_leaves == sum(not node.sons for node in nodes)
    expected = [theirs.distribution(row) for row in range(len(theirs.labels))]
    assert ours.predict_proba(X) == pytest.approx(np.array(expected), abs=1e-9)


def test_cut_is_a_value_of_the_column():
    data = load_iris()
    tree = ceiba.c45().fit(data.data, data.target).tree_
    for cut, column in zip(tree.splits.cut, tree.splits.column, strict=True):
        assert np.isnan(cut) or cut in data.data[:, column]


def test_cut_of_midpoints_can_be_asked_for():
    tree = ceiba.c45(criterion="gain_ratio").fit([[1.0], [1.0], [3.0], [3.0]], [0, 0, 1, 1]).tree_
    assert tree.splits.cut[0] == 2.0


def test_trebled_weights_as_frequencies_keep_the_root():
    data = load_iris()
    plain = ceiba.c45(confidence=None).fit(data.data, data.target).tree_
    heavy = ceiba.c45(confidence=None).fit(data.data, data.target, sample_weight=np.full(150, 3.0))
    assert heavy.tree_.splits.column[0] == plain.splits.column[0]
    assert heavy.tree_.splits.cut[0] == plain.splits.cut[0]


def test_parts_of_rows_that_weigh_nothing_change_no_split():
    # Below the first cut these rows weigh half of the smallest number above zero, which is zero.
    tiny, levels = 6, [f"l{i}" for i in range(10)]
    half = ["l0"] * 14 + ["l1"] * 6
    X = {
        "a": np.r_[np.full(tiny, np.nan), np.repeat([0.0, 1.0], 20)],
        "b": ceiba.table.Levels(["l0"] * tiny + half + half, levels),
    }
    y = ["no"] * tiny + ["no"] * 14 + ["yes"] * 20 + ["no"] * 6
    weight = np.r_[np.full(tiny, 5e-324), np.ones(40)]
    tree = (
        ceiba.c45(confidence=None, categorical_splits=ceiba.Multiway())
        .fit(X, y, sample_weight=weight)
        .tree_
    )
    assert tree.splits.column.tolist() == [0, 1, -1, -1, 1, -1, -1]
    assert tree.n_rows.tolist() == [46, 26, 20, 6, 26, 20, 6]
    assert tree.weight.tolist() == [40, 20, 14, 6, 20, 14, 6]


def test_tree_does_not_depend_on_the_number_of_threads():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20000, 12)), rng.integers(0, 2, 20000)
    y[X[:, 0] > 0.3] = 1
    one = ceiba.c45(raising=False, n_jobs=1).fit(X, y).tree_
    two = ceiba.c45(raising=False, n_jobs=2).fit(X, y).tree_
    assert np.array_equal(one.splits.cut, two.splits.cut, equal_nan=True)


@pytest.mark.parametrize(
    ("option", "value"),
    [("max_features", 1), ("class_prior", [0.5, 0.5]), ("cost_matrix", [[0, 1], [2, 0]])],
)
def test_what_the_gain_ratio_cannot_do_is_refused(option, value):
    with pytest.raises(ceiba.OptionError, match="GainRatio"):
        ceiba.c45(**{option: value}).fit([[1.0], [2.0]], [0, 1])


def test_missing_learned_is_refused_with_gain_ratio():
    model = ceiba.DecisionTreeClassifier(criterion="gain_ratio")
    with pytest.raises(ceiba.OptionError, match="fractional"):
        model.fit([[1.0], [np.nan], [2.0]], [0, 1, 1])


def test_gain_of_a_column_is_the_ratio():
    weather = ["sun", "sun", "rain", "rain"]
    assert ceiba.gain(weather, [0, 0, 1, 1], criterion="gain_ratio") == pytest.approx(1.0)
    four = ["a", "b", "c", "d"]
    ratio = ceiba.gain(four, [0, 0, 1, 1], criterion="gain_ratio", split="multiway")
    assert ratio == pytest.approx(0.5)


def test_recipe_can_be_cloned_and_saved(tmp_path):
    data = load_iris()
    model = clone(ceiba.c45()).fit(data.data, data.target)
    model.save(tmp_path / "iris.ceiba")
    assert (
        ceiba.load(tmp_path / "iris.ceiba").predict(data.data) == model.predict(data.data)
    ).all()


def test_raising_that_is_no_bool_is_refused():
    with pytest.raises(ceiba.OptionError, match="'raising' parameter"):
        ceiba.c45(raising="yes").fit([[1.0], [2.0]], ["a", "b"])


def test_value_cut_is_the_largest_value_less_than_a_millionth_above_the_midpoint():
    """Weka compares with a slack of 1e-6 (`Utils.smOrEq`); the value may lie in another node."""
    near = 1e-5 + 5e-7
    X = {"g": ["p"] * 10 + ["q"] * 10, "x": [0.0] * 5 + [2e-5] * 5 + [near] * 10}
    tree = ceiba.c45(prune=None).fit(X, ["a"] * 5 + ["b"] * 5 + ["c"] * 10).tree_
    assert tree.splits.cut[tree.splits.column == 1].tolist() == [near]
