"""Compute the gain and p-value of a split, and the target statistics of its branches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.criteria import DEFAULT_CRITERION, Criterion, criterion_named
from ceiba.edit.forced import NodeSite, partition_rows
from ceiba.errors import OptionError
from ceiba.grow import Problem
from ceiba.grow.significance import chi_square_test
from ceiba.report import encode_curve
from ceiba.survival import SurvivalCurve
from ceiba.table import Table
from ceiba.table.targets import log_rank_scores
from ceiba.task import Task
from ceiba.tree import SplitKind, SplitTable
from ceiba.tree.routing import evaluate_split

Array = npt.NDArray[Any]
_MAX_MASKED_CLASSES: Final = 8  # with more classes, bincount is faster than masks


@dataclass(frozen=True)
class BranchCounts:
    """Row counts, weights and target statistics of each branch of a split."""

    n_rows: Array
    weight: Array
    classes: Array | None
    mean: Array | None
    variance: Array | None
    risk: Array | None = None  # relative risk of each branch (survival only)

    def impurity(self, criterion: Criterion) -> list[float | None]:
        """Return the impurity of each branch, with None where it cannot be computed."""
        if self.classes is not None and criterion.of_counts is not None:
            return [float(criterion.of_counts(row)) if row.sum() else None for row in self.classes]
        if (
            self.variance is not None
            and self.risk is None
            and criterion.name in ("squared_error", "friedman_mse")
        ):
            return [float(v) for v in self.variance]
        return [None] * len(self.n_rows)


class NodeTarget:
    """Target values of a node, prepared for repeated counting.

    For survival, `values` are log-rank scores, and `times` has columns time, event, scaled time.
    """

    def __init__(
        self, values: Array, weight: Array | None, n_classes: int, times: Array | None = None
    ) -> None:
        self.values, self.weight, self.n_classes = values, weight, n_classes
        self.times = times
        self._parts: list[Array] | None = None

    @classmethod
    def of(cls, site: NodeSite) -> NodeTarget:
        """Return the target values of the training rows in a node."""
        target = site.problem.target
        every = len(site.rows) == site.problem.n_rows
        weight = None if site.weight is None else site.weight[site.rows]
        if target.info.task is Task.SURVIVAL:
            return cls.of_times(
                target.values[site.rows], weight, site.problem.hazard.time[site.rows]
            )
        values = target.values[:, 0] if every else target.values[site.rows, 0]
        n_classes = len(target.info.classes[0]) if target.info.classes else 0
        return cls(values, weight, n_classes)

    @classmethod
    def of_times(cls, target: Array, weight: Array | None, scaled: Array) -> NodeTarget:
        """Create a survival target from times, events and scaled times."""
        return cls(log_rank_scores(target), weight, 0, np.column_stack([target, scaled]))

    def curves(self, branch: Array, n_branches: int) -> list[dict[str, Any] | None] | None:
        """Return the Kaplan-Meier curve of each branch, or None if the target is not survival."""
        if self.times is None:
            return None
        weight = np.ones(len(branch)) if self.weight is None else self.weight
        curves: list[dict[str, Any] | None] = []
        for b in range(n_branches):
            rows = np.flatnonzero((branch == b) & (weight > 0))
            time, event = self.times[rows, 0], self.times[rows, 1]
            curve = SurvivalCurve.from_rows(time, event, weight[rows]) if len(rows) else None
            curves.append(None if curve is None else encode_curve(curve))
        return curves

    def counts(self, branch: Array, n_branches: int) -> BranchCounts:
        """Return the statistics of each branch; rows with branch -1 are not counted."""
        if n_branches == 2 and self.weight is None and 0 < self.n_classes <= _MAX_MASKED_CLASSES:
            return self._count_two_branches(branch)
        has_branch = branch >= 0
        branch, values = branch[has_branch].astype(np.int64), self.values[has_branch]
        weight = None if self.weight is None else self.weight[has_branch]
        n_rows = np.bincount(branch, minlength=n_branches)
        mass = n_rows.astype(np.float64)
        if weight is not None:
            mass = np.bincount(branch, weight, minlength=n_branches).astype(np.float64)
        if self.n_classes:
            cells = branch * self.n_classes + values
            cell_counts = np.bincount(cells, weight, minlength=n_branches * self.n_classes)
            classes = cell_counts.reshape(n_branches, self.n_classes).astype(np.float64)
            return BranchCounts(n_rows, mass, classes, None, None)
        masses = np.ones(len(values)) if weight is None else weight
        safe = np.where(mass > 0, mass, 1.0)
        mean = np.bincount(branch, masses * values, minlength=n_branches) / safe
        spread = np.bincount(branch, masses * (values - mean[branch]) ** 2, minlength=n_branches)
        risk = None
        if self.times is not None:
            event, time = (
                np.bincount(branch, masses * self.times[has_branch, k], minlength=n_branches)
                for k in (1, 2)
            )
            risk = np.divide(event, time, out=np.zeros(n_branches), where=time > 0)
        return BranchCounts(n_rows, mass, None, mean, spread / safe, risk)

    def _count_two_branches(self, branch: Array) -> BranchCounts:
        """Count the rows of two branches with one mask per class, which is fast for few classes."""
        if self._parts is None:
            self._parts = [self.values == k for k in range(self.n_classes)]
        second = branch == 1
        first = branch == 0
        classes = np.array(
            [[np.count_nonzero(side & mask) for mask in self._parts] for side in (first, second)]
        )
        n_rows = classes.sum(axis=1)
        return BranchCounts(
            n_rows, n_rows.astype(np.float64), classes.astype(np.float64), None, None
        )


def assign_branches(
    site: NodeSite, splits: SplitTable, missing: int | None = None
) -> tuple[Array, int, float | None]:
    """Return each row's branch under a split, the number of branches and the gain.

    Missing values go to `missing`, by default as in growing. The caller computes a gain of None.
    """
    table, column = site.problem.table, int(splits.column[0])
    kind = splits.kind[0]
    info = table.schema.columns[column]
    counts_only = needs_only_counts(site.problem)
    if counts_only and not info.n_missing and site.weight is None:
        if kind == SplitKind.CUT:
            values = table.columns[column].values
            values = values if len(site.rows) == site.problem.n_rows else values[site.rows]
            return (values > splits.cut[0]).view(np.int8), 2, None
        if kind in (SplitKind.LEVELS, SplitKind.INTERVALS):
            return evaluate_split(splits, 0, table, site.rows), _n_branches(splits), None
    division = partition_rows(site.problem, splits, site.rows, site.weight, missing)
    return division.branch, len(division), division.gain


def assign_held_out(splits: SplitTable, table: Table, rows: Array) -> Array:
    """Return each held-out row's branch under a split, or -1 if the split cannot route the row."""
    branch = evaluate_split(splits, 0, table, rows)
    return np.where(branch >= _n_branches(splits), -1, branch)


