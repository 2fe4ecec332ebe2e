"""What must not change a tree: monotone transforms, names of classes, threads, containers, the
order of rows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.marks import examples
from tests.properties.fitting import fit, leaf_sets, matrix
from tests.properties.strategies import CLASS_CRITERIA, problems

EXACT = ("gini", "squared_error")


@given(problems(criteria=EXACT), st.sampled_from(["exp", "cube", "affine", "sqrt"]))
@settings(max_examples=examples(60))
def test_monotone_transform_of_the_columns_changes_no_partition(problem, name):
    X = matrix(problem)
    transform = {
        "exp": np.exp,
        "cube": lambda x: x**3,
        "affine": lambda x: 1024 * x - 7,
        "sqrt": np.sqrt,
    }[name]
    other = transform(X)
    assert leaf_sets(fit(problem, X), X) == leaf_sets(fit(problem, other), other)


@given(problems(criteria=CLASS_CRITERIA), st.permutations(["a", "b", "c", "d"]))
@settings(max_examples=examples(60))
def test_other_names_of_the_classes_change_no_partition(problem, names):
    X = matrix(problem)
    renamed = replace(problem, y=[names[label] for label in problem.y])
    assert leaf_sets(fit(problem, X), X) == leaf_sets(fit(renamed, X), X)


@given(problems(criteria=EXACT), st.randoms(use_true_random=False))
@settings(max_examples=examples(60))
def test_order_of_the_rows_changes_no_split(problem, random):
    order = list(range(len(problem.X)))
    random.shuffle(order)
    weight = None if problem.weight is None else [problem.weight[i] for i in order]
    shuffled = replace(
        problem, X=[problem.X[i] for i in order], y=[problem.y[i] for i in order], weight=weight
    )
    first, second = fit(problem), fit(shuffled)
    assert first.splits.column.tolist() == second.splits.column.tolist()
    np.testing.assert_array_equal(first.splits.cut, second.splits.cut)


@given(problems())
@settings(max_examples=examples(40))
def test_two_threads_grow_the_same_tree_as_one(problem):
    assert fit(problem, n_jobs=1) == fit(problem, n_jobs=2)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_two_threads_grow_the_same_large_tree_as_one(criterion):
    """Large enough that the threads really share the work."""
    generator = np.random.default_rng(1)
    X = generator.integers(0, 500, (30_000, 12)) / 7
    y = (X[:, 0] * X[:, 1] + generator.normal(size=30_000) * 50).round()
    from tests.properties.strategies import Problem

    target = (y > np.median(y)).astype(int) if criterion != "squared_error" else y
    problem = Problem([], target, None, criterion)
    grown = [fit(problem, X, n_jobs=n, min_samples_leaf=20) for n in (1, 2)]
    assert grown[0] == grown[1]


def containers(X):
    """The same numbers as numpy (both orders), pandas, polars, Arrow, dict of lists and list of
    dicts.
    """
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    names = [f"x{j}" for j in range(X.shape[1])]
    columns = {name: X[:, j].tolist() for j, name in enumerate(names)}
    return {
        "numpy C": np.ascontiguousarray(X),
        "numpy F": np.asfortranarray(X),
        "pandas": pd.DataFrame(columns),
        "polars": pl.DataFrame(columns),
        "pyarrow": pa.table(columns),
        "dict of lists": columns,
        "list of dicts": [dict(zip(names, row, strict=True)) for row in X.tolist()],
    }


@given(problems())
@settings(max_examples=examples(25))
def test_container_of_the_table_changes_nothing(problem):
    X = matrix(problem)
    grown = {name: fit(problem, container) for name, container in containers(X).items()}
    first = grown.pop("numpy C")
    for name, tree in grown.items():
        assert tree.splits == first.splits, name
        np.testing.assert_array_equal(tree.value, first.value, err_msg=name)
