"""Tools from npm that only tests use, in the versions of package.json: tsc and axe-core.

They are installed once into build/npm, without their scripts being run. Where npm is absent or
cannot reach a registry the tests skip with a reason, which `.ci/skips.py` does not accept.
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CACHE = HERE.parents[1] / "build" / "npm"


@cache
def _installed() -> Path | str:
    """Return the folder of the packages, or the reason why there is none."""
    wanted = (HERE / "package.json").read_bytes()
    place = CACHE / hashlib.sha256(wanted).hexdigest()[:12]
    if place.is_dir():
        return place / "node_modules"
    npm = shutil.which("npm")
    if npm is None:
        return "npm is not installed (apt-get install npm)"
    CACHE.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=CACHE))
    try:
        shutil.copy(HERE / "package.json", draft)
        command = [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
        done = subprocess.run(command, cwd=draft, capture_output=True, text=True, timeout=300)
        if done.returncode:
            return f"npm could not install {HERE.name}/package.json: {done.stderr.strip()[-200:]}"
        # At once, and only if no other worker of the tests was quicker.
        with contextlib.suppress(OSError):
            draft.rename(place)
    except subprocess.TimeoutExpired:
        return "npm did not answer in five minutes"
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return place / "node_modules"


def package(name: str) -> Path:
    """Return the folder of a package, or skip the test."""
    found = _installed()
    if isinstance(found, str):
        pytest.skip(found)
    return found / name
