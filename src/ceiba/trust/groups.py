"""Is the tree as good for everyone: every figure of an evaluation per group, and the differences.

For a positive class: selection rate P(predicted positive), true and false positive rates
P(predicted positive | truly so, or not), calibration = mean predicted probability - share that is
positive. Shares and means have the intervals of `ceiba.inspection`; a difference takes Newcombe's
hybrid of the two (1998, method 10): the arms of the intervals are squared and added.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError, OptionError
from ceiba.inspection.evaluate import ClassEvaluation, NumberEvaluation
from ceiba.inspection.intervals import interval_words, mean_interval, share_interval, wilson
from ceiba.listing import Block, Listing, text_of
from ceiba.table.readers.objects import missing_mask
from ceiba.table.targets.split_target import is_named_target, split_target
from ceiba.table.weights import effective_rows
from ceiba.tree import Tree

Array = npt.NDArray[Any]
MOST_GROUPS = 50


@dataclass(frozen=True)
class _Figure:
    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class GroupEvaluation:
    """How good predictions are in each group; prints.

    Attributes
    ----------
    by : str
        What the groups are of.
    positive : object or None
        The class that selection, true and false positive rates are about.
    evaluations : dict
        The whole evaluation of each group, by its label.
    figures : Listing
        Per group and figure: value, interval, rows it rests on.
    differences : Listing
        Per group and figure: value minus that of the reference group, with interval.
    reference : str
        The largest group.
    confidence : float
    """

    by: str
    positive: Any
    evaluations: dict[str, ClassEvaluation | NumberEvaluation]
    figures: Listing
    differences: Listing
    reference: str
    confidence: float

    def __str__(self) -> str:
        return text_of(self.blocks())

    def blocks(self) -> list[Block]:
        """Return the figures as they are printed: a table and what differs."""
        names = list(dict.fromkeys(self.figures["figure"].tolist()))
        rows = sorted(self.figures, key=lambda row: names.index(row["figure"]))
        table = {
            "figure": [row["figure"] for row in rows],
            self.by: [row["group"] for row in rows],
            "rows": [row["rows"] for row in rows],
            "value": [_short(row["value"]) for row in rows],
            "interval": [f"{_short(row['low'])} to {_short(row['high'])}" for row in rows],
        }
        what = f", of class {self.positive!r}" if self.positive is not None else ""
        few = any(getattr(one, "approximate", False) for one in self.evaluations.values())
        level = interval_words(self.confidence, few)
        marked = [
            f"{row['figure']}: {row['group']} - {self.reference} = {_short(row['difference'])} "
            f"({_short(row['low'])} to {_short(row['high'])})"
            for row in self.differences
            if row["low"] > 0 or row["high"] < 0
        ]
        tail = ["differences whose interval leaves out 0:", *marked]
        if not marked:
            tail = ["no difference to the largest group has an interval that leaves out 0"]
        return [*Listing(table, title=f"by {self.by}{what}, {level}").blocks(), *tail]

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {
            "by": self.by,
            "positive": self.positive,
            "reference": self.reference,
            "figures": self.figures.to_dict(),
            "differences": self.differences.to_dict(),
        }


def evaluate_groups(
    by: str,
    groups: Array,
    judge: Callable[[Array], ClassEvaluation | NumberEvaluation],
    truth: Array,
    predicted: Array,
    *,
    probability: Array | None = None,
    classes: tuple[Any, ...] = (),
    positive: Any = None,
    weight: Array | None = None,
    frequency_weights: bool = False,
    confidence: float = 0.95,
) -> GroupEvaluation:
    """Evaluate predictions per group.

    Parameters
    ----------
    by : str
        What the groups are of.
    groups : array of shape (n,)
        The group of each row; None and NaN are the group "missing".
    judge : callable
        Gives the evaluation of some rows, by their indices.
    truth, predicted : arrays of shape (n,)
    probability : array of shape (n, n_classes), optional
    classes : tuple
        Empty for regression.
    positive : label, optional
        Of two classes the second by default.
    weight, frequency_weights, confidence
        As in `evaluate`.
    """
    labels = _labels(groups, by)
    names = sorted(set(labels.tolist()))
    if len(names) > MOST_GROUPS:
        raise DataError(
            f"by={by!r} makes {len(names)} groups; at most {MOST_GROUPS} are allowed. "
            "Cut numbers into ranges first."
        )
    if positive is None and len(classes) == 2:
        positive = classes[1]
    if positive is not None and positive not in classes:
        raise OptionError(
            f"positive: {positive!r} is no class. Classes: {list(classes)}."
            if classes
            else "positive is for classification; this model predicts numbers."
        )
    evaluations, figures = {}, {}
    for name in names:
        rows = np.flatnonzero(labels == name)
        w = None if weight is None else weight[rows]
        shared = _Rows(w, len(rows), frequency_weights, confidence)
        evaluations[name] = judge(rows)
        figures[name] = _figures(evaluations[name])
        if positive is not None:
            p = None if probability is None else probability[rows, classes.index(positive)]
            figures[name] |= _rates(truth[rows] == positive, predicted[rows] == positive, p, shared)
    reference = max(names, key=lambda name: evaluations[name].n_rows)
    return GroupEvaluation(
        by, positive, evaluations, _figure_listing(figures, evaluations),
        _difference_listing(figures, reference), reference, confidence,
    )  # fmt: skip


def _short(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.3g}"


def _labels(groups: Array, by: str) -> Array:
    values = np.asarray(groups, dtype=object)
    if values.ndim != 1:
        raise DataError(f"by={by!r}: needs one group per row; got shape {values.shape}.")
    labels = np.array([_label(value) for value in values.tolist()], dtype=object)
    missing = missing_mask(values.tolist())
    if missing is not None:
        labels[missing] = "missing"
    return labels


def _label(value: Any) -> str:
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    return str(int(value)) if whole else str(value)


@dataclass(frozen=True)
class _Rows:
    """How much the rows of a group are worth."""

    weight: Array | None
    n: int
    frequency: bool
    confidence: float

    def share(self, which: Array, among: Array) -> _Figure:
        """Return a share among some rows, with Wilson's interval."""
        w = np.ones(self.n) if self.weight is None else self.weight
        total = float(w[among].sum())
        if not total > 0:
            return _Figure(math.nan, math.nan, math.nan)
        share = float(w[among & which].sum()) / total
        return _Figure(
            share, *share_interval(which[among], w[among], self.frequency, self.confidence)
        )

    def mean(self, values: Array) -> _Figure:
        """Return the mean of figures from -1 to 1, with Student's interval."""
        w = np.ones(self.n) if self.weight is None else self.weight
        n = effective_rows(self.weight, self.n, self.frequency)
        mean = float((w * values).sum() / w.sum())
        low, high = mean_interval(values, w, n, self.confidence, self.frequency)
        if low == high:  # all rows alike: as many others as a share of 0 allows, at most 1 apart
            apart = wilson(0.0, n, self.confidence)[1]
            low, high = mean - apart, mean + apart
        return _Figure(mean, low, high)


