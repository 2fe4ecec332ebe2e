"""Build source archive and wheel as they are released, and test the wheel: ``make wheel``.

1. The source archive is packed, and the wheel is built from its contents alone, without a network.
2. auditwheel checks which libraries the wheel needs, and gives it its manylinux tag.
3. A bill of materials goes into ``*.dist-info/sboms`` (sbom.py).
4. Notices, licence and bill are in the wheel; twine takes both files as the index would.
5. The wheel is installed into an empty environment, where smoke.py runs outside of the project.

Both files are left in dist/. Times in them are those of the commit, or SOURCE_DATE_EPOCH, so that
one commit gives the same bytes on any day (reproducible.py).
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from shipping.sbom import bill_of_materials

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
#: What must be in the wheel's metadata.
ENCLOSED = (
    "licenses/LICENSE",
    "licenses/shipping/notices/nanobind.txt",
    "licenses/shipping/notices/robin_map.txt",
    "sboms/ceiba.cdx.json",
)


def main() -> None:
    shutil.rmtree(DIST, ignore_errors=True)
    set_time_of_commit()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        shutil.move(released(ROOT, DIST, work), DIST)
        wheel = next(DIST.glob("*.whl"))
        check_contents(wheel)
        run(sys.executable, "-m", "twine", "check", "--strict", *sorted(DIST.iterdir()))
        tried(wheel, work)
    for file in sorted(DIST.iterdir()):
        print(f"{file.relative_to(ROOT)}  {file.stat().st_size / 1e6:.1f} MB")


def set_time_of_commit() -> None:
    """Date what is built to the last commit, if it is not dated already."""
    if "SOURCE_DATE_EPOCH" not in os.environ:
        words = ["git", "log", "-1", "--format=%ct"]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
        os.environ["SOURCE_DATE_EPOCH"] = done.stdout.strip()


def released(project: Path, archives: Path, work: Path) -> Path:
    """Pack the project's source archive into a folder; give the finished wheel made from it."""
    archive = source_archive(project, archives)
    return with_bill(repaired(built(archive, work), work), work)


def source_archive(project: Path, folder: Path) -> Path:
    """Pack the source archive."""
    run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "-o", folder, project)
    return next(folder.glob("*.tar.gz"))


def built(archive: Path, work: Path) -> Path:
    """Build the wheel from the archive; what the build needs is installed already."""
    with tarfile.open(archive) as packed:
        packed.extractall(work / "sources", filter="data")
    sources = next((work / "sources").iterdir())
    os.environ["CCACHE_DISABLE"] = "1"
    # No path of this machine in the core; the folder's name may have blanks.
    os.environ["CXXFLAGS"] = shlex.quote(f"-ffile-prefix-map={work}=.")
    flags = ["--no-deps", "--no-index", "--no-build-isolation", "-w", work / "built"]
    run(*without_network(), sys.executable, "-m", "pip", "wheel", "-q", *flags, sources)
    return next((work / "built").glob("*.whl"))


def without_network() -> list[str]:
    """The words that run a command without a network, where the system has them."""
    words = ["unshare", "--map-root-user", "--net"]
    if shutil.which("unshare") and not subprocess.run([*words, "true"], check=False).returncode:
        return words
    print("the network cannot be switched off here; pip is told not to use it", flush=True)
    return []


def repaired(wheel: Path, work: Path) -> Path:
    """Give the wheel the tag of the oldest Linux that it runs on; elsewhere leave it."""
    if sys.platform != "linux":
        return wheel
    run(sys.executable, "-m", "auditwheel", "repair", "-w", work / "repaired", wheel)
    return next((work / "repaired").glob("*.whl"))


def with_bill(wheel: Path, work: Path) -> Path:
    """Add the bill of materials."""
    run(sys.executable, "-m", "wheel", "unpack", "-d", work / "unpacked", wheel)
    unpacked = next((work / "unpacked").iterdir())
    sboms = next(unpacked.glob("*.dist-info")) / "sboms"
    sboms.mkdir(exist_ok=True)
    (sboms / "ceiba.cdx.json").write_text(bill_of_materials(), "utf-8")
    (work / "packed").mkdir()
    run(sys.executable, "-m", "wheel", "pack", "-d", work / "packed", unpacked)
    return next((work / "packed").glob("*.whl"))


def check_contents(wheel: Path) -> None:
    """Refuse a wheel that lacks a notice, the licence or the bill of materials."""
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
    absent = [part for part in ENCLOSED if not any(n.endswith(f".dist-info/{part}") for n in names)]
    if absent:
        raise SystemExit(f"{wheel.name} lacks {', '.join(absent)}")


def tried(wheel: Path, work: Path) -> None:
    """Install the wheel into an empty environment and use it there."""
    home = work / "environment"
    run(sys.executable, "-m", "venv", home)
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    run(python, "-m", "pip", "install", "-q", f"{wheel}[cli,plot]")
    shutil.copy(ROOT / "shipping" / "smoke.py", work)
    run(python, "-I", work / "smoke.py", cwd=work)


def run(*words: str | Path, cwd: Path = ROOT) -> None:
    done = subprocess.run([str(word) for word in words], cwd=cwd, check=False)
    if done.returncode:
        raise SystemExit(f"failed: {' '.join(str(word) for word in words[:6])} ...")


if __name__ == "__main__":
    main()
