"""Convert a fitted Pipeline that ends in a tree to a single tree that splits on the raw columns.

Each column that the supported steps (`pipeline_steps.py`) produce is a function of one raw column,
and a monotone one for numbers. So the steps are treated as black boxes: a cut on a scaled column
becomes the largest raw float that goes to the low branch, found by a search among all floats; a cut
on an encoded column becomes one set of levels per branch. Missing values and unknown levels go
where the steps send them; if necessary, a surrogate that tests for presence separates the two.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from ceiba.errors import CeibaError, OptionError, TreeError
from ceiba.export.pipeline_steps import DerivedColumn, derive_columns
from ceiba.table import ColumnInfo, Kind, Schema, Table
from ceiba.tree import (
    Array,
    Cut,
    LevelSets,
    Presence,
    SplitTable,
    Tree,
    check,
    take_attachments,
    take_notes,
)
from ceiba.tree.routing import MISSING, TO_ROOT, evaluate_split, route_at_node
from ceiba.tree.routing.route import read
from ceiba.tree.splits import Split, SurrogateTable

_REFUSED: Final = -9  # branch of values for which the Pipeline raises an error
_BY_RULES: Final = -8  # branch of values that surrogates or fractional weights decide
_MAX_NUMBER: Final = 1e150  # limit of the search for cuts, so that scaled numbers stay finite


def pipeline_tree(pipeline: Any) -> Tree:
    """Return the tree of a fitted Pipeline, with splits on the Pipeline's input columns.

    Parameters
    ----------
    pipeline : sklearn Pipeline
        Its last step is a fitted estimator of ceiba. Supported steps before it:
        SimpleImputer, StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler, OrdinalEncoder,
        OneHotEncoder, "passthrough", "drop", and ColumnTransformers and Pipelines of these.

    Returns
    -------
    Tree
        Predicts raw rows as the Pipeline does, missing values and unknown levels included;
        can be saved and exported. Numbers are float64. If fit saw no missing values, surrogates
        and fractions are dropped, and the tree raises an error for values that they would route.

    Raises
    ------
    OptionError
        If a step is not supported.
    TreeError
        If a split of the tree is not equivalent to a split on one raw column.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> import ceiba
    >>> from ceiba.export import pipeline_tree
    >>> model = make_pipeline(StandardScaler(), ceiba.DecisionTreeClassifier())
    >>> model = model.fit(pd.DataFrame({"age": [20.0, 30.0, 40.0]}), ["a", "a", "b"])
    >>> pipeline_tree(model).predict({"age": [31.0, 39.0]}).tolist()
    ['a', 'b']
    """
    steps = [step for _, step in getattr(pipeline, "steps", ())]
    tree = getattr(steps[-1], "tree_", None) if steps else None
    if not isinstance(tree, Tree):
        raise OptionError(
            "pipeline must be a Pipeline that ends in a fitted ceiba estimator, got "
            f"{pipeline!r:.200}."
        )
    names = getattr(pipeline, "feature_names_in_", None)
    columns = [DerivedColumn(raw) for raw in range(pipeline.n_features_in_)]
    for step in steps[:-1]:
        columns = derive_columns(step, columns)
    if (got := len(columns)) != (n := tree.schema.n_columns):
        raise TreeError(f"The tree was fitted on {n} columns, but the steps before it yield {got}.")
    columns = _resolve_kinds(tree, columns)
    probe = _Probe(pipeline, tree, columns, None if names is None else tuple(names))
    return _to_raw_columns(tree, probe)


def _resolve_kinds(tree: Tree, columns: list[DerivedColumn]) -> list[DerivedColumn]:
    """Set the kind "levels" for categorical columns, and "number" for other imputed columns."""
    resolved = []
    for column, info in zip(columns, tree.schema.columns, strict=True):
        if column.kind in ("same", "filled") and not info.is_numeric:
            column = DerivedColumn(column.raw, "levels", info.levels)
        elif column.kind == "filled":
            column = replace(column, kind="number")
        resolved.append(column)
    return resolved


# ---------------------------------------------------------------------- probing the steps


@dataclass(frozen=True)
class _Probe:
    """A Pipeline and its tree, probed with test rows to find the branch of each raw value."""

    pipeline: Any
    tree: Tree
    columns: list[DerivedColumn]
    names: tuple[str, ...] | None
    cache: dict[tuple[Any, ...], Table] = field(default_factory=dict)

    @cached_property
    def defaults(self) -> list[Any]:
        """The value of each raw column in test rows that vary another column."""
        values: list[Any] = [np.nan] * self.pipeline.n_features_in_
        for column in self.columns:
            if column.kind != "same":
                values[column.raw] = column.levels[0] if column.levels else 0.0
        return values

    def column_of(self, node: int) -> DerivedColumn:
        return self.columns[int(self.tree.splits.column[node])]

    def table(self, raws: Sequence[int], values: Sequence[Any]) -> Table:
        """Return transformed rows, each with one given raw value and defaults in other columns."""
        rows = [list(self.defaults) for _ in raws]
        for row, raw, value in zip(rows, raws, values, strict=True):
            row[raw] = value
        columns = []
        for cells, value in zip(zip(*rows, strict=True), self.defaults, strict=True):
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            columns.append(np.array(cells, np.float64 if is_number else object))
        X: Any = np.stack(columns, axis=1)
        if self.names is not None:
            import pandas as pd

            X = pd.DataFrame(dict(zip(self.names, columns, strict=True)))
        with warnings.catch_warnings(), np.errstate(over="ignore"):
            warnings.simplefilter("ignore")  # encoders warn about unknown levels in the test rows
            for _, step in self.pipeline.steps[:-1]:
                X = X if step is None or step == "passthrough" else step.transform(X)
        return read(self.tree, X.toarray() if hasattr(X, "toarray") else X)

    def branches(self, node: int, values: Sequence[Any]) -> list[int]:
        """Return the branch for each value of a node's raw column."""
        rows = np.arange(len(values))
        raw = self.column_of(node).raw
        key = (raw, *map(repr, values))  # cached, because many nodes test the same values
        if key not in self.cache:
            self.cache[key] = self.table([raw] * len(values), values)
        table = self.cache[key]
        tree, answers = self.tree, evaluate_split(self.tree.splits, node, table, rows)
        branch = route_at_node(tree, table, node, rows)[0]
        if tree.missing == "error":
            branch[answers == MISSING] = _REFUSED
        elif tree.missing == "fractional" or tree.active_surrogates is not None:
            branch[(answers < 0) if tree.unseen == "missing" else (answers == MISSING)] = _BY_RULES
        return [int(number) for number in branch]

    def try_branch(self, node: int, value: Any) -> int:
        """Return the branch of a value, or `_REFUSED` if the Pipeline raises an error."""
        try:
            return self.branches(node, [value])[0]
        except (ValueError, TypeError, CeibaError):
            return _REFUSED

    def find_raw_cuts(self, nodes: list[int]) -> list[float]:
        """Return for each node the largest raw number that goes to the low branch."""
        # Search the cuts of all nodes at once, and divide each span by 16 instead of 2, because
        # the Pipeline transforms many rows nearly as fast as one. Invariant: the low end of
        # spans[i] goes to the low branch of node i, the high end does not. Stop at adjacent floats.
        spans = [(-_MAX_KEY, _MAX_KEY)] * len(nodes)
        while any(high - low > 1 for low, high in spans):
            inside = [range(low, high, max((high - low) // 16, 1))[1:] for low, high in spans]
            raws = np.repeat([self.column_of(node).raw for node in nodes], [*map(len, inside)])
            table = self.table(raws.tolist(), [_to_float(key) for keys in inside for key in keys])
            end = 0
            for i, (node, keys) in enumerate(zip(nodes, inside, strict=True)):
                rows = np.arange(end, end := end + len(keys))
                n_low = np.count_nonzero(evaluate_split(self.tree.splits, node, table, rows) == 0)
                ends = [spans[i][0], *keys, spans[i][1]]
                spans[i] = ends[n_low], ends[n_low + 1]
        return [_to_float(low) for low, _ in spans]


# Positive floats have the same order as their bits read as integers. These integers, negated for
# negative floats, are the keys of the search for cuts.
_MAX_KEY: Final = int(np.array(_MAX_NUMBER).view(np.int64))


def _to_float(key: int) -> float:
    number = float(np.array(abs(key), np.int64).view(np.float64))
    return -number if key < 0 else number


# ---------------------------------------------------------------------- the tree


@dataclass
class _RawSplit:
    """The split of a node on a raw column, with the branch numbers of the original tree."""

    split: Split
    missing: int
    unknown: int | None = None  # None for numeric columns, which have no unknown levels
    flipped: bool = False  # whether the two branches of the node are swapped


def _to_raw_columns(tree: Tree, probe: _Probe) -> Tree:
    """Return the tree with each split replaced by a split on a raw column."""
    schema, position = _raw_schema(tree, probe)
    inner = [int(node) for node in np.flatnonzero(~tree.is_leaf)]
    scaled = [n for n in inner if probe.column_of(n).kind == "number" and not _is_flat(probe, n)]
    cuts = dict(zip(scaled, probe.find_raw_cuts(scaled), strict=True))
    raw_splits = {}
    for node in inner:
        column = probe.column_of(node)
        info = schema.columns[position[column.raw]]
        name = info.name
        if column.kind == "same":
            old_split = tree.node(node).split
            assert old_split is not None
            split: Split = replace(old_split, column=name)
            raw_splits[node] = _RawSplit(split, probe.try_branch(node, np.nan))
        elif node in cuts:
            raw_splits[node] = _RawSplit(Cut(name, cuts[node]), probe.try_branch(node, np.nan))
        elif column.kind == "number":
            raw_splits[node] = _presence_split(name, probe.branches(node, [0.0])[0])
        else:
            raw_splits[node] = _level_split(probe, node, name, info.levels)
    by_rules = [n for n, raw in raw_splits.items() if _BY_RULES in (raw.missing, raw.unknown)]
    has_missing = any(tree.schema.columns[tree.splits.column[n]].n_missing for n in by_rules)
    routes = {raw.missing for raw in raw_splits.values()} - {_BY_RULES, _REFUSED}
    if by_rules and (has_missing or routes):
        raise TreeError(
            f"Node {by_rules[0]}: surrogate and fractional splits are not supported if steps "
            "output missing values. Impute every column, or fit with missing='learn' or "
            "'majority' (in ceiba.rpart, usesurrogate=0)."
        )
    for node in by_rules:
        raw_splits[node].missing = _REFUSED
        if raw_splits[node].unknown == _BY_RULES:
            raw_splits[node].unknown = _REFUSED
    return _rebuild(tree, schema, raw_splits)


def _is_flat(probe: _Probe, node: int) -> bool:
    """Whether a node sends all numbers to the same branch, and so tests only for missing values."""
    split = probe.tree.node(node).split
    if isinstance(split, Presence):
        return True
    if not isinstance(split, Cut):
        kind = type(split).__name__
        raise TreeError(f"Node {node}: {kind} splits are not supported on scaled or imputed data.")
    minimum, maximum = probe.branches(node, [-_MAX_NUMBER, _MAX_NUMBER])
    if minimum == maximum == probe.try_branch(node, np.nan):
        raise TreeError(f"Node {node}: no value of {split.column!r} reaches branch {1 - minimum}.")
    return minimum == maximum


def _presence_split(name: str, present: int) -> _RawSplit:
    return _RawSplit(Presence(name), 1 - present, present, flipped=present == 1)


def _level_split(probe: _Probe, node: int, name: str, levels: tuple[Any, ...]) -> _RawSplit:
    """Return the split of a node on a categorical column."""
    branch = probe.branches(node, levels)
    missing = probe.try_branch(node, np.nan)
    if _tests_presence(probe, node, levels):
        return _presence_split(name, branch[0])
    unknown = probe.try_branch(node, _unknown_level(levels))
    groups: list[list[Any]] = [[] for _ in range(int(probe.tree.n_branches[node]))]
    for level, b in zip(levels, branch, strict=True):
        groups[b].append(level)
    if not all(groups):
        raise TreeError(f"Node {node}: branch {groups.index([])} receives no level of {name!r}.")
    split = LevelSets(name, tuple(tuple(group) for group in groups))
    # A surrogate that tests for presence sends present values to branch 0 and missing values to 1.
    # So swap the branches if unknown levels go to 1 and missing values to 0.
    return _RawSplit(split, missing, unknown, flipped=(missing, unknown) == (0, 1))


def _tests_presence(probe: _Probe, node: int, levels: tuple[Any, ...]) -> bool:
    """Whether a node separates missing values from all others."""
    unknown = probe.try_branch(node, _unknown_level(levels))
    branches = {*probe.branches(node, levels), unknown} - {_REFUSED}
    return len(branches) == 1 and branches != {probe.try_branch(node, np.nan)}


def _add_other_level(probe: _Probe, raw: int, levels: tuple[Any, ...]) -> tuple[Any, ...]:
    """Append an unknown level if a branch of some node receives none of the known levels."""
    for node in np.flatnonzero(~probe.tree.is_leaf).tolist():
        if probe.column_of(node).raw == raw and not _tests_presence(probe, node, levels):
            reached = set(probe.branches(node, levels))
            if len(reached) < probe.tree.n_branches[node]:
                return (*levels, _unknown_level(levels))
    return levels


def _unknown_level(levels: tuple[Any, ...]) -> Any:
    """Return a value that is not among the levels."""
    if all(isinstance(v, int | float) and not isinstance(v, bool) for v in levels):
        return max(levels) + 1
    text = "(other)"
    while text in levels:
        text += "?"
    return text


def _raw_schema(tree: Tree, probe: _Probe) -> tuple[Schema, dict[int, int]]:
    """Return the schema of the raw columns, and the position of each column in it."""
    used = set(tree.splits.column[~tree.is_leaf].tolist())
    info_of: dict[int, ColumnInfo] = {}
    kind_of: dict[int, tuple[bool, tuple[Any, ...]]] = {}
    n_raw = probe.pipeline.n_features_in_
    names = probe.names or tuple(f"x{raw}" for raw in range(n_raw))
    # Columns with splits come last, so that they determine the kind of their raw column.
    for j in sorted(range(len(probe.columns)), key=lambda j: j in used):
        column, info = probe.columns[j], tree.schema.columns[j]
        kind = (column.kind == "levels", column.levels)
        if j in used and kind_of.setdefault(column.raw, kind) != kind:
            name = names[column.raw]
            raise TreeError(f"Splits on {name!r} must all be numeric or all use the same levels.")
        if column.kind == "levels":
            info_of[column.raw] = ColumnInfo(names[column.raw], Kind.CATEGORICAL, column.levels)
        elif column.kind == "same":
            info_of[column.raw] = replace(info, name=names[column.raw])
        else:
            info_of[column.raw] = ColumnInfo(names[column.raw], Kind.NUMERIC)
    if probe.names is None:  # columns are matched by position, so none can be omitted
        for raw in range(n_raw):
            info_of.setdefault(raw, ColumnInfo(names[raw], Kind.NUMERIC))
    for raw in {probe.columns[j].raw for j in used}:
        if levels := info_of[raw].levels:
            info_of[raw] = replace(info_of[raw], levels=_add_other_level(probe, raw, levels))
    raws = sorted(info_of)
    schema = Schema(tuple(info_of[raw] for raw in raws), tree.target, probe.names is not None)
    return schema, {raw: i for i, raw in enumerate(raws)}


def _rebuild(tree: Tree, schema: Schema, raw_splits: dict[int, _RawSplit]) -> Tree:
    """Return the tree with new splits, and with the branches of flipped splits swapped."""
    order = _preorder(tree, {node for node, raw_split in raw_splits.items() if raw_split.flipped})
    new = np.empty(tree.n_nodes, np.int64)
    new[order] = np.arange(tree.n_nodes)
    parent = tree.parent[order]
    splits: list[Split | None] = [None] * tree.n_nodes
    for node, raw_split in raw_splits.items():
        split = raw_split.split
        if raw_split.flipped and isinstance(split, LevelSets):
            split = replace(split, branches=split.branches[::-1])
        splits[new[node]] = split
    rebuilt = replace(
        tree,
        schema=schema,
        parent=np.where(parent < 0, -1, new[parent]),
        branch_start=np.concatenate(([0], np.cumsum(tree.n_branches[order]))),
        branch_node=_branch_node(tree, raw_splits, order, new),
        splits=SplitTable.from_splits(splits, schema),
        default_branch=np.full(tree.n_nodes, -1),
        counts=None if tree.counts is None else tree.counts[order],
        surrogates=None,
        competitors=None,
        tests=None,
        notes=take_notes(tree.notes, order),
        attachments=take_attachments(tree.attachments, order),
        **{name: getattr(tree, name)[order] for name in _NODE_ARRAYS},
    )
    rebuilt = _set_rules(rebuilt, {int(new[node]): split for node, split in raw_splits.items()})
    check(rebuilt)
    return rebuilt


def _set_rules(tree: Tree, raw_splits: dict[int, _RawSplit]) -> Tree:
    """Return the tree with the Pipeline's rules for missing values and unknown levels."""
    default, unknown = tree.default_branch.copy(), {}
    for node, raw_split in raw_splits.items():
        missing = _flip(raw_split.missing, raw_split.flipped)
        default[node] = tree.majority_branch[node] if missing == _REFUSED else missing
        if isinstance(raw_split.split, LevelSets) and raw_split.unknown is not None:
            unknown[node] = _flip(raw_split.unknown, raw_split.flipped)
    unseen, separating = _choose_unseen_rule(unknown, default, tree.majority_branch)
    refuses = raw_splits and all(split.missing == _REFUSED for split in raw_splits.values())
    return replace(
        tree,
        default_branch=default,
        missing="surrogate" if separating else "error" if refuses else "majority",
        unseen=unseen,
        surrogates=_presence_surrogates(tree, separating) if separating else None,
    )


_NODE_ARRAYS: Final = ("n_rows", "weight", "impurity", "gain", "value", "risk", "sent_default")


def _flip(branch: int, flipped: bool) -> int:
    return 1 - branch if flipped and branch >= 0 else branch


def _preorder(tree: Tree, flipped: set[int]) -> Array:
    """Return the nodes in pre-order after reversing the branches of the flipped nodes."""
    start, nodes = tree.branch_start.tolist(), tree.branch_node.tolist()
    order, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        children = nodes[start[node] : start[node + 1]]
        waiting += children if node in flipped else children[::-1]
    return np.array(order)


def _branch_node(tree: Tree, raw_splits: dict[int, _RawSplit], order: Array, new: Array) -> Array:
    start, nodes = tree.branch_start.tolist(), tree.branch_node
    parts = [nodes[:0]]
    for node in order.tolist():
        children = nodes[start[node] : start[node + 1]]
        flipped = node in raw_splits and raw_splits[node].flipped
        parts.append(children[::-1] if flipped else children)
    return np.asarray(new[np.concatenate(parts)])


def _choose_unseen_rule(
    unknown: dict[int, int], default: Array, majority: Array
) -> tuple[Any, list[int]]:
    """Return the rule for unseen levels, and the nodes that separate them from missing values."""
    branches = set(unknown.values())
    if not branches or branches == {_REFUSED}:
        return ("error" if branches else "majority"), []
    if branches == {TO_ROOT}:
        return "default", []
    if branches & {_REFUSED, TO_ROOT}:
        raise TreeError("All encoders must have the same handle_unknown.")
    separating = [node for node, branch in unknown.items() if branch != default[node]]
    if separating and all(majority[node] == branch for node, branch in unknown.items()):
        return "majority", []
    if any(unknown[node] != 0 or default[node] != 1 for node in separating):
        raise TreeError(
            "Unknown levels and missing values take different branches in the Pipeline, which a "
            "tree without encoders cannot reproduce. Set handle_unknown='error' in the encoder."
        )
    return "missing", separating


def _presence_surrogates(tree: Tree, nodes: list[int]) -> SurrogateTable:
    """Return surrogates that send unknown levels to branch 0 and missing values to branch 1."""
    has = np.isin(np.arange(tree.n_nodes), nodes)
    names = [tree.schema.names[j] for j in tree.splits.column[has].tolist()]
    splits = SplitTable.from_splits([Presence(name) for name in names], tree.schema)
    none = np.zeros(len(names))
    return SurrogateTable(np.concatenate(([0], np.cumsum(has))), splits, none, none, none)
