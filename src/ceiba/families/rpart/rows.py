"""The rows that rpart() grows a tree from: those with a target and at least one value.

method="exp": survival times are scaled so that the overall hazard is 1. The observed times are
carried to the cumulative hazard of all rows (Nelson's estimate with a constant rate between deaths,
unweighted): after that, survival of the whole is exponential, and a poisson tree of the deaths per
unit of scaled time is rpart's survival tree (LeBlanc and Crowley 1992; section 8 of rpart's long
introduction). Deaths closer than float64 can tell are one; of more than 1000 death times 1001
quantiles are used, as in R.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from warnings import warn

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import DataConversionWarning

from ceiba.errors import DataError
from ceiba.families.rpart.options import METHODS, RATES
from ceiba.table import Table, Target, described, read, read_target, read_weights
from ceiba.table.targets import (
    in_declared_order,
    is_named_target,
    present_rows,
    split_target,
    take_rows,
    target_outputs,
)

Array = npt.NDArray[np.float64]

_MAX_DEATH_TIMES = 1000


def scale_times(time: npt.ArrayLike, status: npt.ArrayLike) -> Array:
    """Carry observed times to the scale on which the overall hazard is 1."""
    t, died = _read_survival(time, status)
    deaths = _drop_near_ties(np.unique(t[died == 1]))
    if len(deaths) > _MAX_DEATH_TIMES:
        deaths = np.quantile(deaths, np.arange(_MAX_DEATH_TIMES + 1) / _MAX_DEATH_TIMES)
    borders = np.concatenate(([0.0], deaths[:-1], [t.max()]))
    length = np.diff(borders)
    # The interval of each row: open to the left, as R's cut has it.
    interval = np.clip(np.searchsorted(borders, t, side="left") - 1, 0, len(length) - 1)
    n = len(length)
    rows = np.bincount(interval, minlength=n)
    later = rows.sum() - np.cumsum(rows)
    exposed = length * later + np.bincount(interval, t - borders[interval], n)
    events = np.bincount(interval, died, n)
    rate = np.divide(events, exposed, out=np.zeros(n), where=exposed > 0)
    hazard = np.concatenate(([0.0], np.cumsum(rate * length)))
    return np.interp(t, borders, hazard)


def _drop_near_ties(times: Array) -> Array:
    """Drop death times that differ from the one before by rounding only."""
    indices = [0]
    for i in range(1, len(times)):
        if times[i] - times[indices[-1]] > np.finfo(np.float64).eps * times[i]:
            indices.append(i)
    return times[indices]


def _read_survival(time: npt.ArrayLike, status: npt.ArrayLike) -> tuple[Array, Array]:
    t, died = np.asarray(time, np.float64), np.asarray(status, np.float64)
    if not np.isfinite(t).all() or (t <= 0).any():
        row = int(np.argmin(np.where(np.isfinite(t), t, -1.0)))
        raise DataError(f"method='exp': row {row} has time {t[row]:g}. Times are above 0.")
    if not np.isin(died, (0.0, 1.0)).all():
        wrong = died[~np.isin(died, (0.0, 1.0))][0]
        raise DataError(
            "method='exp': status is 1 where the event happened, else 0 (or 2 and 1). Got "
            f"{wrong:g}. Write 'Surv(time, status == 2) ~ ...' for other codes."
        )
    if not died.any():
        raise DataError("method='exp': no row has status 1, so there is nothing to learn.")
    return t, died


class RpartRows(NamedTuple):
    """What was read; with observation times the target are rates and the weights case x time."""

    table: Table
    target: Target
    weight: Array | None
    cases: Array | None
    keep: npt.NDArray[np.bool_]  # per row of the data, whether it takes part

    @property
    def n_dropped(self) -> int:
        """Rows without a target, or without any value."""
        return int(len(self.keep) - np.count_nonzero(self.keep))


def read_rows(
    X: Any, y: Any, sample_weight: Any, exposure: Any, *, method: str, categorical_features: Any
) -> RpartRows:
    """Read the rows that have a target and at least one value; with `exposure` as rates."""
    name = None
    if isinstance(y, str):
        name, (X, y) = y, split_target(X, y)
    if isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] == 1:
        warn(
            "A column-vector y was passed when a 1d array was expected. Use y.ravel().",
            DataConversionWarning,
            stacklevel=6,
        )
    table = read(X, categorical_features=categorical_features)
    weight, time = read_weights(sample_weight, table.n_rows), _read_time(exposure, table.n_rows)
    keep = present_rows(y)
    if len(keep) != table.n_rows:
        raise DataError(
            "Found input variables with inconsistent numbers of samples: "
            f"[{table.n_rows}, {len(keep)}]. X has {table.n_rows} rows, y has {len(keep)}."
        )
    for_target = y
    keep &= ~np.logical_and.reduce([column.missing for column in table.columns])
    if not keep.all():
        if not keep.any():
            raise DataError(f"None of the {len(keep)} rows has both a target and a value in X.")
        table, for_target = described(table.take(keep)), take_rows(y, keep)
        weight = None if weight is None else weight[keep]
        time = None if time is None else time[keep]
        name = name or getattr(y, "name", None)
    target = read_target(for_target, task=METHODS[method][0], n_rows=table.n_rows, name=name)
    _refuse_target(target, method)
    target = in_declared_order(target, y)
    if time is None:
        return RpartRows(table, target, weight, None, keep)
    if method == "exp":
        time = scale_times(time, target.values[:, 0])
    cases = np.ones(len(time)) if weight is None else weight
    return RpartRows(table, _to_rates(target, time), cases * time, cases, keep)


def split_times_and_events(X: Any, y: Any, method: str, is_survival: bool) -> tuple[Any, Any, Any]:
    """Return the columns, the events and the times of a target of two columns; else as it is."""
    if isinstance(y, str) and method != "exp":
        return X, y, None
    if is_named_target(X, y):
        X, y = split_target(X, y)
    outputs, _ = target_outputs(y)
    if len(outputs) != 2:
        if method != "exp":
            return X, y, None
        raise DataError(
            "method='exp' needs two columns as y: the time and the status (1: the event happened). "
            f"Got {len(outputs)}. Write 'Surv(time, status) ~ ...', or pass y=['time', 'status']."
        )
    try:
        time, events = (np.array(output, np.float64) for output in outputs)
    except (TypeError, ValueError):
        raise DataError(
            f"method={method!r}: time and {'status' if is_survival else 'events'} must be numbers. "
            "Write 'Surv(time, status == \"dead\") ~ ...' for texts."
        ) from None
    codes = events[~np.isnan(events)]
    if is_survival and len(codes) and codes.max() == 2 and codes.min() >= 1:
        events -= 1.0  # 1: censored, 2: the event, as Surv reads it
    events[np.isnan(time)] = np.nan  # rows without a time are left out, too
    return X, events, np.where(np.isnan(events), 1.0, time)


def _refuse_target(target: Target, method: str) -> None:
    """Refuse what rpart has no method for."""
    if target.info.n_outputs > 1:
        raise DataError(
            f"rpart predicts one target; y has {target.info.n_outputs} outputs. Fit one model for "
            "each, or use DecisionTreeClassifier or DecisionTreeRegressor; with method='poisson', "
            "pass times as exposure=, or 'Surv(time, events) ~ ...'."
        )
    if method in RATES and (target.values < 0).any():
        row = int(np.argmax(target.values[:, 0] < 0))
        raise DataError(
            f"method='poisson' counts events, and row {row} has {target.values[row, 0]:g} of them. "
            "Some value(s) of y are negative: use method='anova'."
        )


def _read_time(exposure: Any, n_rows: int) -> Array | None:
    """Read observation times: one number above 0 for each row."""
    if exposure is None:
        return None
    try:
        time = np.ascontiguousarray(exposure, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"exposure must hold numbers ({error}).") from None
    if time.shape != (n_rows,):
        raise DataError(
            f"exposure must hold one observation time for each of the {n_rows} rows. Got shape "
            f"{time.shape}."
        )
    wrong = np.flatnonzero(~(np.isfinite(time) & (time > 0)))
    if len(wrong):
        raise DataError(
            f"exposure: row {int(wrong[0])} has {time[wrong[0]]}. Observation times are finite and "
            "above 0; leave out rows that were not observed."
        )
    return time


def _to_rates(target: Target, time: Array) -> Target:
    """Turn events and observation times into rates."""
    return Target(target.info, np.ascontiguousarray(target.values / time[:, None]))
