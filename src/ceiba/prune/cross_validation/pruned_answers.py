"""Held-out predictions as the tree is pruned: one step function per row.

From the leaf in which a row ends up to the root, each ancestor takes over at the step at which it
collapses. A row's step function is the short list of (step, answer) where its answer changes, so
the predictions of all rows at all steps take a few numbers per row instead of one per row and step.
The answer of a row that goes down several branches (missing="fractional") is a mean over its
leaves, which changes whenever one of them gives way to an ancestor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.tree import Tree
from ceiba.tree.routing import route

Ints = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StepFunctions:
    """Step functions of several rows, as compressed rows."""

    row: Ints
    start: Ints
    step: Ints
    answer: npt.NDArray[Any]

    def at(self, step: int) -> npt.NDArray[Any]:
        """Return the predictions at one step."""
        # Within a row steps ascend, so those up to `step` are its first ones.
        passed = np.concatenate(([0], np.cumsum(self.step <= step)))
        n_passed = passed[self.start[1:]] - passed[self.start[:-1]]
        return np.asarray(self.answer[self.start[:-1] + n_passed - 1])

    def sum_losses(self, loss: Numbers, weight: Numbers, n_steps: int) -> tuple[Numbers, Numbers]:
        """Sum losses (one per entry) and their squares over the rows, at each step."""
        opening = np.zeros(len(loss), bool)
        opening[self.start[:-1][np.diff(self.start) > 0]] = True
        sums, weight = [], weight[self.entry_row]
        for power in (loss, loss**2):
            before = np.where(opening, 0.0, np.concatenate(([0.0], power[:-1])))
            change = np.bincount(self.step, weight * (power - before), n_steps)
            sums.append(np.asarray(np.cumsum(change), np.float64))
        return sums[0], sums[1]

    @property
    def entry_row(self) -> Ints:
        """The row of each entry."""
        return np.repeat(self.row, np.diff(self.start))

    @classmethod
    def joined(cls, parts: Sequence[StepFunctions]) -> StepFunctions:
        """Put the rows of several folds together."""
        lengths = np.concatenate([np.diff(part.start) for part in parts])
        return cls(
            np.concatenate([part.row for part in parts]),
            np.concatenate(([0], np.cumsum(lengths))),
            np.concatenate([part.step for part in parts]),
            np.concatenate([part.answer for part in parts]),
        )


def step_functions(
    tree: Tree,
    step: npt.NDArray[np.int32],
    end: npt.NDArray[np.int32],
    rows: npt.NDArray[np.uint32],
    answer: npt.NDArray[Any],
    n_steps: int,
) -> StepFunctions:
    """Climb from the nodes in which rows end."""
    parts = [(np.arange(len(end)), np.zeros(len(end), np.int64), end.astype(np.int64))]
    at, node = np.arange(len(end)), end.astype(np.int64)
    while True:
        node = tree.parent[node].astype(np.int64)
        going = node >= 0
        going[going] = step[node[going]] < n_steps
        at, node = at[going], node[going]
        if len(at) == 0:
            break
        parts.append((at, step[node].astype(np.int64), node))
    row, when, where = (np.concatenate([part[i] for part in parts]) for i in range(3))
    order = np.argsort(row, kind="stable")  # each row's from the leaf upwards
    row, when, where = row[order], when[order], where[order]
    # Of several nodes that take over at one step, the topmost is what counts: the last one here.
    last = np.append((row[1:] != row[:-1]) | (when[1:] != when[:-1]), True)
    row, when, answers = row[last], when[last], answer[where[last]]
    # An answer that does not change needs no entry.
    new = np.append(True, (row[1:] != row[:-1]) | (answers[1:] != answers[:-1]))
    row, when, answers = row[new], when[new], answers[new]
    start = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=len(end)))))
    return StepFunctions(rows.astype(np.int64), start, when, answers)


def mixed_step_functions(
    tree: Tree,
    step: npt.NDArray[np.int32],
    spread: tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]],
    rows: npt.NDArray[np.uint32],
    n_steps: int,
) -> StepFunctions:
    """Climb from all leaves in which rows end, and mix what these say by the rows' shares.

    `spread` are the leaves and shares of the rows, as `ceiba.tree.routing.route.spread` gives them.
    """
    start, leaf, share = spread
    count = np.diff(start)
    leaves = np.arange(len(leaf), dtype=np.uint32)
    climb = step_functions(tree, step, leaf, leaves, np.arange(tree.n_nodes), n_steps)
    entry = np.repeat(np.arange(len(leaf)), np.diff(climb.start))
    value = tree.value[climb.answer].reshape(len(entry), -1)
    change = value.copy()  # of what each leaf says: first its own value, then differences
    change[1:] -= np.where((entry[1:] == entry[:-1])[:, None], value[:-1], 0.0)
    change *= share[entry][:, None]
    row = np.repeat(np.arange(len(rows)), count)[entry]
    order = np.lexsort((climb.step, row))
    row, when = row[order], climb.step[order]
    total = np.cumsum(change[order], axis=0)
    first = np.searchsorted(row, np.arange(len(rows)))
    before = np.concatenate((np.zeros((1, total.shape[1])), total))[first]
    last = np.append((row[1:] != row[:-1]) | (when[1:] != when[:-1]), True)
    mixed = (total[last] - before[row[last]]).reshape(-1, *tree.value.shape[1:])
    answer: npt.NDArray[Any] = mixed[:, 0, 0]
    if tree.task.has_classes:
        answer = route.best_class(mixed, tree.cost_matrix)[:, 0]
    length = np.bincount(row[last], minlength=len(rows))
    return StepFunctions(
        rows.astype(np.int64), np.concatenate(([0], np.cumsum(length))), when[last], answer
    )
