"""A fitted tree in the layout of an rpart golden, so that the oracle's own `compare` can judge it.

rpart numbers nodes 1, 2k, 2k + 1 and calls "left" the side with the smaller mean response of the
rows that the primary split placed (class: mean class index under the altered priors; equal: the
side below the cut is right). The tree's own branch 0 is the side of the small values, so sides are
told apart here, from the training rows. `improve` follows from `gain` (decrease per unit of node
weight): class, gain x altered weight (x ln 2 from bits to nats); anova, gain x weight / risk of the
node; poisson, 2 x gain x observation time; divided by the cost of the column.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.oracle.load import Golden, TableColumn
from tests.reference.exact import ratio
from tests.reference.rpart import Class, Method, Poisson, mean

CUT, LEVELS = 1, 2
SIDES = ("left", "right")


@dataclass
class Conversion:
    """The tree, the training columns (as codes), rpart's method on the same rows, and who sits
    where.
    """

    golden: Golden
    tree: Any
    columns: Sequence[TableColumn]
    method: Method

    def __post_init__(self) -> None:
        self.codes = [column.codes() for column in self.columns]
        self.n_nodes = len(self.tree.parent)
        self.rows = self._rows_of_nodes()
        self.left_branch = [self._left_branch(i) for i in range(self.n_nodes)]
        self.number = self._numbers()

    # --- who sits where

    def children(self, node: int) -> list[int]:
        start = self.tree.branch_start
        return [int(c) for c in self.tree.branch_node[start[node] : start[node + 1]]]

    def _rows_of_nodes(self) -> list[list[int]]:
        """Training rows of each node while growing (which is not always where `predict` sends
        them).
        """
        rows: list[list[int]] = [[] for _ in range(self.n_nodes)]
        rows[0] = list(range(self.method.data.n_rows))
        for node in range(self.n_nodes):
            if self.children(node):
                branch = self._growing_branches(node, rows[node])
                for at, child in enumerate(self.children(node)):
                    rows[child] = [row for row in rows[node] if branch[row] == at]
        return rows

    def _growing_branches(self, node: int, rows: Sequence[int]) -> dict[int, int | None]:
        """Oracle section 7, column "growing"; with maxsurrogate = 0 rpart has no heavier side
        either.
        """
        control, weight = self.golden["control"], self.method.data.weight
        splits, column = self.tree.splits, int(self.tree.splits.column[node])
        branch = {row: self.branch_of(splits, node, row) for row in rows}
        sent = [sum(weight[row] for row in rows if branch[row] == b) for b in (0, 1)]
        heavier = (
            None if sent[0] == sent[1] or not control["maxsurrogate"] else sent.index(max(sent))
        )
        for row in rows:
            if self.codes[column][row] is None:
                if control["usesurrogate"] > 0:
                    branch[row] = self._stand_in(node, row)
                if branch[row] is None and control["usesurrogate"] == 2:
                    branch[row] = heavier
        return branch

    def _stand_in(self, node: int, row: int) -> int | None:
        stored = self.tree.surrogates
        if stored is None:
            return None
        candidates = (
            self.branch_of(stored.splits, at, row)
            for at in range(int(stored.start[node]), int(stored.start[node + 1]))
        )
        return next((branch for branch in candidates if branch is not None), None)

    def branch_of(self, table: Any, at: int, row: int) -> int | None:
        value = self.codes[int(table.column[at])][row]
        if value is None:
            return None
        if table.kind[at] == CUT:
            low = int(table.low_branch[at])
            return low if value <= table.cut[at] else 1 - low
        return dict(self._levels(table, at)).get(value)

    def _levels(self, table: Any, at: int) -> list[tuple[int, int]]:
        part = slice(int(table.level_start[at]), int(table.level_start[at + 1]))
        return [
            (int(c), int(b))
            for c, b in zip(table.level_code[part], table.level_branch[part], strict=True)
        ]

    def _left_branch(self, node: int, table: Any = None, at: int | None = None) -> int:
        """The branch that rpart calls left, for the node's split or another split of its rows."""
        if not self.children(node):
            return 0
        table, at = (self.tree.splits, node) if table is None else (table, at)
        sides: list[list[int]] = [[], []]
        for row in self.rows[node]:
            branch = self.branch_of(table, at, row)
            if branch is not None and self.method.data.weight[row] > 0:
                sides[branch].append(row)
        means = [mean(self.method.distribution(rows)) for rows in sides]
        if means[0] == means[1]:  # the side below the cut goes right
            return 1 - int(table.low_branch[at]) if table.kind[at] == CUT else 1
        return 0 if means[0] < means[1] else 1

    def _numbers(self) -> list[int]:
        number = [1] * self.n_nodes
        for node in range(self.n_nodes):
            for branch, child in enumerate(self.children(node)):
                number[child] = 2 * number[node] + (branch != self.left_branch[node])
        return number

    # --- splits in rpart's words

    def split(self, table: Any, at: int, left_branch: int) -> dict[str, Any]:
        column = self.columns[int(table.column[at])]
        result: dict[str, Any] = {"var": column.name, "type": column.kind}
        below = SIDES[int(table.low_branch[at]) != left_branch]
        if column.kind == "numeric":
            return result | {"cut": float(table.cut[at]), "below": below}
        if table.kind[at] == CUT:
            low = [c <= table.cut[at] for c in range(len(column.levels))]
            pairs = [(c, below if is_low else other(below)) for c, is_low in enumerate(low)]
        else:
            pairs = [(c, SIDES[b != left_branch]) for c, b in self._levels(table, at)]
        return result | {side: [column.levels[c] for c, s in pairs if s == side] for side in SIDES}

    def improve(self, node: int, gain: float, column: int) -> float:
        price = (self.golden.get("cost") or [1] * len(self.columns))[column]
        weight = float(sum(self.method.distribution(self.rows[node]).values()))
        if isinstance(self.method, Class):
            unit = weight * (math.log(2) if self.method.criterion == "entropy" else 1)
        elif isinstance(self.method, Poisson):
            unit = 2 * weight
        else:
            unit = weight / float(self.method.risk(self.rows[node]))
        return gain * unit / price

    def primary(self, node: int) -> dict[str, Any]:
        table = self.tree.splits
        improve = self.improve(node, float(self.tree.gain[node]), int(table.column[node]))
        return self.split(table, node, self.left_branch[node]) | {"improve": improve}

    def competitors(self, node: int) -> list[dict[str, Any]]:
        stored, result = self.tree.competitors, []
        for at in range(int(stored.start[node]), int(stored.start[node + 1])):
            split = self.split(stored.splits, at, self._left_branch(node, stored.splits, at))
            column = int(stored.splits.column[at])
            result.append(split | {"improve": self.improve(node, float(stored.gain[at]), column)})
        return result

    def surrogates(self, node: int) -> list[dict[str, Any]]:
        stored, result = self.tree.surrogates, []
        for at in range(int(stored.start[node]), int(stored.start[node + 1])):
            split = self.split(stored.splits, at, self.left_branch[node])
            merit = {"agree": float(stored.agreement[at]), "adj": float(stored.adjusted[at])}
            result.append(split | merit)
        return result

    # --- nodes

    def node(self, i: int) -> dict[str, Any]:
        tree, poisson = self.tree, isinstance(self.method, Poisson)
        # A poisson tree is one of rates: it weighs rows by their time, and its risk is half the
        # deviance.
        weight = sum(self.method.data.weight[row] for row in self.rows[i])
        result: dict[str, Any] = {
            "node": self.number[i],
            "n": int(tree.n_rows[i]),
            "wt": float(weight) if poisson else float(tree.weight[i]),
            "dev": float(tree.risk[i] * tree.weight[0]) * (2 if poisson else 1),
        }
        if poisson:
            result["events"] = float(self.method.events(self.rows[i]))
        if isinstance(self.method, Class):
            result["yval"] = self.golden["classes"][int(tree.answer[i])]
            result["counts"] = [float(c) for c in tree.counts[i, 0]]
            result["prob"] = [float(p) for p in tree.value[i, 0]]
            result["nodeprob"] = float(tree.share[i])
        else:
            result["yval"] = float(tree.value[i, 0, 0])
        if self.children(i):
            result["primary"] = self.primary(i)
            if str(self.number[i]) not in self.golden.get("ties", {}):
                result["primary_wt"] = self.primary_weight(i)
            if tree.competitors is not None:
                result["competitors"] = self.competitors(i)
            if tree.surrogates is not None:
                result["surrogates"] = self.surrogates(i)
        return result

    def primary_weight(self, node: int) -> list[float]:
        sums = [ratio(0, 1), ratio(0, 1)]
        for row in self.rows[node]:
            branch = self.branch_of(self.tree.splits, node, row)
            if branch is not None:
                sums[branch != self.left_branch[node]] += self.method.data.weight[row]
        return [float(s) for s in sums]

    def candidate(self) -> dict[str, Any]:
        """The candidate of `compare`: structure, splits, risks; more is added by the caller."""
        return {"nodes": [self.node(i) for i in range(self.n_nodes)]}

    def numbers_of(self, ids: Sequence[int]) -> list[int]:
        """rpart's numbers of the nodes in which rows ended."""
        return [self.number[int(i)] for i in ids]


def other(side: str) -> str:
    return SIDES[side == "left"]
