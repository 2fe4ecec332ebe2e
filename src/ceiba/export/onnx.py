"""Export a tree as an ONNX model that finds the leaf and looks up its prediction.

One input per column, shape (n, 1): numbers as float64 (or float32), text as strings. The regressor
returns the leaf number, by which label, probabilities and value are looked up, so they are
exact. ONNX trees support only `x <= cut` for numbers. The branch of any other split (levels,
surrogates) is computed before the tree as a column, and the ONNX tree splits on that column.

float32: each cut becomes the largest float32 that is not above it, so every float32 x is on the
same side as in float64. Other values of x are rounded by the caller, and may change sides.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np

from ceiba.errors import OptionError, TreeError
from ceiba.export.code.program import (
    CUT,
    INTERVALS,
    LEVELS,
    PRESENCE,
    ROOT,
    Program,
    ProgramSplit,
    to_program,
)
from ceiba.paths import refuse_fractional
from ceiba.tree import Tree

_OPSET: Final = 18
_ML_OPSET: Final = 3
_MAX_NODES: Final = 2**24  # node ids are float32, which is not exact for larger integers


def to_onnx(
    tree: Tree, *, dtype: Literal["float64", "float32"] = "float64", missing_text: str = ""
) -> bytes:
    """Return a tree as an ONNX model (the bytes of its file).

    Parameters
    ----------
    tree : Tree
    dtype : {"float64", "float32"}, default="float64"
        Type of the numeric inputs. NaN is missing.
    missing_text : str, default=""
        The value that marks missing text, because ONNX has no missing strings.

    Returns
    -------
    bytes
        Inputs: one per column that the tree splits on, with its name, of shape (n, 1). Outputs:
        `leaf` (int64), and `label` and `probabilities`, or `value`; numbered for several outputs.
        Rows that `predict` rejects (`missing="error"`, `unseen="error"`) take the default branch.

    Raises
    ------
    TreeError
        For `missing="fractional"`, and if `missing_text` is a level.
    ImportError
        Without the package onnx.

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("clouds <= 4.5", "no", "yes"))
    >>> len(tree.export("onnx")) > 100  # doctest: +SKIP
    True
    """
    if dtype not in ("float64", "float32"):
        raise OptionError(f"dtype must be 'float64' or 'float32', got {dtype!r}.")
    refuse_fractional(tree, "onnx")
    try:
        import onnx
    except ImportError:
        raise ImportError(
            "Exporting to ONNX requires the 'onnx' package. Install it with: pip install onnx"
        ) from None
    parts = _Graph(to_program(tree, "onnx"), np.dtype(dtype), missing_text)
    parts.build()
    graph = onnx.helper.make_graph(
        parts.nodes, "tree", parts.inputs, parts.outputs, initializer=parts.constants
    )
    model = onnx.helper.make_model(
        graph,
        opset_imports=[
            onnx.helper.make_opsetid("", _OPSET),
            onnx.helper.make_opsetid("ai.onnx.ml", _ML_OPSET),
        ],
        ir_version=9,
        producer_name="ceiba",
    )
    onnx.checker.check_model(model)
    data: bytes = model.SerializeToString()
    return data


@dataclass
class _Node:
    """A node of the ONNX tree; an inner node tests whether `x[column] <= value`."""

    column: int
    value: float
    yes: int = -1
    no: int = -1
    missing_yes: bool = False
    end: int = -1  # node id in the ceiba tree if this node is a leaf


@dataclass
class _Graph:
    """Builder of the ONNX graph."""

    program: Program
    dtype: np.dtype[Any]
    missing_text: str
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)
    inputs: list[Any] = field(default_factory=list)
    outputs: list[Any] = field(default_factory=list)
    features: dict[str, int] = field(default_factory=dict)  # column index by tensor name
    tree_nodes: list[_Node] = field(default_factory=list)
    n_names: int = 0

    # ------------------------------------------------------------------ tensors

    def new_name(self, label: str) -> str:
        self.n_names += 1
        return f"ceiba:{label}:{self.n_names}"

    def constant(self, value: Any) -> str:
        import onnx

        name = self.new_name("constant")
        array = np.asarray(value)
        if array.dtype.kind in "UO":
            array = array.astype(object)
        self.constants.append(onnx.numpy_helper.from_array(array, name))
        return name

    def op(self, kind: str, inputs: list[str], domain: str = "", **attributes: Any) -> str:
        import onnx

        out = self.new_name(kind)
        self.nodes.append(onnx.helper.make_node(kind, inputs, [out], domain=domain, **attributes))
        return out

    def number(self, value: float) -> str:
        return self.constant(np.array(value, self.dtype))

    def round_down(self, cut: float) -> float:
        """Return the largest number of the input dtype that does not exceed the cut."""
        with np.errstate(over="ignore"):
            near = self.dtype.type(cut)
        if float(near) > cut:
            near = np.nextafter(near, self.dtype.type(-np.inf))
        return float(near)

    def feature(self, tensor: str) -> int:
        return self.features.setdefault(tensor, len(self.features))

    # ------------------------------------------------------------------ the graph

    def build(self) -> None:
        import onnx

        tree = self.program.tree
        kinds = {np.dtype("float64"): onnx.TensorProto.DOUBLE}
        number = kinds.get(self.dtype, onnx.TensorProto.FLOAT)
        for info in self.program.columns:
            texts = bool(info.levels) and all(isinstance(level, str) for level in info.levels)
            if info.levels and not texts and any(isinstance(v, str) for v in info.levels):
                raise TreeError(f"onnx: levels of {info.name!r} must not mix strings and numbers.")
            if texts and self.missing_text in info.levels:
                raise TreeError(
                    f"onnx: missing_text={self.missing_text!r} is a level of column "
                    f"{info.name!r}. Pass another missing_text."
                )
            kind = int(onnx.TensorProto.STRING if texts else number)
            self.inputs.append(onnx.helper.make_tensor_value_info(info.name, kind, [None, 1]))
        if not self.inputs:
            raise TreeError("onnx: a tree without splits is not supported.")
        self._add_tree_nodes()
        leaf = self._add_ensemble()
        self._add_output("leaf", leaf, onnx.TensorProto.INT64, [None])
        for k in range(tree.n_outputs):
            tail = tree.target.output_suffix(k)
            if not tree.task.has_classes:
                table = self.constant(tree.value[:, k, 0])
                value = self.op("Gather", [table, leaf], axis=0)
                self._add_output(f"value{tail}", value, onnx.TensorProto.DOUBLE, [None])
                continue
            labels, label_kind = _label_array(self.program, k)
            answer = labels[[node[k] for node in self.program.answer]]
            label = self.op("Gather", [self.constant(answer), leaf], axis=0)
            self._add_output(f"label{tail}", label, label_kind, [None])
            n = len(tree.target.classes[k])
            shares = self.op("Gather", [self.constant(tree.value[:, k, :n]), leaf], axis=0)
            self._add_output(f"probabilities{tail}", shares, onnx.TensorProto.DOUBLE, [None, n])

    def _add_output(self, name: str, tensor: str, kind: int, shape: list[Any]) -> None:
        import onnx

        if any(name == info.name for info in self.program.columns):
            raise TreeError(f"onnx: column {name!r} is also an output name. Rename it.")
        self.nodes.append(onnx.helper.make_node("Identity", [tensor], [name]))
        self.outputs.append(onnx.helper.make_tensor_value_info(name, kind, shape))

    # ------------------------------------------------------------------ branches before the tree

    def branch(self, node: int) -> str:
        """Add a tensor of each row's branch at a node: -1 to stay, ROOT for the root's value."""
        source = self.program.nodes[node]
        assert source.question is not None
        branch = self.answer(source.question, source.unseen)
        for surrogate in source.surrogates:
            branch = self.fill_undecided(branch, self.answer(surrogate, -1))
        if source.missing >= 0:
            branch = self.fill_undecided(branch, self.number(source.missing))
        return branch

    def fill_undecided(self, branch: str, other: str) -> str:
        """Replace -1 in a tensor of branches with the values of another tensor."""
        undecided = self.op("Less", [branch, self.number(-0.5)])
        if self.program.tree.unseen == "default":  # keep ROOT, which is -3
            decided = self.op("Less", [branch, self.number(-1.5)])
            undecided = self.op("And", [undecided, self.op("Not", [decided])])
        return self.op("Where", [undecided, other, branch])

    def answer(self, question: ProgramSplit, unseen: int) -> str:
        """Add a tensor of each row's branch at a split: -1 for rows that the split cannot route."""
        info = self.program.columns[question.column]
        if question.n_levels and isinstance(info.levels[0], str):
            return self._answer_from_text(question, unseen)
        x = info.name
        missing = self.op("IsNaN", [x])
        if question.kind == PRESENCE:
            return self.op("Where", [missing, self.number(1), self.number(0)])
        if question.kind == INTERVALS:
            answer = self.number(0)
            for below, cut in enumerate(question.cuts):
                above = self.op("Greater", [x, self.number(self.round_down(cut))])
                answer = self.op("Where", [above, self.number(below + 1), answer])
        elif not question.n_levels:
            low = self.op("LessOrEqual", [x, self.number(self.round_down(question.cut))])
            sides = [self.number(question.low), self.number(1 - question.low)]
            answer = self.op("Where", [low, *sides])
        else:
            answer = self.number(unseen)
            for code, branch in _branch_of_levels(self.program, question):
                same = self.op("Equal", [x, self.number(info.levels[code])])
                answer = self.op("Where", [same, self.number(branch), answer])
        return self.op("Where", [missing, self.number(-1), answer])

    def _answer_from_text(self, question: ProgramSplit, unseen: int) -> str:
        info = self.program.columns[question.column]
        if question.kind == PRESENCE:
            keys, values, default = [self.missing_text], [1], 0
        else:
            pairs = _branch_of_levels(self.program, question)
            keys = [self.missing_text, *(info.levels[code] for code, _ in pairs)]
            values = [-1, *(branch for _, branch in pairs)]
            default = unseen
        coded = self.op(
            "LabelEncoder", [info.name], "ai.onnx.ml",
            keys_strings=keys, values_int64s=values, default_int64=default,
        )  # fmt: skip
        import onnx

        kind = onnx.helper.np_dtype_to_tensor_dtype(self.dtype)
        return self.op("Cast", [coded], to=kind)

    # ------------------------------------------------------------------ the tree

    def _add_tree_nodes(self) -> None:
        """Add the nodes of the ONNX tree, in pre-order."""
        waiting: list[tuple[int, int, str]] = [(0, -1, "")]  # (node, ONNX parent, side)
        while waiting:
            node, above, side = waiting.pop()
            at = len(self.tree_nodes)
            if above >= 0:
                setattr(self.tree_nodes[above], side, at)
            source = self.program.nodes[node]
            if source.question is None:
                self.tree_nodes.append(_Node(0, 0.0, end=node))
                continue
            question = source.question
            # A numeric cut that needs no surrogates for missing values becomes one ONNX node.
            plain = question.kind == CUT and not question.n_levels and not source.surrogates
            if plain and source.missing >= 0:
                column = self.feature(self.program.columns[question.column].name)
                cut = self.round_down(question.cut)
                self.tree_nodes.append(_Node(column, cut, missing_yes=source.missing == 0))
                waiting += [(source.children[1], at, "no"), (source.children[0], at, "yes")]
                continue
            waiting += self._add_branch_nodes(node, self.feature(self.branch(node)))

    def _add_branch_nodes(self, node: int, column: int) -> list[tuple[int, int, str]]:
        """Add nodes that split on a column of branch numbers; return the children to add next."""
        source = self.program.nodes[node]
        children: list[tuple[int, int, str]] = []
        if source.unseen == ROOT:
            at = len(self.tree_nodes)
            self.tree_nodes += [_Node(column, -1.5, yes=at + 1, no=at + 2), _Node(0, 0.0, end=0)]
        if source.missing < 0:
            at = len(self.tree_nodes)
            self.tree_nodes += [_Node(column, -0.5, yes=at + 1, no=at + 2), _Node(0, 0.0, end=node)]
        last = len(source.children) - 1
        for branch in range(last):
            at = len(self.tree_nodes)
            self.tree_nodes.append(_Node(column, branch + 0.5))
            children.append((source.children[branch], at, "yes"))
            if branch + 1 < last:
                self.tree_nodes[at].no = at + 1
            else:
                children.append((source.children[last], at, "no"))
        return children[::-1]  # reversed, because the caller pops the last child first

    def _add_ensemble(self) -> str:
        """Add the tree as a TreeEnsembleRegressor; return the name of its output, the leaf ids."""
        import onnx

        if not self.features:
            self.feature(self.branch(0))
        ends = [node.end for node in self.tree_nodes]
        if (n := len(self.program.nodes)) > _MAX_NODES:
            raise TreeError(f"onnx: the tree must have at most {_MAX_NODES:,} nodes, got {n:,}.")
        matrix = self.op("Concat", list(self.features), axis=1)
        ids = list(range(len(self.tree_nodes)))
        leaves = [i for i in ids if ends[i] >= 0]
        values = np.array([node.value for node in self.tree_nodes], self.dtype)
        thresholds: dict[str, Any] = {"nodes_values": values.tolist()}
        weights: dict[str, Any] = {"target_weights": [float(ends[i]) for i in leaves]}
        if self.dtype == np.float64:
            make = onnx.numpy_helper.from_array
            thresholds = {"nodes_values_as_tensor": make(values, "nodes_values")}
            numbers = np.array([ends[i] for i in leaves], np.float64)
            weights = {"target_weights_as_tensor": make(numbers, "target_weights")}
        leaf = self.op(
            "TreeEnsembleRegressor", [matrix], "ai.onnx.ml",
            n_targets=1,
            nodes_treeids=[0] * len(ids),
            nodes_nodeids=ids,
            nodes_featureids=[node.column for node in self.tree_nodes],
            nodes_modes=["LEAF" if node.end >= 0 else "BRANCH_LEQ" for node in self.tree_nodes],
            nodes_truenodeids=[max(node.yes, 0) for node in self.tree_nodes],
            nodes_falsenodeids=[max(node.no, 0) for node in self.tree_nodes],
            nodes_missing_value_tracks_true=[int(node.missing_yes) for node in self.tree_nodes],
            target_treeids=[0] * len(leaves),
            target_nodeids=leaves,
            target_ids=[0] * len(leaves),
            **thresholds,
            **weights,
        )  # fmt: skip
        integers = self.op("Cast", [leaf], to=onnx.TensorProto.INT64)
        return self.op("Reshape", [integers, self.constant(np.array([-1], np.int64))])


def _branch_of_levels(program: Program, question: ProgramSplit) -> list[tuple[int, int]]:
    """Return the code and branch of each level that a split contains."""
    if question.kind == LEVELS:
        return program.branch_of_codes(question.sets)
    low = question.low
    return [(code, low if code <= question.cut else 1 - low) for code in range(question.n_levels)]


def _label_array(program: Program, output: int) -> tuple[np.ndarray[Any, Any], int]:
    import onnx

    labels = program.labels[output]
    kinds = {type(label) for label in labels}
    if kinds <= {str}:
        return np.array(labels, dtype=object), onnx.TensorProto.STRING
    if kinds <= {bool}:
        return np.array(labels, dtype=bool), onnx.TensorProto.BOOL
    if kinds <= {int} and all(-(2**63) <= label < 2**63 for label in labels):
        return np.array(labels, dtype=np.int64), onnx.TensorProto.INT64
    if kinds <= {int, float}:
        return np.array(labels, dtype=np.float64), onnx.TensorProto.DOUBLE
    raise TreeError(f"onnx: classes must not mix strings, booleans and numbers, got {labels}.")
