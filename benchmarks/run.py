"""Run a subset of the races and print one table of ratios: `python -m benchmarks.run`.

    --subset NAMES     one or more of the workloads in bars.SUBSETS (listed below)
    --only REGEX       only races whose name matches; --list shows the names
    --libraries NAMES  only these and ceiba

Writes all measurements to benchmarks/results/<subsets>.json (for compare.py), the table to .md.
With --docs the table also replaces the one between the marks in docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from benchmarks import machine
from benchmarks.bars import SUBSETS, races
from benchmarks.libraries import why_not
from benchmarks.measure import ROOT, Measurement, measure, wait_until_quiet
from benchmarks.problems import PROBLEMS, forget, store
from benchmarks.races import Contender, Race
from benchmarks.table import Row, Taken, markdown, rows

RESULTS = Path(__file__).parent / "results"
PAGE = ROOT / "docs" / "benchmarks.md"
WHOLE = 10**12
QUICK_ROWS = 50_000
QUICK_REPEATS = 2


class Progress:
    """A bar on standard error; a line per measurement where that is not a terminal."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.started = total, 0, time.monotonic()

    def step(self, text: str) -> None:
        minutes, rest = divmod(int(time.monotonic() - self.started), 60)
        filled = 20 * self.done // max(1, self.total)
        head = (
            f"[{'#' * filled}{' ' * (20 - filled)}] {self.done}/{self.total} {minutes}:{rest:02d}"
        )
        if sys.stderr.isatty():
            print(f"\r\033[K{head}  {text[:100]}", end="", file=sys.stderr, flush=True)
        else:
            print(f"{head}  {text}", file=sys.stderr, flush=True)
        self.done += 1

    def end(self) -> None:
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def why_skipped(contender: Contender) -> str | None:
    """Return the reason why a contender cannot run here."""
    if contender.action == "import":
        return None
    absent = PROBLEMS[contender.problem].why_absent()
    return absent or why_not(contender.library, contender.settings)


def in_turns(race: Race) -> Iterator[str]:
    """List the contenders of a race as they run: a, b, c, a, b, c, ..."""
    for turn in range(max(one.repeats for one in race.contenders.values())):
        yield from (key for key, one in race.contenders.items() if turn < one.repeats)


class Patience:
    """So many seconds in all may be spent on waiting for a quiet machine."""

    def __init__(self, most: float) -> None:
        self.left = most

    def wait(self) -> None:
        started = time.monotonic()
        wait_until_quiet(self.left)
        self.left = max(0.0, self.left - (time.monotonic() - started))


def run(
    race: Race, most_rows: int, folder: Path, progress: Progress, patience: Patience
) -> tuple[Taken, dict[str, str]]:
    """Measure a race; return the measurements, and the reasons for missing ones."""
    reasons = {key: why_skipped(one) for key, one in race.contenders.items()}
    skipped = {key: reason for key, reason in reasons.items() if reason}
    taken: dict[str, list[Measurement]] = defaultdict(list)
    by_wall = {key for bar in race.bars if bar.clock == "wall" for key in (bar.ours, bar.against)}
    for key in in_turns(race):
        progress.step(f"{race.name}: {key}")
        one = race.contenders[key]
        if key in skipped or any(m.error for m in taken[key]):
            continue
        place = store(one.problem, min(most_rows, PROBLEMS[one.problem].rows), folder)
        if key in by_wall and race.judged:
            patience.wait()
        # The same tree grows each time: it is looked at once.
        taken[key].append(measure(one, place, judge=not taken[key]))
    return dict(taken), skipped


def chosen_races(options: argparse.Namespace) -> tuple[list[Race], int]:
    """List the races that were asked for, cut to the size that was asked for; and that size."""
    quick = "quick" in options.subset
    most_rows = options.rows or (QUICK_ROWS if quick else WHOLE)
    most_repeats = options.repeats or (QUICK_REPEATS if quick else WHOLE)
    cut = (race.cut(most_rows, most_repeats) for race in races(*options.subset))
    found = [race for race in cut if re.search(options.only, race.name)]
    if options.libraries is not None:
        found = [race.among({"ceiba", "ceiba estimators", *options.libraries}) for race in found]
    return [race for race in found if race.bars], most_rows


def main() -> int:
    options = _options()
    chosen, most_rows = chosen_races(options)
    if options.list:
        print("\n".join(race.name for race in chosen))
        return 0
    before = machine.fingerprint()
    progress = Progress(sum(1 for race in chosen for _ in in_turns(race)))
    patience = Patience(options.patience)
    size = None if most_rows == WHOLE else most_rows
    table: list[Row] = []
    measured: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory(prefix="ceiba-bench-") as folder:
        for i, race in enumerate(chosen):
            taken, skipped = run(race, most_rows, Path(folder), progress, patience)
            table += rows(race, taken, skipped)
            measured.append(_as_json(race, taken, skipped))
            # A run that is stopped has what it measured so far.
            _write(options, table, measured, size)
            # Where /tmp is memory, tables that nobody needs any more would crowd the next ones.
            keep = {one.problem for later in chosen[i + 1 :] for one in later.contenders.values()}
            for name in {one.problem for one in race.contenders.values()} - keep:
                forget(name, Path(folder))
    progress.end()
    if machine.fingerprint() != before:
        print("ceiba was changed while it was measured: these figures are worth nothing.\n")
    return _report(options, table, _write(options, table, measured, size))


