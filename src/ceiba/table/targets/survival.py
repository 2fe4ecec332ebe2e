"""Read survival targets, which are times and event indicators, from any container.

A target is a structured array (a boolean and a numeric field, as in scikit-survival), two columns
(time, then event), ``Surv(time, status)`` with column names, or times alone, all of them observed.
`Target.values` has a column of times and one of events (1.0, or 0.0 if right-censored).

`hazard_times` replaces each time by the cumulative hazard of all rows at this time (Nelson's
estimate with a constant rate between events), so that the overall hazard is 1. Overall survival is
then exponential, and a Poisson tree for events per unit of scaled time is a survival tree that
predicts relative hazards (LeBlanc and Crowley 1992).
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, Final, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError, DataTypeError
from ceiba.table.readers.objects import missing_mask

Array = npt.NDArray[np.float64]

_SURV = re.compile(r"\s*Surv\((?P<arguments>.*)\)\s*", re.DOTALL)
_NOT_SUPPORTED: Final = (
    "Left truncation, interval censoring and time-varying columns are not supported."
)
_CODE = re.compile(r"(?P<column>.+?)\s*==\s*(?P<code>.+)")


class SurvivalNames(NamedTuple):
    """The column names of a survival target, and the value that marks events."""

    time: str
    event: str
    code: str | None = None
    as_in_r: bool = False


def parse_surv(text: str) -> SurvivalNames | None:
    """Return the columns of ``Surv(time, status == 2)``, or None if `text` has another form."""
    match = _SURV.fullmatch(text)
    if match is None:
        return None
    time, *rest = (_unquote(part) for part in match["arguments"].split(","))
    if len(rest) != 1 or not time or not rest[0] or "=" in rest[0].replace("==", ""):
        raise DataError(
            f"{text!r}: Surv must have two unnamed arguments, time and event. {_NOT_SUPPORTED}"
        )
    code = _CODE.fullmatch(rest[0])
    if code is None:
        return SurvivalNames(time, rest[0], as_in_r=True)
    return SurvivalNames(time, _unquote(code["column"]), _unquote(code["code"]))


def _unquote(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "`'\"" else text


def split_columns(outputs: list[npt.NDArray[Any]]) -> tuple[Any, Any]:
    """Return the times and the events of a target; events are None if it has only times."""
    if len(outputs) == 1:
        return outputs[0], None
    if len(outputs) > 2:
        raise DataError(
            "A survival target must have one column (time) or two (time and event), got "
            f"{len(outputs)}. {_NOT_SUPPORTED}"
        )
    first, second = outputs
    if first.dtype.kind == "b" and second.dtype.kind != "b":  # scikit-survival's order
        return second, first
    return first, second


def read_times(values: npt.NDArray[Any]) -> Array:
    """Return times as floats; raise an error if they are negative or not numbers."""
    if values.dtype.kind in "mM":
        raise DataTypeError(
            f"Times must be numeric, got {values.dtype}. Convert dates to durations by subtracting "
            "a start date, then divide durations by a unit such as np.timedelta64(1, 'D')."
        )
    try:
        time = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise DataTypeError(
            f"Times must be numeric, got {values.dtype} ({values[0]!r}, ...)."
        ) from None
    wrong = np.flatnonzero(time < 0)
    if len(wrong):
        row = int(wrong[0])
        raise DataError(f"Times must be at least 0, got {time[row]:g} in row {row}.")
    return time


def read_events(values: npt.NDArray[Any], code: Any = None, *, as_in_r: bool = False) -> Array:
    """Convert event values to 1.0 (observed), 0.0 (censored) and NaN (missing)."""
    if values.dtype.kind in "biuf":
        numbers = values.astype(np.float64)
        levels = np.unique(numbers[~np.isnan(numbers)]).tolist()
    else:  # encode the event values in the order of their strings
        missing = missing_mask(values.tolist())
        present = values if missing is None else values[~missing]
        levels = sorted(dict.fromkeys(present.tolist()), key=str)
        places = {level: k for k, level in enumerate(levels)}
        numbers = np.array([places.get(value, np.nan) for value in values.tolist()], np.float64)
    codes: Any = None  # event code of each level
    if code is None and set(levels) <= {0, 1}:
        codes = np.array(levels, np.float64)
    elif code is None and as_in_r and set(levels) <= {1, 2}:
        codes = np.array(levels, np.float64) - 1.0
    elif code is not None and len(levels) <= 2:
        codes = np.array([_is_code(level, code) for level in levels], np.float64)
    if codes is None or (code is not None and not codes.any()):
        _refuse_codes(levels, code)
    if values.dtype.kind in "biuf":
        numbers = np.where(np.isnan(numbers), np.nan, np.searchsorted(levels, numbers))
    present_rows = ~np.isnan(numbers)
    events = np.full(len(values), np.nan)
    events[present_rows] = codes[numbers[present_rows].astype(np.intp)]
    return events


def _is_code(level: Any, code: Any) -> bool:
    """Whether a value is the code of the event, which may be passed as a string."""
    code = {"True": True, "False": False}.get(str(code), code)
    try:
        return bool(level == code or float(level) == float(code))
    except (TypeError, ValueError):
        return str(level) == str(code)


def _refuse_codes(levels: list[Any], code: Any) -> NoReturn:
    """Raise the error that applies to these invalid event values."""
    levels = [int(v) if isinstance(v, float) and v.is_integer() else v for v in levels]
    codes = ", ".join(map(repr, levels[:5])) + ", ..." * (len(levels) > 5)
    if len(levels) > 2:
        raise DataError(
            f"Events must have at most two values, got {codes}. Competing risks are not supported: "
            "pass a column that is True for the event and False otherwise."
        )
    if code is None:
        raise DataError(
            f"Events must be 1 (observed) or 0 (censored), got {codes}. Pass the code of the "
            f"event, e.g. event={levels[-1]!r}."
        )
    raise DataError(f"event={code!r} does not occur among the events. Values: {codes}.")


def check_observed(event: Array, weight: Array | None = None) -> None:
    """Raise an error if no row with a positive weight has an observed event."""
    if not (event > 0 if weight is None else (event > 0) & (weight > 0)).any():
        raise DataError(
            "At least one row with a positive weight must have an observed event, got none."
        )


def hazard_times(time: Array, event: Array, weight: Array | None = None) -> Array:
    """Transform times so that the overall hazard is 1; all transformed times are positive."""
    has_weight = np.ones(len(time), bool) if weight is None else weight > 0
    if not time.all():  # a time of 0 counts as half the smallest positive time
        positive = time[(time > 0) & has_weight]
        time = np.where(time > 0, time, positive.min() / 2 if len(positive) else 1.0)
    return cumulative_hazard(time, event, np.unique(time[(event > 0) & has_weight]), weight)


def cumulative_hazard(
    time: Array, event: Array, event_times: Array, weight: Array | None = None
) -> Array:
    """Return the cumulative hazard at each time; its rate is constant between event times."""
    borders = np.concatenate(([0.0], event_times[:-1], [time.max()]))
    length = np.diff(borders)
    n = len(length)
    # Intervals are open on the left, as in R's `cut`.
    interval = np.clip(np.searchsorted(borders, time, side="left") - 1, 0, n - 1)
    cases = np.ones(len(time)) if weight is None else weight
    rows = np.bincount(interval, cases, n)
    later = rows.sum() - np.cumsum(rows)
    exposed = length * later + np.bincount(interval, cases * (time - borders[interval]), n)
    events = np.bincount(interval, cases * event, n)
    rate = np.divide(events, exposed, out=np.zeros(n), where=exposed > 0)
    return np.interp(time, borders, np.concatenate(([0.0], np.cumsum(rate * length))))


def log_rank_scores(values: Array) -> Array:
    """Return log-rank scores: event (1 or 0) minus the Nelson-Aalen estimate at the row's time."""
    rank = np.unique(values[:, 0], return_inverse=True)[1]
    leaving = np.bincount(rank)
    at_risk = leaving[::-1].cumsum()[::-1]
    hazard = np.cumsum(np.bincount(rank, values[:, 1]) / at_risk)
    return np.asarray(values[:, 1] - hazard[rank])


