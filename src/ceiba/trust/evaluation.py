"""A tree against the truth: of all rows, or of each group of rows apart.

The one way from a table and a target to an evaluation, for trees and for estimators.
"""

from __future__ import annotations

import warnings
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError, DataWarning, OptionError, did_you_mean
from ceiba.inspection.evaluate import evaluate_classes, evaluate_numbers
from ceiba.table import Table, read_target
from ceiba.table.weights import read_weights
from ceiba.tree import Tree
from ceiba.tree.routing import route
from ceiba.trust.groups import GroupEvaluation, evaluate_groups
from ceiba.visible import counted

_SHOWN: Final = 5  # labels that a message names


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
    """Compare the predictions of a tree with the truth."""
    if positive is not None and tree.task == "regression":
        raise OptionError("positive is about classes; this tree predicts numbers.")
    if positive is not None and tree.n_outputs > 1:
        raise OptionError("positive: this tree has several outputs, each with classes of its own.")
    n_rows = len(table)
    truth = _truth(tree, y, n_rows)
    if isinstance(table, Table) and tree.missing == "fractional":  # rows end in several leaves
        predicted = route.predict(tree, table, n_threads=n_threads).reshape(n_rows, -1)
        probability = _probabilities(tree, table, n_threads)
    else:
        ends = route.apply(tree, table, n_threads=n_threads) if isinstance(table, Table) else table
        predicted = np.asarray(tree._label_table[ends]).reshape(n_rows, -1)
        probability = [tree.value[ends, k, :] for k in range(tree.n_outputs)]
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
    for k, known in enumerate(tree.target.classes):
        counts = np.bincount(target.values[:, k], minlength=len(target.info.classes[k])).tolist()
        seen = {c: n for c, n in zip(target.info.classes[k].tolist(), counts, strict=True) if n}
        # With costs or priors an unknown class is refused later, so a warning would say it twice.
        refused = tree.cost_matrix is not None or tree.class_prior is not None
        _check_labels(seen, known.tolist(), warn=not refused)
    columns = [classes[target.values[:, k]] for k, classes in enumerate(target.info.classes)]
    return np.stack(columns, axis=1)


def _check_labels(seen: dict[Any, int], known: list[Any], *, warn: bool) -> None:
    """Refuse labels of which the model knows none; warn about some that it does not know."""
    strange = sorted((label for label in seen if label not in known), key=lambda c: -seen[c])
    if not strange:
        return
    by_text = {str(label): label for label in known}
    hints = []
    for label in strange[:_SHOWN]:
        if str(label) in by_text:  # 1 and "1"
            right = by_text[str(label)]
            hints.append(f" Did you mean {right!r} ({type(right).__name__}) for {label!r}?")
        elif hint := did_you_mean(str(label), by_text):
            hints.append(hint.replace("?", f" for {label!r}?"))
    shown = ", ".join(f"{label!r} ({counted(seen[label], 'row')})" for label in strange[:_SHOWN])
    shown += ", ..." if len(strange) > _SHOWN else ""
    names = ", ".join(repr(label) for label in known[:_SHOWN])
    names += ", ..." if len(known) > _SHOWN else ""
    rest = f"{shown}. Classes of the model: {names}.{''.join(hints)}"
    if len(strange) == len(seen):
        raise DataError(f"No row of y has a class of the model. y has {rest}")
    if not warn:
        return
    rows = counted(sum(seen[label] for label in strange), "row")
    warnings.warn(
        f"y has classes that the model does not know, in {rows} of {sum(seen.values())}, which "
        f"count as errors: {rest}",
        DataWarning,
        stacklevel=5,
    )


def _probabilities(tree: Tree, table: Table, n_threads: int) -> list[npt.NDArray[np.float64]]:
    if tree.task == "regression":
        return []
    shares = route.predict_proba(tree, table, n_threads=n_threads)
    return shares if isinstance(shares, list) else [shares]
