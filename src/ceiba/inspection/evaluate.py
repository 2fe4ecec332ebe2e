"""Compute errors and costs of predictions with confidence intervals.

With N(i, j) rows of truth j predicted as i: Q(i|j) = N(i, j) / N(j); R(j) = sum_i C(i|j) Q(i|j);
R(T) = sum_j R(j) pi(j), where pi are the class priors, or the shares in these data (Breiman et al.
1984, chapter 11). Everything is compared with a baseline that always predicts the class, or value,
of the root. Tables have truth in rows and predictions in columns, as scikit-learn's confusion
matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.criteria import quantile_loss
from ceiba.errors import DataError
from ceiba.formatting import escape_control, format_number
from ceiba.inspection.intervals import (
    HEAVY_TAIL,
    Interval,
    bca_interval,
    has_too_few_rows,
    interval_label,
    mean_interval,
    share_interval,
    wilson,
)
from ceiba.inspection.intervals import r2_interval as interval_of_r2
from ceiba.inspection.probability_scores import ProbabilityScores, probability_scores
from ceiba.listing import Block, Grid, Printed
from ceiba.table import count_effective_rows
from ceiba.words import Catalogue, words

Array = npt.NDArray[np.float64]
_MAX_CELLS = 1_000  # maximum number of distinct costs for resampling their histogram
_MAX_BOOTSTRAP_ROWS = 5_000  # maximum number of rows for resampling the rows themselves


@dataclass(frozen=True, eq=False, repr=False)
class ClassEvaluation(Printed):
    r"""Evaluation of predicted classes.

    Attributes
    ----------
    classes : tuple
        Labels, in the order of rows and columns.
    n_rows : int
    confusion : float64 array of shape (K, K)
        Weight of truth (row) predicted as (column).
    q : float64 array of shape (K, K)
        Confusion as shares of each row: q[j, i] is Q(i|j), the share of class j predicted as i.
    error, accuracy : float
        Of these rows, not weighted by the model's priors.
    error_interval : (float, float)
        Wilson's interval of the error.
    class_error : float64 array of shape (K,)
        Share of misclassified rows of each class.
    class_cost : float64 array of shape (K,)
        R(j): mean cost of a row of each class.
    cost : float
        R(T): mean cost of a row; prior-weighted if the model has class priors, over the classes
        present in these rows.
    cost_interval : (float, float)
        Interval of the cost, by a BCa bootstrap with a fixed seed; for weighted rows Student's,
        corrected for skewness.
    baseline : object
        The class of the root.
    baseline_error, baseline_cost : float
        Error and cost if every row were predicted as the baseline.
    has_costs, has_priors : bool
        Whether costs, or class priors, make `cost` differ from `error`.
    confidence : float
    scores : ProbabilityScores or None
        AUC, average precision, Brier score, log loss, KS, gains and lift.

    Examples
    --------
    >>> import ceiba
    >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
    >>> print(model.evaluate([[1], [2], [3], [1]], ["a", "b", "b", "b"]))
    4 rows: error 0.25 (95 % interval 0.0456 to 0.699), accuracy 0.75
    truth \ predicted  a  b  rows  error
    a                  1  0     1      0
    b                  1  2     3  0.333
    always 'b' (the root's prediction): error 0.25
    probabilities of 'b': AUC 0.833 (0 to 1), average precision 0.917, Brier 0.25 (0.0456 to ...
    """

    classes: tuple[Any, ...]
    n_rows: int
    confusion: Array
    q: Array
    error: float
    error_interval: Interval
    class_error: Array
    class_cost: Array
    cost: float
    cost_interval: Interval
    baseline: Any
    baseline_error: float
    baseline_cost: float
    has_costs: bool = False
    has_priors: bool = False
    confidence: float = 0.95
    scores: ProbabilityScores | None = None

    @property
    def accuracy(self) -> float:
        """The accuracy, which equals 1 - error."""
        return 1.0 - self.error

    def blocks(self, lang: str = "en") -> list[Block]:
        """Format the evaluation as text in the language `lang`."""
        word, prior = words(lang), "_prior" if self.has_priors else ""
        low, high = (f"{bound:.3g}" for bound in self.error_interval)
        error, accuracy = f"{self.error:.3g}", f"{self.accuracy:.3g}"
        always = word(
            "evaluate.always", label=repr(self.baseline), error=f"{self.baseline_error:.3g}"
        )
        blocks: list[Block] = [
            word(
                f"evaluate.error{prior}", n=self.n_rows, error=error, accuracy=accuracy,
                level=f"{100 * self.confidence:.0f} %", low=low, high=high,
            ),
            self._table(word),
        ]  # fmt: skip
        if self.has_costs:
            low, high = (f"{bound:.3g}" for bound in self.cost_interval)
            always += word(f"evaluate.always_cost{prior}", cost=f"{self.baseline_cost:.3g}")
            cost = word(f"evaluate.cost{prior}", cost=f"{self.cost:.3g}", low=low, high=high)
            blocks += [always, cost]
        else:
            blocks.append(always)
        if self.scores is not None:
            of = word["evaluate.of_these_rows"] if self.has_priors else ""
            blocks.append(self.scores.text(lang) + of)
        return blocks

    def _table(self, word: Catalogue) -> Grid:
        labels = [str(label) for label in self.classes]
        columns: list[list[str]] = [[word["evaluate.corner"], *labels]]
        for k, label in enumerate(labels):
            columns.append([label, *(f"{count:.6g}" for count in self.confusion[:, k])])
        totals = self.confusion.sum(axis=1)
        columns.append([word["evaluate.rows"], *(f"{count:.6g}" for count in totals)])
        columns.append(
            [word["evaluate.class_error"], *(f"{error:.3g}" for error in self.class_error)]
        )
        if self.has_costs:
            columns.append([word["evaluate.class_cost"], *(f"{c:.3g}" for c in self.class_cost)])
        rows = [
            [escape_control(text, one_line=True) for text in row]
            for row in zip(*columns, strict=True)
        ]
        return Grid(rows, [False] + [True] * (len(columns) - 1))


@dataclass(frozen=True)
class QuantileScore:
    """Evaluation of a predicted quantile.

    Attributes
    ----------
    level : float
    pinball : float
        Mean pinball loss: level times the distance of rows above the prediction, 1 - level times
        that of rows below.
    pinball_interval : (float, float)
    baseline_pinball : float
        Of the root's quantile.
    coverage : float
        Share of the rows at or below the prediction.
    coverage_interval : (float, float)

    Examples
    --------
    >>> import ceiba
    >>> model = ceiba.DecisionTreeRegressor(max_depth=1, leaf_quantiles=[0.5])
    >>> model = model.fit([[1], [1], [2], [2]], [1.0, 2.0, 7.0, 8.0])
    >>> score = model.evaluate([[1], [2]], [2.0, 7.5]).quantiles[0]
    >>> score.pinball, score.coverage
    (0.125, 0.5)
    """

    level: float
    pinball: float
    pinball_interval: Interval
    baseline_pinball: float
    coverage: float
    coverage_interval: Interval


@dataclass(frozen=True, eq=False, repr=False)
class NumberEvaluation(Printed):
    """Evaluation of predicted numbers.

    Attributes
    ----------
    n_rows : int
    mse, rmse, mae, r2 : float
        Mean squared error, its root, mean absolute error, share of variance explained.
    mse_interval, mae_interval, r2_interval : (float, float)
        Corrected for skewness (Hall 1992) and heavy tails; R2 by a studentized bootstrap.
    baseline : float
        The value of the root.
    baseline_mse, baseline_mae : float
    confidence : float
    approximate : bool
        Whether the rows are too few for the nominal coverage of the intervals: fewer than 200, or
        for weighted rows an effective sample size below 80 (docs/numbers.md).
    quantiles : tuple of QuantileScore
        Of trees that predict a quantile, or were fitted with `leaf_quantiles`.

    Examples
    --------
    >>> import ceiba
    >>> model = ceiba.DecisionTreeRegressor().fit([[1], [2]], [1.0, 3.0])
    >>> model.evaluate([[1], [2], [2]], [1.0, 3.0, 2.0]).mse
    0.3333333333333333
    """

    n_rows: int
    mse: float
    mse_interval: Interval
    mae: float
    mae_interval: Interval
    r2: float
    r2_interval: Interval
    baseline: float
    baseline_mse: float
    baseline_mae: float
    confidence: float = 0.95
    approximate: bool = False
    quantiles: tuple[QuantileScore, ...] = ()

    @property
    def rmse(self) -> float:
        """The square root of the mean squared error."""
        return float(np.sqrt(self.mse))

    def blocks(self, lang: str = "en") -> list[Block]:
        """Format the evaluation as text in the language `lang`."""
        word = words(lang)
        rows = [
            ["MSE", *_cells(word, self.mse, self.mse_interval, self.baseline_mse)],
            ["MAE", *_cells(word, self.mae, self.mae_interval, self.baseline_mae)],
            ["R2", *_cells(word, self.r2, self.r2_interval), ""],
        ]
        level = interval_label(self.confidence, self.approximate, lang)
        figures = {"value": format_number(self.baseline, 6), "rmse": format_number(self.rmse, 4)}
        blocks: list[Block] = [
            word("evaluate.numbers", n=self.n_rows, level=level),
            Grid(rows, [False, True, False, False]),
            word("evaluate.root_value", **figures),
        ]
        return [*blocks, self._quantile_table(word)] if self.quantiles else blocks

    def _quantile_table(self, word: Catalogue) -> Grid:
        rows = [
            [
                f"{score.level:g}",
                *_cells(word, score.pinball, score.pinball_interval, score.baseline_pinball),
                *_cells(word, score.coverage, score.coverage_interval),
            ]
            for score in self.quantiles
        ]
        heads = ("evaluate.quantile", "evaluate.pinball", None, None, "evaluate.coverage", None)
        header = ["" if key is None else word[key] for key in heads]
        return Grid([header, *rows], [True, True, False, False, True, False])


def _cells(
    word: Catalogue, value: float, interval: Interval, baseline: float | None = None
) -> list[str]:
    """Return a metric, its interval and its baseline (if any) as text."""
    low, high = (format_number(bound, 4) for bound in interval)
    cells = [format_number(value, 4), word("evaluate.between", low=low, high=high)]
    if baseline is not None:
        cells.append(word("evaluate.always_root", value=format_number(baseline, 4)))
    return cells


def evaluate_classes(
    truth: npt.NDArray[Any],
    predicted: npt.NDArray[Any],
    classes: npt.NDArray[Any],
    baseline: Any,
    *,
    probability: Array | None = None,
    positive: Any = None,
    cost_matrix: Array | None = None,
    class_prior: Array | None = None,
    weight: Array | None = None,
    frequency_weights: bool = False,
    confidence: float = 0.95,
) -> ClassEvaluation:
    """Evaluate predicted labels; true labels may include labels that are not in `classes`."""
    labels = _all_labels(truth, classes, cost_matrix, class_prior)
    index = {label: k for k, label in enumerate(labels)}
    t = np.array([index[label] for label in truth.tolist()], dtype=np.intp)
    p = np.array([index[label] for label in predicted.tolist()], dtype=np.intp)
    base = index[baseline.item() if isinstance(baseline, np.generic) else baseline]
    k = len(labels)
    w = np.ones(len(t)) if weight is None else weight
    costs = 1.0 - np.eye(k) if cost_matrix is None else cost_matrix
    confusion = np.bincount(t * k + p, w, minlength=k * k).reshape(k, k).astype(np.float64)
    totals = confusion.sum(axis=1, keepdims=True)
    q = np.divide(confusion, totals, out=np.zeros_like(confusion), where=totals > 0)
    share = totals[:, 0] / totals.sum()
    factor = np.ones(k)
    if class_prior is not None:  # redistribute the priors of classes without rows
        priors = np.where(share > 0, class_prior, 0.0)
        factor = np.divide(priors / (priors.sum() or 1.0), share, out=np.zeros(k), where=share > 0)
    n = count_effective_rows(weight, len(t), frequency_weights)
    error = float((w * (t != p)).sum() / w.sum())
    row_cost = factor[t] * costs[t, p]
    cost = float((w * row_cost).sum() / w.sum())
    # Priors fix the class proportions, so the interval depends only on variation within classes.
    within = row_cost if class_prior is None else row_cost + cost - (factor * (q * costs).sum(1))[t]
    return ClassEvaluation(
        classes=tuple(labels),
        n_rows=len(t),
        confusion=confusion,
        q=q,
        error=error,
        error_interval=share_interval(t != p, w, frequency_weights, confidence),
        class_error=np.where(totals[:, 0] > 0, 1.0 - np.diagonal(q), np.nan),
        class_cost=np.where(totals[:, 0] > 0, (q * costs).sum(axis=1), np.nan),
        cost=cost,
        cost_interval=_cost_interval(
            within, w, n, float((factor[:, None] * costs).max()), frequency_weights, confidence
        ),
        baseline=labels[base],
        baseline_error=float((w * (t != base)).sum() / w.sum()),
        baseline_cost=float((w * factor[t] * costs[t, base]).sum() / w.sum()),
        has_costs=cost_matrix is not None or class_prior is not None,
        has_priors=class_prior is not None,
        confidence=confidence,
        scores=None
        if probability is None
        else probability_scores(
            t,
            probability,
            classes.tolist(),
            weight=weight,
            positive=positive,
            frequency_weights=frequency_weights,
            confidence=confidence,
        ),
    )


@np.errstate(over="ignore", invalid="ignore")  # squared errors that overflow become infinite
def evaluate_numbers(
    truth: Array,
    predicted: Array,
    baseline: float,
    *,
    weight: Array | None = None,
    frequency_weights: bool = False,
    confidence: float = 0.95,
    quantiles: Sequence[tuple[float, Array, float]] = (),
) -> NumberEvaluation:
    """Evaluate predicted numbers and, if given, predicted quantiles."""
    w = np.ones(len(truth)) if weight is None else weight
    n = count_effective_rows(weight, len(truth), frequency_weights)
    total = w.sum()
    distance = np.abs(truth - predicted)
    square = distance**2
    spread = (truth - (w * truth).sum() / total) ** 2
    mse, variance = float((w * square).sum() / total), float((w * spread).sum() / total)
    r2, r2_interval = float("nan"), (float("nan"), float("nan"))
    if variance > 0:
        r2 = 1.0 - mse / variance
        r2_interval = interval_of_r2(
            square, truth, w, n, frequency_weights=frequency_weights, confidence=confidence
        )

    def loss_interval(losses: Array) -> Interval:
        low, high = mean_interval(losses, w, n, confidence, frequency_weights, HEAVY_TAIL)
        return max(low, 0.0), high

    def score_quantile(level: float, answer: Array, root: float) -> QuantileScore:
        name = f"quantile({level!r})"
        loss, inside = quantile_loss(name, truth - answer), truth <= answer
        return QuantileScore(
            level=level,
            pinball=float((w * loss).sum() / total),
            pinball_interval=loss_interval(loss),
            baseline_pinball=float((w * quantile_loss(name, truth - root)).sum() / total),
            coverage=float((w * inside).sum() / total),
            coverage_interval=share_interval(inside, w, frequency_weights, confidence),
        )

    return NumberEvaluation(
        n_rows=len(truth),
        mse=mse,
        mse_interval=loss_interval(square),
        mae=float((w * distance).sum() / total),
        mae_interval=loss_interval(distance),
        r2=r2,
        r2_interval=r2_interval,
        baseline=float(baseline),
        baseline_mse=float((w * (truth - baseline) ** 2).sum() / total),
        baseline_mae=float((w * np.abs(truth - baseline)).sum() / total),
        confidence=confidence,
        approximate=has_too_few_rows(len(truth), n),
        quantiles=tuple(score_quantile(*quantile) for quantile in quantiles),
    )


def _cost_interval(
    costs: Array, weight: Array, n: float, highest: float, counts: bool, confidence: float
) -> Interval:
    """Return the confidence interval of a mean cost."""
    if not costs.any():  # no errors: highest cost times Wilson's upper bound of the error
        return 0.0, wilson(0.0, n, confidence)[1] * highest
    # Resample the histogram of costs, so that the time does not depend on the number of rows.
    cells, cell = np.unique(costs, return_inverse=True)
    size = np.bincount(cell, weights=weight if counts else None).astype(np.float64)
    # With unequal weights, the coverage of the bootstrap is below its nominal level.
    resampled = counts or bool(np.all(weight == weight[0]))
    if resampled and len(cells) <= _MAX_CELLS:
        low, high = bca_interval(cells, size, True, confidence)
    elif resampled and len(costs) <= _MAX_BOOTSTRAP_ROWS:
        low, high = bca_interval(costs, weight, counts, confidence)
    else:
        low, high = mean_interval(costs, weight, n, confidence, counts)
    return max(low, 0.0), high


def _all_labels(
    truth: npt.NDArray[Any],
    classes: npt.NDArray[Any],
    cost_matrix: Array | None,
    class_prior: Array | None,
) -> list[Any]:
    """Return the labels of the model, followed by labels that occur only in `truth`."""
    labels = list(classes.tolist())
    model_labels = set(labels)
    unknown = [label for label in dict.fromkeys(truth.tolist()) if label not in model_labels]
    if unknown and (cost_matrix is not None or class_prior is not None):
        lacks = "cost" if cost_matrix is not None else "prior"
        raise DataError(
            f"y must contain only classes with a {lacks} ({labels}), got {unknown[0]!r}. Drop the "
            "rows of other classes."
        )
    return labels + unknown