def _n_branches(splits: SplitTable) -> int:
    if splits.kind[0] == SplitKind.LEVELS:
        return int(splits.level_branch.max(initial=1)) + 1
    if splits.kind[0] == SplitKind.INTERVALS:
        return len(splits.interval_cut) + 1
    return 2


def branches_to_json(
    counts: BranchCounts, criterion: Criterion, texts: list[str], curves: Any = None
) -> list[dict[str, Any]]:
    """Convert branch statistics, with their conditions and curves, to JSON objects."""
    impurity = counts.impurity(criterion)
    mean = counts.mean if counts.risk is None else counts.risk
    return [
        {
            "text": texts[b],
            "n_rows": int(counts.n_rows[b]),
            "weight": float(counts.weight[b]),
            "impurity": impurity[b],
            "counts": None if counts.classes is None else counts.classes[b].tolist(),
            "mean": None if mean is None else float(mean[b]),
            "sd": None if counts.variance is None else float(np.sqrt(counts.variance[b])),
            "curve": None if curves is None else curves[b],
        }
        for b in range(len(counts.n_rows))
    ]


def needs_only_counts(problem: Problem) -> bool:
    """Whether class counts (or means and variances) of the branches suffice to compute the gain."""
    criterion = node_criterion(problem)
    if not problem.options.task.has_classes:
        return criterion.name in ("squared_error", "friedman_mse")
    return criterion.of_counts is not None and criterion.name != "gain_ratio"


def compute_gain(counts: BranchCounts, problem: Problem) -> float:
    """Compute the gain of a split from the statistics of its branches."""
    classes, mass = counts.classes, counts.weight
    if classes is not None:
        scale, of_counts = problem.scales.search, node_criterion(problem).of_counts
        assert of_counts is not None
        classes = classes if scale is None else classes * scale
        mass = classes.sum(axis=1)
        parts = [float(of_counts(row)) if row.sum() else 0.0 for row in classes]
    else:
        assert counts.variance is not None
        parts = counts.variance.tolist()
    after = float(mass @ np.array(parts)) / float(mass.sum())
    return max(0.0, impurity_before(counts, problem) - after)


def impurity_before(counts: BranchCounts, problem: Problem) -> float:
    """Return the impurity of the node before the split."""
    if counts.classes is not None:
        scale, of_counts = problem.scales.search, node_criterion(problem).of_counts
        assert of_counts is not None
        total = counts.classes.sum(axis=0)
        return float(of_counts(total if scale is None else total * scale))
    assert counts.mean is not None
    assert counts.variance is not None
    mass = counts.weight
    middle = float((mass * counts.mean).sum() / mass.sum())
    return float((mass * (counts.variance + (counts.mean - middle) ** 2)).sum() / mass.sum())


def node_criterion(problem: Problem) -> Criterion:
    """Return the impurity criterion (the default one for trees grown by significance tests)."""
    name = problem.options.criterion_name
    if "tests" in problem.options.growers:
        name = DEFAULT_CRITERION[problem.options.task]
    return criterion_named(name, problem.options.task)


def fixed_split_p_value(counts: BranchCounts, seed: int = 0) -> float | None:
    """Return the p-value of a given split, not adjusted for the search over splits."""
    from scipy import stats

    if counts.classes is not None:
        return float(chi_square_test(counts.classes, "asymptotic", seed=seed).p_value)
    assert counts.mean is not None
    assert counts.variance is not None
    mass, n = counts.weight, int(counts.n_rows.sum())
    df = (len(mass) - 1, n - len(mass))
    if min(df) <= 0:
        return 1.0
    middle = float((mass * counts.mean).sum() / mass.sum())
    between = float((mass * (counts.mean - middle) ** 2).sum())
    within = float((mass * counts.variance).sum())
    if within <= 1e-20 * (between + within):
        return 0.0 if between > 0 else 1.0
    return float(stats.f.sf((between / df[0]) / (within / df[1]), *df))


def check_one_output(problem: Problem) -> None:
    """Raise an error for a target with several outputs."""
    if (n := problem.target.info.n_outputs) > 1:
        raise OptionError(f"The studio supports only single-output targets, got {n} outputs.")
