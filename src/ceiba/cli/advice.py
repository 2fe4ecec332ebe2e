"""What a good colleague would point out before learning: leaks, identifiers, rare classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import polars as pl

_MOST_ROWS: Final = 20_000
_RARE: Final = 5
_MANY_MISSING: Final = 0.05


def advice(frame: pl.DataFrame, y: pl.Series, task: str, n_missing: int) -> list[str]:
    """Give remarks about the columns and the target, in words.

    Parameters
    ----------
    frame : polars DataFrame
        The columns to learn from.
    y : polars Series
        The target, nothing missing.
    task : str
    n_missing : int
        Rows left out because their target was missing.
    """
    found = []
    total = len(y) + n_missing
    if n_missing > _MANY_MISSING * total:
        found.append(
            f"{n_missing} of {total} rows have no {y.name!r} and are left out. If they are not "
            "missing at random, the tree learns something else than you think."
        )
    if task == "classification":
        counts = y.value_counts().sort("count")
        rare = counts.filter(counts["count"] < _RARE)
        for label, n in rare.rows()[:3]:
            found.append(f"Class {label!r} has only {n} row{'s' if n > 1 else ''}.")
    found += [text for name in frame.columns if (text := _identifier(frame[name]))]
    found += _leaks(frame, y, task)
    return found


def _identifier(series: Any) -> str:
    """Say that a column of numbers or dates is different in every row."""
    present = series.drop_nulls()
    n = len(present)
    if n < 20 or not (present.dtype.is_integer() or present.dtype.is_temporal()):
        return ""
    if present.n_unique() < n:
        return ""
    name = series.name
    if present.dtype.is_temporal():
        return (
            f"Column {name!r} has another date in each row, and no new row will have any of them. "
            f"Leave it out (--drop {name}), or make columns such as the month."
        )
    if int(present.max()) - int(present.min()) < 2 * n:
        return f"Column {name!r} counts the rows: an identifier. Leave it out (--drop {name})."
    return ""


def _leaks(frame: pl.DataFrame, y: pl.Series, task: str) -> list[str]:
    """Find columns that alone decide the target: a tree of two questions without mistakes."""
    from ceiba import estimators

    if len(y) < 30:
        return []
    if len(y) > _MOST_ROWS:
        rows = y.to_frame("y").with_row_index().sample(_MOST_ROWS, seed=0)["index"]
        frame, y = frame[rows], y[rows]
    found = []
    kind: Any = estimators.DecisionTreeClassifier
    if task == "regression":
        kind = estimators.DecisionTreeRegressor
    for name in frame.columns:
        model = kind(max_leaf_nodes=3, min_samples_leaf=max(2, len(y) // 200))
        try:
            model.fit(frame.select(name), y.to_numpy() if task == "regression" else y.to_list())
        except ValueError:  # a column without values says nothing
            continue
        tree = model.tree_
        if tree.n_leaves > 1 and tree.tree_risk <= 0.005 * float(tree.risk[0]):
            found.append(
                f"Column {name!r} alone decides {y.name!r}. Is it known before {y.name!r} is? If "
                f"not, it is a leak: leave it out (--drop {name})."
            )
    return found