def add_subset(parser: argparse._ActionsContainer, usual: list[str]) -> None:
    """Add the flag that picks races by workload."""
    parser.add_argument(
        "--subset",
        nargs="+",
        choices=SUBSETS,
        default=usual,
        metavar="NAME",
        help=f"workloads ({' '.join(usual)})",
    )


def _options() -> argparse.Namespace:
    assert __doc__
    form = argparse.RawDescriptionHelpFormatter
    subsets = "\n".join(f"  {name:11} {about}" for name, about in SUBSETS.items())
    parser = argparse.ArgumentParser(
        "benchmarks.run",
        description=__doc__,
        epilog=f"subsets:\n{subsets}",
        formatter_class=form,
    )
    add_subset(parser, ["quick"])
    parser.add_argument("--rows", type=int, help="cut larger tables to so many rows (no verdicts)")
    parser.add_argument("--repeats", type=int, help="at most so many repeats")
    parser.add_argument("--only", default="", metavar="REGEX", help="only races of such a name")
    parser.add_argument("--list", action="store_true", help="only print the names of the races")
    parser.add_argument("--libraries", nargs="*", metavar="NAME", help="only these and ceiba")
    parser.add_argument(
        "--patience",
        type=float,
        default=90.0,
        metavar="SECONDS",
        help="longest wait, in all, for a quiet machine before what is judged by wall time (90)",
    )
    parser.add_argument("--output", type=Path, help="JSON file (default: results/<subsets>.json)")
    parser.add_argument("--docs", action="store_true", help="put the table into docs/benchmarks.md")
    parser.add_argument("--strict", action="store_true", help="exit status 1 if a bar is missed")
    return parser.parse_args()


def _as_json(race: Race, taken: Taken, skipped: dict[str, str]) -> dict[str, object]:
    return {
        "race": race.name,
        "contenders": {key: asdict(one) for key, one in race.contenders.items()},
        "taken": {key: [asdict(one) for one in many] for key, many in taken.items()},
        "skipped": skipped,
    }


def _write(
    options: argparse.Namespace,
    table: list[Row],
    measured: list[dict[str, object]],
    most_rows: int | None,
) -> Path:
    """Write everything as JSON, and the table as markdown beside it; give the JSON file."""
    facts = machine.machine()
    versions = machine.versions()
    found = {
        "subset": "-".join(options.subset),
        "rows": most_rows,
        "commit": machine.commit(),
        "fingerprint": machine.fingerprint(),
        "machine": facts,
        "versions": versions,
        "figures": [asdict(row) for row in table],
        "measured": measured,
    }
    output: Path = options.output or RESULTS / f"{'-'.join(options.subset)}.json"
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(found, indent=1), "utf-8")
    text = f"{markdown(table)}\n{_caption(facts, versions)}\n"
    output.with_suffix(".md").write_text(text, "utf-8")
    return output


def _report(options: argparse.Namespace, table: list[Row], output: Path) -> int:
    text = output.with_suffix(".md").read_text("utf-8")
    print(text)
    if options.docs:
        put_into_page(PAGE, "-".join(options.subset), text)
    missed = [row for row in table if row.verdict == "MISSED"]
    judged = [row for row in table if row.verdict in ("met", "MISSED")]
    output = output.relative_to(Path.cwd()) if output.is_relative_to(Path.cwd()) else output
    print(f"{len(judged) - len(missed)} of {len(judged)} bars met; everything is in {output}")
    return 1 if missed and options.strict else 0


def _caption(facts: dict[str, str | int], versions: dict[str, str]) -> str:
    names = ", ".join(f"{name} {version}" for name, version in versions.items())
    return (
        f"{facts['processor']}, {facts['cores']} cores, {facts['system']}, "
        f"Python {facts['python']}; {names}."
    )


def put_into_page(page: Path, subset: str, text: str) -> None:
    """Replace what stands between the marks of a subset."""
    start, end = f"<!-- {subset}: written by benchmarks.run -->", f"<!-- end of {subset} -->"
    old = page.read_text("utf-8")
    before, found, rest = old.partition(start)
    if not found or end not in rest:
        raise SystemExit(f"{page} has no marks {start} ... {end}")
    after = rest[rest.index(end) :]
    page.write_text(f"{before}{start}\n\n{text}\n{after}", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
