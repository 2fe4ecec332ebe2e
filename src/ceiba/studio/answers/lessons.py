"""Lessons in the studio: whether a question is best, and its measures computed step by step.

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
from ceiba.studio.answers.bench import Bench
from ceiba.studio.answers.rivals import rivals
from ceiba.studio.work.state import place_of
from ceiba.studio.work.workspace import Workspace
from ceiba.tree.splits import level_text
from ceiba.words import words

MEASURES: Final = ("entropy", "gini", "gain", "gain_ratio", "chi2")
Step = dict[str, Any]
_NOISE: Final = 1e-12


@dataclass(frozen=True)
class Division:
    """Rows of a node by branch and class."""

    classes: tuple[str, ...]
    branches: tuple[str, ...]
    counts: tuple[tuple[float, ...], ...]
    base: str = "entropy"

    @property
    def total(self) -> tuple[float, ...]:
        """Rows of the node by class."""
        return tuple(map(sum, zip(*self.counts, strict=True)))


def steps_of(division: Division, measure: str, words: Mapping[str, str]) -> list[Step]:
    """Return the steps of a computation; the last one has the result."""
    return _MEASURES[measure](division, words)


def _impurities(division: Division, words: Mapping[str, str], kind: str) -> list[Step]:
    """Compute the impurity of the node, then of each branch."""
    make = _entropy if kind == "entropy" else _gini
    steps = [_step(words, f"{kind}_node", make("H" if kind == "entropy" else "G", division.total))]
    for branch, counts in zip(division.branches, division.counts, strict=True):
        letter = "H" if kind == "entropy" else "G"
        result = make(f"{letter}({branch})", counts)
        steps.append(_step(words, f"{kind}_branch", result, branch=branch))
    return steps


def _mean(division: Division, words: Mapping[str, str], kind: str) -> list[Step]:
    """Compute the impurities and their mean over the branches."""
    steps = _impurities(division, words, kind)
    n = sum(division.total)
    parts = [(sum(c), step["value"]) for c, step in zip(division.counts, steps[1:], strict=True)]
    value = sum(size / n * impurity for size, impurity in parts)
    terms = " + ".join(f"{_n(size)}/{_n(n)}·{_n(impurity)}" for size, impurity in parts)
    steps.append(_step(words, "mean", (f"{terms} = {_n(value)}", value)))
    return steps


def _measure_impurity(kind: str) -> Any:
    return lambda division, words: _mean(division, words, kind)


def _gain(division: Division, words: Mapping[str, str]) -> list[Step]:
    steps = _mean(division, words, division.base)
    before, after = steps[0]["value"], steps[-1]["value"]
    gain = before - after
    return [*steps, _step(words, "gain", (f"{_n(before)} − {_n(after)} = {_n(gain)}", gain))]


def _gain_ratio(division: Division, words: Mapping[str, str]) -> list[Step]:
    steps = _mean(division, words, "entropy")
    before, after = steps[0]["value"], steps[-1]["value"]
    gain = before - after
    steps.append(_step(words, "gain", (f"{_n(before)} − {_n(after)} = {_n(gain)}", gain)))
    information = _entropy("S", [sum(counts) for counts in division.counts])
    steps.append(_step(words, "split_information", information))
    ratio = gain / information[1] if information[1] > 0 else 0.0
    formula = f"{_n(gain)} / {_n(information[1])} = {_n(ratio)}"
    return [*steps, _step(words, "gain_ratio", (formula, ratio))]


def _chi_square(division: Division, words: Mapping[str, str]) -> list[Step]:
    total, n = division.total, sum(division.total)
    steps, terms, statistic = [], [], 0.0
    for branch, counts in zip(division.branches, division.counts, strict=True):
        size, lines = sum(counts), []
        for name, observed, of_class in zip(division.classes, counts, total, strict=True):
            if not of_class:
                continue
            expected = size * of_class / n
            lines.append(f"{name}: {_n(size)}·{_n(of_class)}/{_n(n)} = {_n(expected)}")
            statistic += (observed - expected) ** 2 / expected
            terms.append(f"({_n(observed)} − {_n(expected)})²/{_n(expected)}")
        steps.append(_step(words, "expected", ("; ".join(lines), size), branch=branch))
    steps.append(_step(words, "chi2", (f"χ² = {' + '.join(terms)} = {_n(statistic)}", statistic)))
    return steps


_MEASURES: Final[dict[str, Callable[[Division, Mapping[str, str]], list[Step]]]] = {
    "entropy": _measure_impurity("entropy"),
    "gini": _measure_impurity("gini"),
    "gain": _gain,
    "gain_ratio": _gain_ratio,
    "chi2": _chi_square,
}


def _entropy(name: str, counts: Sequence[float]) -> tuple[str, float]:
    n = sum(counts)
    present = [c for c in counts if c > 0]
    value = -sum(c / n * math.log2(c / n) for c in present) + 0.0
    terms = " ".join(f"− {_n(c)}/{_n(n)}·log₂({_n(c)}/{_n(n)})" for c in present)
    return f"{name} = −{terms[2:]} = {_n(value)}", value


def _gini(name: str, counts: Sequence[float]) -> tuple[str, float]:
    n = sum(counts)
    value = 1.0 - sum((c / n) ** 2 for c in counts)
    terms = " ".join(f"− ({_n(c)}/{_n(n)})²" for c in counts if c > 0)
    return f"{name} = 1 {terms} = {_n(value)}", value


def _step(words: Mapping[str, str], key: str, result: tuple[str, float], **named: str) -> Step:
    formula, value = result
    return {
        "title": words[key],
        "text": words[f"{key}_text"].format(**named),
        "formula": formula,
        "value": value,
    }


def _n(value: float) -> str:
    """Write a number: whole ones as they are, others with four digits after the point."""
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def answered(workspace: Workspace, bench: Bench, node: int) -> bool:
    """Return whether the figures of a node may be shown."""
    return workspace.lesson is None or place_of(bench.tree, node) in workspace.answered


def lesson_answer(bench: Bench, node: int, column: Any) -> dict[str, Any]:
    """Judge the column that a learner chose; of equals each is right."""
    if not isinstance(column, str):
        raise OptionError(f"column: got {column!r}. Pass the name of a column.")
    bench.problem.table.schema.index(column)
    listed = rivals(bench, node)["rivals"]
    gains = {offer["column"]: offer["gain"] for offer in listed if offer["gain"] is not None}
    if not gains:
        raise OptionError(f"Node {node}: no question splits it.")
    most = max(gains.values())
    best = [name for name, gain in gains.items() if gain >= most - _NOISE * max(abs(most), 1.0)]
    return {"right": column in best, "best": best, "gains": gains}


def lesson_steps(bench: Bench, node: int, column: str, measure: str, lang: str) -> dict[str, Any]:
    """Compute a measure of a column's best split, step by step."""
    if measure not in MEASURES:
        raise OptionError(f"measure: got {measure!r}. Pass one of {', '.join(MEASURES)}.")
    if not bench.tree.task.has_classes:
        raise OptionError("Lessons are about classes; this target holds numbers.")
    bench.problem.table.schema.index(column)
    rival = next(offer for offer in rivals(bench, node)["rivals"] if offer["column"] == column)
    if rival["split"] is None:
        raise OptionError(f"Node {node}: {column!r} does not split it.")
    branches = rival["branches"]
    division = Division(
        classes=tuple(level_text(label) for label in bench.tree.target.classes[0].tolist()),
        branches=tuple(branch["text"] for branch in branches),
        counts=tuple(tuple(branch["counts"]) for branch in branches),
        base="gini" if bench.tree.criterion == "gini" else "entropy",
    )
    steps = steps_of(division, measure, words(lang).section("steps"))
    return {
        "node": node,
        "column": column,
        "measure": measure,
        "split": rival["split"],
        "result": steps[-1]["value"],
        "steps": steps,
    }
