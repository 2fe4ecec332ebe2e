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
from ceiba.grow.leaves.smoothed import LEAF_VALUES, MEstimate, Shrinkage
from ceiba.options import OptionObject, instance, number, one_of, parameter
from ceiba.table.described import with_missing_counted
from ceiba.tree import Tree
from ceiba.tree.invariants import check_values

if TYPE_CHECKING:
    from ceiba.grow.problem import Problem

Rows = npt.NDArray[np.intp]


class Honest(OptionObject):
    """Values, probabilities and intervals from rows that had no say in the questions.

    Parameters
    ----------
    share : float, default=0.5
        Share of the rows that is kept for the values.
    values : {"share", "laplace", "m_estimate", "shrinkage"}, MEstimate or Shrinkage
        What leaves answer by these rows, as in `leaf_values`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ceiba.DecisionTreeClassifier(max_depth=2, leaf_values=ceiba.Honest(share=0.4))
    >>> int(model.fit(X, y).tree_.n_rows[0]), model.tree_.honest
    (60, True)
    """

    share: float = parameter(number(0.0, 1.0, "()"), default=0.5)
    values: Any = parameter(
        one_of(*LEAF_VALUES),
        instance("MEstimate or Shrinkage", MEstimate, Shrinkage),
        default="share",
    )


def expand_leaf_values(rule: Any) -> Any:
    """Return the object that a short form of `leaf_values` stands for; other values as they are."""
    if not isinstance(rule, str):
        return rule
    short = {"m_estimate": MEstimate(), "shrinkage": Shrinkage(), "honest": Honest()}
    return short.get(rule, rule)


def honest_parts(problem: Problem, share: float, seed: int) -> tuple[Rows, Rows]:
    """Give the rows for the questions and those for the values; classes are spread evenly."""
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
            f"Honest(share={share:g}) needs rows for the values and rows for the splits, got {n} "
            f"sample{'s' * (n != 1)}. Pass more rows or another share."
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
    honest = replace(counted, value=value, honest=True, schema=schema)
    check_values(honest)
    return honest
