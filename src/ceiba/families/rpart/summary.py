"""Compute the output of R's `summary(rpart)`: call, nested trees, importance and nodes.

Figures are those of R, except that the complexity of a node is exact. Node numbers are R's. R
writes "left" or "right" for each split; here a split is the condition of its first branch, and a
surrogate also has the number of that branch's node.

A gain here is a decrease of impurity per unit of the node's weight; rpart's `improve` is a sum over
the rows: with W(t) the weight of node t (for classes under the altered priors) and i(t) its
impurity,

    class     gain * W(t), for the entropy in nats: * ln 2
    anova     gain / i(t), the share of the node's sum of squares that the split removes
    poisson   2 * gain * W(t), a decrease of deviance; W(t) is observation time

each divided by the cost of the split's column. The importance of a column sums these figures over
the nodes it splits (for anova again as sums of squares), and over the nodes where it is a surrogate
the same times its adjusted agreement; competitors do not count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.edit.forced import growing_branches, primary_branches
from ceiba.errors import TreeError
from ceiba.families.rpart.complexity import node_numbers, ordered_children
from ceiba.families.rpart.cross_validation import right_branch
from ceiba.grow import Problem, read_per_column, search_mass
from ceiba.inspection import importance
from ceiba.listing import Listing
from ceiba.prune import collapse_alpha
from ceiba.tree import Tree
from ceiba.tree.splits import level_text, number_text

Array = npt.NDArray[np.float64]
_MAX_LEVELS: Final = 12
_IMPROVE: Final = {
    "gini": "decrease of the Gini index, summed over the rows",
    "entropy": "decrease of the entropy in nats, summed over the rows",
    "squared_error": "share of the node's sum of squares that the split removes",
    "poisson": "decrease of the deviance",
}


def improvement(tree: Tree, column_cost: Any) -> tuple[Array, Array]:
    """Return rpart's `improve` of each split (0 at leaves) and of each competitor."""
    names, factor = tree.schema.names, search_mass(tree) * _unit_ratio(tree)
    if tree.criterion == "squared_error":
        factor = np.divide(1.0, tree.impurity, out=np.ones(tree.n_nodes), where=tree.impurity > 0)
    cost = np.ones(len(names))
    if column_cost is not None:
        cost = read_per_column("column_cost", column_cost, names, 1.0)
    per = np.where(tree.is_leaf, 1.0, cost[np.maximum(tree.splits.column, 0)])
    improve, table = np.asarray(tree.gain * factor / per), tree.competitors
    if table is None:
        return improve, np.zeros(0)
    owner = np.repeat(np.arange(tree.n_nodes), np.diff(table.start))
    return improve, np.asarray(table.gain * factor[owner] / cost[table.splits.column])


def rpart_importance(tree: Tree, *, column_cost: Any = None) -> dict[str, float]:
    """Return rpart's variable importances in descending order, without zeros."""
    total = importance(tree, normalize=False, surrogates=True, column_cost=column_cost)
    total = total * _unit_ratio(tree)
    order = np.argsort(-total, kind="stable")
    names = tree.schema.names
    return {names[j]: float(total[j]) for j in order.tolist() if total[j] > 0}


def _unit_ratio(tree: Tree) -> float:
    """Return the factor that converts a sum of impurities to the unit of rpart."""
    return {"entropy": log(2), "poisson": 2.0}.get(tree.criterion, 1.0)


@dataclass(frozen=True)
class RpartNodeSummary:
    """Summary of one node in an `RpartSummary`.

    Attributes
    ----------
    node : int
        R's number: the root is 1, the children of node k are 2k and 2k + 1.
    n_rows : int
    cp : float or None
        Complexity at which the node collapses; None at a leaf.
    facts : str
        Prediction and risk of the node.
    classes : Listing or None
        Count and probability of each class.
    branches : str
        The conditions and nodes of the branches; "" at a leaf.
    splits, surrogates : Listing or None
        The split with its competitors; the surrogate splits.
    """

    node: int
    n_rows: int
    cp: float | None
    facts: str
    classes: Listing | None
    branches: str
    splits: Listing | None
    surrogates: Listing | None

    def __str__(self) -> str:
        head = f"node {self.node}: {self.n_rows} rows"
        head += f", cp {number_text(self.cp)}" if self.cp is not None else ", leaf"
        parts = [self.facts]
        parts += [str(self.classes)] if self.classes is not None else []
        parts += [self.branches] if self.branches else []
        parts += [str(table) for table in (self.splits, self.surrogates) if table is not None]
        return "\n".join([head, *(f"  {line}" for block in parts for line in block.split("\n"))])


