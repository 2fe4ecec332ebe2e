"""Check the split that a student chose, and compute split measures step by step.

entropy      H = - sum over classes of c/n log2(c/n)
gini         G = 1 - sum over classes of (c/n)^2
gain         impurity of the node minus the mean of the branches' impurities, weighted by rows
gain_ratio   gain in bits / split information, - sum over branches of n_b/n log2(n_b/n)
chi2         sum over branches and classes of (observed - expected)^2 / expected
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ceiba.errors import OptionError
from ceiba.studio.analysis.node_analysis import NodeAnalysis
from ceiba.studio.analysis.rivals import find_rivals
from ceiba.studio.work.state import branch_path
from ceiba.studio.work.workspace import Workspace
from ceiba.tree.splits import level_text
from ceiba.words import words

MEASURES: Final = ("entropy", "gini", "gain", "gain_ratio", "chi2")
LessonStep = dict[str, Any]
_TOLERANCE: Final = 1e-12


@dataclass(frozen=True)
class ClassTable:
    """Row counts of a node by branch and class."""

    classes: tuple[str, ...]
    branches: tuple[str, ...]
    counts: tuple[tuple[float, ...], ...]
    base: str = "entropy"

    @property
    def total(self) -> tuple[float, ...]:
        """Row counts of the node by class."""
        return tuple(map(sum, zip(*self.counts, strict=True)))


def compute_steps(table: ClassTable, measure: str, words: Mapping[str, str]) -> list[LessonStep]:
    """Return the steps that compute a split measure; the last step contains the result."""
    return _MEASURES[measure](table, words)


def _impurity_steps(table: ClassTable, words: Mapping[str, str], kind: str) -> list[LessonStep]:
    """Return the steps that compute the impurity of the node and of each branch."""
    make = _entropy if kind == "entropy" else _gini
    steps = [
        _make_step(words, f"{kind}_node", make("H" if kind == "entropy" else "G", table.total))
    ]
    for branch, counts in zip(table.branches, table.counts, strict=True):
        letter = "H" if kind == "entropy" else "G"
        result = make(f"{letter}({branch})", counts)
        steps.append(_make_step(words, f"{kind}_branch", result, branch=branch))
    return steps


def _mean_steps(table: ClassTable, words: Mapping[str, str], kind: str) -> list[LessonStep]:
    """Return the steps that compute the impurities and their mean over the branches."""
    steps = _impurity_steps(table, words, kind)
    n = sum(table.total)
    parts = [(sum(c), step["value"]) for c, step in zip(table.counts, steps[1:], strict=True)]
    value = sum(size / n * impurity for size, impurity in parts)
    terms = " + ".join(f"{_fmt(size)}/{_fmt(n)}·{_fmt(impurity)}" for size, impurity in parts)
    steps.append(_make_step(words, "mean", (f"{terms} = {_fmt(value)}", value)))
    return steps


def _measure_impurity(kind: str) -> Any:
    return lambda table, words: _mean_steps(table, words, kind)


def _gain_steps(table: ClassTable, words: Mapping[str, str]) -> list[LessonStep]:
    steps = _mean_steps(table, words, table.base)
    before, after = steps[0]["value"], steps[-1]["value"]
    gain = before - after
    return [
        *steps,
        _make_step(words, "gain", (f"{_fmt(before)} − {_fmt(after)} = {_fmt(gain)}", gain)),
    ]


def _gain_ratio_steps(table: ClassTable, words: Mapping[str, str]) -> list[LessonStep]:
    steps = _mean_steps(table, words, "entropy")
    before, after = steps[0]["value"], steps[-1]["value"]
    gain = before - after
    steps.append(
        _make_step(words, "gain", (f"{_fmt(before)} − {_fmt(after)} = {_fmt(gain)}", gain))
    )
    information = _entropy("S", [sum(counts) for counts in table.counts])
    steps.append(_make_step(words, "split_information", information))
    ratio = gain / information[1] if information[1] > 0 else 0.0
    formula = f"{_fmt(gain)} / {_fmt(information[1])} = {_fmt(ratio)}"
    return [*steps, _make_step(words, "gain_ratio", (formula, ratio))]


def _chi_square_steps(table: ClassTable, words: Mapping[str, str]) -> list[LessonStep]:
    total, n = table.total, sum(table.total)
    steps, terms, statistic = [], [], 0.0
    for branch, counts in zip(table.branches, table.counts, strict=True):
        size, lines = sum(counts), []
        for name, observed, of_class in zip(table.classes, counts, total, strict=True):
            if not of_class:
                continue
            expected = size * of_class / n
            lines.append(f"{name}: {_fmt(size)}·{_fmt(of_class)}/{_fmt(n)} = {_fmt(expected)}")
            statistic += (observed - expected) ** 2 / expected
            terms.append(f"({_fmt(observed)} − {_fmt(expected)})²/{_fmt(expected)}")
        steps.append(_make_step(words, "expected", ("; ".join(lines), size), branch=branch))
    steps.append(
        _make_step(words, "chi2", (f"χ² = {' + '.join(terms)} = {_fmt(statistic)}", statistic))
    )
    return steps


_MEASURES: Final[dict[str, Callable[[ClassTable, Mapping[str, str]], list[LessonStep]]]] = {
    "entropy": _measure_impurity("entropy"),
    "gini": _measure_impurity("gini"),
    "gain": _gain_steps,
    "gain_ratio": _gain_ratio_steps,
    "chi2": _chi_square_steps,
}


def _entropy(name: str, counts: Sequence[float]) -> tuple[str, float]:
    n = sum(counts)
    present = [c for c in counts if c > 0]
    value = -sum(c / n * math.log2(c / n) for c in present) + 0.0
    terms = " ".join(f"− {_fmt(c)}/{_fmt(n)}·log₂({_fmt(c)}/{_fmt(n)})" for c in present)
    return f"{name} = −{terms[2:]} = {_fmt(value)}", value


def _gini(name: str, counts: Sequence[float]) -> tuple[str, float]:
    n = sum(counts)
    value = 1.0 - sum((c / n) ** 2 for c in counts)
    terms = " ".join(f"− ({_fmt(c)}/{_fmt(n)})²" for c in counts if c > 0)
    return f"{name} = 1 {terms} = {_fmt(value)}", value


def _make_step(
    words: Mapping[str, str], key: str, result: tuple[str, float], **named: str
) -> LessonStep:
    formula, value = result
    return {
        "title": words[key],
        "text": words[f"{key}_text"].format(**named),
        "formula": formula,
        "value": value,
    }


def _fmt(value: float) -> str:
    """Format a number with at most four decimals."""
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def is_answered(workspace: Workspace, analysis: NodeAnalysis, node: int) -> bool:
    """Whether to show the statistics of a node; lessons hide them until a column is chosen."""
    return workspace.lesson is None or branch_path(analysis.tree, node) in workspace.lesson_answers


def check_answer(analysis: NodeAnalysis, node: int, column: Any) -> dict[str, Any]:
    """Check whether the column that a student chose has the largest gain."""
    if not isinstance(column, str):
        raise OptionError(f"column must be the name of a column, got {column!r}.")
    analysis.problem.table.schema.index(column)
    rivals = find_rivals(analysis, node, by_gain=True)["rivals"]
    gains = {rival["column"]: rival["gain"] for rival in rivals if rival["gain"] is not None}
    if not gains:
        raise OptionError(f"Node {node} has no possible split. Choose another node.")
    top = max(gains.values())
    best = [name for name, gain in gains.items() if gain >= top - _TOLERANCE * max(abs(top), 1.0)]
    return {"right": column in best, "best": best, "gains": gains}


def lesson_steps(
    analysis: NodeAnalysis, node: int, column: str, measure: str, lang: str
) -> dict[str, Any]:
    """Compute a measure step by step for the best split of a column."""
    if measure not in MEASURES:
        raise OptionError(f"Unknown measure {measure!r}. Allowed values: {', '.join(MEASURES)}.")
    if not analysis.tree.task.has_classes:
        raise OptionError(f"Measures require a classification tree, got {analysis.tree.task}.")
    analysis.problem.table.schema.index(column)
    rival = next(
        rival
        for rival in find_rivals(analysis, node, by_gain=True)["rivals"]
        if rival["column"] == column
    )
    if rival["split"] is None:
        raise OptionError(f"Node {node} has no split on {column!r}. Choose another column.")
    branches = rival["branches"]
    table = ClassTable(
        classes=tuple(level_text(label) for label in analysis.tree.target.classes[0].tolist()),
        branches=tuple(branch["text"] for branch in branches),
        counts=tuple(tuple(branch["counts"]) for branch in branches),
        base="gini" if analysis.tree.criterion == "gini" else "entropy",
    )
    steps = compute_steps(table, measure, words(lang).section("steps"))
    return {
        "node": node,
        "column": column,
        "measure": measure,
        "split": rival["split"],
        "result": steps[-1]["value"],
        "steps": steps,
    }
