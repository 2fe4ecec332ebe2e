"""Compute hazards, impurities and Kaplan-Meier counts of survival tree nodes.

With d events in scaled time T (overall hazard 1, `ceiba.table.targets.survival`), the value of a
node is its relative hazard, shrunk toward the overall hazard r as in rpart: (d + 1) / (T + 1 / r).
A leaf without events then has a hazard above 0. The impurity of a node is half the mean exponential
deviance about d / T, and its risk is half the deviance about its value, both per unit of weight
(LeBlanc and Crowley 1992). All follow from sums over rows, which are added up over subtrees.

The attachment "survival" has the Kaplan-Meier counts of each node, flat: time, weight at risk and
weight of events at each distinct event time, and at the last observed time if it has no event.
"censoring" has these counts for the censoring times of the root only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ceiba.errors import TreeError
from ceiba.survival import SurvivalCurve
from ceiba.table.targets import HazardTarget
from ceiba.tree.arrays import Array, sum_over_subtrees

if TYPE_CHECKING:
    from ceiba.tree.routing.row_ends import RowEnds
    from ceiba.tree.tree import Tree


class SurvivalSums(NamedTuple):
    """Sums over each node's rows: weight, events, scaled time, and -log(scaled time) of events."""

    weight: Array
    events: Array
    time: Array
    log_time: Array

    @classmethod
    def of(cls, tree: Tree, hazard: HazardTarget, ends: RowEnds) -> SurvivalSums:
        """Compute the sums of each node from the rows in `ends` and the nodes in which they end."""
        event, time = hazard.event[ends.row], hazard.time[ends.row]
        terms = (np.ones(len(time)), event, time, -event * np.log(time))
        return cls(
            *(
                sum_over_subtrees(tree, np.bincount(ends.node, ends.weight * term, tree.n_nodes))
                for term in terms
            )
        )

    def shrunken_hazard(self, overall: float) -> Array:
        """Return the relative hazard of each node, shrunk toward the overall hazard."""
        return np.asarray(overall * (self.events + 1.0) / (overall * self.time + 1.0))

    def impurity(self) -> Array:
        """Return half the mean deviance of each node about its own hazard."""
        rate = np.divide(self.events, self.time, out=np.ones_like(self.time), where=self.events > 0)
        loss = self.log_time - self.events * np.log(rate)
        loss = np.where(self.events > 0, loss, 0.0)
        return np.maximum(np.divide(loss, self.weight, out=loss, where=self.weight > 0), 0.0)

    def losses(self, hazard: Array) -> Array:
        """Return half the deviance of the rows of each node about a given hazard."""
        logs = np.log(hazard, out=np.zeros_like(hazard), where=self.events > 0)
        return np.asarray(self.log_time - self.events * logs - self.events + self.time * hazard)


def survival_counts(target: Array, weight: Array, _settings: Array) -> Array:
    """Return Kaplan-Meier counts, flattened: (time, weight at risk, event weight) at each step."""
    if not weight.any():
        return weight[:0]
    return _event_steps(SurvivalCurve.from_rows(target[:, 0], target[:, 1], weight))


def censoring_counts(target: Array, weight: Array) -> Array:
    """Return the Kaplan-Meier counts of the censoring times; see `survival_counts`."""
    return _event_steps(SurvivalCurve.of_censoring(target[:, 0], target[:, 1], weight))


def _event_steps(curve: SurvivalCurve) -> Array:
    """Return the counts of a curve at its event times and its last time, flattened."""
    is_step = curve.events > 0
    is_step[-1] = True
    return np.stack([curve.time, curve.at_risk, curve.events], axis=1)[is_step].ravel()


def node_curve(tree: Tree, node: int) -> SurvivalCurve:
    """Return the Kaplan-Meier curve of a survival tree node."""
    return _read_curve(tree, node, "survival")


def has_curve(tree: Tree, node: int = 0) -> bool:
    """Whether the tree has Kaplan-Meier counts for a node."""
    numbers = (tree.attachments or {}).get("survival")
    return numbers is not None and len(numbers.of(node)) > 0


def censoring_curve(tree: Tree) -> SurvivalCurve:
    """Return the Kaplan-Meier curve of the censoring times of the training rows."""
    return _read_curve(tree, 0, "censoring")


def _read_curve(tree: Tree, node: int, name: str) -> SurvivalCurve:
    """Return the curve stored at a node under a name; raise an error if it has none."""
    numbers = (tree.attachments or {}).get(name)
    if numbers is None or not len(numbers.of(node)):
        raise TreeError(
            f"Node {node} has no {name} curve. Fit a DecisionTreeSurvival, or call "
            "refit_leaves(X, y) to compute it."
        )
    time, at_risk, events = numbers.of(node).reshape(-1, 3).T
    return SurvivalCurve(time, at_risk, events, float(tree.weight[node]))
