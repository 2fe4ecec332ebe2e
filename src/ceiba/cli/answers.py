"""The new columns of `ceiba predict`: answers, probabilities and leaves of rows.

Where a row ends decides all of them (rows that reach several leaves aside), so they are made once
for every node, and rows are looked up in that table.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any

import numpy as np

from ceiba._polars import pl
from ceiba.tree import Tree
from ceiba.tree.routing import route


class Answers:
    """What a tree answers."""

    def __init__(self, tree: Tree, probabilities: bool, leaf: bool, prefix: str) -> None:
        self.tree = tree
        self.probabilities = probabilities and tree.task.has_classes
        self.leaf = leaf
        self.prefix = prefix

    @property
    def spreads(self) -> bool:
        """Whether a row may reach several leaves, so that its end does not decide its answer."""
        return self.tree.missing == "fractional"

    @property
    def names(self) -> list[str]:
        """The names of the new columns."""
        return list(self.of_nodes.columns)

    @cached_property
    def of_nodes(self) -> pl.DataFrame:
        """The answers of all nodes, in their order."""
        tree = self.tree
        labels = tree.answer.reshape(tree.n_nodes, -1) if tree.task.has_classes else None
        nodes = np.arange(tree.n_nodes, dtype=np.int32)
        answers = [
            tree.value[:, k, 0] if labels is None else tree.target.classes[k][labels[:, k]]
            for k in range(tree.n_outputs)
        ]
        return self._frame(answers, tree.value, nodes)

    def ends(self, frame: pl.DataFrame) -> Any:
        """Return the node each row ends in."""
        if not len(frame):
            return np.zeros(0, np.int32)
        table = route.read(self.tree, frame)
        return route.apply(self.tree, table, n_threads=os.cpu_count() or 1)

    def of(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return the new columns of some rows."""
        if not self.spreads or not len(frame):
            rows: pl.DataFrame = self.of_nodes[self.ends(frame)]
            return rows
        tree = self.tree
        table = route.read(tree, frame)
        answers = route.predict(tree, table).reshape(len(frame), -1)
        value: Any = None
        if self.probabilities:
            shares = route.predict_proba(tree, table)
            value = np.stack(shares if isinstance(shares, list) else [shares], axis=1)
        return self._frame(list(answers.T), value, self.ends(frame) if self.leaf else None)

    def _frame(self, answers: list[Any], value: Any, ends: Any) -> pl.DataFrame:
        many = len(answers) > 1
        tails = [f"_{k}" if many else "" for k in range(len(answers))]
        columns = [
            pl.Series(f"{self.prefix}prediction{tail}", one.tolist())
            for tail, one in zip(tails, answers, strict=True)
        ]
        if self.probabilities:
            columns += [
                pl.Series(f"{self.prefix}probability{tails[k]}_{label}", value[:, k, c])
                for k, labels in enumerate(self.tree.target.classes)
                for c, label in enumerate(labels.tolist())
            ]
        if self.leaf:
            columns.append(pl.Series(f"{self.prefix}leaf", ends))
        return pl.DataFrame(columns)
