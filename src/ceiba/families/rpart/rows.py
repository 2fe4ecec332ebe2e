"""Select the rows with a target and at least one non-missing feature, as rpart does.

method="exp": survival times are scaled so that the overall hazard is 1. Observed times become the
cumulative hazard of all rows at these times (Nelson's estimate with a constant rate between deaths,
unweighted): overall survival is then exponential, and a poisson tree of the deaths per unit of
scaled time is rpart's survival tree (LeBlanc and Crowley 1992). Death times that differ by rounding
only are merged; more than 1000 of them are replaced by 1001 quantiles, as in R.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from warnings import warn

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import DataConversionWarning

from ceiba.errors import DataError
from ceiba.families.rpart.options import METHODS, RATES
from ceiba.table import Table, Target, fit_schema, read, read_target, read_weights
from ceiba.table.targets import (
    cumulative_hazard,
    find_present_rows,
    order_as_declared,
    pop_target,
    read_outputs,
    split_target,
    take_rows,
)

Array = npt.NDArray[np.float64]

_MAX_DEATH_TIMES = 1000


def scale_times(time: npt.ArrayLike, status: npt.ArrayLike) -> Array:
    """Return observed times rescaled so that all rows together have a constant hazard of 1."""
    t, died = np.asarray(time, np.float64), np.asarray(status, np.float64)
    if not np.isfinite(t).all() or (t <= 0).any():
        row = int(np.argmin(np.where(np.isfinite(t), t, -1.0)))
        raise DataError(f"Survival times must be finite and above 0, got {t[row]:g} in row {row}.")
    if not np.isin(died, (0.0, 1.0)).all():
        wrong = died[~np.isin(died, (0.0, 1.0))][0]
        raise DataError(
            "method='exp': status must be 1 for an event and 0 otherwise (or 2 and 1), got "
            f"{wrong:g}. For other codes, use 'Surv(time, status == 2) ~ ...'."
        )
    if not died.any():
        raise DataError("method='exp': at least one row must have an event (status 1), got none.")
    times = np.unique(t[died == 1])
    indices = [0]
    for i in range(1, len(times)):  # skip times that differ only by rounding errors
        if times[i] - times[indices[-1]] > np.finfo(np.float64).eps * times[i]:
            indices.append(i)
    deaths = times[indices]
    if len(deaths) > _MAX_DEATH_TIMES:
        deaths = np.quantile(deaths, np.arange(_MAX_DEATH_TIMES + 1) / _MAX_DEATH_TIMES)
    return cumulative_hazard(t, died, deaths)


class RpartRows(NamedTuple):
    """Table, target and weights of the rows that rpart uses."""

    table: Table
    target: Target
    weight: Array | None
    cases: Array | None
    keep: npt.NDArray[np.bool_]  # mask of the rows in use


def read_rows(
    X: Any, y: Any, sample_weight: Any, exposure: Any, *, method: str, categorical_features: Any
) -> RpartRows:
    """Return the rows that have a target and at least one non-missing feature."""
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
    keep = find_present_rows(y, table.n_rows)
    for_target = y
    keep &= ~np.logical_and.reduce([column.missing for column in table.columns])
    if not keep.all():
        if not keep.any():
            raise DataError("At least one row must have a target and a non-missing feature.")
        table, for_target = fit_schema(table.take(keep)), take_rows(y, keep)
        weight = None if weight is None else weight[keep]
        time = None if time is None else time[keep]
        name = name or getattr(y, "name", None)
    target = read_target(for_target, task=METHODS[method][0], n_rows=table.n_rows, name=name)
    _refuse_target(target, method)
    target = order_as_declared(target, y)
    if time is None:
        return RpartRows(table, target, weight, None, keep)
    if method == "exp":
        time = scale_times(time, target.values[:, 0])
    cases = np.ones(len(time)) if weight is None else weight
    rates = Target(target.info, np.ascontiguousarray(target.values / time[:, None]))
    return RpartRows(table, rates, cases * time, cases, keep)


def split_times_and_events(X: Any, y: Any, method: str, is_survival: bool) -> tuple[Any, Any, Any]:
    """Return X, events and times for a two-column target, otherwise X, y and None."""
    if isinstance(y, str) and method != "exp":
        return X, y, None
    X, y = pop_target(X, y)
    outputs, _ = read_outputs(y)
    if len(outputs) != 2:
        if method != "exp":
            return X, y, None
        raise DataError(
            "method='exp' requires two columns in y, the time and the status (1 for an event), "
            f"got {len(outputs)}. Use 'Surv(time, status) ~ ...', or y=['time', 'status']."
        )
    try:
        time, events = (np.array(output, np.float64) for output in outputs)
    except (TypeError, ValueError):
        raise DataError(
            f"method={method!r}: time and {'status' if is_survival else 'events'} must be numeric. "
            "For a status of strings, use 'Surv(time, status == \"dead\") ~ ...'."
        ) from None
    codes = events[~np.isnan(events)]
    if is_survival and len(codes) and codes.max() == 2 and codes.min() >= 1:
        events -= 1.0  # R's Surv also accepts 1 for censored rows and 2 for events
    events[np.isnan(time)] = np.nan  # drop rows without a time
    return X, events, np.where(np.isnan(events), 1.0, time)


def _refuse_target(target: Target, method: str) -> None:
    """Raise an error for targets that rpart does not support."""
    if target.info.n_outputs > 1:
        raise DataError(
            f"rpart requires a single-output target, got {target.info.n_outputs} outputs. Fit one "
            "model per output, or use a DecisionTree class. With method='poisson', pass "
            "exposure=times, or use 'Surv(time, events) ~ ...'."
        )
    if method in RATES and (target.values < 0).any():
        row = int(np.argmax(target.values[:, 0] < 0))
        raise DataError(
            f"method={method!r} requires a non-negative target, got {target.values[row, 0]:g} in "
            f"row {row}. For targets with negative values, pass method='anova'."
        )


def _read_time(exposure: Any, n_rows: int) -> Array | None:
    """Return the validated observation times, or None if there is no exposure."""
    if exposure is None:
        return None
    try:
        time = np.ascontiguousarray(exposure, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"exposure must contain numbers ({error}).") from None
    if time.shape != (n_rows,):
        raise DataError(
            f"exposure must have one time for each of the {n_rows} rows, got shape {time.shape}."
        )
    wrong = np.flatnonzero(~(np.isfinite(time) & (time > 0)))
    if len(wrong):
        raise DataError(
            f"exposure must contain finite numbers above 0, got {time[wrong[0]]} in row "
            f"{int(wrong[0])}. Leave out rows that were not observed."
        )
    return time
