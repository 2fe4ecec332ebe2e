"""A fitted Pipeline around a tree as one tree on the raw columns, which every format can express.

What known steps (`pipeline_steps.py`) make of a column depends on one raw column, and rises with it
if it is a number. So the steps themselves are asked: a cut on a scaled column is the largest raw
float that goes low, found by bisection over the floats, to the last bit; a cut on an encoded column
is the set of levels that go low. Missing values and unknown levels go where the steps send them; a
node that parts the two asks first whether the value is present (a surrogate).
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
    taken_notes,
)
from ceiba.tree.routing import LEAVES, MISSING, ask, decide
from ceiba.tree.routing.route import read
from ceiba.tree.splits import Split, SurrogateTable

_REFUSED: Final = -9  # as a branch: the Pipeline raises an error
_MAX_NUMBER: Final = 1e150  # cuts are looked for up to here; scaled numbers stay finite


def pipeline_tree(pipeline: Any) -> Tree:
    """Return the tree of a fitted Pipeline as a tree on the columns that the Pipeline takes.

    Parameters
    ----------
    pipeline : sklearn Pipeline
        Its last step is a fitted estimator of ceiba. Steps before it that are known:
        SimpleImputer, StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler, OrdinalEncoder,
        OneHotEncoder, "passthrough", "drop", and ColumnTransformers and Pipelines of these.

    Returns
    -------
    Tree
        Predicts from raw rows as the Pipeline does, missing values and unknown levels included;
        can be saved and exported. Numbers are float64.

    Raises
    ------
    OptionError
        If a step is not known.
    TreeError
        If the tree asks what no question about one raw column can say.

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
            "pipeline_tree takes a fitted Pipeline that ends in an estimator of ceiba, got "
            f"{type(pipeline).__name__}."
        )
    names = getattr(pipeline, "feature_names_in_", None)
    n_raw = pipeline.n_features_in_
    columns = [DerivedColumn(raw) for raw in range(n_raw)]
    for step in steps[:-1]:
        columns = derive_columns(step, columns)
    if len(columns) != tree.schema.n_columns:
        raise TreeError("The steps make another number of columns than the tree was fitted on.")
    probe = _Probe(
        pipeline, tree, _resolve_kinds(tree, columns), None if names is None else tuple(names)
    )
    return _to_raw_columns(tree, probe)


def _resolve_kinds(tree: Tree, columns: list[DerivedColumn]) -> list[DerivedColumn]:
    """Return the columns, those at most filled so far marked as numbers or levels."""
    settled = []
    for column, info in zip(columns, tree.schema.columns, strict=True):
        if column.kind in ("same", "filled") and not info.is_numeric:
            column = DerivedColumn(column.raw, "levels", info.levels)
        elif column.kind == "filled":
            column = replace(column, kind="number")
        settled.append(column)
    return settled


# ---------------------------------------------------------------------- asking the steps


