"""Try to break the library for some minutes: ``make fuzz MINUTES=5``.

    python -m tests.hardening.fuzz --minutes 5                     all campaigns, a new seed
    python -m tests.hardening.fuzz --campaign tables --seed 17     one case again, with its trace

The time is shared among the campaigns. A finding is printed once, with the command that repeats it,
and its case is kept, made small, in tests/hardening/cases. The exit status is 1 if there are any.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

from tests.hardening.fuzz import NAMES, campaign
from tests.hardening.fuzz.finding import FindingError, command, keep, minimised, run

ROOT = Path(__file__).resolve().parents[3]
WORKER = [sys.executable, "-m", "tests.hardening.fuzz.worker"]


def main() -> int:
    options = read_options()
    if options.seed is not None and options.minutes is None:
        return repeat(options.campaign or list(NAMES), options.seed)
    seed = int(time.time()) if options.seed is None else options.seed
    names = options.campaign or list(NAMES)
    seconds = 60 * (5.0 if options.minutes is None else options.minutes) / len(names)
    print(f"seed {seed}: {len(names)} campaigns, {seconds:.0f} s each", flush=True)
    n_findings = sum(run_campaign(name, seed, seconds) for name in names)
    print(f"{n_findings} findings")
    return int(n_findings > 0)


def read_options() -> argparse.Namespace:
    assert __doc__
    parser = argparse.ArgumentParser("tests.hardening.fuzz", description=__doc__.split("\n")[0])
    parser.add_argument("--campaign", action="append", choices=NAMES, help="default: all")
    parser.add_argument("--minutes", type=float, help="time for all campaigns together; default 5")
    parser.add_argument("--seed", type=int, help="of the first case; alone: only this case")
    return parser.parse_args()


def repeat(names: list[str], seed: int) -> int:
    """Run one case of each campaign here; print what it finds."""
    for name in names:
        try:
            run(name, seed)
        except FindingError as error:
            print(error.trace)
            print(f"{name} {seed}: {error.signature}\n{json.dumps(error.case)[:4000]}")
            return 1
        print(f"{name} {seed}: passes")
    return 0


def run_campaign(name: str, seed: int, seconds: float) -> int:
    """Run workers until the time is up, a new one after each death; give the kinds of findings."""
    end = time.monotonic() + seconds
    findings: Counter[str] = Counter()
    n_cases = 0
    while (left := end - time.monotonic()) > 0:
        first = seed + n_cases
        last, death = watch([*WORKER, name, str(first), str(left)], name, first, findings)
        n_cases = last + 1 - seed
        if death is None:
            break
        if not findings[death]:
            module = campaign(name)
            case = minimised(module.draw(last), module.smaller, partial(ends_process, name), 120)
            report(name, last, death, keep(name, last, case, death))
        findings[death] += 1
    kinds = ", ".join(f"{n} x {what}" for what, n in findings.items())
    print(
        f"{name}: {n_cases} cases, seeds {seed} to {seed + n_cases - 1}; {len(findings)} findings"
    )
    if tally := tally_of(name, range(seed, seed + n_cases)):
        print(f"  {tally}")
    if kinds:
        print(f"  {kinds}")
    sys.stdout.flush()
    return len(findings)


def tally_of(name: str, seeds: range) -> str:
    """What the cases were about, and how many of each: does everything get its share?"""
    module = campaign(name)
    kind = getattr(module, "KIND", None)
    kinds = Counter(module.draw(seed)[kind] for seed in seeds) if kind else {}
    return ", ".join(f"{what} {n}" for what, n in sorted(kinds.items()))


def watch(words: list[str], name: str, seed: int, findings: Counter[str]) -> tuple[int, str | None]:
    """Follow one worker; give its last seed, and what it died of if it did."""
    last = seed - 1
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        for line in worker.stdout:
            message = json.loads(line)
            if "begin" in message:
                last = message["begin"]
                continue
            signature = message["signature"]
            if message["case"] is not None and not findings[signature]:
                path = keep(name, message["seed"], message["case"], signature)
                report(name, message["seed"], signature, path)
            findings[signature] += 1
    if worker.returncode == 0:
        return last, None
    if last < seed:
        raise SystemExit(f"{name}: the worker did not start (exit status {worker.returncode})")
    return last, f"the process died or hung (exit status {worker.returncode})"


def ends_process(name: str, case: Any) -> bool:
    """Whether a case kills the process that checks it, or takes more than its time."""
    done = subprocess.run(
        [*WORKER, name],
        cwd=ROOT,
        input=json.dumps(case),
        text=True,
        capture_output=True,
        check=False,
    )
    return done.returncode != 0


def report(name: str, seed: int, signature: str, path: Path) -> None:
    print(f"FINDING {signature}\n  repeat: {command(name, seed)}")
    print(f"  kept:   {path.relative_to(ROOT)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
