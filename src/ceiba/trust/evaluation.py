"""Evaluate a tree on labeled rows, in total or by group.

For a positive class: selection rate P(predicted positive); true and false positive rate,
P(predicted positive | positive) and P(predicted positive | negative); calibration, the mean
predicted probability minus the share of positives. Shares and means have the intervals of
`ceiba.inspection`. The interval of a difference is Newcombe's hybrid of the two (1998, method 10):
its arms are the square roots of the summed squares of their arms.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.criteria import quantile_level
from ceiba.errors import DataError, DataWarning, OptionError, did_you_mean
from ceiba.formatting import pluralize
from ceiba.inspection import (
    ClassEvaluation,
    NumberEvaluation,
    SurvivalEvaluation,
    SurvivalJudge,
    choose_horizon,
    choose_times,
    evaluate_classes,
    evaluate_numbers,
    interval_label,
    mean_interval,
    share_interval,
    wilson,
)
from ceiba.listing import Block, Listing, Printed, rows_to_columns
from ceiba.survival import Estimate
from ceiba.table import Table, count_effective_rows, read_target, read_weights
from ceiba.table.readers import missing_mask
from ceiba.table.targets import pop_target, split_target
from ceiba.task import Task
from ceiba.tree import Tree, censoring_curve, leaf_quantiles, node_curve
from ceiba.tree.routing import route

Array = npt.NDArray[Any]
_MAX_LABELS: Final = 5  # maximum number of labels in a message
MAX_GROUPS: Final = 50


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
    horizon: float | None = None,
    times: Any = None,
) -> Any:
    """Evaluate the predictions of a tree on labeled rows."""
    if tree.task is not Task.SURVIVAL and (horizon is not None or times is not None):
        raise OptionError("horizon and times are supported for survival trees only.")
    if positive is not None and not tree.task.has_classes:
        raise OptionError(f"positive is not supported for {tree.task} trees.")
    if positive is not None and tree.n_outputs > 1:
        raise OptionError("positive is not supported for trees with several outputs.")
    n_rows = len(table)
    truth = _read_truth(tree, y, n_rows)
    if isinstance(table, Table) and tree.missing == "fractional":  # a row may end in several leaves
        predicted = route.predict(tree, table, n_threads=n_threads).reshape(n_rows, -1)
        probability = []
        if tree.task.has_classes:
            shares = route.predict_proba(tree, table, n_threads=n_threads)
            probability = shares if isinstance(shares, list) else [shares]
    else:
        leaf = route.apply(tree, table, n_threads=n_threads) if isinstance(table, Table) else table
        predicted = np.asarray(tree._label_table[leaf]).reshape(n_rows, -1)
        probability = [tree.value[leaf, k, :] for k in range(tree.n_outputs)]
    quantiles = _predict_quantiles(tree, table, predicted, n_threads)
    weight = read_weights(sample_weight, len(truth))
    judge = None
    if tree.task is Task.SURVIVAL:
        if tree.missing == "fractional":
            raise OptionError("Survival trees with missing='fractional' cannot be evaluated.")
        judge = _survival_judge(tree, leaf, truth, horizon, times)
    shared: dict[str, Any] = {"frequency_weights": frequency_weights, "confidence": confidence}

    def evaluate_rows(k: int, rows: Any) -> Any:
        weights = None if weight is None else weight[rows]
        if judge is not None:
            time, event = truth[rows].T
            return judge.evaluate(time, event > 0, leaf[rows], weights, **shared)
        if tree.task.is_regression("Evaluation"):
            baseline = float(tree.value[0, k, 0])
            return evaluate_numbers(
                truth[rows, k],
                predicted[rows, k],
                baseline,
                weight=weights,
                quantiles=[(level, answer[rows, k], root[k]) for level, answer, root in quantiles],
                **shared,
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
            weight=weights,
            **shared,
        )

    outputs = range(tree.n_outputs)
    if by is None:
        results = [evaluate_rows(k, slice(None)) for k in outputs]
    else:
        results = [
            _evaluate_groups(
                by,
                partial(evaluate_rows, k),
                truth[:, k],
                predicted[:, k],
                probability[k] if probability else None,
                tuple(tree.target.classes[k].tolist()) if tree.task.has_classes else (),
                positive,
                weight,
                **shared,
            )
            for k in outputs
        ]
    return results[0] if len(results) == 1 else tuple(results)


def _survival_judge(
    tree: Tree, leaf: Array, truth: Array, horizon: float | None, times: Any
) -> SurvivalJudge:
    """Return an evaluator for the predictions of a survival tree."""
    time, event = truth[:, 0], truth[:, 1] > 0
    censoring = censoring_curve(tree)
    end = choose_horizon(time, event, censoring, horizon)
    curves = {node: node_curve(tree, node) for node in {0, *np.unique(leaf).tolist()}}
    chosen = choose_times(time, event, end, times)
    return SurvivalJudge(curves, tree.value[:, 0, 0], censoring, end, chosen)


def _predict_quantiles(
    tree: Tree, table: Any, predicted: Array, n_threads: int
) -> list[tuple[float, Array, Array]]:
    """Return the level, predictions and root value of each quantile that a tree predicts."""
    level, quantiles = quantile_level(tree.criterion), []
    if level is not None and tree.criterion != "absolute_error":
        quantiles.append((level, predicted, tree.value[0, :, 0]))
    if tree.attachments is not None and "quantiles" in tree.attachments:
        levels, values = leaf_quantiles(tree)
        if isinstance(table, Table):
            answers = route.node_numbers(tree, table, values=values, n_threads=n_threads)
        else:
            answers = values[table]
        quantiles += [(q, answers[:, [i]], values[0, [i]]) for i, q in enumerate(levels.tolist())]
    return quantiles


def _read_truth(tree: Tree, y: Any, n_rows: int) -> npt.NDArray[Any]:
    """Read a target as labels or numbers, one column per output (survival: time and event)."""
    target = read_target(y, task=tree.task, n_rows=n_rows)
    if tree.task is Task.SURVIVAL:
        return target.values
    if target.info.n_outputs != tree.n_outputs:
        raise DataError(
            f"y must have {tree.n_outputs} outputs, like the tree, got {target.info.n_outputs}."
        )
    if tree.task.is_regression("Evaluation"):
        return target.values
    for k, labels in enumerate(tree.target.classes):
        counts = np.bincount(target.values[:, k], minlength=len(target.info.classes[k])).tolist()
        rows_of = {c: n for c, n in zip(target.info.classes[k].tolist(), counts, strict=True) if n}
        # With costs or priors, an unknown class raises an error later, so do not warn about it.
        refused = tree.cost_matrix is not None or tree.class_prior is not None
        _check_labels(rows_of, labels.tolist(), warn=not refused)
    columns = [classes[target.values[:, k]] for k, classes in enumerate(target.info.classes)]
    return np.stack(columns, axis=1)


def _check_labels(counts: dict[Any, int], labels: list[Any], *, warn: bool) -> None:
    """Raise an error if no label is a class of the model; warn if some labels are not."""
    unknown = sorted((label for label in counts if label not in labels), key=lambda c: -counts[c])
    if not unknown:
        return
    by_text = {str(label): label for label in labels}
    hints = []
    for label in unknown[:_MAX_LABELS]:
        if str(label) in by_text:  # 1 and "1"
            right = by_text[str(label)]
            hints.append(f" Did you mean {right!r} ({type(right).__name__}) for {label!r}?")
        elif hint := did_you_mean(str(label), by_text):
            hints.append(hint.replace("?", f" for {label!r}?"))
    unknown_text = ", ".join(
        f"{label!r} ({pluralize(counts[label], 'row')})" for label in unknown[:_MAX_LABELS]
    )
    unknown_text += ", ..." if len(unknown) > _MAX_LABELS else ""
    names = ", ".join(repr(label) for label in labels[:_MAX_LABELS])
    names += ", ..." if len(labels) > _MAX_LABELS else ""
    details = f"{unknown_text}. Classes of the model: {names}.{''.join(hints)}"
    if len(unknown) == len(counts):
        raise DataError(f"y must contain at least one class of the model, got only {details}")
    if not warn:
        return
    rows = pluralize(sum(counts[label] for label in unknown), "row")
    warnings.warn(
        f"y has classes that the model does not know, in {rows} of {sum(counts.values())}; these "
        f"rows count as errors: {details}",
        DataWarning,
        stacklevel=5,
    )


@dataclass(frozen=True, eq=False, repr=False)
class GroupEvaluation(Printed):
    """Metrics of the predictions in each group.

    Attributes
    ----------
    by : str
        Name of the column of groups.
    positive : object or None
        The class of the selection, true positive and false positive rates; None if there are none.
    evaluations : dict
        The full evaluation of each group, by its label.
    figures : Listing
        Per group and figure: value, interval, number of rows.
    differences : Listing
        Per group and figure: difference to the reference group, with interval.
    reference : str
        The largest group.
    confidence : float
    """

    by: str
    positive: Any
    evaluations: dict[str, ClassEvaluation | NumberEvaluation | SurvivalEvaluation]
    figures: Listing
    differences: Listing
    reference: str
    confidence: float

    def blocks(self) -> list[Block]:
        """Return the tables to print: the metrics and their differences."""
        names = list(dict.fromkeys(self.figures["figure"].tolist()))
        rows = sorted(self.figures, key=lambda row: names.index(row["figure"]))
        table = {
            "figure": [row["figure"] for row in rows],
            self.by: [row["group"] for row in rows],
            "rows": [row["rows"] for row in rows],
            "value": [_format(row["value"]) for row in rows],
            "interval": [f"{_format(row['low'])} to {_format(row['high'])}" for row in rows],
        }
        subject = f", of class {self.positive!r}" if self.positive is not None else ""
        few = any(
            getattr(getattr(group, "scores", group), "approximate", False)
            for group in self.evaluations.values()
        )
        level = interval_label(self.confidence, few)
        marked = [
            f"{row['figure']}: {row['group']} - {self.reference} = {_format(row['difference'])} "
            f"({_format(row['low'])} to {_format(row['high'])})"
            for row in self.differences
            if row["low"] > 0 or row["high"] < 0
        ]
        tail = ["differences whose interval leaves out 0:", *marked]
        if not marked:
            tail = ["no difference to the largest group has an interval that leaves out 0"]
        return [*Listing(table, title=f"by {self.by}{subject}, {level}").blocks(), *tail]

    def to_dict(self) -> dict[str, Any]:
        """Return the results as a dict of lists and plain Python values."""
        return {
            "by": self.by,
            "positive": self.positive,
            "reference": self.reference,
            "figures": self.figures.to_dict(),
            "differences": self.differences.to_dict(),
        }


def _evaluate_groups(
    by: tuple[str, Any],
    evaluate_rows: Callable[[Array], Any],
    truth: Array,
    predicted: Array,
    probability: Array | None,
    classes: tuple[Any, ...],
    positive: Any,
    weight: Array | None,
    frequency_weights: bool,
    confidence: float,
) -> GroupEvaluation:
    """Evaluate the rows of each group; `classes` is empty if the target has none."""
    name_of_groups, values = by[0], np.asarray(by[1], dtype=object)
    if values.shape != (len(truth),):
        raise DataError(f"by must have shape ({len(truth)},), got {values.shape}.")
    labels = np.array([_format_group(value) for value in values.tolist()], dtype=object)
    if (missing := missing_mask(values.tolist())) is not None:
        labels[missing] = "missing"
    names = sorted(set(labels.tolist()))
    if len(names) > MAX_GROUPS:
        raise DataError(
            f"`by` must have at most {MAX_GROUPS} groups, got {len(names)} in {name_of_groups!r}. "
            "Bin numeric columns first."
        )
    if positive is None and len(classes) == 2:
        positive = classes[1]
    if positive is not None and positive not in classes:
        raise OptionError(f"positive must be a class, got {positive!r}. Classes: {list(classes)}.")
    evaluations, figures = {}, {}
    for name in names:
        rows = np.flatnonzero(labels == name)
        w = None if weight is None else weight[rows]
        shared = _GroupRows(w, len(rows), frequency_weights, confidence)
        evaluations[name] = evaluate_rows(rows)
        figures[name] = _estimates(evaluations[name])
        if positive is not None:
            p = None if probability is None else probability[rows, classes.index(positive)]
            figures[name] |= _rates(truth[rows] == positive, predicted[rows] == positive, p, shared)
    reference = max(names, key=lambda name: evaluations[name].n_rows)
    heads = ("group", "figure", "value", "low", "high", "rows")
    lines = [
        (group, name, *figure, evaluations[group].n_rows)
        for group, estimates in figures.items()
        for name, figure in estimates.items()
    ]
    return GroupEvaluation(
        name_of_groups, positive, evaluations,
        Listing(rows_to_columns(heads, lines), title="figures per group"),
        _difference_listing(figures, reference), reference, confidence,
    )  # fmt: skip


def _format(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.3g}"


def _format_group(value: Any) -> str:
    is_integer = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    return str(int(value)) if is_integer else str(value)


@dataclass(frozen=True)
class _GroupRows:
    """Weights of a group's rows, for computing shares and means."""

    weight: Array | None
    n: int
    frequency: bool
    confidence: float

    def share(self, hits: Array, among: Array) -> Estimate:
        """Return the share of `hits` in the rows selected by `among`, with Wilson's interval."""
        w = np.ones(self.n) if self.weight is None else self.weight
        total = float(w[among].sum())
        if not total > 0:
            return Estimate(math.nan, math.nan, math.nan)
        share = float(w[among & hits].sum()) / total
        return Estimate(
            share, *share_interval(hits[among], w[among], self.frequency, self.confidence)
        )

    def mean(self, values: Array) -> Estimate:
        """Return the mean of values from -1 to 1, with its confidence interval."""
        w = np.ones(self.n) if self.weight is None else self.weight
        n = count_effective_rows(self.weight, self.n, self.frequency)
        mean = float((w * values).sum() / w.sum())
        low, high = mean_interval(values, w, n, self.confidence, self.frequency)
        if low == high:
            # All values are equal, so the variance is 0. Use Wilson's bound for the share of values
            # that differ, and assume that they differ by 1.
            margin = wilson(0.0, n, self.confidence)[1]
            low, high = mean - margin, mean + margin
        return Estimate(mean, low, high)


