"""CHAID compared with the package of that name, where the package is right."""

from __future__ import annotations

from ast import literal_eval

import pandas as pd
import pytest

import ceiba


def by_package(dataset, target, kind="nominal", **options):
    """Return a table without missing values and the tree that the package CHAID grows on it."""
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


def said_groups(tests):
    return {frozenset(group.split(", ")) for group in tests["groups"][0].split(" | ")}


PACKAGE_TABLES = [("titanic", "Survived"), ("HouseVotes84", "Class")]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("dataset", "target"), PACKAGE_TABLES)
def test_root_equals_that_of_package_chaid(dataset, target):
    """Their Bonferroni factor is 1, so only roots where it does not decide can agree."""
    table, theirs = by_package(dataset, target)
    split = theirs.tree_store[0].split
    model = ceiba.chaid(max_depth=1).fit(table.drop(columns=target), table[target])
    tests = model.tree_.split_tests()
    assert tests["column"][0] == split.column
    assert said_groups(tests) == groups_of(split)
    assert tests["statistic"][0] == pytest.approx(split.score)
    assert tests["p_value"][0] == pytest.approx(split.p)
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
        model = ceiba.chaid(max_depth=1, split=1.0, min_samples_split=2)
        tests = model.fit(part[[split.column]], part[target]).tree_.split_tests()
        ours, other = said_groups(tests), groups_of(split)
        assert tests["statistic"][0] == pytest.approx(split.score)
        if ours == other:
            same += 1
            assert tests["p_value"][0] == pytest.approx(split.p)
            assert tests["df"][0] == split.dof
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
