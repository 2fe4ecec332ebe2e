"""Columns at predict against columns at fit: by position, or by name.

By position (scikit-learn's rule), names that differ or stand in another order are scikit-learn's
error, with a hint; a table with names where there were none (or none where there were) gets its
warning. By name, order is free and further columns are ignored. In both, a column called like the
target is left out.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from ceiba.errors import DataWarning, SchemaError, did_you_mean
from ceiba.table.schema import Schema, listing

_LISTED = 5


def by_position(
    names: tuple[str, ...] | None, n_columns: int, schema: Schema, owner: str
) -> list[int]:
    """Return the positions in X of the columns of ``schema``, which must have the same order."""
    positions = _without_target(names, n_columns, schema)
    if names is not None and schema.named:
        kept = [names[j] for j in positions]
        if kept != list(schema.names):
            raise SchemaError(_difference(kept, schema.names))
        return positions
    if names is not None:
        _warn(f"X has feature names, but {owner} was fitted without feature names")
    elif schema.named:
        _warn(f"X does not have valid feature names, but {owner} was fitted with feature names")
    check_width(len(positions), schema, owner)
    return positions


def by_name(names: tuple[str, ...] | None, n_columns: int, schema: Schema, owner: str) -> list[int]:
    """Return the positions in X of the columns of ``schema``, found by their names.

    A table without names is taken by position.
    """
    if names is None or not schema.named:
        positions = _without_target(names, n_columns, schema)
        if names is not None and set(schema.names) <= set(names):
            return [names.index(name) for name in schema.names]
        check_width(len(positions), schema, owner)
        return positions
    position = {name: j for j, name in enumerate(names)}
    absent = [name for name in schema.names if name not in position]
    if absent:
        raise SchemaError(_absent(absent, names, schema))
    return [position[name] for name in schema.names]


def check_width(n_columns: int, schema: Schema, owner: str) -> None:
    """Raise scikit-learn's error if the number of columns differs."""
    if n_columns != schema.n_columns:
        raise SchemaError(
            f"X has {n_columns} features, but {owner} is expecting {schema.n_columns} features as "
            f"input: {listing(schema.names)}."
        )


def _without_target(names: tuple[str, ...] | None, n_columns: int, schema: Schema) -> list[int]:
    target = schema.target.name if schema.target is not None else None
    if names is None or target is None or target in schema.names:
        return list(range(n_columns))
    return [j for j, name in enumerate(names) if name != target]


def _warn(message: str) -> None:
    warnings.warn(message, DataWarning, stacklevel=5)


def _difference(names: Sequence[str], fitted: Sequence[str]) -> str:
    """Write scikit-learn's message, to the letter, and after it what may have been meant."""
    unseen = sorted(set(names) - set(fitted))
    absent = sorted(set(fitted) - set(names))
    lines = ["The feature names should match those that were passed during fit."]
    if unseen:
        lines += ["Feature names unseen at fit time:", *_bullets(unseen)]
    if absent:
        lines += ["Feature names seen at fit time, yet now missing:", *_bullets(absent)]
    if not unseen and not absent:
        lines += ["Feature names must be in the same order as they were in fit."]
        j = next(j for j, (got, was) in enumerate(zip(names, fitted, strict=True)) if got != was)
        lines += [f"The first difference: column {j} is {names[j]!r}, in fit it was {fitted[j]!r}."]
    for name in unseen[:_LISTED]:
        hint = did_you_mean(name, absent)
        if hint:
            lines.append(f"{name!r}:{hint}")
    return "\n".join(lines) + "\n"


def _absent(absent: Sequence[str], names: Sequence[str], schema: Schema) -> str:
    free = [name for name in names if name not in schema.names]
    lines = [f"X lacks {len(absent)} of the {schema.n_columns} columns seen when fitting:"]
    shown = [f"- {name}{_hint(name, free)}" for name in absent[:_LISTED]]
    lines += shown + ["- ..."] * (len(absent) > _LISTED)
    lines.append(f"X has {listing(tuple(names))}. Add the columns; None or NaN where unknown.")
    return "\n".join(lines)


def _hint(name: str, free: Sequence[str]) -> str:
    hint = did_you_mean(name, free)
    return hint.replace(" Did you mean", " (is it").replace("?", " in X?)") if hint else ""


def _bullets(names: Sequence[str]) -> list[str]:
    return [f"- {name}" for name in names[:_LISTED]] + ["- ..."] * (len(names) > _LISTED)
