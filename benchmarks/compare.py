"""Compare two commits, or two results of benchmarks.run, and fail if the later one is slower.

    python -m benchmarks.compare HEAD~5 HEAD --only float32
    python -m benchmarks.compare old.json new.json

Builds two commits side by side and alternates between them in ceiba's part of the races
(interleaved.py): CPU time (wall time with threads), extra memory, training impurity. The geometric
mean of the CPU-time ratios may be 1.03 (--mean), that of one workload 1.10 (--worst).

Compares two results by their common figures; ratios to another library in the same run vary less
than seconds. The results come from different times, so 10 to 25 % is noise: a figure may be worse
by 25 % (--band), impurity by 1e-5, memory by 10 %.

Exit status 1 if anything is worse.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from benchmarks import commits, interleaved
from benchmarks.run import add_subset

BAND = 0.25
BAND_OF = {"training impurity": interleaved.IMPURITY, "extra memory": interleaved.MEMORY}
REPEATS = 3


def figures(result: dict[str, Any]) -> dict[tuple[str, str, str], dict[str, Any]]:
    """Index the figures of a result by race, what, and rival."""
    return {
        (row["race"], row["what"], row["rival"]): row
        for row in result["figures"]
        if row["value"] is not None
    }


def worsening(old: dict[str, Any], new: dict[str, Any]) -> float:
    """Return how much worse a figure became, as a share (below 0: better)."""
    if old["what"].startswith("training impurity"):
        return float(new["value"] - old["value"])
    higher_is_better = old["figure"].endswith("faster")
    first, second = (new, old) if higher_is_better else (old, new)
    return float(second["value"] / first["value"] - 1) if first["value"] else 0.0


def band_of(what: str, band: float) -> float:
    """Return the noise band of a figure."""
    return next((size for name, size in BAND_OF.items() if what.startswith(name)), band)


def compare(old: dict[str, Any], new: dict[str, Any], band: float) -> tuple[list[str], bool]:
    """Return a line per common figure, and whether any is worse than its band."""
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


def read_options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    assert __doc__
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        "benchmarks.compare", description=__doc__, formatter_class=form
    )
    parser.add_argument("old", help="a commit, or a JSON file of benchmarks.run")
    parser.add_argument("new", help="the same, later")
    files = parser.add_argument_group("two files")
    files.add_argument("--band", type=float, default=BAND, help="noise, as a share (0.25)")
    both = parser.add_argument_group("two commits")
    add_subset(both, ["quick", "small", "predict"])
    both.add_argument("--only", default="", metavar="REGEX", help="only races of such a name")
    both.add_argument("--rows", type=int, help="cut larger tables to so many rows (50,000)")
    both.add_argument("--repeats", type=int, default=REPEATS, help="turns of each commit (3)")
    both.add_argument("--mean", type=float, default=interleaved.MEAN, help="most, of all (1.03)")
    both.add_argument("--worst", type=float, default=interleaved.WORST, help="most, of one (1.10)")
    both.add_argument("--builds", type=Path, metavar="FOLDER", help="keep the builds here")
    # Of every race: ceiba is measured alone, so its rivals need not be left out.
    parser.set_defaults(libraries=None)
    return parser.parse_args(arguments)


def main() -> int:
    options = read_options()
    words = (options.old, options.new)
    if all(Path(word).is_file() for word in words):
        return compare_files(*map(Path, words), options.band)
    for word in words:
        if not commits.is_commit(word):
            raise SystemExit(f"{word} is neither a file nor a commit of this repository.")
    return interleaved.compare_commits(options)


if __name__ == "__main__":
    sys.exit(main())
