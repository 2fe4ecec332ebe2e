"""From measurements to figures: one row per bar, with a verdict, as a markdown table.

The time of a contender is the best of its repeats; the spread is (worst - best) / best. A library
that reached its limit has a lower bound of the ratio, marked ">=". A missed gain in wall time has
no verdict if other processes used the cores.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from benchmarks.growth import exponent
from benchmarks.measure import QUIET, Measurement
from benchmarks.races import Bar, Clock, Race

Taken = dict[str, list[Measurement]]  # of one race, by contender

HEADER = ("workload", "what", "ours", "theirs", "figure", "bar", "verdict", "spread")


@dataclass(frozen=True)
class Row:
    """One figure; `value` is what the bar limits (None: it could not be had, see `verdict`)."""

    race: str
    what: str
    ours: str
    theirs: str
    value: float | None
    figure: str
    bar: str
    verdict: str
    spread: str
    rival: str = ""  # the contender it is compared with; compare.py finds a figure again by it

    def cells(self) -> tuple[str, ...]:
        return (
            self.race,
            self.what,
            self.ours,
            self.theirs,
            self.figure,
            self.bar,
            self.verdict,
            self.spread,
        )


def best(measurements: list[Measurement], clock: Clock) -> float:
    """Return the shortest time."""
    return min(_times_of(measurements, clock))


def spread(measurements: list[Measurement], clock: Clock) -> float:
    """Return the longest time above the shortest, as a share of it."""
    times = _times_of(measurements, clock)
    return max(times) / min(times) - 1


def _times_of(measurements: list[Measurement], clock: Clock) -> list[float]:
    return [one.cpu if clock == "cpu" else one.wall for one in measurements]


def rows(race: Race, taken: Taken, skipped: dict[str, str]) -> list[Row]:
    """Judge the bars of one race."""
    return [_row(race, bar, taken, skipped) for bar in race.bars]


def _row(race: Race, bar: Bar, taken: Taken, skipped: dict[str, str]) -> Row:
    what = _what(race, bar)
    if bar.what == "exponent":
        return _curve(race, bar, taken, skipped)
    for key in filter(None, (bar.ours, bar.against)):
        reason = skipped.get(key) or next((m.error for m in taken.get(key, []) if m.error), None)
        if reason:
            return Row(race.name, what, "", "", None, "", _limit(bar), f"skipped: {reason}", "")
    ours = taken[bar.ours]
    theirs = taken[bar.against] if bar.against else []
    value, figure, our_side, their_side = _FIGURES[bar.what](bar, ours, theirs)
    clocked = [m for m in (ours, theirs) if m] if bar.what in _TIMED else []
    return Row(
        race.name,
        what,
        our_side,
        f"{bar.against} {their_side}" if bar.against and their_side else their_side,
        value,
        figure,
        _limit(bar),
        _verdict(bar, value, race.judged, _others(bar, ours, theirs)),
        " / ".join(f"{spread(m, bar.clock):.0%}" for m in clocked),
        bar.against or "",
    )


_NAMES = {
    "memory": "extra memory",
    "extra": "extra memory",
    "peak": "peak memory with the table",
    "impurity": "training impurity",
}


def _curve(race: Race, bar: Bar, taken: Taken, skipped: dict[str, str]) -> Row:
    """Fit the exponent of a growth curve to the points that were measured."""
    here = [(key, size) for key, size in bar.points if key not in skipped and taken.get(key)]
    wrong = [m.error for key, _ in here for m in taken[key] if m.error]
    reason = next(iter([*skipped.values(), *wrong]), None)
    if reason or len(here) < 2:
        verdict = f"skipped: {reason or 'fewer than two points'}"
        return Row(race.name, "exponent", "", "", None, "", _limit(bar), verdict, "")
    times = [best(taken[key], bar.clock) for key, _ in here]
    value = exponent([size for _, size in here], times)
    return Row(
        race.name,
        f"exponent from {here[0][0]} to {here[-1][0]}",
        ", ".join(f"{key}: {seconds(t)}" for (key, _), t in zip(here, times, strict=True)),
        "",
        value,
        f"exponent {value:.2f}",
        _limit(bar),
        _verdict(bar, value, race.judged, 0.0),
        f"{max(spread(taken[key], bar.clock) for key, _ in here):.0%}",
    )


def _what(race: Race, bar: Bar) -> str:
    clock = {"cpu": "CPU", "wall": "wall"}[bar.clock]
    name = _NAMES.get(bar.what)
    if name is None:
        name = f"{race.contenders[bar.ours].action}, {clock} time"
    return name if bar.ours == "ceiba" else f"{name} ({bar.ours})"


# ---------------------------------------------------------------------------------- figures

Figure = tuple[float | None, str, str, str]  # value, as text, our side, their side


def _speed(bar: Bar, ours: list[Measurement], theirs: list[Measurement]) -> Figure:
    our, their = best(ours, bar.clock), best(theirs, bar.clock)
    bound = ">= " if theirs[0].at_least else ""
    ratio = their / our
    return ratio, f"{bound}{_times(ratio)} faster", seconds(our), bound + seconds(their)


def _slowdown(bar: Bar, ours: list[Measurement], theirs: list[Measurement]) -> Figure:
    our, their = best(ours, bar.clock), best(theirs, bar.clock)
    return our / their, f"{_times(our / their)} as long", seconds(our), seconds(their)


def _impurity(bar: Bar, ours: list[Measurement], theirs: list[Measurement]) -> Figure:
    our, their = ours[0].impurity, theirs[0].impurity  # only the first repeat is judged
    if our is None or their is None:
        return None, "", "", ""
    excess = (our - their) / their if their else our
    sides = [f"{m[0].impurity:.6f} ({m[0].n_leaves:,} leaves)" for m in (ours, theirs)]
    return excess, f"{excess:+.1e} relative", sides[0], sides[1]


def _memory(bar: Bar, ours: list[Measurement], theirs: list[Measurement]) -> Figure:
    extra, table = ours[0].extra_bytes, ours[0].float64_bytes
    if extra is None or not table:
        return None, "", "", ""
    extra = max(one.extra_bytes or 0 for one in ours)
    sides = [f"{size / 2**20:,.0f} MiB" for size in (extra, table)]
    return extra / table, f"{extra / table:.2f}x of X", sides[0], f"X is {sides[1]}"


def _extra(bar: Bar, ours: list[Measurement], theirs: list[Measurement]) -> Figure:
    return _bytes([one.extra_bytes for one in ours], 10**6, "MB")


def _peak(bar: Bar, ours: list[Measurement], theirs: list[Measurement]) -> Figure:
    return _bytes([one.peak_bytes for one in ours], 10**9, "GB")


def _bytes(sizes: list[int | None], unit: int, name: str) -> Figure:
    known = [size for size in sizes if size is not None]
    if not known:
        return None, "", "", ""
    text = f"{max(known) / unit:,.3g} {name}"
    return float(max(known)), text, text, ""


def _seconds(bar: Bar, ours: list[Measurement], theirs: list[Measurement]) -> Figure:
    our = best(ours, bar.clock)
    return our, seconds(our), seconds(our), ""


_FIGURES = {
    "speed": _speed,
    "slowdown": _slowdown,
    "impurity": _impurity,
    "memory": _memory,
    "extra": _extra,
    "peak": _peak,
    "seconds": _seconds,
}
_TIMED = ("speed", "slowdown", "seconds")


_UNITS = {
    "impurity": (1, ""),
    "exponent": (1, ""),
    "seconds": (1, " s"),
    "extra": (10**6, " MB"),
    "peak": (10**9, " GB"),
}


def _limit(bar: Bar) -> str:
    if bar.limit is None:
        return ""
    sign = ">=" if bar.what == "speed" else "<="
    size, unit = _UNITS.get(bar.what, (1, "x"))
    return f"{sign} {bar.limit / size:g}{unit}"


def _others(bar: Bar, ours: list[Measurement], theirs: list[Measurement]) -> float:
    """Return the cores that others used during the best repeats, where wall time is judged."""
    if bar.clock == "cpu":
        return 0.0
    best_of = [min(side, key=lambda one: one.wall) for side in (ours, theirs) if side]
    return max(one.others or 0.0 for one in best_of)


def _verdict(bar: Bar, value: float | None, judged: bool, others: float) -> str:
    if value is None:
        return "not measured here"
    if bar.limit is None:
        return ""
    if not judged:
        return "not at this size"
    # Ratios are judged as they are shown: 1.998 is not 2.
    kept = value >= bar.limit if bar.what == "speed" else value <= bar.limit
    if not kept and others > QUIET:
        return f"machine busy (others used {others:.1f} cores)"
    return "met" if kept else "MISSED"


# ---------------------------------------------------------------------------------- text


def seconds(value: float) -> str:
    """Write a time in the unit that suits it."""
    if math.isnan(value):
        return "?"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def _times(ratio: float) -> str:
    return f"{ratio:.1f}x" if ratio >= 10 else f"{ratio:.2f}x"


def markdown(found: Iterable[Row]) -> str:
    """Write rows as a markdown table; a workload is named once."""
    cells: list[tuple[str, ...]] = [HEADER]
    last = None
    for row in found:
        cells.append(("" if row.race == last else row.race, *row.cells()[1:]))
        last = row.race
    widths = [max(len(line[i]) for line in cells) for i in range(len(HEADER))]
    lines = [
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)) + " |"
        for line in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines) + "\n"
