"""How many threads: `n_jobs` in joblib's spelling, and none at all for small work.

`n_jobs=None` means all cores, because the tree does not depend on the number of threads.
OMP_NUM_THREADS lowers them, which is how joblib tells its workers to share a machine. Below
`SMALL_WORK` rows x columns waking other threads costs more than they save.
"""

from __future__ import annotations

import os
from typing import Final

SMALL_WORK: Final = 20_000
MOST_THREADS: Final = 256


def n_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    limit = os.environ.get("OMP_NUM_THREADS", "")
    return min(cores, int(limit)) if limit.isdecimal() and int(limit) > 0 else cores


def n_threads(n_jobs: int | None, work: int) -> int:
    """Return the number of threads that `n_jobs` means for this work (rows x columns)."""
    if work < SMALL_WORK:
        return 1
    if n_jobs is None:
        return min(n_cores(), MOST_THREADS)
    wanted = int(n_jobs) if n_jobs > 0 else max(1, n_cores() + 1 + int(n_jobs))
    return min(wanted, MOST_THREADS)
