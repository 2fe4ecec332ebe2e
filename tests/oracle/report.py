"""Counting verdicts: per kind (rpart, scikit-learn, Weka) and per part (structure, surrogates,
pruning, ...).

A part of a golden is `match`, `differ`, `tied` (another choice among tied splits, so the whole-tree
figures say nothing) or `not built` (the library does not have the feature yet: reported, never a
failure). A golden matches when no part differs and at least one was compared.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

Verdict = Literal["match", "differ", "tied", "not built"]
PARTS = ("structure", "surrogates", "pruning", "cross-validation", "importance", "routing")


@dataclass
class Outcome:
    """What was found about one golden."""

    kind: str
    name: str
    parts: dict[str, Verdict] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> Verdict:
        outcomes = set(self.parts.values())
        if "differ" in outcomes or self.differences:
            return "differ"
        return "match" if outcomes & {"match", "tied"} else "not built"


@dataclass
class Report:
    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        return any(outcome.verdict == "differ" for outcome in self.outcomes)

    @property
    def kinds(self) -> list[str]:
        return list(dict.fromkeys(outcome.kind for outcome in self.outcomes))

    def of(self, kind: str) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.kind == kind]

    def part(self, kind: str, part: str) -> Counter[Verdict]:
        return Counter(o.parts[part] for o in self.of(kind) if part in o.parts)

    def lines(self, *, verbose: bool = False) -> list[str]:
        result = []
        for outcome in self.outcomes:
            if outcome.verdict == "differ" or (verbose and outcome.notes):
                result.append(f"{outcome.kind} {outcome.name}: {outcome.verdict}")
                result += [f"    {text}" for text in outcome.differences[: None if verbose else 4]]
                result += [f"    note: {text}" for text in outcome.notes if verbose]
        for kind in self.kinds:
            for part in PARTS:
                counted = self.part(kind, part)
                if counted:
                    result.append(f"{kind:<13} {part:<17} {_count(counted)}")
        return [*result, self.total()]

    def total(self) -> str:
        """The last line: goldens that match, per kind and per part."""
        verdicts = Counter(outcome.verdict for outcome in self.outcomes)
        kinds = "; ".join(self._kind_in_words(kind) for kind in self.kinds)
        return f"oracle: {_of(verdicts)} goldens match ({kinds})"

    def _kind_in_words(self, kind: str) -> str:
        verdicts = Counter(outcome.verdict for outcome in self.of(kind))
        if set(verdicts) == {"not built"}:
            return f"{kind} not built, {verdicts['not built']} waiting"
        parts = ", ".join(
            f"{part} {_of(counted)}"
            for part in PARTS
            if set(counted := self.part(kind, part)) - {"not built"}
        )
        return f"{kind} {_of(verdicts)}: {parts}"


def _of(counted: Counter[Verdict]) -> str:
    compared = sum(counted.values()) - counted["not built"]
    return f"{counted['match'] + counted['tied']} of {compared}"


def _count(counted: Counter[Verdict]) -> str:
    if set(counted) == {"not built"}:
        return f"not built ({counted['not built']} goldens wait)"
    extra = [f"{counted[word]} {word}" for word in ("tied", "not built") if counted[word]]
    return f"{_of(counted)} match" + (f" ({', '.join(extra)})" if extra else "")
