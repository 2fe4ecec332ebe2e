"""A fitted Pipeline around a tree as one tree on the raw columns, which every format can express.

Steps that are known: SimpleImputer, StandardScaler, MinMaxScaler, OrdinalEncoder, OneHotEncoder,
ColumnTransformer of them, "passthrough" and "drop". What they make of a column is a function of one
raw column that rises with a number, or gives a number to each level. So a cut on the made column is
a cut on the raw one (found to the last bit by bisection over floats) or a set of its levels, and
missing values go where the imputed value goes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ceiba.errors import OptionError, TreeError
from ceiba.table import ColumnInfo, Kind, Schema
from ceiba.tree import Cut, LevelSets, Presence, SplitTable, Tree, check

_UNKNOWN = object()  # a level that the encoder has not seen


@dataclass(frozen=True)
class _Made:
    """A column that the steps make: its raw column, its levels if it has any, and its value."""

    raw: str
    levels: tuple[Any, ...] | None
    value: Callable[[Any], Any]  # of a raw value; None is missing, _UNKNOWN a new level


def pipeline_tree(pipeline: Any) -> Tree:
    """Return the tree of a fitted Pipeline as a tree on the columns that the Pipeline takes.

    Parameters
    ----------
    pipeline : sklearn Pipeline
        Fitted on a frame; its last step is an estimator of ceiba.

    Returns
    -------
    Tree
        Predicts from raw rows as the Pipeline does; can be saved and exported.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> import ceiba
    >>> from ceiba.export.pipeline import pipeline_tree
    >>> model = make_pipeline(StandardScaler(), ceiba.DecisionTreeClassifier())
    >>> model = model.fit(pd.DataFrame({"age": [20.0, 30.0, 40.0]}), ["a", "a", "b"])
    >>> pipeline_tree(model).predict({"age": [31.0, 39.0]}).tolist()
    ['a', 'b']
    """
    steps = [step for _, step in pipeline.steps]
    tree = getattr(steps[-1], "tree_", None)
    names = getattr(pipeline, "feature_names_in_", None)
    if not isinstance(tree, Tree) or names is None:
        raise OptionError(
            "pipeline_tree takes a Pipeline that was fitted on a frame and ends in an estimator of "
            "ceiba."
        )
    made = [_Made(str(name), None, _number) for name in names]
    for step in steps[:-1]:
        made = _after(step, made)
    if len(made) != tree.schema.n_columns:
        raise TreeError("The steps make another number of columns than the tree was fitted on.")
    return _on_raw(tree, made, [str(name) for name in names])


def _number(value: Any) -> Any:
    return None if value is None else value


# ---------------------------------------------------------------------- steps


def _after(step: Any, made: list[_Made]) -> list[_Made]:
    kind = type(step).__name__
    if step is None or step == "passthrough":
        return made
    if kind == "FunctionTransformer" and step.func is None:  # what "passthrough" becomes
        return made
    if step == "drop":
        return []
    if kind == "Pipeline":
        for _, inner in step.steps:
            made = _after(inner, made)
        return made
    if kind == "ColumnTransformer":
        return _columns(step, made)
    known = {
        "SimpleImputer": _imputed,
        "StandardScaler": _scaled,
        "MinMaxScaler": _ranged,
        "OrdinalEncoder": _ordinal,
        "OneHotEncoder": _one_hot,
    }
    if kind not in known:
        raise OptionError(f"The step {kind} is not known. Known are {', '.join(known)}.")
    return known[kind](step, made)


def _columns(step: Any, made: list[_Made]) -> list[_Made]:
    position = {name: j for j, name in enumerate(getattr(step, "feature_names_in_", ()))}
    out: list[_Made] = []
    for _, inner, columns in step.transformers_:
        places = range(len(made))[columns] if isinstance(columns, slice) else columns
        listed: list[Any] = [places] if isinstance(places, str | int) else list(places)
        if listed and isinstance(listed[0], bool | np.bool_):
            listed = np.flatnonzero(listed).tolist()
        part = [made[position[one] if isinstance(one, str) else one] for one in listed]
        out += _after(inner, part)
    return out


def _then(one: _Made, after: Callable[[Any], Any], levels: Any = None) -> _Made:
    before = one.value
    return _Made(one.raw, one.levels if levels is None else levels, lambda v: after(before(v)))


def _imputed(step: Any, made: list[_Made]) -> list[_Made]:
    holes = step.missing_values
    if step.add_indicator or not (holes is None or holes != holes):
        raise OptionError("SimpleImputer: only NaN is imputed, without an indicator.")

    def filled(one: _Made, fill: Any) -> _Made:
        known = None if fill is None or fill != fill else fill
        return _then(one, lambda v: known if v is None else v)

    return [filled(one, fill) for one, fill in zip(made, step.statistics_.tolist(), strict=True)]


def _scaled(step: Any, made: list[_Made]) -> list[_Made]:
    means = np.zeros(len(made)) if step.mean_ is None or not step.with_mean else step.mean_
    scales = np.ones(len(made)) if step.scale_ is None else step.scale_

    def moved(one: _Made, mean: Any, scale: Any) -> _Made:
        return _then(one, lambda v: None if v is None else (np.float64(v) - mean) / scale)

    return [moved(*three) for three in zip(made, means, scales, strict=True)]


def _ranged(step: Any, made: list[_Made]) -> list[_Made]:
    if step.clip:
        raise OptionError("MinMaxScaler(clip=True) is not known.")

    def moved(one: _Made, least: Any, scale: Any) -> _Made:
        return _then(one, lambda v: None if v is None else np.float64(v) * scale + least)

    return [moved(*three) for three in zip(made, step.min_, step.scale_, strict=True)]


def _ordinal(step: Any, made: list[_Made]) -> list[_Made]:
    unknown = step.unknown_value if step.handle_unknown == "use_encoded_value" else _UNKNOWN

    def coded(one: _Made, levels: list[Any]) -> _Made:
        known = tuple(level for level in levels if level is not None and level == level)
        code = {level: float(k) for k, level in enumerate(levels)}
        return _then(one, lambda v: None if v is None else code.get(v, unknown), known)

    return [coded(one, levels.tolist())
            for one, levels in zip(made, step.categories_, strict=True)]  # fmt: skip


def _one_hot(step: Any, made: list[_Made]) -> list[_Made]:
    if step.drop_idx_ is not None or getattr(step, "_infrequent_enabled", False):
        raise OptionError("OneHotEncoder: drop and infrequent categories are not known.")
    unknown = 0.0 if step.handle_unknown in ("ignore", "warn") else _UNKNOWN
    out = []
    for one, levels in zip(made, step.categories_, strict=True):
        known = [level for level in levels.tolist() if level is not None and level == level]
        has_missing = len(known) < len(levels)
        for level in levels.tolist():
            missing = level is None or level != level

            fits = _indicator(level, missing, has_missing, frozenset(known), unknown)
            out.append(_then(one, fits, tuple(known)))
    return out


def _indicator(
    level: Any, missing: bool, has_missing: bool, known: frozenset[Any], unknown: Any
) -> Callable[[Any], Any]:
    """Return the function that says whether a raw value is a level of a one-hot encoder."""

    def fits(value: Any) -> Any:
        if value is None:
            return float(missing) if has_missing else unknown
        return float(value == level) if value in known else unknown

    return fits


# ---------------------------------------------------------------------- the tree


def _on_raw(tree: Tree, made: list[_Made], names: list[str]) -> Tree:
    levels: dict[str, tuple[Any, ...]] = {}
    for one in made:
        if one.levels is not None:
            levels[one.raw] = one.levels
    infos = tuple(
        ColumnInfo(name, Kind.CATEGORICAL, levels[name]) if name in levels
        else ColumnInfo(name, Kind.NUMERIC)
        for name in names
    )  # fmt: skip
    schema = Schema(infos, tree.target, named=True)
    splits: list[Any] = [None] * tree.n_nodes
    default = tree.default_branch.copy()
    unknown_sides: set[bool] = set()
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        split = tree.node(node).split
        one = made[int(tree.splits.column[node])]
        if isinstance(split, Presence) and one.levels is None and one.value(None) is None:
            splits[node] = Presence(one.raw)
            continue
        if not isinstance(split, Cut):
            raise TreeError("Only cuts on the columns that the steps make can be carried back.")
        splits[node], missing, unknown = _carried(one, split, int(default[node]))
        default[node] = missing
        if unknown is not None:
            unknown_sides.add(unknown == missing)
    if False in unknown_sides:
        raise TreeError(
            "New levels go another way than missing values at some node, which a tree cannot "
            "express. Use handle_unknown='error' in the encoder."
        )
    carried = replace(
        tree,
        schema=schema,
        splits=SplitTable.from_splits(splits, schema),
        default_branch=default,
        missing="majority",
        unseen="missing" if unknown_sides else "error" if levels else "majority",
        surrogates=None,
        competitors=None,
        tests=None,
    )
    check(carried)
    return carried


def _carried(one: _Made, split: Cut, default: int) -> tuple[Any, int, int | None]:
    """Return the split on the raw column, the branch of missing values and of new levels."""

    def side(value: Any) -> int | None:
        made = one.value(value)
        if made is _UNKNOWN:
            return None
        if made is None or made != made:
            return default
        low = made <= split.cut
        return split.low_branch if low else 1 - split.low_branch

    missing = side(None)
    missing = default if missing is None else missing
    if one.levels is None:
        cut = _raw_cut(lambda x: bool(one.value(x) <= split.cut))
        return Cut(one.raw, cut, split.low_branch), missing, None
    groups: tuple[list[Any], list[Any]] = ([], [])
    for level in one.levels:
        branch = side(level)
        assert branch is not None  # a level of the encoder
        groups[branch].append(level)
    if not all(groups):
        raise TreeError(
            f"All levels of {one.raw!r} go one way at a node; it cannot be carried back."
        )
    return LevelSets(one.raw, (tuple(groups[0]), tuple(groups[1]))), missing, side(_UNKNOWN)


def _raw_cut(is_low: Callable[[float], bool]) -> float:
    """Return the largest float that is low, by bisection over the order of floats."""

    def at(key: int) -> float:
        bits = key if key >= 0 else -(key + 1) | (1 << 63)
        return float(np.array([bits & (2**64 - 1)], np.uint64).view(np.float64)[0])

    biggest = int(np.array([np.finfo(np.float64).max]).view(np.int64)[0])
    low, high = -biggest - 1, biggest
    with np.errstate(over="ignore"):
        if not is_low(at(low)) or is_low(at(high)):
            raise TreeError("A cut lies beyond all numbers of its raw column.")
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if is_low(at(middle)) else (low, middle)
    return at(low)
