"""CHAID level by level over shards: counts come back, questions go out, a tree comes out.

Merging, tests and the choice of the column are those of memory (`ceiba/grow/chaid`), of the same
counts: rows of classes are whole numbers, and sums of the target are exact and rounded once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.grow.chaid.categories import Categories
from ceiba.grow.chaid.choose import Chooser, Decision, unit_of
from ceiba.grow.planting import Question, bare_tree, restored
from ceiba.grow.shards.chaid.cuts import categories_over_shards
from ceiba.grow.shards.chaid.recount import recount_over_shards
from ceiba.grow.shards.chaid.rounds import DIGITS, Answer, Ask, Level, Round, Step
from ceiba.grow.shards.layout import NumberTarget
from ceiba.grow.shards.sharded import ShardedTable, ShardedTarget
from ceiba.tree import NodeTest, SplitTests, Tree

if TYPE_CHECKING:
    from ceiba.grow.problem import Problem
    from ceiba.grow.shards.grower import Part

Array = npt.NDArray[np.float64]


@dataclass
class _Node:
    """A node: its rows, those of each class, and when it is decided what it asks."""

    n_rows: float
    classes: Array | None = None
    mean: float = 0.0
    question: Question | None = None
    test: NodeTest | None = None
    branches: list[_Node] = field(default_factory=list)  # in the order of the question

    @property
    def is_pure(self) -> bool:
        """Whether all rows are known to be of one class."""
        return self.classes is not None and int(np.count_nonzero(self.classes)) < 2


def grow_by_tests_over_shards(problem: Problem, part: Part) -> Tree:
    """Grow the CHAID tree of a part of the rows of a table in shards."""
    table, target, options = problem.table, problem.target, problem.options
    assert isinstance(table, ShardedTable)
    assert isinstance(target, ShardedTarget)
    assert options.chaid is not None
    columns = categories_over_shards(table, part.tree, options.chaid.bins)
    root = _Growing(problem, table, part, columns).run()
    asked, parent, tests = _in_pre_order(root)
    bare = bare_tree(
        table.schema.with_target(target.info),
        asked,
        parent,
        criterion="gini" if options.task == "classification" else "squared_error",
        unseen=options.unseen,
    )
    tree = restored(recount_over_shards(bare, table, part.tree, target.units), target.units)
    if tests:
        tree = replace(tree, tests=SplitTests.of_nodes(len(asked), tests))
    return replace(tree, missing="error") if options.missing == "error" else tree


def _in_pre_order(root: _Node) -> tuple[list[Question | None], list[int], dict[int, NodeTest]]:
    """Give questions, parents and tests of the nodes, numbered as a tree numbers them."""
    asked: list[Question | None] = []
    parent: list[int] = []
    tests: dict[int, NodeTest] = {}
    waiting = [(-1, root)]
    while waiting:
        above, node = waiting.pop()
        if node.test is not None:
            tests[len(asked)] = node.test
        waiting += [(len(asked), branch) for branch in reversed(node.branches)]
        asked.append(node.question)
        parent.append(above)
    return asked, parent, tests


class _Growing:
    """The levels of one tree."""

    def __init__(
        self, problem: Problem, table: ShardedTable, part: Part, columns: Sequence[Categories]
    ) -> None:
        self.table, self.part, self.columns = table, part, columns
        self.chooser = Chooser(columns, problem.options, n=part.n_learned, total=part.weight)
        # Without weights a category weighs as many rows as it has.
        self.weigh = self.chooser.min_weight > 0 and table.weighed is not None
        self.sizes = [column.n + 1 for column in columns]
        self.counted = table.layout.target
        self.way: list[Level] = []

    def run(self) -> _Node:
        """Grow the tree, and give its root."""
        root = _Node(float(self.part.n_learned))
        level, depth = [root], 0
        while level:
            decided: dict[int, Decision] = {}
            for i, cells, weights in self._counted(level, depth):
                decision = self.chooser.choose(cells.__getitem__, weights.__getitem__)
                if decision is not None:
                    decided[i] = decision
                    self._divide(level[i], decision, cells[decision.question.column])
            self.way.append([_step(decided.get(i)) for i in range(len(level))])
            level = [branch for node in level for branch in node.branches]
            depth += 1
        return root

    def _counted(
        self, level: Sequence[_Node], depth: int
    ) -> Iterator[tuple[int, list[Array], list[Array]]]:
        """Yield the nodes that may be split, with cells and weights of the categories."""
        nodes = [i for i, node in enumerate(level) if self.chooser.may_split(node.n_rows, depth)]
        if isinstance(self.counted, NumberTarget):
            nodes = self._described(level, nodes)
        else:
            nodes = [i for i in nodes if not level[i].is_pure]
        for some in self._in_batches(nodes):
            if self.table.watch is not None:
                rows = int(sum(level[i].n_rows for i in some))
                self.table.watch("progress", f"level {depth}: counting, {rows:,} rows open")
            yield from self._cells(level, some)

    def _described(self, level: Sequence[_Node], nodes: list[int]) -> list[int]:
        """Learn the means of nodes of numbers; give those that are not all alike."""
        if not nodes:
            return []
        answer = self._asked(Ask.DESCRIBE, nodes)
        rows, total = answer.counts(len(nodes)), answer.exact_sums(len(nodes))
        most, least = answer.pairs.reshape(-1, 2).T
        for k, i in enumerate(nodes):
            _check(rows[k], level[i])
            level[i].mean = float(total[k]) / int(rows[k])
        return [i for i, same in zip(nodes, most == least, strict=True) if not same]

    def _cells(
        self, level: Sequence[_Node], nodes: list[int]
    ) -> Iterator[tuple[int, list[Array], list[Array]]]:
        n = len(nodes)
        numbers = isinstance(self.counted, NumberTarget)
        means = np.array([level[i].mean for i in nodes]) if numbers else np.empty(0)
        answer = self._asked(Ask.MOMENTS if numbers else Ask.COUNT, nodes, means)
        cells, weights = [], []
        for size in self.sizes:
            if isinstance(self.counted, NumberTarget):
                own = self.counted
                unit = unit_of(max(abs(own.least), abs(own.most)))
                first = [answer.counts(n, size)]
                first += [np.ldexp(answer.exact_sums(n, size), -p * unit) for p in (1, 2)]
                cells.append(np.stack(first, axis=2))
            else:
                cells.append(answer.counts(n, size, self.counted))
            rows = cells[-1][:, :, 0] if numbers else cells[-1].sum(axis=2)
            weights.append(answer.exact_sums(n, size) if self.weigh else rows)
            for k, i in enumerate(nodes):
                _check(rows[k].sum(), level[i])
        for k, i in enumerate(nodes):
            if not numbers and level[i].classes is None:  # the root
                level[i].classes = cells[0][k].sum(axis=0)
                if level[i].is_pure:
                    continue
            yield i, [own[k] for own in cells], [own[k] for own in weights]

    def _asked(self, ask: Ask, nodes: Sequence[int], means: Array | None = None) -> Answer:
        cuts = [column.cuts for column in self.columns]
        given = np.empty(0) if means is None else means
        weigh = self.weigh and ask != Ask.DESCRIBE
        question = Round(self.part.tree, cuts, self.way, ask, nodes, given, weigh)
        return Answer(self.table.exchange.ask(question.words()))

    def _in_batches(self, nodes: list[int]) -> Iterator[list[int]]:
        """Give as many nodes at a time as their answer has room for."""
        each = 1 + 2 * DIGITS if isinstance(self.counted, NumberTarget) else self.counted
        words = sum(self.sizes) * (each + DIGITS * self.weigh)
        step = max(1, self.table.values_in_memory // words)
        for first in range(0, len(nodes), step):
            yield nodes[first : first + step]

    def _divide(self, node: _Node, decision: Decision, cells: Array) -> None:
        """Give a node its question and its branches."""
        node.question, node.test = decision.question, decision.test
        for group in decision.question.below:
            own = cells[decision.group_of == group].sum(axis=0)
            if isinstance(self.counted, NumberTarget):
                node.branches.append(_Node(float(own[0])))
            else:
                node.branches.append(_Node(float(own.sum()), own))


def _step(decision: Decision | None) -> Step | None:
    """Give the split of a node as rows need it."""
    if decision is None:
        return None
    branch_of = np.full(len(decision.question.below) + 1, -1, np.intp)
    for branch, group in enumerate(decision.question.below):
        branch_of[group] = branch
    return Step(decision.question.column, branch_of[decision.group_of])  # -1 stays -1


def _check(n_rows: float, node: _Node) -> None:
    if n_rows != node.n_rows:
        raise _core.Contradiction("shards have other rows of a node than they counted")
