"""Two commits side by side: each is built into an environment of its own, then they take turns.

The environment sees the packages of this one (numpy, scikit-learn ...) by a path file; the editable
install here is not among them, because path files are not followed twice. The harness, the problems
and the settings are those of the working tree for both.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

from benchmarks.measure import ROOT

_ABLE = """
import json, sys
from benchmarks.libraries import Settings, why_not
print(json.dumps([why_not("ceiba", Settings(**one)) for one in json.load(sys.stdin)]))
"""


def is_commit(word: str) -> bool:
    """Tell whether git knows a commit by this word."""
    said = subprocess.run(
        ["git", "rev-parse", "--verify", "--quiet", f"{word}^{{commit}}"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    return said.returncode == 0


def build(commit: str, folder: Path) -> str:
    """Build the ceiba of a commit below `folder`; give the interpreter that imports it."""
    sources, home = folder / "sources", folder / "environment"
    sources.mkdir(parents=True)
    archive = _call("git", "archive", "--format=tar", commit)
    subprocess.run(["tar", "-x", "-C", str(sources)], input=archive, check=True)
    _call(sys.executable, "-m", "venv", "--without-pip", str(home))
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    packages = _call(str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
    borrowed = Path(packages.decode().strip(), "borrowed.pth")
    borrowed.write_text(sysconfig.get_path("purelib"), "utf-8")
    install = ["install", "-q", "--no-build-isolation", "--no-deps", "--no-index", str(sources)]
    # The commit's own build folder: nothing of this tree's build may be used again.
    _call(sys.executable, "-m", "pip", "--python", str(python), *install)
    return str(python)


def _call(*words: str) -> bytes:
    said = subprocess.run(words, cwd=ROOT, capture_output=True, check=False)
    if said.returncode:
        raise SystemExit(f"{' '.join(words[:4])} ... failed:\n{said.stderr.decode()[-2000:]}")
    return said.stdout


def why_unable(python: str, settings: list[dict[str, object]]) -> list[str | None]:
    """Ask the ceiba of an interpreter which settings it lacks."""
    import json

    said = subprocess.run(
        [python, "-c", _ABLE],
        input=json.dumps(settings),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    reasons: list[str | None] = json.loads(said.stdout.splitlines()[-1])
    return reasons
