"""Choose the number of threads by `n_jobs` (as in joblib) and by the amount of work.

`n_jobs=None` means all cores, because the tree does not depend on the number of threads. The cores
are limited by the CPU quota of a container and by OMP_NUM_THREADS, which joblib sets for workers.
Waking a thread takes about as long as working on `WORK_PER_THREAD` rows x columns, so each
additional thread requires that much work: `n_jobs` is an upper limit.
"""

from __future__ import annotations

import math
import os
from functools import cache
from pathlib import Path
from typing import Final

WORK_PER_THREAD: Final = 40_000
MAX_THREADS: Final = 256


def n_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "process_cpu_count"):  # from Python 3.13 on
        cores: int = os.process_cpu_count() or 1
    elif hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    cores = math.ceil(min(cores, cpu_quota()))
    limit = os.environ.get("OMP_NUM_THREADS", "")
    return min(cores, int(limit)) if limit.isdecimal() and int(limit) > 0 else cores


@cache
def cpu_quota(root: Path = Path("/")) -> float:
    """Return this process's CPU quota from control groups, in cores (inf without a quota)."""
    quotas = [math.inf]  # subgroups cannot exceed the quota of their group, so use the minimum
    for line in _read_text(root / "proc/self/cgroup").splitlines():
        controllers, _, group = line.partition(":")[2].partition(":")
        if controllers and "cpu" not in controllers.split(","):
            continue
        # Version 2 of control groups has a single hierarchy without controller names.
        folder = root / ("sys/fs/cgroup/cpu" if controllers else "sys/fs/cgroup")
        quotas.append(_group_quota(folder))
        # In a container, the group path may be a path of the host that does not exist here.
        for name in group.split("/"):
            if name not in ("", ".."):
                folder /= name
                quotas.append(_group_quota(folder))
    return min(quotas)


def _group_quota(group: Path) -> float:
    """Return the CPU quota of one control group in cores."""
    words = _read_text(group / "cpu.max") or " ".join(
        _read_text(group / name) for name in ("cpu.cfs_quota_us", "cpu.cfs_period_us")
    )
    try:
        quota, period = map(float, words.split())  # "max" and -1: no limit
    except ValueError:
        return math.inf
    return quota / period if quota > 0 and period > 0 else math.inf


def _read_text(path: Path) -> str:
    """Return the text of a file, or "" if it cannot be read."""
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""


def n_threads(n_jobs: int | None, work: int, n_tasks: int = 1) -> int:
    """Return the number of threads for `n_tasks` tasks, each of `work` rows x columns."""
    if work < WORK_PER_THREAD:
        return 1
    n_requested = n_cores() if n_jobs is None else int(n_jobs)
    n_requested = n_requested if n_requested > 0 else max(1, n_cores() + 1 + n_requested)
    return min(n_requested, n_tasks * (1 + work // WORK_PER_THREAD), MAX_THREADS)