@dataclass(frozen=True)
class _Probe:
    """Asks the steps and the tree about rows in which one raw column varies."""

    pipeline: Any
    tree: Tree
    columns: list[DerivedColumn]
    names: tuple[str, ...] | None
    seen: dict[tuple[Any, ...], Table] = field(default_factory=dict)

    @cached_property
    def defaults(self) -> list[Any]:
        """A value for each raw column that the steps accept."""
        values: list[Any] = [np.nan] * self.pipeline.n_features_in_
        for column in self.columns:
            if column.kind != "same":
                values[column.raw] = column.levels[0] if column.levels else 0.0
        return values

    def column_of(self, node: int) -> DerivedColumn:
        return self.columns[int(self.tree.splits.column[node])]

    def table(self, raws: Sequence[int], values: Sequence[Any]) -> Table:
        """Return what the tree is given for rows that are usual but for one value each."""
        rows = [list(self.defaults) for _ in raws]
        for row, raw, value in zip(rows, raws, values, strict=True):
            row[raw] = value
        columns = [
            _to_array(*pair) for pair in zip(zip(*rows, strict=True), self.defaults, strict=True)
        ]
        X: Any
        if self.names is not None:
            import pandas as pd

            X = pd.DataFrame(dict(zip(self.names, columns, strict=True)))
        else:
            X = np.stack(columns, axis=1)
        with warnings.catch_warnings(), np.errstate(over="ignore"):
            warnings.simplefilter("ignore")  # of levels that an encoder does not know
            for _, step in self.pipeline.steps[:-1]:
                X = X if step is None or step == "passthrough" else step.transform(X)
        return read(self.tree, X.toarray() if hasattr(X, "toarray") else X)

    def branches(self, node: int, values: Sequence[Any]) -> list[int]:
        """Return the branch that each value of a node's raw column takes."""
        rows = np.arange(len(values))
        raw = self.column_of(node).raw
        key = (raw, *map(repr, values))  # nodes ask the same again and again
        if key not in self.seen:
            self.seen[key] = self.table([raw] * len(values), values)
        table = self.seen[key]
        lost = ask(self.tree.splits, node, table, rows) == MISSING
        parted = self.tree.missing == "fractional" or self.tree.active_surrogates is not None
        if lost.any() and parted:
            raise TreeError(
                f"Node {node}: missing values reach the tree, which has "
                f"missing={self.tree.missing!r}. Impute every column, or fit with missing='learn'."
            )
        branch = decide(self.tree, table, node, rows)[0]
        if self.tree.missing == "error":
            branch[lost] = _REFUSED
        return [int(number) for number in branch]

    def try_branch(self, node: int, value: Any) -> int:
        """Return the branch of a missing value or an unknown level, which may be refused."""
        try:
            return self.branches(node, [value])[0]
        except TreeError:
            raise
        except (ValueError, TypeError, CeibaError):
            return _REFUSED

    def find_raw_cuts(self, nodes: list[int]) -> list[float]:
        """Return for each node the largest raw number that goes low."""
        # The floats between two ends are parted into sixteen until the ends are neighbours: the
        # steps take about as long for many rows as for one.
        spans = [(-_MAX_KEY, _MAX_KEY)] * len(nodes)
        while any(high - low > 1 for low, high in spans):
            inside = [range(low, high, max((high - low) // 16, 1))[1:] for low, high in spans]
            raws = np.repeat([self.column_of(node).raw for node in nodes], [*map(len, inside)])
            table = self.table(raws.tolist(), [_to_float(key) for keys in inside for key in keys])
            end = 0
            for i, (node, keys) in enumerate(zip(nodes, inside, strict=True)):
                rows = np.arange(end, end := end + len(keys))
                n_low = np.count_nonzero(ask(self.tree.splits, node, table, rows) == 0)
                ends = [spans[i][0], *keys, spans[i][1]]
                spans[i] = ends[n_low], ends[n_low + 1]
        return [_to_float(low) for low, _ in spans]


def _to_array(values: Sequence[Any], usual: Any) -> Array:
    is_number = isinstance(usual, int | float) and not isinstance(usual, bool)
    return np.array(values, np.float64 if is_number else object)


# The bits of floats are whole numbers in the order of floats; those of negative ones the other way.
_MAX_KEY: Final = int(np.array(_MAX_NUMBER).view(np.int64))


def _to_float(key: int) -> float:
    number = float(np.array(abs(key), np.int64).view(np.float64))
    return -number if key < 0 else number


# ---------------------------------------------------------------------- the tree


@dataclass
class _RawSplit:
    """The question of a node about a raw column; branches are those of the tree as it was."""

    split: Split
    missing: int
    unknown: int | None = None  # None: a number has no unknown levels
    flipped: bool = False  # its two branches change places


def _to_raw_columns(tree: Tree, probe: _Probe) -> Tree:
    schema, position = _raw_schema(tree, probe)
    inner = [int(node) for node in np.flatnonzero(~tree.is_leaf)]
    scaled = [n for n in inner if probe.column_of(n).kind == "number" and not _is_flat(probe, n)]
    cuts = dict(zip(scaled, probe.find_raw_cuts(scaled), strict=True))
    asked = {}
    for node in inner:
        column = probe.column_of(node)
        name = schema.columns[position[column.raw]].name
        if column.kind == "same":
            old_split = tree.node(node).split
            assert old_split is not None
            split: Split = replace(old_split, column=name)
            asked[node] = _RawSplit(split, probe.try_branch(node, np.nan))
        elif node in cuts:
            asked[node] = _RawSplit(Cut(name, cuts[node]), probe.try_branch(node, np.nan))
        elif column.kind == "number":
            asked[node] = _presence_split(name, probe.branches(node, [0.0])[0])
        else:
            asked[node] = _level_split(
                probe, node, name, schema.columns[position[column.raw]].levels
            )
    return _rebuild(tree, schema, asked)


def _is_flat(probe: _Probe, node: int) -> bool:
    """Return whether all numbers go one way at a node, which asks whether they are missing."""
    split = probe.tree.node(node).split
    if isinstance(split, Presence):
        return True
    if not isinstance(split, Cut):
        raise TreeError(f"Node {node} asks no cut of a column that the steps make.")
    least, most = probe.branches(node, [-_MAX_NUMBER, _MAX_NUMBER])
    if least == most == probe.try_branch(node, np.nan):
        raise TreeError(f"Node {node}: the cut lies beyond all numbers of its raw column.")
    return least == most


def _presence_split(name: str, present: int) -> _RawSplit:
    return _RawSplit(Presence(name), 1 - present, present, flipped=present == 1)


def _level_split(probe: _Probe, node: int, name: str, levels: tuple[Any, ...]) -> _RawSplit:
    """Return the question about a column of levels."""
    branch = probe.branches(node, levels)
    missing = probe.try_branch(node, np.nan)
    if _tests_presence(probe, node, levels):
        return _presence_split(name, branch[0])
    unknown = probe.try_branch(node, _unknown_level(levels))
    groups: list[list[Any]] = [[] for _ in range(int(probe.tree.n_branches[node]))]
    for level, at in zip(levels, branch, strict=True):
        groups[at].append(level)
    if not all(groups):
        raise TreeError(f"Node {node}: every level of {name!r} goes one way.")
    split = LevelSets(name, tuple(tuple(group) for group in groups))
    # Only a value that is present can be told apart as branch 0.
    return _RawSplit(split, missing, unknown, flipped=(missing, unknown) == (0, 1))


def _tests_presence(probe: _Probe, node: int, levels: tuple[Any, ...]) -> bool:
    """Return whether a node parts missing values from all others."""
    ways = {*probe.branches(node, levels), probe.try_branch(node, _unknown_level(levels))} - {
        _REFUSED
    }
    return len(ways) == 1 and ways != {probe.try_branch(node, np.nan)}


def _add_other_level(probe: _Probe, raw: int, levels: tuple[Any, ...]) -> tuple[Any, ...]:
    """Add a level that the encoder does not know, if a node has nothing else for some branch."""
    for node in np.flatnonzero(~probe.tree.is_leaf).tolist():
        if probe.column_of(node).raw == raw and not _tests_presence(probe, node, levels):
            reached = set(probe.branches(node, levels))
            if len(reached) < probe.tree.n_branches[node]:
                return (*levels, _unknown_level(levels))
    return levels


def _unknown_level(levels: tuple[Any, ...]) -> Any:
    """Return a value that is none of the levels."""
    if all(isinstance(v, int | float) and not isinstance(v, bool) for v in levels):
        return max(levels) + 1
    text = "(other)"
    while text in levels:
        text += "?"
    return text


def _raw_schema(tree: Tree, probe: _Probe) -> tuple[Schema, dict[int, int]]:
    """Return the schema of the raw columns, and the place of each in it."""
    used = set(tree.splits.column[~tree.is_leaf].tolist())
    info_of: dict[int, ColumnInfo] = {}
    way_of: dict[int, tuple[bool, tuple[Any, ...]]] = {}
    n_raw = probe.pipeline.n_features_in_
    names = probe.names or tuple(f"x{raw}" for raw in range(n_raw))
    # Those that the tree asks come last: what they say of their raw column holds.
    for j in sorted(range(len(probe.columns)), key=lambda j: j in used):
        column, info = probe.columns[j], tree.schema.columns[j]
        kind = (column.kind == "levels", column.levels)
        if j in used and way_of.setdefault(column.raw, kind) != kind:
            raise TreeError(
                f"The tree asks about {names[column.raw]!r} in two ways, as a number and by levels."
            )
        if column.kind == "levels":
            info_of[column.raw] = ColumnInfo(names[column.raw], Kind.CATEGORICAL, column.levels)
        elif column.kind == "same":
            info_of[column.raw] = replace(info, name=names[column.raw])
        else:
            info_of[column.raw] = ColumnInfo(names[column.raw], Kind.NUMERIC)
    if probe.names is None:  # places count, so that every column has one
        for raw in range(n_raw):
            info_of.setdefault(raw, ColumnInfo(names[raw], Kind.NUMERIC))
    for raw in {probe.columns[j].raw for j in used}:
        if levels := info_of[raw].levels:
            info_of[raw] = replace(info_of[raw], levels=_add_other_level(probe, raw, levels))
    raws = sorted(info_of)
    schema = Schema(tuple(info_of[raw] for raw in raws), tree.target, probe.names is not None)
    return schema, {raw: at for at, raw in enumerate(raws)}


def _rebuild(tree: Tree, schema: Schema, asked: dict[int, _RawSplit]) -> Tree:
    """Put the questions into the tree, its branches in their new order."""
    order = _preorder(tree, {node for node, question in asked.items() if question.flipped})
    new = np.empty(tree.n_nodes, np.int64)
    new[order] = np.arange(tree.n_nodes)
    parent = tree.parent[order]
    splits: list[Split | None] = [None] * tree.n_nodes
    for node, question in asked.items():
        split = question.split
        if question.flipped and isinstance(split, LevelSets):
            split = replace(split, branches=split.branches[::-1])
        splits[new[node]] = split
    carried = replace(
        tree,
        schema=schema,
        parent=np.where(parent < 0, -1, new[parent]),
        branch_start=np.concatenate(([0], np.cumsum(tree.n_branches[order]))),
        branch_node=_branch_node(tree, asked, order, new),
        splits=SplitTable.from_splits(splits, schema),
        default_branch=np.full(tree.n_nodes, -1),
        counts=None if tree.counts is None else tree.counts[order],
        surrogates=None,
        competitors=None,
        tests=None,
        notes=taken_notes(tree.notes, order),
        attachments=take_attachments(tree.attachments, order),
        **{name: getattr(tree, name)[order] for name in _NODE_ARRAYS},
    )
    carried = _set_rules(carried, {int(new[node]): question for node, question in asked.items()})
    check(carried)
    return carried


def _set_rules(tree: Tree, asked: dict[int, _RawSplit]) -> Tree:
    """Set where missing values and unknown levels go."""
    default, unknown = tree.default_branch.copy(), {}
    for node, question in asked.items():
        missing = _flip(question.missing, question.flipped)
        default[node] = tree.majority_branch[node] if missing == _REFUSED else missing
        if isinstance(question.split, LevelSets) and question.unknown is not None:
            unknown[node] = _flip(question.unknown, question.flipped)
    unseen, apart = _choose_unseen_rule(unknown, default, tree.majority_branch)
    refuses = asked and all(question.missing == _REFUSED for question in asked.values())
    return replace(
        tree,
        default_branch=default,
        missing="surrogate" if apart else "error" if refuses else "majority",
        unseen=unseen,
        surrogates=_presence_surrogates(tree, apart) if apart else None,
    )


_NODE_ARRAYS: Final = ("n_rows", "weight", "impurity", "gain", "value", "risk", "sent_default")


def _flip(branch: int, turn: bool) -> int:
    return 1 - branch if turn and branch >= 0 else branch


def _preorder(tree: Tree, flipped: set[int]) -> Array:
    """Return the nodes in pre-order, the branches of some of them from the last to the first."""
    start, nodes = tree.branch_start.tolist(), tree.branch_node.tolist()
    order, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        below = nodes[start[node] : start[node + 1]]
        waiting += below if node in flipped else below[::-1]
    return np.array(order)


def _branch_node(tree: Tree, asked: dict[int, _RawSplit], order: Array, new: Array) -> Array:
    start, nodes = tree.branch_start.tolist(), tree.branch_node
    below = [nodes[:0]]
    for node in order.tolist():
        mine = nodes[start[node] : start[node + 1]]
        below.append(mine[::-1] if node in asked and asked[node].flipped else mine)
    return np.asarray(new[np.concatenate(below)])


def _choose_unseen_rule(
    unknown: dict[int, int], default: Array, usual: Array
) -> tuple[Any, list[int]]:
    """Return the tree's rule for unseen levels, and the nodes that part them from missing ones."""
    ways = set(unknown.values())
    if not ways or ways == {_REFUSED}:
        return ("error" if ways else "majority"), []
    if ways == {LEAVES}:
        return "default", []
    if ways & {_REFUSED, LEAVES}:
        raise TreeError(
            "Some encoders refuse unknown levels and others do not. Set handle_unknown alike in "
            "all of them."
        )
    apart = [node for node, branch in unknown.items() if branch != default[node]]
    if apart and all(usual[node] == branch for node, branch in unknown.items()):
        return "majority", []
    if any(unknown[node] != 0 or default[node] != 1 for node in apart):
        raise TreeError(
            "Unknown levels and missing values part at a node in a way that no surrogate can say. "
            "Set handle_unknown='error' in the encoder."
        )
    return "missing", apart


def _presence_surrogates(tree: Tree, nodes: list[int]) -> SurrogateTable:
    """Return surrogates that send unknown levels to branch 0 and missing values to branch 1."""
    has = np.isin(np.arange(tree.n_nodes), nodes)
    names = [tree.schema.names[j] for j in tree.splits.column[has].tolist()]
    splits = SplitTable.from_splits([Presence(name) for name in names], tree.schema)
    none = np.zeros(len(names))
    return SurrogateTable(np.concatenate(([0], np.cumsum(has))), splits, none, none, none)
