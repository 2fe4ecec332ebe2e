"""Measures of a split computed step by step, with the numbers put into the formulas.

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

MEASURES: Final = ("entropy", "gini", "gain", "gain_ratio", "chi2")
Step = dict[str, Any]


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
    """Give the steps of a computation; the last one has the result."""
    return _MEASURES[measure](division, words)


def _impurities(division: Division, words: Mapping[str, str], kind: str) -> list[Step]:
    """Compute the impurity of the node, then of each branch."""
    make = _entropy if kind == "entropy" else _gini
    steps = [_step(words, f"{kind}_node", make("H" if kind == "entropy" else "G", division.total))]
    for branch, counts in zip(division.branches, division.counts, strict=True):
        letter = "H" if kind == "entropy" else "G"
        made = make(f"{letter}({branch})", counts)
        steps.append(_step(words, f"{kind}_branch", made, branch=branch))
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


def _step(words: Mapping[str, str], key: str, made: tuple[str, float], **named: str) -> Step:
    formula, value = made
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