@dataclass(frozen=True)
class RpartSummary:
    """Printable summary of a fitted rpart tree.

    Attributes
    ----------
    call : str
        The estimator with its parameters.
    n_rows, n_dropped : int
        Rows used, and rows without target or without any value.
    cp_table : Listing
        The nested trees.
    importance : Listing
        Importance of the columns.
    nodes : tuple of RpartNodeSummary
        By number.
    legend : str
        The meaning of the figures of the nodes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> model = ceiba.rpart("class", xval=0).fit(*load_iris(return_X_y=True, as_frame=True))
    >>> print(model.summary().nodes[1])
    node 2: 50 rows, leaf
      predicts 0, expected cost 0, share 0.333333
      class  count  probability
      0         50            1
      1          0            0
      2          0            0
    """

    call: str
    n_rows: int
    n_dropped: int
    cp_table: Listing
    importance: Listing
    nodes: tuple[RpartNodeSummary, ...]
    legend: str

    def __str__(self) -> str:
        suffix = f" ({self.n_dropped} dropped: no target or no values)" if self.n_dropped else ""
        head = f"{self.call}\n{self.n_rows} rows{suffix}"
        tables = [str(self.cp_table), str(self.importance)]
        return "\n\n".join([head, *tables, *map(str, self.nodes), self.legend])

    def __repr__(self) -> str:
        return str(self)


def rpart_summary(
    tree: Tree,
    cp_table: Listing,
    *,
    call: str = "rpart",
    n_dropped: int = 0,
    column_cost: Any = None,
    shrink: float = 0.0,
    training: Mapping[str, Any] = MappingProxyType({}),
) -> RpartSummary:
    """Return the summary of an rpart tree."""
    if tree.n_outputs > 1 or not tree.is_binary:
        raise TreeError("summary() requires a single-output, binary tree. Print the tree instead.")
    improve, competitors = improvement(tree, column_cost)
    figures = _NodeFigures(
        cp=collapse_alpha(tree, count_stayed=False) / (float(tree.risk[0]) or 1.0),
        improve=improve,
        competitors=competitors,
        events=node_events(tree, shrink),
        number=node_numbers(tree, training.get("swapped", ())).tolist(),
        missing=training.get("missing"),
    )
    importances = rpart_importance(tree, column_cost=column_cost)
    total = sum(importances.values()) or 1.0
    return RpartSummary(
        call=call,
        n_rows=int(tree.n_rows[0]),
        n_dropped=n_dropped,
        cp_table=cp_table,
        importance=Listing(
            {
                "column": list(importances),
                "importance": list(importances.values()),
                "percent": [round(100 * value / total) for value in importances.values()],
            },
            title="variable importance",
            legend="importance: improvement by the column's own splits, and by its surrogates "
            "times their adj; percent: of the sum",
        ),
        nodes=tuple(
            _node(tree, i, figures)
            for i in sorted(range(tree.n_nodes), key=figures.number.__getitem__)
        ),
        legend=_legend(tree),
    )


@dataclass(frozen=True)
class _NodeFigures:
    """Statistics of all nodes, computed once for the whole summary."""

    cp: Any
    improve: Any
    competitors: Any
    events: Any
    number: list[int]
    missing: Mapping[str, Sequence[int]] | None


def _node(tree: Tree, i: int, figures: _NodeFigures) -> RpartNodeSummary:
    node = tree.node(i)
    leaf = node.is_leaf
    children = node.children
    branches = "; ".join(
        f"{node.sentence(b)}: node {figures.number[child.id]} ({child.n_rows} rows)"
        for b, child in enumerate(children)
    )
    return RpartNodeSummary(
        node=figures.number[i],
        n_rows=node.n_rows,
        cp=None if leaf else float(figures.cp[i]),
        facts=_facts(tree, i, figures),
        classes=None
        if tree.counts is None
        else Listing(
            {
                "class": [level_text(label) for label in tree.target.classes[0].tolist()],
                "count": tree.counts[i, 0],
                "probability": tree.value[i, 0],
            }
        ),
        branches=f"branches: {branches}" if not leaf else "",
        splits=None if leaf else _splits(tree, i, figures),
        surrogates=None if leaf else _surrogates(tree, i, figures),
    )


def _facts(tree: Tree, i: int, figures: _NodeFigures) -> str:
    """Return the prediction and the risk of a node as text."""
    if tree.task.is_classification("rpart"):
        label = level_text(tree.target.classes[0][int(tree.answer[i])])
        share = float(tree.share[i])
        cost = float(tree.risk[i]) / share if share > 0 else 0.0
        return f"predicts {label}, expected cost {number_text(cost)}, share {number_text(share)}"
    value = number_text(float(tree.value[i, 0, 0]))
    if tree.criterion != "poisson":
        return f"mean {value}, MSE {number_text(float(tree.impurity[i]))}"
    deviance = 2.0 * float(tree.risk[i]) * float(tree.weight[0])
    events = number_text(float(figures.events[i]))
    time = number_text(float(tree.weight[i]))
    return f"{events} events in time {time}, rate {value}, deviance {number_text(deviance)}"


