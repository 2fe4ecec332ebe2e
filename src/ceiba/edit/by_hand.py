"""Trees changed by hand: grow below a node anew, or force a split and let the rest follow.

`regrow` and `set_split` go down to one node with the training rows, let the core grow there under
the stop rules of the whole tree and graft the result in (`ceiba.grow.forced`). The rest of the old
tree is not touched.
"""

from __future__ import annotations

from typing import Any

from ceiba.edit.growing import check_levels, grafted, grown
from ceiba.grow.forced.division import SplitLike
from ceiba.grow.forced.graft import plant
from ceiba.grow.forced.here import Here
from ceiba.grow.problem import Problem
from ceiba.tree import Tree
from ceiba.tree.growing_rules import rules_at


def regrow(
    tree: Tree, node: int, X: Any, y: Any, *, sample_weight: Any = None, **options: Any
) -> Tree:
    """Grow everything below a node anew.

    Parameters
    ----------
    tree : Tree
    node : int
    X, y : table and target
        What the tree was grown on; y may be the name of a column of X.
    sample_weight : array-like of shape (n_rows,), optional
    **options
        How to grow, as in `ceiba.grow.GrowOptions`: a tree does not remember its stop rules. The
        criterion, the rule for missing values, priors and costs are the tree's own.

    Returns
    -------
    Tree

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> from ceiba.edit import regrow
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ceiba.DecisionTreeClassifier().fit(X, y).tree_
    >>> regrow(tree.collapse(2), 2, X, y) == tree
    True
    """
    return regrow_in(tree, node, Problem.like(tree, X, y, sample_weight, **options))


def set_split(
    tree: Tree,
    node: int,
    split: SplitLike,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    **options: Any,
) -> Tree:
    """Force the split of a node and grow everything below it anew.

    Parameters
    ----------
    tree : Tree
    node : int
        A leaf or an inner node.
    split : str, sequence of str, Cut, Intervals, LevelSets, Presence or (column, cuts)
        The question as it is printed: "age <= 30", "age > 30", "city in {Oslo, Lima}" (against all
        other levels of the node), "city = Oslo", "income is missing"; one sentence per branch for
        several branches: "city = Oslo | city in {Lima, Rome}", "x <= 1 | 1 < x <= 3 | x > 3".
        "age <= 30 or missing" sends rows without a value there. Or `Cut("age", 30)`,
        `LevelSets("city", (("Oslo",),))`, `Presence("income")`; several cuts: `("age", [18, 65])`.
    X, y : table and target
        What the tree was grown on; y may be the name of a column of X.
    sample_weight : array-like of shape (n_rows,), optional
    **options
        How to grow below the split, as in `ceiba.grow.GrowOptions`.

    Returns
    -------
    Tree

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> from ceiba.edit import set_split
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = ceiba.DecisionTreeClassifier(max_depth=2).fit(X, y).tree_
    >>> forced = set_split(tree, 0, "petal width (cm) <= 1.75", X, y, max_depth=2)
    >>> print(forced.to_text(unicode=False))
    root  n=150 (100%)  0 p=0.333
    |- petal width (cm) <= 1.75  n=104 (69.3%)  0 p=0.481
    |  |- petal length (cm) <= 2.45  n=50 (33.3%)  -> 0 p=1
    |  `- petal length (cm) > 2.45  n=54 (36%)  -> 1 p=0.907
    `- petal width (cm) > 1.75  n=46 (30.7%)  2 p=0.978
       |- petal length (cm) <= 4.85  n=3 (2%)  -> 2 p=0.667
       `- petal length (cm) > 4.85  n=43 (28.7%)  -> 2 p=1
    """
    problem = Problem.like(tree, X, y, sample_weight, **options)
    return set_split_in(tree, node, split, problem)


def regrow_in(tree: Tree, node: int, problem: Problem, levels: int | None = None) -> Tree:
    """Grow below a node anew, on data that are read already."""
    check_levels(levels)
    here = Here.at(tree, node, problem)
    return grafted(tree, node, grown(here, rules_at(tree, node), levels))


def set_split_in(
    tree: Tree, node: int, split: SplitLike, problem: Problem, levels: int | None = None
) -> Tree:
    """Force the split of a node, on data that are read already."""
    check_levels(levels)
    stem, branches = Here.at(tree, node, problem).forced(split)
    rules = rules_at(tree, node)
    return grafted(tree, node, plant(stem, [grown(branch, rules, levels) for branch in branches]))
