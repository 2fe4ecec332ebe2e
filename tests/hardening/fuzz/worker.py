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
from tests.hardening.fuzz.finding import FindingError, run

#: Memory beyond what the process needs to begin with (MB), and processor seconds for one case.
LIMITS = {"files": (512, 10)}
USUAL_LIMITS = (4096, 40)
DEADLOCK = 600  # seconds by the clock: waiting for nothing takes no processor time


def work(name: str, seed: int, seconds: float, most: int | None) -> None:
    """Run cases with ascending seeds until the time is up or there were so many."""
    module = campaign(name)
    module.check(module.draw(seed + 10**9))  # everything is imported before memory is limited
    room, patience = LIMITS.get(name, USUAL_LIMITS)
    limit_memory(room)
    # The signal ends the process even inside the core, after the trace is printed.
    faulthandler.register(signal.SIGVTALRM, chain=True)
    end = time.monotonic() + seconds
    n = 0
    known: set[str] = set()
    while time.monotonic() < end and (most is None or n < most):
        tell({"begin": seed + n})
        signal.setitimer(signal.ITIMER_VIRTUAL, patience)
        faulthandler.dump_traceback_later(DEADLOCK, exit=True)
        try:
            run(name, seed + n)
        except FindingError as error:
            new = error.signature not in known
            known.add(error.signature)
            case = error.case if new else None
            tell({"seed": error.seed, "signature": error.signature, "case": case})
        finally:
            faulthandler.cancel_dump_traceback_later()
        n += 1


def limit_memory(megabytes: int) -> None:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    limit = pages * resource.getpagesize() + megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def tell(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    work(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]) or None)
