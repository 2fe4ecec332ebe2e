"""Honest leaves: the questions from one part of the rows, the answers from the other.

A tree fits its leaves to the rows it was grown on, so their shares and means look better than they
are. Rows that had no say in the questions give figures without that bias (Athey and Imbens 2016).
A leaf that none of them reaches takes its parent's value.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError
from ceiba.options import OptionObject, parameter
from ceiba.options.checks import number
from ceiba.table.described import with_missing_counted
from ceiba.tree import Tree

if TYPE_CHECKING:
    from ceiba.grow.problem import Problem

Rows = npt.NDArray[np.intp]


class Honest(OptionObject):
    """Values, probabilities and intervals from rows that had no say in the questions.

    Parameters
    ----------
    share : float, default=0.5
        Share of the rows that is kept for the values.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ceiba.DecisionTreeClassifier(max_depth=2, honest=ceiba.Honest(share=0.4)).fit(X, y)
    >>> int(model.tree_.n_rows[0]), model.tree_.honest
    (60, True)
    """

    share: float = parameter(number(0.0, 1.0, "()"), default=0.5)


def honest_parts(problem: Problem, share: float, seed: int) -> tuple[Rows, Rows]:
    """Give the rows for the questions and those for the values; classes are spread evenly.

    Examples
    --------
    >>> from ceiba.grow import GrowOptions, Problem
    >>> from ceiba.grow.leaves.honest import honest_parts
    >>> from ceiba.table import read, read_target
    >>> target = read_target(list("aabb"), task="classification")
    >>> problem = Problem(read({"x": [1, 2, 3, 4]}), target, GrowOptions(task="classification"))
    >>> [len(part) for part in honest_parts(problem, 0.5, 0)]
    [2, 2]
    """
    rows = np.arange(problem.n_rows)
    if problem.weight is not None:  # a part of rows without weight would say nothing
        rows = np.flatnonzero(problem.weight > 0)
    n = len(rows)
    rng = np.random.default_rng([seed, 0x40E57])
    order = rows[rng.permutation(n)]
    if problem.options.task == "classification":
        order = order[np.argsort(problem.target.values[order, 0], kind="stable")]
    # Every place of the order gets its turn, so each class is divided as the whole is.
    turn = np.floor((np.arange(n) + 1) * share + 1e-9) > np.floor(np.arange(n) * share + 1e-9)
    values, questions = np.sort(order[turn]), np.sort(order[~turn])
    if not len(values) or not len(questions):
        raise DataError(
            f"honest: {n} row{'s' * (n != 1)} cannot be divided into {share:g} for the values and "
            "the rest for the questions. More rows are needed, or another share."
        )
    return questions, values


def honest_values(tree: Tree, problem: Problem) -> Tree:
    """Give a tree the counts, values and risks of a problem's rows.

    Nodes that no row reaches take the value of the node above.
    """
    labels: Any = problem.target.values
    if tree.task == "classification":
        classes = problem.target.info.classes
        labels = np.stack([names[labels[:, k]] for k, names in enumerate(classes)], axis=1)
    y = labels[:, 0] if labels.shape[1] == 1 else labels
    counted = tree.recount(problem.table, y, sample_weight=problem.weight)
    value, empty = counted.value.copy(), counted.weight <= 0
    for i in np.flatnonzero(empty).tolist():  # pre-order: the node above is done
        value[i] = value[counted.parent[i]]
    frequency = problem.weight if problem.options.frequency_weights else None
    if frequency is not None:  # a weight of k is k rows
        counted = replace(counted, n_rows=np.rint(counted.weight).astype(np.int64))
    schema = with_missing_counted(counted.schema, problem.table, frequency)
    return replace(counted, value=value, honest=True, schema=schema)
