"""Evaluate survival predictions by concordance, Brier score and calibration.

All figures use times up to a horizon (`ceiba.survival.metrics`). Weights for censoring come from
the training rows. The baseline predicts the Kaplan-Meier curve of the root for every row: its C is
0.5. Intervals are those of means, or of the linear terms of C, and treat the weights for
censoring as known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError, OptionError
from ceiba.formatting import format_number
from ceiba.inspection.intervals import (
    BOUNDED_TAIL,
    HEAVY_TAIL,
    estimate_interval,
    has_too_few_rows,
    interval_label,
    mean_interval,
)
from ceiba.listing import Block, Grid, Listing, Printed, rows_to_columns
from ceiba.survival import (
    Concordance,
    Estimate,
    SurvivalCurve,
    brier_scores,
    calibration,
    concordance,
    default_horizon,
)
from ceiba.table import count_effective_rows
from ceiba.words import words

Array = npt.NDArray[np.float64]
_TIMES: Final = 101  # number of times from 0 to the horizon for the Brier score
_UNKNOWN: Final = Estimate(np.nan, np.nan, np.nan)


@dataclass(frozen=True, eq=False, repr=False)
class SurvivalEvaluation(Printed):
    """Evaluation of predicted survival.

    Attributes
    ----------
    n_rows : int
    n_events : float
        Weight of the events.
    horizon : float
        Only times up to the horizon count.
    harrell, uno : Estimate
        Concordance of the relative risks: all comparable pairs, and weighted for censoring. NaN if
        no pair is comparable.
    brier : Estimate
        Integrated Brier score, weighted for censoring.
    baseline_brier : float
        Integrated Brier score if every row had the Kaplan-Meier curve of the root.
    calibration : Listing
        Predicted and observed survival at some times, of rows with equal or similar predictions.
    confidence : float
    approximate : bool
        Whether the rows are too few for the nominal coverage of the intervals.

    Examples
    --------
    >>> import ceiba
    >>> frame = {"x": [1, 1, 1, 9, 9, 9], "time": [1, 2, 4, 3, 8, 9], "died": [1, 1, 1, 0, 1, 0]}
    >>> model = ceiba.DecisionTreeSurvival(max_depth=1).fit(frame, ("time", "died"))
    >>> model.evaluate(frame, ("time", "died")).harrell.value
    0.8636363636363636
    """

    n_rows: int
    n_events: float
    horizon: float
    harrell: Estimate
    uno: Estimate
    brier: Estimate
    baseline_brier: float
    calibration: Listing
    confidence: float = 0.95
    approximate: bool = False

    def blocks(self, lang: str = "en") -> list[Block]:
        """Format the evaluation as text in the language `lang`."""
        word = words(lang)
        cells = []
        for name, figure, baseline in (
            ("harrell", self.harrell, 0.5),
            ("uno", self.uno, 0.5),
            ("integrated_brier", self.brier, self.baseline_brier),
        ):
            value, low, high = ("" if x != x else format_number(x, 4) for x in figure)
            between = word("evaluate.between", low=low, high=high)
            beside = word("evaluate.kaplan_meier", value=format_number(baseline, 4))
            cells.append([word[f"evaluate.{name}"], value, between, beside])
        table = Listing(self.calibration.to_dict(), lang=lang)
        return [
            word(
                "evaluate.survival", n=self.n_rows, events=format_number(self.n_events, 6),
                horizon=format_number(self.horizon, 6),
                level=interval_label(self.confidence, self.approximate, lang),
            ),
            Grid(cells, [False, True, False, False]),
            word["evaluate.calibration"],
            *table.blocks(),
        ]  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Return the results as a dict."""
        estimates = {name: getattr(self, name)._asdict() for name in ("harrell", "uno", "brier")}
        return {
            "n_rows": self.n_rows,
            "n_events": self.n_events,
            "horizon": self.horizon,
            **estimates,
            "baseline_brier": self.baseline_brier,
            "calibration": self.calibration.to_dict(),
            "confidence": self.confidence,
            "approximate": self.approximate,
        }


