"""Fit a tree to the predictions of another model, and measure its fidelity on held-out rows."""

from __future__ import annotations

import os
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
from ceiba.errors import DataError, OptionError
from ceiba.estimators import DecisionTreeClassifier, DecisionTreeRegressor
from ceiba.inspection import evaluate_numbers
from ceiba.listing import Block, Listing, Printed, rows_to_columns
from ceiba.paths import node_condition
from ceiba.prune import CostComplexity
from ceiba.report import Report
from ceiba.table import Table

Imitated = Literal["answer", "probability"]


@dataclass(frozen=True, eq=False, repr=False)
class Mimic(Printed):
    """A tree that imitates a model, and its fidelity on held-out rows.

    Attributes
    ----------
    model : DecisionTreeClassifier or DecisionTreeRegressor
        The tree fitted to the predictions of the model.
    imitated : str
        What the tree imitates: the predictions, or the probability of a class as a number.
    fidelity : float
        On held-out rows, the share with the model's prediction, or the R2 for the model's numbers.
    fidelity_interval : (float, float)
    n_rows, n_held_out : int
        Number of rows that grew the tree, and of rows that measured its fidelity.
    leaves : Listing
        The fidelity of each leaf, the lowest first, with rows of X to look at.
    accuracy : Listing or None
        Accuracy of the model and the tree on the held-out rows; None without `y`.
    """

    model: DecisionTreeClassifier | DecisionTreeRegressor
    imitated: str
    fidelity: float
    fidelity_interval: tuple[float, float]
    n_rows: int
    n_held_out: int
    leaves: Listing
    accuracy: Listing | None
    _held_out: tuple[Table, npt.NDArray[Any]]

    @property
    def title(self) -> str:
        """The headline of the report, which describes the tree in one line."""
        low, high = self.fidelity_interval
        if self.model.tree_.task.has_classes:
            return (
                f"A tree that agrees with the model on {100 * self.fidelity:.0f} % of held-out "
                f"rows ({100 * low:.0f} to {100 * high:.0f} %)"
            )
        return (
            f"A tree that explains {100 * self.fidelity:.0f} % of the variance of the model's "
            f"{self.imitated} on held-out rows ({100 * low:.0f} to {100 * high:.0f} %)"
        )

    def report(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Report:
        """Create the interactive report of the tree, with its fidelity in the headline."""
        return self.model.report(path, **{"title": self.title, "test": self._held_out} | options)

    def to_dict(self) -> dict[str, Any]:
        """Return all figures as plain values, for JSON."""
        return {
            "imitated": self.imitated,
            "fidelity": self.fidelity,
            "fidelity_interval": self.fidelity_interval,
            "n_rows": self.n_rows,
            "n_held_out": self.n_held_out,
            "leaves": list(self.leaves),
            "accuracy": None if self.accuracy is None else list(self.accuracy),
        }

    def blocks(self) -> list[Block]:
        """Return the figures as printed blocks: a sentence and tables."""
        blocks = [f"{self.title}; imitated: {self.imitated}.", "", *self.leaves.blocks()]
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
        Imitate the predictions (classes, or numbers of a regressor), so that fidelity is the share
        of rows with the same prediction, or imitate the probability of the class `positive` as a
        number, which also shows how certain the model is.
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
    model = open_model(model)
    X, truth, table = read_rows(X, y)
    answers = predict_with(model, X, table.n_rows)
    imitated, values = "answers", answers
    if of == "probability":
        imitated, values = _probability(model, X, table.n_rows, positive)
    test, train = divide_rows(table.n_rows, round(held_out * table.n_rows), random_state)
    if len(test) < 2 or len(train) < 2:
        raise DataError(
            f"mimic requires two rows to fit and two held out, got {table.n_rows} rows."
        )
    is_number = of == "probability" or are_numbers(model, answers)
    if is_number:
        values = as_numbers(values, "The answers of model")
    if truth is not None and of == "answer":
        if is_number:
            truth = as_numbers(truth, "y")
        else:
            check_labels(model, answers, truth)
    if leaves is not None:
        params = {"prune": CostComplexity(n_leaves=leaves)} | params
    elif params.get("search") is None:
        params = {"prune": "1se"} | params
    grower = DecisionTreeRegressor if is_number else DecisionTreeClassifier
    tree = grower(**params).fit(table.take(train), values[train])
    rows, goal = table.take(test), values[test]
    if is_number:
        figures = evaluate_numbers(goal, tree.predict(rows), float(np.mean(goal)))
        fidelity, (low, high) = figures.r2, figures.r2_interval
    else:
        fidelity, low, high = mean_with_interval(tree.predict(rows) == goal)
    return Mimic(
        tree,
        imitated,
        fidelity,
        (low, high),
        len(train),
        len(test),
        _by_leaf(tree, rows, goal, test),
        None if truth is None else _against_truth(tree, rows, answers[test], truth[test], of),
        (rows, goal),
    )


def _probability(model: Any, X: Any, n_rows: int, positive: Any) -> tuple[str, npt.NDArray[Any]]:
    found = predict_shares(model, X, n_rows, "model")
    if found is None:
        raise OptionError("of='probability' requires a model with predict_proba and classes_.")
    shares, classes = found
    if positive is None and len(classes) == 2:
        positive = classes[1]
    if positive not in classes:
        raise OptionError(f"positive must be one of {classes}, got {positive!r}.")
    return f"probability of {positive!r}", shares[:, classes.index(positive)]


def _by_leaf(tree: Any, rows: Table, goal: npt.NDArray[Any], numbers: npt.NDArray[Any]) -> Listing:
    """Return the fidelity of every leaf on held-out rows, the lowest first."""
    leaf, answer = tree.apply(rows), tree.predict(rows)
    has_classes = tree.tree_.task.has_classes
    cells = []
    for node in np.flatnonzero(tree.tree_.is_leaf).tolist():
        inside = np.flatnonzero(leaf == node)
        if has_classes:
            off = answer[inside] != goal[inside]
        else:
            off = np.abs(answer[inside] - goal[inside])
        farthest = np.argsort(-off.astype(float), kind="stable")[: min(3, int((off > 0).sum()))]
        worst = numbers[inside[farthest]]
        figures = mean_with_interval(~off if has_classes else off)
        condition = str(node_condition(tree.tree_, node)) or "all rows"
        cells.append((node, condition, len(inside), *figures, worst.tolist()))
    cells.sort(key=lambda row: (row[3] != row[3], row[3] if has_classes else -row[3]))
    figure = "fidelity" if has_classes else "mean distance"
    names = ("leaf", "condition", "held-out rows", figure, "low", "high", "rows to look at")
    return Listing(
        rows_to_columns(names, cells),
        title="leaves, the least faithful first",
        legend="95 % intervals; rows are numbered from 0",
    )


def _against_truth(
    tree: Any, rows: Table, answers: npt.NDArray[Any], truth: npt.NDArray[Any], of: Imitated
) -> Listing | None:
    """Return the accuracy of the model and the tree on held-out rows."""
    if of == "probability":
        return None
    cells = []
    for name, values in (("model", answers), ("tree", tree.predict(rows))):
        if tree.tree_.task.has_classes:
            cells.append((name, *mean_with_interval(values == truth)))
        else:
            figures = evaluate_numbers(truth, values, float(truth.mean()))
            cells.append((name, figures.r2, *figures.r2_interval))
    figure = "accuracy" if tree.tree_.task.has_classes else "R2"
    return Listing(
        rows_to_columns(("of", figure, "low", "high"), cells),
        title=f"against the truth, {len(truth)} held-out rows",
        legend="95 % intervals; the model may have been fitted on these rows",
    )
