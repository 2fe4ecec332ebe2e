"""Races: contenders on one workload, and their bars.

A race is one workload and its contenders, which alternate (a, b, c, a, b, c, ...), so that a busy
minute of the machine affects all of them. A bar applies at the full size of the race only; smaller
runs show the figure without a verdict. One thread is measured in CPU time, several in wall time.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from benchmarks.libraries import Settings
from benchmarks.problems import PROBLEMS

Action = Literal[
    "fit", "predict", "predict one row", "cross_val_score", "GridSearchCV", "import"
]  # fmt: skip
Clock = Literal["cpu", "wall"]
What = Literal["speed", "slowdown", "impurity", "memory", "extra", "peak", "seconds", "exponent"]


@dataclass(frozen=True)
class Contender:
    """One library doing one thing to one table, `repeats` times, each in a fresh process."""

    library: str
    problem: str
    action: Action = "fit"
    settings: Settings = field(default_factory=Settings)
    repeats: int = 3
    limit: float | None = None  # CPU seconds; longer than this counts as "at least this"
    whole: bool = False  # the size is the point: left out where tables are cut, not cut


@dataclass(frozen=True)
class Bar:
    """A figure made of the race's contenders (by key), and the limit asked of it.

    speed: time of `against` / time of `ours`, at least; slowdown: the inverse, at most;
    impurity: relative excess of the training impurity of `ours`, at most;
    memory: extra peak / float64 size of X, at most; extra: the same in bytes; peak: of the whole
    process, in bytes; seconds: time of `ours`, at most;
    exponent: of size in time, fitted to `points` (contender, size), at most.
    """

    what: What
    ours: str
    against: str | None = None
    limit: float | None = None
    clock: Clock = "cpu"
    points: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Race:
    """One workload; `{rows}` in its name stands for the size of its table."""

    name: str
    subsets: frozenset[str]
    contenders: dict[str, Contender]
    bars: tuple[Bar, ...]
    judged: bool = True

    def cut(self, most_rows: int, most_repeats: int) -> Race:
        """Return the race on smaller tables and with fewer repeats; bars hold for whole tables."""
        sizes = {key: PROBLEMS[one.problem].rows for key, one in self.contenders.items()}
        kept = {
            key: replace(one, repeats=min(one.repeats, most_repeats))
            for key, one in self.contenders.items()
            if not one.whole or sizes[key] <= most_rows
        }
        bars = (
            replace(bar, points=tuple(point for point in bar.points if point[0] in kept))
            for bar in self.bars
        )
        return replace(
            self,
            name=self.name.format(rows=f"{min(most_rows, max(sizes.values())):,}"),
            contenders=kept,
            bars=tuple(bar for bar in bars if bar.ours in kept or len(bar.points) > 1),
            judged=max(sizes.values()) <= most_rows,
        )

    def among(self, libraries: set[str]) -> Race:
        """Return the race without other libraries, and without the bars against them."""
        kept = {key: one for key, one in self.contenders.items() if one.library in libraries}
        bars = [bar for bar in self.bars if {bar.ours, bar.against or bar.ours} <= kept.keys()]
        return replace(self, contenders=kept, bars=tuple(bars))


def depth_name(depth: int | None) -> str:
    return "any depth" if depth is None else f"depth {depth}"