def _estimates(evaluation: Any) -> dict[str, Estimate]:
    if isinstance(evaluation, SurvivalEvaluation):
        return {
            "Harrell's C": evaluation.harrell,
            "Uno's C": evaluation.uno,
            "integrated Brier": evaluation.brier,
        }
    if isinstance(evaluation, NumberEvaluation):
        return {
            "MSE": Estimate(evaluation.mse, *evaluation.mse_interval),
            "MAE": Estimate(evaluation.mae, *evaluation.mae_interval),
            "R2": Estimate(evaluation.r2, *evaluation.r2_interval),
        }
    out = {"error": Estimate(evaluation.error, *evaluation.error_interval)}
    if evaluation.has_costs:
        out["cost"] = Estimate(evaluation.cost, *evaluation.cost_interval)
    if (scores := evaluation.scores) is not None:
        out["AUC"] = Estimate(scores.auc, *scores.auc_interval)
        out["Brier"] = Estimate(scores.brier, *scores.brier_interval)
        out["log loss"] = Estimate(scores.log_loss, *scores.log_loss_interval)
    return out


def _rates(
    is_positive: Array, is_selected: Array, p: Array | None, rows: _GroupRows
) -> dict[str, Estimate]:
    every = np.ones(rows.n, bool)
    out = {
        "selection rate": rows.share(is_selected, every),
        "true positive rate": rows.share(is_selected, is_positive),
        "false positive rate": rows.share(is_selected, ~is_positive),
    }
    if p is not None:
        out["calibration"] = rows.mean(p - is_positive)
    return out


