"""Build a commit into a separate environment, so that two commits can be measured side by side.

A path file gives the environment access to the packages of this one (numpy, scikit-learn ...), but
not to the editable install, because path files are not followed twice. Both commits use the
harness, problems and settings of the working tree.
"""

from __future__ import annotations

import json
import shutil
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
    """Return whether git knows a commit by this word."""
    done = subprocess.run(
        ["git", "rev-parse", "--verify", "--quiet", f"{word}^{{commit}}"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    return done.returncode == 0


def build(commit: str, folder: Path) -> str:
    """Build the ceiba of a commit below `folder`; give the interpreter that imports it.

    A commit that was built there before is not built again.
    """
    name = _call("git", "rev-parse", "--short=12", f"{commit}^{{commit}}").decode().strip()
    sources, home = folder / name / "sources", folder / name / "environment"
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    finished = folder / name / "built"
    if finished.exists():
        return str(python)
    shutil.rmtree(folder / name, ignore_errors=True)
    sources.mkdir(parents=True)
    archive = _call("git", "archive", "--format=tar", commit)
    subprocess.run(["tar", "-x", "-C", str(sources)], input=archive, check=True)
    _call(sys.executable, "-m", "venv", "--without-pip", str(home))
    packages = _call(str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
    borrowed = Path(packages.decode().strip(), "borrowed.pth")
    borrowed.write_text(sysconfig.get_path("purelib"), "utf-8")
    install = ["install", "-q", "--no-build-isolation", "--no-deps", "--no-index", str(sources)]
    # The commit's own build folder: nothing of this tree's build may be used again.
    _call(sys.executable, "-m", "pip", "--python", str(python), *install)
    finished.touch()
    return str(python)


def _call(*words: str) -> bytes:
    done = subprocess.run(words, cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(words[:4])} ... failed:\n{done.stderr.decode()[-2000:]}")
    return done.stdout


def why_unable(python: str, settings: list[dict[str, object]]) -> list[str | None]:
    """Ask the ceiba of an interpreter which settings it lacks."""
    done = subprocess.run(
        [python, "-c", _ABLE],
        input=json.dumps(settings),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    reasons: list[str | None] = json.loads(done.stdout.splitlines()[-1])
    return reasons
