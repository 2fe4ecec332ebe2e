"""Score class probabilities: AUC, average precision, Brier score, log loss, KS, gains, lift.

For a positive class with score s and weights w (all as in `sklearn.metrics`):

    AUC                area under the ROC curve: P(s of a positive > s of a negative) + P(tie) / 2
    average precision  sum over thresholds of (recall_k - recall_k-1) precision_k
    Brier score        mean (p - truth)^2; with more than two classes summed over the classes
    log loss           mean -log p(truth), with p clipped to [eps, 1 - eps] (eps of float64)
    KS                 largest |true positive rate - false positive rate| over all thresholds

With more than two classes and no positive class, AUC and average precision are unweighted means
over classes, one against the rest. Rows with equal scores, common in trees, are never separated.

Brier score and log loss are means over rows and have the intervals of means. The interval of the
AUC uses DeLong, DeLong and Clarke-Pearson (1988): a positive row contributes the share of the
negatives that it outranks, a negative row the share of the positives that outrank it. For the mean
over classes the contributions are averaged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError, did_you_mean
from ceiba.inspection.intervals import (
    BOUNDED_TAIL,
    Interval,
    estimate_interval,
    has_too_few_rows,
    interval_label,
    mean_interval,
    share_interval,
    wilson,
)
from ceiba.listing import Listing
from ceiba.table import count_effective_rows
from ceiba.words import words

Array = npt.NDArray[np.float64]

_EPS: Final = float(np.finfo(np.float64).eps)
_BANDS: Final = 10
_MIN_ROWS: Final = 20  # AUC intervals are too narrow with fewer rows per class


@dataclass(frozen=True, eq=False)
class ProbabilityScores:
    """Scores of the class probabilities of a classifier.

    Attributes
    ----------
    positive : object or None
        The positive class of AUC, average precision, KS and gains; None is the mean over classes,
        one against the rest.
    auc, average_precision : float
        NaN without positive rows; AUC is also NaN without negative rows.
    brier, log_loss : float
    auc_interval, brier_interval, log_loss_interval : (float, float)
    approximate : bool
        Whether the rows are too few for the nominal coverage of the intervals: fewer than 200,
        fewer than 20 of a class, or for weighted rows an effective sample size below 80
        (docs/numbers.md).
    confidence : float
    ks, ks_threshold : float
        Kolmogorov-Smirnov distance between the scores of positives and negatives, and the
        probability at which it is attained; NaN without a positive class.
    gains : Listing or None
        Bands of rows by descending probability: rows, positives, rate, lift, and cumulative
        shares and lift.

    Examples
    --------
    >>> import ceiba
    >>> model = ceiba.DecisionTreeClassifier(max_depth=1).fit([[1], [2], [3], [4]], list("abab"))
    >>> model.evaluate([[1], [2], [3], [4]], list("abab")).scores.auc
    0.75
    """

    positive: Any
    auc: float
    average_precision: float
    brier: float
    log_loss: float
    ks: float
    ks_threshold: float
    gains: Listing | None
    auc_interval: Interval
    brier_interval: Interval
    log_loss_interval: Interval
    approximate: bool = False
    confidence: float = 0.95

    def __str__(self) -> str:
        return self.text()

    def text(self, lang: str = "en") -> str:
        """Format the scores as one sentence in the language `lang`."""
        word = words(lang)

        def with_interval(value: float, interval: Interval) -> str:
            low, high = (f"{bound:.3g}" for bound in interval)
            between = word("evaluate.between", low=low, high=high)
            return f"{value:.3g}" if interval[0] != interval[0] else f"{value:.3g} ({between})"

        ks = ""
        if self.ks == self.ks:
            ks = word("evaluate.ks", ks=f"{self.ks:.3g}", threshold=f"{self.ks_threshold:.3g}")
        return word(
            "evaluate.scores" if self.positive is None else "evaluate.scores_of",
            label=repr(self.positive),
            auc=with_interval(self.auc, self.auc_interval),
            ap=f"{self.average_precision:.3g}",
            brier=with_interval(self.brier, self.brier_interval),
            loss=with_interval(self.log_loss, self.log_loss_interval),
            ks=ks,
            level=interval_label(self.confidence, self.approximate, lang),
        )


def positive_index(positive: Any, classes: list[Any]) -> int | None:
    """Return the index of the positive class; if not given, 1 for two classes, else None."""
    if positive is None:
        return 1 if len(classes) == 2 else None
    if positive not in classes:
        labels = [str(label) for label in classes]
        raise OptionError(
            f"positive must be a class, got {positive!r}. Classes: {', '.join(labels)}."
            f"{did_you_mean(str(positive), labels)}"
        )
    return classes.index(positive)


def probability_scores(
    truth: npt.NDArray[np.intp],
    probability: Array,
    classes: list[Any],
    *,
    weight: Array | None = None,
    positive: Any = None,
    frequency_weights: bool = False,
    confidence: float = 0.95,
) -> ProbabilityScores:
    """Score class probabilities; rows may be of classes that were not in the training data."""
    w = np.ones(len(truth)) if weight is None else weight
    at = positive_index(positive, classes)
    n_classes = max(probability.shape[1], int(truth.max(initial=0)) + 1)
    wide = np.zeros((len(truth), n_classes))
    wide[:, : probability.shape[1]] = probability
    of_truth = np.take_along_axis(wide, truth[:, None], axis=1)[:, 0]
    squares = ((wide - np.eye(n_classes)[truth]) ** 2).sum(axis=1) * (0.5 if n_classes == 2 else 1)
    losses = -np.log(np.clip(of_truth, _EPS, 1 - _EPS))
    n = count_effective_rows(weight, len(truth), frequency_weights)
    surprised, certain = of_truth <= _EPS, bool((wide <= _EPS).any())
    shared = (surprised, certain, w, n, frequency_weights, confidence)
    brier, brier_interval = _mean_loss(squares, 1.0 if n_classes == 2 else 2.0, *shared)
    loss, loss_interval = _mean_loss(losses, -np.log(_EPS), *shared)
    kinds = [at] if at is not None else list(range(len(classes)))
    ranked = [ranking_scores(truth == k, wide[:, k], w) for k in kinds]
    auc, precision = (float(np.mean([scores[i] for scores in ranked])) for i in (0, 1))
    ks, threshold, gains = float("nan"), float("nan"), None
    if at is not None:
        levels, hits, misses = _weights_by_score(truth == at, wide[:, at], w)
        if hits.sum() > 0 and misses.sum() > 0:
            gap = np.abs(np.cumsum(hits) / hits.sum() - np.cumsum(misses) / misses.sum())
            ks, threshold = float(gap.max()), float(levels[np.argmax(gap)])
        gains = _gains(truth == at, wide[:, at], w, classes[at])
    rows = np.bincount(truth, w if frequency_weights else None, minlength=len(classes))
    return ProbabilityScores(
        None if at is None else classes[at],
        auc,
        precision,
        brier,
        loss,
        ks,
        threshold,
        gains,
        _auc_interval(auc, truth, wide, kinds, w, frequency_weights, confidence),
        brier_interval,
        loss_interval,
        has_too_few_rows(len(truth), n) or bool(rows.min() < _MIN_ROWS),
        confidence,
    )


def _mean_loss(
    losses: Array,
    maximum: float,
    surprised: npt.NDArray[np.bool_],
    certain: bool,
    w: Array,
    n: float,
    counts: bool,
    confidence: float,
) -> tuple[float, Interval]:
    """Return the weighted mean of the losses of rows, and its confidence interval."""
    # Rows whose true class has probability 0 have the largest loss. Combine Wilson's interval of
    # their share and Student's interval of the mean loss of other rows (Zou and Donner 2008).
    mean = float((w * losses).sum() / w.sum())
    low, high = mean_interval(
        np.where(surprised, 0.0, losses), w, n, confidence, counts, BOUNDED_TAIL
    )
    if not certain:
        return mean, (max(low, 0.0), high)
    share = float((w * surprised).sum() / w.sum())
    each = float((w * losses)[surprised].sum() / (w @ surprised)) if share > 0 else maximum
    remainder = mean - share * each
    fewest, greatest = share_interval(surprised, w, counts, confidence)
    below = np.hypot(remainder - low, (share - fewest) * each)
    above = np.hypot(high - remainder, (greatest - share) * each)
    return mean, (max(float(mean - below), 0.0), float(mean + above))


def _auc_interval(
    auc: float,
    truth: npt.NDArray[np.intp],
    score: Array,
    kinds: list[int],
    w: Array,
    counts: bool,
    confidence: float,
) -> Interval:
    """Return the confidence interval of the mean one-vs-rest AUC of the classes `kinds`."""
    if auc != auc:
        return auc, auc
    each, fewest = np.zeros(len(truth)), np.inf
    for k in kinds:
        positive = truth == k
        _, terms = auc_terms(positive, score[:, k], w)
        each += terms / len(kinds) * (1.0 if counts else w)
        for kind in (positive, ~positive):
            fewest = min(fewest, count_effective_rows(w[kind], int(kind.sum()), counts))
    if auc in (0.0, 1.0):  # DeLong's variance is 0
        return wilson(auc, fewest, confidence)
    # The rarest class determines the degrees of freedom, because its variance is the least certain.
    times = w if counts else 1.0
    low, high = estimate_interval(auc, each, fewest, confidence, times, BOUNDED_TAIL)
    return max(low, 0.0), min(high, 1.0)


def auc_terms(positive: npt.NDArray[np.bool_], score: Array, weight: Array) -> tuple[float, Array]:
    """Return the AUC, and the influence of each row per unit of weight (DeLong et al. 1988)."""
    levels, hits, misses = _weights_by_score(positive, score, weight)
    # Levels are in descending order. Scores of rows with zero weight may be absent from them.
    at = np.minimum(np.searchsorted(-levels, -score), len(levels) - 1)
    outranks = 1.0 - (np.cumsum(misses) - misses / 2) / misses.sum()
    outranked = (np.cumsum(hits) - hits / 2) / hits.sum()
    auc = float(outranks @ hits / hits.sum())
    total = np.where(positive, hits.sum(), misses.sum())
    return auc, (np.where(positive, outranks[at], outranked[at]) - auc) / total


def ranking_scores(
    truth: npt.NDArray[np.bool_], score: Array, weight: Array
) -> tuple[float, float]:
    """Return AUC (NaN with a single class) and average precision (NaN without positives)."""
    _, hits, misses = _weights_by_score(truth, score, weight)
    positives, negatives = float(hits.sum()), float(misses.sum())
    if positives <= 0 or negatives <= 0:
        return float("nan"), float("nan") if positives <= 0 else 1.0
    true_rate, false_rate = np.cumsum(hits) / positives, np.cumsum(misses) / negatives
    before = np.append(0.0, true_rate[:-1])
    area = float(np.sum(np.diff(false_rate, prepend=0.0) * (true_rate + before) / 2))
    precision = np.cumsum(hits) / np.cumsum(hits + misses)
    return area, float(np.sum((true_rate - before) * precision))


def _weights_by_score(
    truth: npt.NDArray[np.bool_], score: Array, weight: Array
) -> tuple[Array, Array, Array]:
    """Return the distinct scores, descending, and the weights of their positives and negatives."""
    levels, level = np.unique(score, return_inverse=True)
    n = len(levels)
    hits = np.bincount(level, weight * truth, n).astype(np.float64)[::-1]
    misses = np.bincount(level, weight * ~truth, n).astype(np.float64)[::-1]
    some = (hits + misses) > 0
    return levels[::-1][some], hits[some], misses[some]


def _gains(truth: npt.NDArray[np.bool_], score: Array, weight: Array, positive: Any) -> Listing:
    """Return a gains and lift table with at most ten bins of rows, highest probability first."""
    levels, hits, misses = _weights_by_score(truth, score, weight)
    rows = hits + misses
    last = np.arange(len(levels))
    if len(levels) > _BANDS:
        reached = np.cumsum(rows) / rows.sum()
        borders = np.searchsorted(reached, np.arange(1, _BANDS) / _BANDS - 1e-12)
        last = np.unique(np.append(borders, len(levels) - 1))
    first = np.append(0, last[:-1] + 1)
    band_rows, band_hits = np.add.reduceat(rows, first), np.add.reduceat(hits, first)
    base = float(hits.sum() / rows.sum())
    below = np.cumsum(band_rows), np.cumsum(band_hits)
    with np.errstate(divide="ignore", invalid="ignore"):
        figures = {
            "from": levels[last],
            "rows": band_rows,
            "positives": band_hits,
            "rate": band_hits / band_rows,
            "lift": band_hits / band_rows / base,
            "rows so far": below[0] / rows.sum(),
            "gain": below[1] / hits.sum(),
            "lift so far": below[1] / below[0] / base,
        }
    return Listing(
        figures,
        title=f"gains and lift for {positive!r}",
        legend=(
            "from: lowest probability in the band; rate: share of positives; lift: rate over the "
            f"share in all rows, {base:.3g};\n"
            "rows so far, gain: share of all rows, and of all positives, with that probability or "
            "more"
        ),
    )
