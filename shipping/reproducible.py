"""Build the last commit once more, elsewhere, and compare every byte: ``make reproducible``.

What ``make wheel`` left in dist/ is compared with a second build of the commit in a folder of
another name: source archive, wheel, and each file of the wheel, ``_core`` among them. A compiler
cache would give the second build the object files of the first, so both are built without.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from shipping.wheel import DIST, ROOT, released, set_time_of_commit


def main() -> int:
    refuse_uncommitted()
    set_time_of_commit()
    first = digests(list(DIST.iterdir()))
    with tempfile.TemporaryDirectory() as folder:
        second = digests(build(Path(folder) / "another folder, with blanks"))
    differing = [name for name in first.keys() | second if first.get(name) != second.get(name)]
    for name, digest in sorted(first.items()):
        if name not in differing and name.endswith((".whl", ".tar.gz", ".so", ".pyd")):
            print(f"same bytes: {name}  sha256 {digest}")
    for name in sorted(differing):
        print(f"DIFFERENT:  {name}")
    return int(bool(differing) or not first)


def refuse_uncommitted() -> None:
    """What is not committed is in dist/, but not in the second build."""
    words = ["git", "status", "--porcelain"]
    changes = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    if changes:
        raise SystemExit(f"Commit first, then run make reproducible again:\n{changes}")


def build(folder: Path) -> list[Path]:
    """Check the last commit out into a folder and build it; give the two files."""
    project = folder / "project"
    project.mkdir(parents=True)
    words = ["git", "archive", "HEAD"]
    commit = subprocess.run(words, cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", str(project)], input=commit, check=True)
    wheel = released(project, folder / "dist", folder)
    return [wheel, *(folder / "dist").iterdir()]


def digests(files: list[Path]) -> dict[str, str]:
    """Digests by name, of the files and of what is in the wheel."""
    contents = {file.name: file.read_bytes() for file in files}
    for file in files:
        if file.suffix == ".whl":
            with zipfile.ZipFile(file) as packed:
                contents |= {name: packed.read(name) for name in packed.namelist()}
    return {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}


if __name__ == "__main__":
    sys.exit(main())
