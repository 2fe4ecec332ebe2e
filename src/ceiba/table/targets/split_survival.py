"""Split the columns of a survival target off a table, as in fit(frame, ("time", "status"))."""

from __future__ import annotations

from typing import Any

from ceiba.errors import DataError
from ceiba.table.targets.split_target import split_target
from ceiba.table.targets.survival import parse_surv, read_events, split_columns
from ceiba.table.targets.target import read_outputs


def split_survival(X: Any, y: Any, event: Any = None) -> tuple[Any, Any]:
    """Return a table without its target columns, and the target with its events coded as 0 and 1.

    `y` names columns of X ("Surv(time, status)", or time and status), or is a target; `event` is
    the code of the event.
    """
    names = parse_surv(y) if isinstance(y, str) else None
    if names is not None:
        X, y = split_target(X, [names.time, names.event])
        event = names.code if event is None else event
    elif isinstance(y, list | tuple) and len(y) == 2 and all(isinstance(name, str) for name in y):
        X, y = split_target(X, list(y))
    elif isinstance(y, str):
        X, y = split_target(X, [y])
    if event is None and (names is None or not names.as_in_r):
        return X, y
    outputs, label = read_outputs(y)
    time, status = split_columns(outputs)
    if status is None:
        raise DataError(f"event={event!r} requires a target with two columns, time and event.")
    label = label if isinstance(label, tuple) else ("time", "event")
    events = read_events(status, event, as_in_r=names is not None and names.as_in_r)
    # The name keeps the code, for rows that are evaluated later.
    coded = label[1] if event is None or "," in str(event) else f"{label[1]} == {event}"
    return X, {label[0]: time, coded: events}