def _difference_listing(figures: dict[str, dict[str, Estimate]], reference: str) -> Listing:
    lines: list[tuple[Any, ...]] = []
    for group, estimates in figures.items():
        if group == reference:
            continue
        for name, figure in estimates.items():
            other = figures[reference][name]
            # The square-and-add method of Newcombe (1998) allows for asymmetric intervals.
            below = math.hypot(figure.value - figure.low, other.high - other.value)
            above = math.hypot(figure.high - figure.value, other.value - other.low)
            difference = figure.value - other.value
            lines.append((group, name, difference, difference - below, difference + above))
    names = ("group", "figure", "difference", "low", "high")
    return Listing(rows_to_columns(names, lines), title=f"differences to {reference}")


def read_evaluation(tree: Tree, X: Any, y: Any, by: Any, event: Any = None) -> tuple[Any, Any, Any]:
    """Return X, y and the groups as (name, labels); the groups are None if `by` is None."""
    if event is not None and tree.task is not Task.SURVIVAL:
        raise OptionError("event is supported for survival trees only.")
    X, y = pop_target(X, y, tree.task, event)
    if by is None:
        return X, y, None
    if not isinstance(by, str):
        return X, y, ("group", by)
    features, labels = split_target(X, by)
    return (X if by in tree.schema.names else features), y, (by, labels)
