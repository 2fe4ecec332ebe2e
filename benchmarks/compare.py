"""Is one slower than the other? Two commits, or two results of benchmarks.run.

    python -m benchmarks.compare HEAD~5 HEAD --subset quick --only float32
    python -m benchmarks.compare old.json new.json

Two commits are built, and ceiba's part of the races is measured with both in turns, so that a busy
minute hits both: the best CPU time (wall time where there are threads), the extra memory, and the
training impurity are compared. Two results are compared figure by figure, as far as they have them
in common; ratios against a rival of the same run are steadier than seconds.

10 to 25 % is noise on a shared machine, so a figure may be worse by the noise band (default 25 %)
and by no more; impurity by 1e-5, memory by 10 %. Exit status 1 if any is.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import commits
from benchmarks.measure import Measurement, measure
from benchmarks.problems import PROBLEMS, store
from benchmarks.races import Contender, Race
from benchmarks.run import Progress, add_subset, chosen_races, why_skipped
from benchmarks.table import best

BAND = 0.25
BAND_OF = {"training impurity": 1e-5, "extra memory": 0.10}
# Below this, the peak of the resident set is a matter of the allocator's blocks.
LEAST_BYTES = 4 * 2**20


# ---------------------------------------------------------------------------------- two results


def figures(result: dict[str, Any]) -> dict[tuple[str, str, str], dict[str, Any]]:
    """Index the figures of a result by race, what, and rival."""
    return {
        (row["race"], row["what"], row["rival"]): row
        for row in result["figures"]
        if row["value"] is not None
    }


def worsening(old: dict[str, Any], new: dict[str, Any]) -> float:
    """Give how much worse a figure became, as a share (below 0: better)."""
    if old["what"].startswith("training impurity"):
        return float(new["value"] - old["value"])
    higher_is_better = old["figure"].endswith("faster")
    first, second = (new, old) if higher_is_better else (old, new)
    return float(second["value"] / first["value"] - 1) if first["value"] else 0.0


def band_of(what: str, band: float) -> float:
    """Give the noise band of a figure."""
    return next((size for name, size in BAND_OF.items() if what.startswith(name)), band)


def compare(old: dict[str, Any], new: dict[str, Any], band: float) -> tuple[list[str], bool]:
    """Give a line per common figure, and whether any is worse than its band."""
    before, after = figures(old), figures(new)
    lines, worse = [], False
    for key in before.keys() & after.keys():
        change = worsening(before[key], after[key])
        shown = f"{before[key]['figure']} -> {after[key]['figure']}"
        line, regressed = _judge(f"{key[0]}; {key[1]}", shown, change, band_of(key[1], band))
        lines.append(line)
        worse = worse or regressed
    return sorted(lines, reverse=True), worse


def _judge(name: str, shown: str, change: float, band: float) -> tuple[str, bool]:
    regressed = change > band
    return f"{'WORSE' if regressed else 'ok':5} {change:+8.1%}  {name}: {shown}", regressed


def compare_files(old_file: Path, new_file: Path, band: float) -> int:
    """Compare what two runs have written."""
    old, new = (json.loads(path.read_text("utf-8")) for path in (old_file, new_file))
    for fact in ("subset", "rows", "machine"):
        if old[fact] != new[fact]:
            print(
                f"The two results differ in {fact}: {old[fact]} and {new[fact]}; compare with care."
            )
    lines, worse = compare(old, new, band)
    print("\n".join(lines) if lines else "The two results have no figure in common.")
    print(f"{old_file.name} at {old['commit']}, {new_file.name} at {new['commit']}")
    return 1 if worse or not lines else 0


# ---------------------------------------------------------------------------------- two commits


def judge(
    name: str, old: list[Measurement], new: list[Measurement], n_threads: int, band: float
) -> tuple[list[str], bool]:
    """Compare what both commits needed for one thing; give lines, and whether it became worse."""
    clock: Any = "cpu" if n_threads == 1 else "wall"
    before, after = best(old, clock), best(new, clock)
    shown = f"{before:.4g} s -> {after:.4g} s"
    found = [_judge(f"{name}; {clock} time", shown, after / before - 1, band)]
    sizes = [min((one.extra_bytes or 0 for one in side), default=0) for side in (old, new)]
    if min(sizes) > LEAST_BYTES:
        shown = " -> ".join(f"{size / 2**20:.0f} MiB" for size in sizes)
        change = sizes[1] / sizes[0] - 1
        found.append(_judge(f"{name}; extra memory", shown, change, BAND_OF["extra memory"]))
    first, second = old[0].impurity, new[0].impurity
    if first and second is not None:
        shown, change = f"{first:.6f} -> {second:.6f}", second / first - 1
        allowed = BAND_OF["training impurity"]
        found.append(_judge(f"{name}; training impurity", shown, change, allowed))
    return [line for line, _ in found], any(regressed for _, regressed in found)


def ours(races: list[Race]) -> dict[str, Contender]:
    """List what ceiba does in the races, once each."""
    found: dict[str, Contender] = {}
    for race in races:
        for key, one in race.contenders.items():
            if one.library == "ceiba" and one.action != "import" and one not in found.values():
                found[f"{race.name}: {key}"] = one
    return found


def compare_commits(options: argparse.Namespace) -> int:
    """Build both, let them take turns, and judge."""
    chosen, most_rows = chosen_races(options)
    todo = {name: one for name, one in ours(chosen).items() if why_skipped(one) is None}
    lines, worse = [], False
    with tempfile.TemporaryDirectory(prefix="ceiba-compare-") as folder:
        pythons = []
        for commit in (options.old, options.new):
            print(f"building {commit}", file=sys.stderr, flush=True)
            pythons.append(commits.build(commit, Path(folder, f"commit{len(pythons)}")))
        settings = [asdict(one.settings) for one in todo.values()]
        lacking = [commits.why_unable(python, settings) for python in pythons]
        progress = Progress(sum(2 * one.repeats for one in todo.values()))
        for (name, one), *reasons in zip(todo.items(), *lacking, strict=True):
            if any(reasons):
                lines.append(f"skip  {name}: {next(filter(None, reasons))}")
                continue
            place = store(one.problem, min(most_rows, PROBLEMS[one.problem].rows), Path(folder))
            taken: dict[str, list[Measurement]] = defaultdict(list)
            for _ in range(one.repeats):
                for python in pythons:
                    progress.step(name)
                    taken[python].append(measure(one, place, not taken[python], python))
            errors = [m.error for side in taken.values() for m in side if m.error]
            if errors:
                lines.append(f"WORSE {name}: {errors[0]}")
                worse = True
                continue
            sides = (taken[python] for python in pythons)
            told, regressed = judge(name, *sides, one.settings.n_threads, options.band)
            lines += told
            worse = worse or regressed
        progress.end()
    print("\n".join(sorted(lines, reverse=True)))
    return 1 if worse else 0


def main() -> int:
    assert __doc__
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        "benchmarks.compare", description=__doc__, formatter_class=form
    )
    parser.add_argument("old", help="a commit, or a JSON file of benchmarks.run")
    parser.add_argument("new", help="the same, later")
    parser.add_argument("--band", type=float, default=BAND, help="noise, as a share (0.25)")
    add_subset(parser)
    parser.add_argument("--only", default="", metavar="REGEX", help="only races of such a name")
    parser.add_argument("--rows", type=int, help="cut larger tables to so many rows")
    parser.add_argument("--repeats", type=int, help="at most so many repeats")
    options = parser.parse_args()
    options.libraries = []
    words = (options.old, options.new)
    if all(Path(word).is_file() for word in words):
        return compare_files(*map(Path, words), options.band)
    for word in words:
        if not commits.is_commit(word):
            raise SystemExit(f"{word} is neither a file nor a commit of this repository.")
    return compare_commits(options)


if __name__ == "__main__":
    sys.exit(main())