def _splits(tree: Tree, i: int, figures: _NodeFigures) -> Listing:
    """Return a listing of the node's split and its competitors."""
    node = tree.node(i)
    split = node.split
    assert split is not None  # inner nodes have a split
    n_sent = sum(surrogate.sent for surrogate in node.surrogates) if tree.active_surrogates else 0
    questions = [split, *(competitor.split for competitor in node.competitors)]
    improve = [float(figures.improve[i])]
    if tree.competitors is not None:
        first, last = tree.competitors.start[i : i + 2].tolist()
        improve += figures.competitors[first:last].tolist()
    unplaced = int(tree.sent_default[i]) + n_sent
    missing = ["" if figures.missing is None else "0"] * (len(questions) - 1)
    if figures.missing is not None and str(figures.number[i]) in figures.missing:
        missing = [str(n) for n in figures.missing[str(figures.number[i])]]
    return Listing(
        {
            "splits": [q.sentence(0, tree.schema, max_levels=_MAX_LEVELS) for q in questions],
            "improve": improve,
            "missing": [str(unplaced), *missing],
        }
    )


def _surrogates(tree: Tree, i: int, figures: _NodeFigures) -> Listing | None:
    node = tree.node(i)
    surrogates = node.surrogates
    if not surrogates:
        return None
    to = figures.number[node.children[0].id]
    return Listing(
        {
            "surrogates": [
                f"{s.split.sentence(0, tree.schema, max_levels=_MAX_LEVELS)}: node {to}"
                for s in surrogates
            ],
            "agree": [s.agreement for s in surrogates],
            "adj": [s.adjusted for s in surrogates],
            "sent": [s.sent for s in surrogates],
        }
    )


def training_facts(tree: Tree, problem: Problem, shrink: float) -> dict[str, Any]:
    """Count missing values in the columns of competitors, and find nodes with swapped children."""
    # "swapped" contains R's numbers of the nodes whose children R has in the opposite order.
    holes = [column.missing for column in problem.table.columns]
    facts: dict[str, Any] = {"missing": {}, "swapped": []}
    if not shrink and not any(hole.any() for hole in holes):
        return facts
    number, rows = [1] * tree.n_nodes, {0: np.arange(problem.n_rows)}
    for node, sons in enumerate(ordered_children(tree)):  # parents come first
        ids = rows.pop(node)
        if sons is None:
            continue
        if tree.competitors is not None:
            first, last = tree.competitors.start[node : node + 2].tolist()
            columns = tree.competitors.splits.column[first:last].tolist()
            counts = [int(np.count_nonzero(holes[j][ids])) for j in columns]
            facts["missing"][str(number[node])] = counts
        below = tree.branch_node[tree.branch_start[node] : tree.branch_start[node + 1]].tolist()
        right = below[right_branch(problem, ids, primary_branches(tree, problem, node, ids))]
        if right != sons[1]:
            facts["swapped"].append(number[node])
        for child in below:
            number[child] = 2 * number[node] + (child == right)
        branch = growing_branches(tree, problem, node, ids)
        rows |= {child: ids[branch == b] for b, child in enumerate(below)}
    return facts


def node_events(tree: Tree, shrink: float) -> Any:
    """Return the number of events in each node, computed from the shrunken Poisson rates."""
    rate, time = tree.value[:, 0, 0], tree.weight
    if tree.criterion != "poisson" or not shrink or rate[0] == 0:
        return rate * time
    prior = 1.0 / max(shrink**2, 1e-300)
    return np.maximum(rate * (time + prior / rate[0]) - prior, 0.0)


def _legend(tree: Tree) -> str:
    improve = _IMPROVE.get(tree.criterion, "gain of the split")
    lines = [
        "cp: share of the root's risk per split at which the node becomes a leaf; "
        "missing: rows that the split could not place",
        f"improve: {improve}; first the split of the node, then its unused competitors",
        "agree: share of the rows that the surrogate sends as the split does; "
        "adj: (agree - m) / (1 - m), m: agreement of sending all rows to the larger branch;",
        "sent: rows with a missing value that this surrogate placed",
    ]
    if tree.task.has_classes:
        lines.insert(0, "share: P(node) after priors; expected cost: per row, under the loss")
    return "\n".join(lines)
