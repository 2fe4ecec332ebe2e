"""Two commits, alternating: CPU-time ratios per workload, their geometric mean, the worst.

The commits alternate (old, new, new, old, ...), each repeat in a fresh process, so that a busy
minute affects both. The ratio of a workload is the best time of the new commit over the best of the
old one. A workload above its limit is measured again, at most twice, since one unlucky process is
not a regression: it fails only if it stays above. Workloads with several threads are compared by
wall time and excluded from the mean.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import commits
from benchmarks.measure import Measurement, measure
from benchmarks.problems import PROBLEMS, store
from benchmarks.races import Clock, Contender, Race
from benchmarks.run import Progress, chosen_races
from benchmarks.table import best

MEAN = 1.03
WORST = 1.10
IMPURITY = 1e-5
MEMORY = 0.10
# Below this, the peak of the resident set is a matter of the allocator's blocks.
LEAST_BYTES = 4 * 2**20
ROUNDS = 3


@dataclass(frozen=True)
class Pair:
    """What both commits needed for one workload."""

    name: str
    clock: Clock
    old: list[Measurement] = field(default_factory=list)
    new: list[Measurement] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        return best(self.new, self.clock) / best(self.old, self.clock)

    @property
    def error(self) -> str | None:
        return next((one.error for one in (*self.old, *self.new) if one.error), None)


def ours(races: list[Race]) -> dict[str, Contender]:
    """List what ceiba does in the races, once each."""
    workloads: dict[str, Contender] = {}
    for race in races:
        for key, one in race.contenders.items():
            if one.library == "ceiba" and one.action != "import" and one not in workloads.values():
                workloads[f"{race.name}: {key}"] = one
    return workloads


def measure_pair(
    name: str,
    contender: Contender,
    place: Path,
    pythons: Sequence[str],
    repeats: int,
    limit: float = WORST,
) -> Pair:
    """Let two interpreters take turns on one workload."""
    pair = Pair(name, "cpu" if contender.settings.n_threads == 1 else "wall")
    sides = [(pair.old, pythons[0]), (pair.new, pythons[1])]
    for turn in range(ROUNDS * repeats):
        for taken, python in sides if turn % 2 == 0 else reversed(sides):
            # The same tree grows each time: it is looked at once.
            taken.append(measure(contender, place, not taken, python))
        round_ends = (turn + 1) % repeats == 0
        if pair.error or (round_ends and pair.ratio <= limit):
            break
    return pair


# ---------------------------------------------------------------------------------- judging


def judge(pair: Pair, limit: float = WORST) -> tuple[list[str], bool]:
    """Return the lines of one workload, and whether the new commit is worse on it."""
    if pair.error:
        return [f"WORSE           {pair.name}: {pair.error}"], True
    before, after = best(pair.old, pair.clock), best(pair.new, pair.clock)
    checks = [
        (pair.ratio, limit, f"{pair.clock} time", f"{before:.4g} s -> {after:.4g} s"),
        *_memory(pair),
        *_impurity(pair),
    ]
    lines = [
        f"{'WORSE' if ratio > most else 'ok':5} {ratio:9.4f}  {pair.name}; {what}: {shown}"
        for ratio, most, what, shown in checks
    ]
    return lines, any(ratio > most for ratio, most, *_ in checks)


Check = tuple[float, float, str, str]  # ratio, limit, what, both values


def _memory(pair: Pair) -> list[Check]:
    sizes = [min(one.extra_bytes or 0 for one in side) for side in (pair.old, pair.new)]
    if min(sizes) <= LEAST_BYTES:
        return []
    shown = " -> ".join(f"{size / 2**20:.0f} MiB" for size in sizes)
    return [(sizes[1] / sizes[0], 1 + MEMORY, "extra memory", shown)]


def _impurity(pair: Pair) -> list[Check]:
    before, after = pair.old[0].impurity, pair.new[0].impurity
    if not before or after is None:
        return []
    shown = f"{before:.6f} -> {after:.6f}"
    return [(after / before, 1 + IMPURITY, "training impurity", shown)]


def summary(
    ratios: dict[str, float], mean_limit: float = MEAN, worst_limit: float = WORST
) -> tuple[list[str], bool]:
    """Return the geometric mean and the worst CPU-time ratio, and whether either is too high."""
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    name, worst = max(ratios.items(), key=lambda item: item[1])
    lines = [
        f"geometric mean of {len(ratios)} CPU-time ratios (new / old): {mean:.3f} "
        f"(at most {mean_limit:.2f}: {_verdict(mean, mean_limit)})",
        f"worst workload: {worst:.3f}, {name} "
        f"(at most {worst_limit:.2f}: {_verdict(worst, worst_limit)})",
    ]
    return lines, mean > mean_limit or worst > worst_limit


def _verdict(value: float, limit: float) -> str:
    return "met" if value <= limit else "MISSED"


# ---------------------------------------------------------------------------------- all of it


def compare_commits(options: argparse.Namespace) -> int:
    """Build two commits, measure them in turns, print what became worse; 1 if anything did."""
    chosen, most_rows = chosen_races(options)
    workloads = {  # what each commit can do is asked of its own build
        name: one for name, one in ours(chosen).items() if not PROBLEMS[one.problem].why_absent()
    }
    lines, ratios, worse = [], {}, False
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="ceiba-compare-")))
        pythons = [
            _build(commit, options.builds or folder) for commit in (options.old, options.new)
        ]
        settings = [asdict(one.settings) for one in workloads.values()]
        lacking = [commits.why_unable(python, settings) for python in pythons]
        progress = Progress(len(workloads))
        for (name, one), *reasons in zip(workloads.items(), *lacking, strict=True):
            progress.step(name)
            if any(reasons):
                lines.append(f"skip            {name}: {next(filter(None, reasons))}")
                continue
            place = store(one.problem, min(most_rows, PROBLEMS[one.problem].rows), folder)
            pair = measure_pair(name, one, place, pythons, options.repeats, options.worst)
            judged, regressed = judge(pair, options.worst)
            lines += judged
            worse = worse or regressed
            if pair.clock == "cpu" and not pair.error:
                ratios[name] = pair.ratio
        progress.end()
    print("\n".join(sorted(lines, reverse=True)))
    if not ratios:
        print("Nothing was measured with both commits.")
        return 1
    total, too_high = summary(ratios, options.mean, options.worst)
    print("\n".join(total))
    return 1 if worse or too_high else 0


def _build(commit: str, folder: Path) -> str:
    print(f"building {commit}", file=sys.stderr, flush=True)
    return commits.build(commit, folder)
