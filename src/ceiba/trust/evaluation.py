"""A tree against the truth: of all rows, or of each group of rows apart.

The one way from a table and a target to an evaluation, for trees and for estimators.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError, OptionError
from ceiba.inspection.evaluate import evaluate_classes, evaluate_numbers
from ceiba.table import Table, read_target, read_weights
from ceiba.tree import Tree
from ceiba.tree.routing import route
from ceiba.trust.groups import GroupEvaluation, evaluate_groups


def evaluate_tree(
    tree: Tree,
    table: Table | npt.NDArray[np.intp],
    y: Any,
    sample_weight: Any = None,
    *,
    by: tuple[str, Any] | None = None,
    positive: Any = None,
    confidence: float = 0.95,
    frequency_weights: bool = False,
    n_threads: int = 1,
) -> Any:
    """Compare the predictions of a tree with the truth.

    Parameters
    ----------
    tree : Tree
    table : Table or array of int
        Rows, read by the tree's schema; or the node in which each row ends, if the table is not
        in memory.
    y, sample_weight
        The truth, and weights.
    by : (str, array), optional
        Name and labels of groups that are evaluated apart.
    positive : label, optional
        The class that scores are about; of two the second by default.
    confidence : float
    frequency_weights : bool
    n_threads : int

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.table import read_like
    >>> from ceiba.trust.evaluation import evaluate_tree
    >>> tree = ceiba.tree.build(("x <= 2", "a", "b"))
    >>> evaluate_tree(tree, read_like({"x": [1.0, 3.0]}, tree.schema), ["a", "a"]).error
    0.5
    """
    if positive is not None and tree.task == "regression":
        raise OptionError("positive is about classes; this tree predicts numbers.")
    if positive is not None and tree.n_outputs > 1:
        raise OptionError("positive: this tree has several outputs, each with classes of its own.")
    n_rows = len(table)
    truth = _truth(tree, y, n_rows)
    if isinstance(table, Table):
        predicted = route.predict(tree, table, n_threads=n_threads).reshape(n_rows, -1)
        probability = _probabilities(tree, table, n_threads)
    else:
        predicted = np.asarray(tree._label_table[table]).reshape(n_rows, -1)
        probability = [tree.value[table, k, :] for k in range(tree.n_outputs)]
    weight = read_weights(sample_weight, len(truth))
    shared: dict[str, Any] = {"frequency_weights": frequency_weights, "confidence": confidence}

    def judge(k: int, rows: Any) -> Any:
        own = None if weight is None else weight[rows]
        if tree.task == "regression":
            baseline = float(tree.value[0, k, 0])
            return evaluate_numbers(
                truth[rows, k], predicted[rows, k], baseline, weight=own, **shared
            )
        classes = tree.target.classes[k]
        return evaluate_classes(
            truth[rows, k],
            predicted[rows, k],
            classes,
            classes[tree.answer[0].reshape(-1)[k]],
            probability=probability[k][rows],
            positive=positive,
            cost_matrix=tree.cost_matrix,
            class_prior=tree.class_prior,
            weight=own,
            **shared,
        )

    if by is None:
        everyone = slice(None)
        results = [judge(k, everyone) for k in range(tree.n_outputs)]
        return results[0] if len(results) == 1 else tuple(results)
    return _groups(tree, by, judge, truth, predicted, probability, positive, weight, shared)


def _groups(
    tree: Tree,
    by: tuple[str, Any],
    judge: Any,
    truth: npt.NDArray[Any],
    predicted: npt.NDArray[Any],
    probability: list[npt.NDArray[np.float64]],
    positive: Any,
    weight: Any,
    shared: dict[str, Any],
) -> GroupEvaluation | tuple[GroupEvaluation, ...]:
    name, labels = by[0], np.asarray(by[1], dtype=object)
    if labels.shape != (len(truth),):
        raise DataError(f"by: got shape {labels.shape}. Needs one label per row.")

    def of_output(k: int) -> GroupEvaluation:
        kinds: dict[str, Any] = {}
        if tree.task == "classification":
            kinds["classes"] = tuple(tree.target.classes[k].tolist())
            kinds["probability"] = probability[k]
        return evaluate_groups(
            name,
            labels,
            lambda rows: judge(k, rows),
            truth[:, k],
            predicted[:, k],
            positive=positive,
            weight=weight,
            **kinds,
            **shared,
        )

    evaluations = tuple(of_output(k) for k in range(tree.n_outputs))
    return evaluations[0] if len(evaluations) == 1 else evaluations


def _truth(tree: Tree, y: Any, n_rows: int) -> npt.NDArray[Any]:
    """Read a target as labels or numbers of shape (n_rows, n_outputs)."""
    target = read_target(y, task=tree.task, n_rows=n_rows)
    if target.info.n_outputs != tree.n_outputs:
        raise DataError(
            f"y has {target.info.n_outputs} outputs, and the tree predicts {tree.n_outputs}."
        )
    if tree.task == "regression":
        return target.values
    columns = [classes[target.values[:, k]] for k, classes in enumerate(target.info.classes)]
    return np.stack(columns, axis=1)


def _probabilities(tree: Tree, table: Table, n_threads: int) -> list[npt.NDArray[np.float64]]:
    if tree.task == "regression":
        return []
    shares = route.predict_proba(tree, table, n_threads=n_threads)
    return shares if isinstance(shares, list) else [shares]
