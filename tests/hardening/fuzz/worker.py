"""A campaign in a process of its own, with limits of memory and of the time for one case.

It writes one line of JSON for each case when it begins, and one for each finding, so that its
parent knows the case in which it died.
"""

from __future__ import annotations

import faulthandler
import json
import resource
import signal
import sys
import time
from pathlib import Path
from typing import Any

from tests.hardening.fuzz import campaign
from tests.hardening.fuzz.finding import FindingError, run, signature_of

#: Memory beyond what the process needs to begin with (MB), and processor seconds for one case.
LIMITS = {"files": (512, 10)}
USUAL_LIMITS = (4096, 40)
DEADLOCK = 600  # seconds by the clock: waiting for nothing takes no processor time


def work(name: str, seed: int, seconds: float) -> None:
    """Run cases with ascending seeds until the time is up, and one at least."""
    patience = prepare(name)
    end = time.monotonic() + seconds
    known: set[str] = set()
    while True:
        tell({"begin": seed})
        limit_time(patience)
        try:
            run(name, seed)
        except FindingError as error:
            case = None if error.signature in known else error.case
            known.add(error.signature)
            tell({"seed": error.seed, "signature": error.signature, "case": case})
        if time.monotonic() >= end:
            return
        seed += 1


def check_one(name: str) -> None:
    """Check the case on standard input under the same limits: does it end this process?"""
    case = json.load(sys.stdin)
    limit_time(prepare(name))
    signature_of(campaign(name).check, case)


def prepare(name: str) -> int:
    """Limit the memory; give the processor seconds of a case."""
    module = campaign(name)
    getattr(module, "start", lambda: None)()
    module.check(module.draw(0))  # everything is imported before memory is limited
    room, patience = LIMITS.get(name, USUAL_LIMITS)
    limit_memory(room)
    # The signal ends the process even inside the core, after the trace is printed.
    faulthandler.register(signal.SIGVTALRM, chain=True)
    return patience


def limit_time(seconds: int) -> None:
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    faulthandler.dump_traceback_later(DEADLOCK, exit=True)


def limit_memory(megabytes: int) -> None:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    limit = pages * resource.getpagesize() + megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def tell(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 2:
        check_one(sys.argv[1])
    else:
        work(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
    faulthandler.cancel_dump_traceback_later()