@dataclass(frozen=True)
class SurvivalJudge:
    """Evaluator of survival predictions, with the curves and risks of the nodes.

    Attributes
    ----------
    curves : dict of int to SurvivalCurve
        Of the nodes that rows end in, and of the root.
    risk : float64 array
        The relative risk of each node.
    """

    curves: dict[int, SurvivalCurve]
    risk: Array
    censoring: SurvivalCurve
    horizon: float
    times: tuple[float, ...]

    def evaluate(
        self,
        time: Array,
        event: npt.NDArray[np.bool_],
        node: npt.NDArray[np.intp],
        weight: Array | None = None,
        *,
        frequency_weights: bool = False,
        confidence: float = 0.95,
    ) -> SurvivalEvaluation:
        """Evaluate the predictions for rows, given the node in which each row ends."""
        w = np.ones(len(time)) if weight is None else weight
        n = count_effective_rows(weight, len(time), frequency_weights)
        grid = np.linspace(0.0, self.horizon, _TIMES)
        nodes, group = np.unique(node, return_inverse=True)
        table = np.stack([self.curves[int(leaf)](grid) for leaf in nodes])
        root = self.curves[0](grid)[None]
        scores = brier_scores(time, event, table, grid, self.censoring, group, w)
        baseline = brier_scores(time, event, root, grid, self.censoring, np.zeros_like(group), w)
        low, high = mean_interval(
            scores.contributions, w, n, confidence, frequency_weights, HEAVY_TAIL
        )
        repeats = w if frequency_weights else 1.0

        def rank(censoring: SurvivalCurve | None) -> Estimate:
            try:
                result: Concordance = concordance(
                    time, event, self.risk[node], w, censoring=censoring, horizon=self.horizon
                )
            except DataError:  # the rows may form no comparable pair
                return _UNKNOWN
            each = result.contributions / np.where(w > 0, repeats, 1.0)
            low, high = estimate_interval(result.value, each, n, confidence, repeats, BOUNDED_TAIL)
            return Estimate(result.value, max(low, 0.0), min(high, 1.0))

        lines = [
            (g.time, g.predicted, g.observed, g.low, g.high, g.n_rows)
            for at in self.times
            for g in calibration(
                time,
                event,
                np.array([self.curves[int(leaf)](at) for leaf in nodes])[group],
                at,
                w,
                confidence=confidence,
            )
        ]
        names = ("time", "predicted", "observed", "low", "high", "rows")
        return SurvivalEvaluation(
            n_rows=len(time),
            n_events=float(w @ event),
            horizon=self.horizon,
            harrell=rank(None),
            uno=rank(self.censoring),
            brier=Estimate(scores.integrated, max(low, 0.0), high),
            baseline_brier=baseline.integrated,
            calibration=Listing(rows_to_columns(names, lines)),
            confidence=confidence,
            approximate=has_too_few_rows(len(time), n),
        )


def choose_horizon(
    time: Array, event: npt.NDArray[np.bool_], censoring: SurvivalCurve, horizon: Any
) -> float:
    """Return the horizon, by default the last event time with at least 10 % of rows at risk.

    Training rows must be observed up to it, because weights for censoring come from them.
    """
    last, is_known = float(censoring.time[-1]), bool(censoring.survival[-1] > 0)
    if horizon is None:
        # At `last`, the censoring weights are undefined if all remaining rows are censored.
        inside = event & (time > 0) & ((time <= last) if is_known else (time < last))
        if not inside.any():
            raise DataError(
                f"y must have an event at a time above 0 and {'at most' if is_known else 'below'} "
                f"{last:g}, the last time at which training rows are observed."
            )
        return min(default_horizon(time, event), float(time[inside].max()))
    if isinstance(horizon, bool) or not isinstance(horizon, int | float) or not horizon > 0:
        raise OptionError(f"horizon must be a time above 0, got {horizon!r}.")
    if horizon > last or (horizon == last and not is_known):
        raise OptionError(
            f"horizon must be {'at most' if is_known else 'below'} {last:g}, the last time at "
            f"which training rows are observed, got {horizon:g}."
        )
    return float(horizon)


def choose_times(
    time: Array, event: npt.NDArray[np.bool_], horizon: float, times: Any
) -> tuple[float, ...]:
    """Return the calibration times, by default the quartiles of the event times."""
    if times is None:
        inside = time[event & (time <= horizon) & (time > 0)]
        quartiles = np.quantile(inside if len(inside) else [horizon], [0.25, 0.5, 0.75])
        return tuple(np.unique(quartiles).tolist())
    try:
        chosen = np.atleast_1d(np.asarray(times, dtype=np.float64))
    except (TypeError, ValueError):
        chosen = np.array([np.nan])
    if chosen.ndim != 1 or not len(chosen) or not ((chosen > 0) & (chosen <= horizon)).all():
        raise OptionError(
            f"`times` must be numbers above 0 and at most the horizon, {horizon:g}, got {times!r}."
        )
    return tuple(np.unique(chosen).tolist())
