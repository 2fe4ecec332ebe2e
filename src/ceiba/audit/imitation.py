"""Fit a tree to the predictions of another model, and measure its fidelity on held-out rows."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ceiba.audit.answers import (
    are_numbers,
    as_numbers,
    check_labels,
    divide_rows,
    mean_with_interval,
    open_model,
    predict_shares,
    predict_with,
    read_rows,
)
from ceiba.errors import DataError, LeakWarning, OptionError
from ceiba.estimators import DecisionTreeClassifier, DecisionTreeRegressor
from ceiba.inspection import evaluate_numbers
from ceiba.listing import Block, Listing, Printed, rows_to_columns
from ceiba.paths import node_condition
from ceiba.prune import CostComplexity
from ceiba.report import Report
from ceiba.table import Table

Array = npt.NDArray[Any]
Imitated = Literal["answer", "probability"]


@dataclass(frozen=True, eq=False, repr=False)
class Mimic(Printed):
    """A tree that imitates a model, and its fidelity on held-out rows.

    Attributes
    ----------
    model : DecisionTreeClassifier or DecisionTreeRegressor
        The tree fitted to the predictions of the model.
    imitated : str
        What the tree imitates: predicted classes, predictions, or the probability of a class.
    fidelity : float
        Share of held-out rows for which the tree and the model predict the same; R2 for numbers.
    fidelity_interval : (float, float)
    n_rows, n_held_out : int
        Number of rows that grew the tree, and of rows that measured its fidelity.
    leaves : Listing
        Fidelity (for numbers, mean distance) of each leaf, the worst first, with example rows.
    accuracy : Listing or None
        Accuracy or R2 of the model and the tree; None without `y`, or with ``of="probability"``.
    """

    model: DecisionTreeClassifier | DecisionTreeRegressor
    imitated: str
    fidelity: float
    fidelity_interval: tuple[float, float]
    n_rows: int
    n_held_out: int
    leaves: Listing
    accuracy: Listing | None
    _held_out: tuple[Table, Array]

    @property
    def title(self) -> str:
        """The title of the report, which states the fidelity of the tree in one line."""
        share, low, high = (100 * value for value in (self.fidelity, *self.fidelity_interval))
        if self.model.tree_.task.has_classes:
            claim = f"agrees with the model on {share:.0f} % of"
        else:
            claim = f"explains {share:.0f} % of the variance of the model's {self.imitated} on"
        return f"A tree that {claim} held-out rows ({low:.0f} to {high:.0f} %)"

    def report(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Report:
        """Create the interactive report of the tree, with its fidelity in the headline."""
        return self.model.report(path, **{"title": self.title, "test": self._held_out} | options)

    def to_dict(self) -> dict[str, Any]:
        """Return all results as a dict, for JSON."""
        names = ("imitated", "fidelity", "fidelity_interval", "n_rows", "n_held_out")
        accuracy = None if self.accuracy is None else list(self.accuracy)
        figures = {name: getattr(self, name) for name in names}
        return {**figures, "leaves": list(self.leaves), "accuracy": accuracy}

    def blocks(self) -> list[Block]:
        """Return the title and the tables to print."""
        about = f" It imitates the {self.imitated}." if self.model.tree_.task.has_classes else ""
        blocks = [f"{self.title}.{about}", "", *self.leaves.blocks()]
        return blocks if self.accuracy is None else [*blocks, "", *self.accuracy.blocks()]


def mimic(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    leaves: int | None = None,
    of: Imitated = "answer",
    positive: Any = None,
    held_out: float = 0.3,
    random_state: int = 0,
    **params: Any,
) -> Mimic:
    """Grow one tree that imitates a model, and measure its fidelity on held-out rows.

    The tree explains the model's predictions, not the data. Check `fidelity` before you trust it.

    Parameters
    ----------
    model : fitted estimator, pipeline, callable, path of a model file, or array-like
        An array-like holds one prediction per row.
    X : table
        Rows that the model accepts, or a frame that contains the truth, with its name as `y`.
    y : array-like or str, optional
        The truth, with which the model and the tree are compared.
    leaves : int, optional
        Maximum number of leaves, reached by pruning. By default, the smallest tree within one
        standard error of the best cross-validated fidelity is chosen.
    of : {"answer", "probability"}, default="answer"
        Imitate the predictions (classes, or numbers of a regressor), or the probability of the
        class `positive` as a number, which also shows how certain the model is. Fidelity is the
        share of rows with the same class, or the R2 of the numbers.
    positive : label, optional
        The class whose probability is imitated; by default the second of two classes.
    held_out : float, default=0.3
        Share of the rows on which fidelity is measured.
    random_state : int, default=0
        Seed for splitting the rows.
    **params
        Parameters of the tree, such as ``max_depth=3`` or ``search="optimal"``.

    Returns
    -------
    Mimic

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> import ceiba
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = HistGradientBoostingClassifier(random_state=0).fit(X, y)
    >>> mimic = ceiba.mimic(model, X, leaves=3)
    >>> mimic.model.get_n_leaves(), mimic.fidelity > 0.85
    (3, True)
    """
    if not (isinstance(held_out, float) and 0 < held_out < 1):
        raise OptionError(f"held_out must be a float between 0 and 1, got {held_out!r}.")
    if of not in ("answer", "probability"):
        raise OptionError(f"of must be 'answer' or 'probability', got {of!r}.")
    if positive is not None and of == "answer":
        raise OptionError("positive requires of='probability'.")
    if leaves is not None and (not isinstance(leaves, int | np.integer) or leaves < 1):
        raise OptionError(f"leaves must be a positive int, got {leaves!r}.")
    if leaves is not None and "prune" in params:
        raise OptionError("Pass leaves or prune, not both.")
    model = open_model(model)
    X, truth, table = read_rows(X, y)
    answers = predict_with(model, X, table.n_rows)
    is_number = of == "probability" or are_numbers(model, answers)
    imitated, values = "predictions" if is_number else "predicted classes", answers
    if of == "probability":
        imitated, values = _probability(model, X, table.n_rows, positive)
    test, train = divide_rows(table.n_rows, round(held_out * table.n_rows), random_state)
    if len(test) < 2 or len(train) < 2:
        counts = f"{len(train)} and {len(test)}"
        raise DataError(f"mimic requires at least 2 training and 2 held-out rows, got {counts}.")
    if is_number:
        values = as_numbers(values, "Predictions of model")
    if truth is not None and of == "answer":
        if is_number:
            truth = as_numbers(truth, "y")
        else:
            check_labels(model, answers, truth)
    if leaves is not None:
        params["prune"] = CostComplexity(n_leaves=leaves)
    elif params.get("search") is None:
        params = {"prune": "1se"} | params
    grower = DecisionTreeRegressor if is_number else DecisionTreeClassifier
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeakWarning)  # a model on one column looks like a leak
        tree = grower(**params).fit(table.take(train), values[train])
    rows, goal = table.take(test), values[test]
    fidelity, low, high = _agreement(tree.predict(rows), goal, is_number)
    return Mimic(
        tree,
        imitated,
        fidelity,
        (low, high),
        len(train),
        len(test),
        _by_leaf(tree, rows, goal, test),
        None
        if truth is None or of == "probability"
        else _against_truth(tree.predict(rows), answers[test], truth[test], is_number),
        (rows, goal),
    )


def _probability(model: Any, X: Any, n_rows: int, positive: Any) -> tuple[str, Array]:
    result = predict_shares(model, X, n_rows, "model")
    if result is None:
        raise OptionError("of='probability' requires a model with predict_proba and classes_.")
    shares, classes = result
    if positive is None and len(classes) == 2:
        positive = classes[1]
    if positive not in classes:
        raise OptionError(f"positive must be one of {classes}, got {positive!r}.")
    return f"probability of {positive!r}", shares[:, classes.index(positive)]


def _by_leaf(tree: Any, rows: Table, goal: Array, numbers: Array) -> Listing:
    """Return the fidelity (in regression, the mean distance) of each leaf, worst leaf first."""
    leaf, answer = tree.apply(rows), tree.predict(rows)
    has_classes = tree.tree_.task.has_classes
    distance = answer != goal if has_classes else np.abs(answer - goal)
    cells = []
    for node in np.flatnonzero(tree.tree_.is_leaf).tolist():
        inside = np.flatnonzero(leaf == node)
        off = distance[inside]
        farthest = np.argsort(-off.astype(float), kind="stable")[: min(3, np.count_nonzero(off))]
        figures = mean_with_interval(~off if has_classes else off)
        condition = str(node_condition(tree.tree_, node)) or "all rows"
        cells.append((node, condition, len(inside), *figures, numbers[inside[farthest]].tolist()))
    cells.sort(key=lambda row: (row[3] != row[3], row[3] if has_classes else -row[3]))
    figure = "fidelity" if has_classes else "mean distance"
    names = ("leaf", "condition", "held-out rows", figure, "low", "high", "example rows")
    return Listing(
        rows_to_columns(names, cells),
        title="leaves, from lowest to highest fidelity",
        legend="95 % intervals; rows are numbered from 0",
    )


def _agreement(values: Array, goal: Array, is_number: bool) -> tuple[float, float, float]:
    """Return the R2 (for classes, the share of equal predictions) and its confidence interval."""
    if not is_number:
        return mean_with_interval(values == goal)
    figures = evaluate_numbers(goal, values, float(np.mean(goal)))
    return figures.r2, *figures.r2_interval


def _against_truth(tree: Array, model: Array, truth: Array, is_number: bool) -> Listing:
    """Return the accuracy (or R2) of the model and of the tree that imitates it."""
    pairs = (("model", model), ("tree", tree))
    cells = [(name, *_agreement(values, truth, is_number)) for name, values in pairs]
    return Listing(
        rows_to_columns(("of", "R2" if is_number else "accuracy", "low", "high"), cells),
        title=f"against the truth, {len(truth)} held-out rows",
        legend="95 % intervals; the model may have been fitted on these rows",
    )
