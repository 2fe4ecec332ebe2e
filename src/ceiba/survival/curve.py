"""Kaplan-Meier curves with confidence bands, quantiles, restricted mean and cumulative hazard.

With d(i) events among n(i) rows at risk at the distinct time t(i), all of them weighted (Kaplan and
Meier 1958; Greenwood 1926; Nelson 1972 and Aalen 1978):

    S(t)  product over t(i) <= t of 1 - d(i) / n(i)
    V(t)  sum of d(i) / (n(i) (n(i) - d(i))), the variance of log S(t)
    H(t)  sum of d(i) / n(i), the cumulative hazard

The band is symmetric on the scale log(-log S): S^exp(+-z sqrt(V) / log S), as conf.type="log-log"
of R's survfit. A quantile is the first time at which the curve is at or below its level, the middle
of the step if the step lies exactly on the level; its interval is where the band crosses the level
(Brookmeyer and Crowley 1982). Weights count as repeated rows. Beyond its last time a curve stays
constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError, OptionError
from ceiba.formatting import format_number
from ceiba.survival.rows import Array, read_numbers, read_rows
from ceiba.words import words

_TIE: Final = 1.5e-8  # square root of float64's epsilon; closer values are ties, as in R's survfit


class Estimate(NamedTuple):
    """An estimate and its confidence bounds; infinity denotes a time that is not reached.

    Examples
    --------
    >>> from ceiba.survival import Estimate
    >>> Estimate(12.0, 8.0, float("inf")).text()
    '12 (8 to not reached)'
    """

    value: float
    low: float
    high: float

    def text(self, lang: str = "en") -> str:
        """Format the estimate and its confidence interval."""
        value, low, high = (format_time(time, lang) for time in self)
        between = words(lang)("evaluate.between", low=low, high=high)
        return value if self.value == self.low == np.inf else f"{value} ({between})"


def format_time(time: float, lang: str = "en") -> str:
    """Format a time with four significant digits, or as "not reached" if it is infinite."""
    return words(lang)["survival.not_reached"] if time == np.inf else format_number(time, 4)


@dataclass(frozen=True, eq=False)
class StepFunction:
    """A right-continuous step function, constant before its first and after its last step.

    The attributes and the call are those of scikit-survival's `StepFunction`.

    Parameters
    ----------
    x, y : float64 arrays
        Ascending positions, and the value from each position to the next.

    Examples
    --------
    >>> from ceiba.survival import StepFunction
    >>> StepFunction([0, 2, 5], [1.0, 0.6, 0.3])([1, 2, 9]).tolist()
    [1.0, 0.6, 0.3]
    """

    x: Array
    y: Array

    def __post_init__(self) -> None:
        for name in ("x", "y"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=np.float64))

    @property
    def domain(self) -> tuple[float, float]:
        """The positions of the first and the last step."""
        return float(self.x[0]), float(self.x[-1])

    def __call__(self, x: npt.ArrayLike) -> Any:
        """Return the values at the given positions."""
        at = np.searchsorted(self.x, np.asarray(x, dtype=np.float64), side="right") - 1
        return self.y[np.maximum(at, 0)]


@dataclass(frozen=True, eq=False)
class SurvivalCurve:
    """A Kaplan-Meier estimate of the survival function S.

    Parameters
    ----------
    time : float64 array
        Distinct times, ascending.
    at_risk, events : float64 arrays
        Weight of the rows at risk, and of the events, at each time.
    n : float, optional
        Weight of all rows; by default that of the rows at risk at the first time.

    Examples
    --------
    >>> from ceiba.survival import SurvivalCurve
    >>> curve = SurvivalCurve.from_rows([1, 2, 2, 3, 4, 5], [1, 1, 0, 1, 0, 1])
    >>> curve.survival.round(3).tolist()
    [0.833, 0.667, 0.444, 0.444, 0.0]
    >>> curve.median()
    Estimate(value=3.0, low=1.0, high=inf)
    >>> print(curve)
    n=6, events=4, median=3 (1 to not reached)
    """

    time: Array
    at_risk: Array
    events: Array
    n: float | None = None

    def __post_init__(self) -> None:
        columns = {name: read_numbers(getattr(self, name), name) for name in _COLUMNS}
        if len(set(sizes := [len(values) for values in columns.values()])) > 1 or not sizes[0]:
            raise DataError(
                f"time, at_risk and events must be non-empty and equally long, got lengths {sizes}."
            )
        if (np.diff(columns["time"]) <= 0).any():
            raise DataError("time must be strictly ascending.")
        # Allow for rounding errors in sums of weights.
        if (columns["events"] > columns["at_risk"] * (1 + 1e-9)).any():
            raise DataError("events must not exceed at_risk at any time.")
        for name, values in columns.items():
            object.__setattr__(self, name, values)
        if self.n is None:
            object.__setattr__(self, "n", float(self.at_risk[0]))

    @classmethod
    def from_rows(
        cls, time: npt.ArrayLike, event: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> SurvivalCurve:
        """Estimate the curve from rows, with a step for each distinct observed time."""
        distinct, at_risk, events, _ = _count_rows(time, event, sample_weight)
        return cls(distinct, at_risk, events)

    @classmethod
    def of_censoring(
        cls, time: npt.ArrayLike, event: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> SurvivalCurve:
        """Estimate the curve of the time to censoring, in which events count as censored.

        At equal times, events come first, so their rows are not at risk of censoring there.
        """
        distinct, at_risk, events, censored = _count_rows(time, event, sample_weight)
        # Rounding errors must not make the weight at risk smaller than the censored weight.
        return cls(distinct, np.maximum(at_risk - events, censored), censored, float(at_risk[0]))

    @property
    def n_events(self) -> float:
        """Total weight of the rows with an event."""
        return float(self.events.sum())

    @cached_property
    def survival(self) -> Array:
        """Estimated survival probability at each time."""
        with np.errstate(invalid="ignore"):
            factors = 1.0 - self.events / self.at_risk
        # If all rows at risk have the event, S is exactly 0, despite rounding in sums of weights.
        factors[self.events >= self.at_risk * (1 - 1e-12)] = 0.0
        factors[self.events == 0] = 1.0
        return np.asarray(np.cumprod(factors))

    @cached_property
    def hazard(self) -> Array:
        """Cumulative hazard at each time (Nelson-Aalen)."""
        share = np.zeros(len(self.time))
        np.divide(self.events, self.at_risk, out=share, where=self.events > 0)
        return np.asarray(np.cumsum(share))

    @cached_property
    def _variance(self) -> Array:
        """Greenwood's variance of the log survival probability at each time."""
        left = self.at_risk - self.events
        step = np.zeros(len(self.time))
        np.divide(self.events, self.at_risk * left, out=step, where=(self.events > 0) & (left > 0))
        return np.asarray(np.cumsum(step))

    def __call__(self, times: npt.ArrayLike) -> Any:
        """Return the survival probability at `times`; it is constant after the last step."""
        return self._steps(self.survival, 1.0)(times)

    def cumulative_hazard(self, times: npt.ArrayLike) -> Any:
        """Return the cumulative hazard at the given times."""
        return self._steps(self.hazard, 0.0)(times)

    def bands(self, confidence: float = 0.95) -> tuple[Array, Array]:
        """Return confidence bounds at each time, NaN where the survival probability is 0 or 1."""
        z = normal_quantile(confidence)
        inside = (self.survival > 0) & (self.survival < 1)
        s = np.where(inside, self.survival, np.nan)
        half = z * np.sqrt(self._variance) / np.log(s)  # log(s) is negative
        return s ** np.exp(-half), s ** np.exp(half)

    def survival_at(self, times: npt.ArrayLike, confidence: float = 0.95) -> tuple[Any, Any, Any]:
        """Return the survival probability and its confidence bounds at the given times."""
        low, high = self.bands(confidence)
        return (self(times), *(self._steps(bound, np.nan)(times) for bound in (low, high)))

    def quantile(self, q: float, confidence: float = 0.95) -> Estimate:
        """Return the time by which a share q of the rows has had the event (inf if not reached)."""
        if not 0 < q < 1:
            raise OptionError(f"q must be above 0 and below 1, got {q!r}.")
        low, high = self.bands(confidence)
        return Estimate(*(self._crossing(curve, 1 - q) for curve in (self.survival, low, high)))

    def median(self, confidence: float = 0.95) -> Estimate:
        """Return the median time (inf if not reached) with its confidence interval."""
        return self.quantile(0.5, confidence)

    def restricted_mean(self, horizon: float | None = None, confidence: float = 0.95) -> Estimate:
        """Return the restricted mean survival time, by default up to the last time of the curve."""
        end = float(self.time[-1]) if horizon is None else float(horizon)
        if not 0 < end < np.inf:
            raise OptionError(f"horizon must be above 0 and finite, got {end!r}.")
        inside = self.time < end
        x = np.concatenate([[0.0], self.time[inside], [end]])
        area = np.diff(x) * np.append(1.0, self.survival[inside])
        after = np.cumsum(area[::-1])[::-1][1:]  # area under the curve after each time
        # Greenwood's formula: an event at t changes S after t, so weight it by the area after t.
        step = np.diff(self._variance[inside], prepend=0.0)
        half = normal_quantile(confidence) * float(np.sqrt((after**2 * step).sum()))
        mean = float(area.sum())
        return Estimate(mean, max(mean - half, 0.0), min(mean + half, end))

    def step_function(self, kind: str = "survival") -> StepFunction:
        """Return the survival function, or the cumulative hazard (kind="hazard"), from time 0."""
        if kind not in ("survival", "hazard"):
            raise OptionError(f"kind must be 'survival' or 'hazard', got {kind!r}.")
        return self._steps(*((self.survival, 1.0) if kind == "survival" else (self.hazard, 0.0)))

    def text(self, lang: str = "en") -> str:
        """Format the numbers of rows and events, and the median with its interval, in one line."""
        return words(lang)(
            "survival.curve",
            rows=format_number(float(self.n or 0), 6),
            events=format_number(self.n_events, 6),
            median=self.median().text(lang),
        )

    def __str__(self) -> str:
        return self.text()

    def _steps(self, values: Array, start: float) -> StepFunction:
        if self.time[0] == 0:
            return StepFunction(self.time, values)
        return StepFunction(np.append(0.0, self.time), np.append(start, values))

    def _crossing(self, curve: Array, level: float) -> float:
        """Return the time at which a falling curve reaches a level (inf if it does not)."""
        # Comparisons with NaN are False, so undefined values of a band are not below the level.
        below = np.flatnonzero(curve < level + _TIE)
        if not len(below):
            return np.inf
        first = int(below[0])
        later = np.flatnonzero(curve < curve[first])
        if abs(curve[first] - level) < _TIE and len(later):
            return float(self.time[first] + self.time[later[0]]) / 2
        return float(self.time[first])


_COLUMNS: Final = ("time", "at_risk", "events")


def normal_quantile(confidence: float) -> float:
    """Return the normal quantile for a two-sided interval with this confidence level."""
    if not 0 < confidence < 1:
        raise OptionError(f"confidence must be above 0 and below 1, got {confidence!r}.")
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def _count_rows(
    time: npt.ArrayLike, event: npt.ArrayLike, sample_weight: npt.ArrayLike | None
) -> tuple[Array, Array, Array, Array]:
    """Return the distinct times, and for each the weights at risk, of events and of censorings."""
    times, is_event, weight = read_rows(time, event, sample_weight)
    some = weight > 0
    distinct, at = np.unique(times[some], return_inverse=True)
    events, censored = (
        np.bincount(at, (weight * mask)[some], len(distinct)).astype(np.float64)
        for mask in (is_event, ~is_event)
    )
    at_risk = np.cumsum((events + censored)[::-1])[::-1]
    return distinct, at_risk, events, censored