def _figures(evaluation: ClassEvaluation | NumberEvaluation) -> dict[str, _Figure]:
    if isinstance(evaluation, NumberEvaluation):
        return {
            "MSE": _Figure(evaluation.mse, *evaluation.mse_interval),
            "MAE": _Figure(evaluation.mae, *evaluation.mae_interval),
            "R2": _Figure(evaluation.r2, *evaluation.r2_interval),
        }
    out = {"error": _Figure(evaluation.error, *evaluation.error_interval)}
    if evaluation.has_costs:
        out["cost"] = _Figure(evaluation.cost, *evaluation.cost_interval)
    if (scores := evaluation.scores) is not None:
        out["AUC"] = _Figure(scores.auc, *scores.auc_interval)
        out["Brier"] = _Figure(scores.brier, *scores.brier_interval)
        out["log loss"] = _Figure(scores.log_loss, *scores.log_loss_interval)
    return out


def _rates(is_so: Array, said_so: Array, p: Array | None, rows: _Rows) -> dict[str, _Figure]:
    every = np.ones(rows.n, bool)
    out = {
        "selection rate": rows.share(said_so, every),
        "true positive rate": rows.share(said_so, is_so),
        "false positive rate": rows.share(said_so, ~is_so),
    }
    if p is not None:
        out["calibration"] = rows.mean(p - is_so)
    return out


def _figure_listing(figures: dict[str, dict[str, _Figure]], evaluations: Any) -> Listing:
    lines = [
        (group, name, one.value, one.low, one.high, evaluations[group].n_rows)
        for group, mine in figures.items()
        for name, one in mine.items()
    ]
    columns = zip(*lines, strict=True)
    names = ("group", "figure", "value", "low", "high", "rows")
    return Listing(dict(zip(names, map(list, columns), strict=True)), title="figures per group")


def _difference_listing(figures: dict[str, dict[str, _Figure]], reference: str) -> Listing:
    lines: list[tuple[Any, ...]] = []
    for group, mine in figures.items():
        if group == reference:
            continue
        for name, one in mine.items():
            other = figures[reference][name]
            # Newcombe's square-and-add works for shares and, symmetric as they are, for means.
            below = math.hypot(one.value - one.low, other.high - other.value)
            above = math.hypot(one.high - one.value, other.value - other.low)
            apart = one.value - other.value
            lines.append((group, name, apart, apart - below, apart + above))
    names = ("group", "figure", "difference", "low", "high")
    columns = list(zip(*lines, strict=True)) if lines else [()] * len(names)
    return Listing(
        dict(zip(names, map(list, columns), strict=True)), title=f"differences to {reference}"
    )


def read_evaluation(tree: Tree, X: Any, y: Any, by: Any) -> tuple[Any, Any, Any]:
    """Take target and groups that are named out of X: rows, truth, (name, labels) or None."""
    if is_named_target(X, y):
        X, y = split_target(X, y)
    if by is None:
        return X, y, None
    if not isinstance(by, str):
        return X, y, ("group", by)
    rest, labels = split_target(X, by)
    return (X if by in tree.schema.names else rest), y, (by, labels)
