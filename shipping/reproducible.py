"""Build one commit twice, in different folders, and compare every byte: ``make reproducible``.

The source archive, ``_core`` and the finished wheel are compared. A compiler cache would give the
second build the object files of the first, so it is switched off.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from shipping.wheel import ROOT, released, set_time_of_commit

#: Names of different lengths: paths that are compiled in would move everything behind them.
FOLDERS = ("one", "another/folder with blanks")


def main() -> int:
    os.environ["CCACHE_DISABLE"] = "1"
    set_time_of_commit()
    with tempfile.TemporaryDirectory() as folder:
        first, second = (build(Path(folder) / name) for name in FOLDERS)
    same = True
    for name in sorted(first.keys() | second.keys()):
        equal = first.get(name) == second.get(name)
        same &= equal
        if not equal or name.endswith((".whl", ".tar.gz", ".so")):
            print(f"{'same bytes' if equal else 'DIFFERENT '}  {name}  {first.get(name, '')[:16]}")
    return int(not same)


def build(folder: Path) -> dict[str, str]:
    """Check the last commit out into a folder and build it; give what was built, by digest."""
    project = folder / "project"
    project.mkdir(parents=True)
    commit = subprocess.run(
        ["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    subprocess.run(["tar", "-x", "-C", str(project)], input=commit, check=True)
    wheel = released(project, folder / "dist", folder)
    files = {file.name: file.read_bytes() for file in (wheel, *(folder / "dist").iterdir())}
    with zipfile.ZipFile(wheel) as packed:
        files |= {name: packed.read(name) for name in packed.namelist()}
    return {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}


if __name__ == "__main__":
    sys.exit(main())