def risk_sets(
    values: Array, group: npt.NDArray[Any], n_groups: int
) -> tuple[Array, npt.NDArray[Any], npt.NDArray[Any]]:
    """Return rows at risk by group and event time, events by event time, and events by group."""
    time, event = values.T
    event_times = np.unique(time[event > 0])
    n_times = np.searchsorted(event_times, time, side="right")  # number of event times <= time
    shape = (n_groups, len(event_times) + 1)
    cells = np.bincount(group * shape[1] + n_times, minlength=shape[0] * shape[1]).reshape(shape)
    at_risk = cells[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:].astype(np.float64)
    n_events = np.bincount(n_times[event > 0], minlength=shape[1])[1:]
    return at_risk, n_events, np.bincount(group, event, minlength=n_groups)


def log_rank_chi_square(values: Array, group: npt.NDArray[Any], n_groups: int) -> float:
    """Return the chi-square statistic of the log-rank test between groups."""
    at_risk, n_events, observed = risk_sets(values, group, n_groups)
    total = at_risk.sum(axis=0)
    share = at_risk / total
    spread = n_events * (total - n_events) / np.maximum(total - 1, 1)
    excess = (observed - share @ n_events)[:-1]  # omit one group, as the sum over groups is 0
    variance = np.diag(share @ spread) - (share * spread) @ share.T
    return float(excess @ np.linalg.pinv(variance[:-1, :-1], hermitian=True) @ excess)


class HazardTarget:
    """A survival target for growing trees, as event rates per unit of scaled time."""

    def __init__(self, values: Array, weight: Array | None) -> None:
        self.event = np.ascontiguousarray(values[:, 1])  # 1 for observed and 0 for censored rows
        check_observed(self.event, weight)
        self.cases = np.ones(len(values)) if weight is None else weight
        self.time = hazard_times(values[:, 0], self.event, weight)  # scaled
        self._observed = values[:, 0]

    @cached_property
    def rate(self) -> Array:
        """The event rate of each row per unit of scaled time."""
        return np.asarray(self.event / self.time)

    @cached_property
    def overall(self) -> float:
        """The overall hazard, which is 1 except for rounding errors."""
        return float(self.cases @ self.event / (self.cases @ self.time))

    @cached_property
    def event_rank(self) -> npt.NDArray[np.uint32]:
        """For each row, the number of distinct event times up to and including its time."""
        times = np.unique(self._observed[self.event > 0])
        return np.searchsorted(times, self._observed, side="right").astype(np.uint32)
