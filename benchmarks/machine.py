"""The machine of a measurement: processor, cores, versions, commit. No host name, no date."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from pathlib import Path

from benchmarks.libraries import LIBRARIES, library


def processor() -> str:
    """Name the processor and its family, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").split("\n\n")[0].splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    facts = {name.strip(): value.strip() for name, _, value in (x.partition(":") for x in lines)}
    name = facts.get("model name", platform.machine())
    family = facts.get("cpu family")
    return f"{name} (family {family}, model {facts['model']})" if family else name


def machine() -> dict[str, str | int]:
    """Describe the machine."""
    return {
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count() or 1,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def versions() -> dict[str, str]:
    """List the libraries that can run here."""
    return {
        name: runner.version()
        for name in LIBRARIES
        if (runner := library(name)).why_absent() is None
    }


def fingerprint() -> str:
    """Digest the installed ceiba, sources and core: two runs of the same code have the same."""
    import ceiba
    from ceiba import _core

    digest = hashlib.sha256(Path(_core.__file__).read_bytes())
    for file in sorted(Path(ceiba.__file__).parent.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def commit() -> str | None:
    """Return the commit of the sources, with a + if they were changed since."""

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", *words],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parent,
        ).stdout.strip()

    try:
        return git("rev-parse", "HEAD") + (
            "+" if git("status", "--porcelain", ":/src", ":/cpp") else ""
        )
    except (OSError, subprocess.CalledProcessError):
        return None
