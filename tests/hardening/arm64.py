"""The same trees on arm64 as on this machine: ``make arm64``.

    python -m tests.hardening.arm64

The unit tests of the core, and a program that grows trees of every criterion (cpp/portable), are
compiled for arm64 and run by an emulator; the program's lines must be those of this machine. Needs
a cross compiler and an emulator: on Debian, g++-aarch64-linux-gnu and qemu-user-static.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "portable"
COMPILER = "aarch64-linux-gnu-g++"
EMULATORS = ("qemu-aarch64-static", "qemu-aarch64")
LIBRARIES = "/usr/aarch64-linux-gnu"


def main() -> int:
    emulator = next((name for name in EMULATORS if shutil.which(name)), None)
    if emulator is None or shutil.which(COMPILER) is None:
        print(f"needs {COMPILER} and {EMULATORS[0]}: no comparison was made", file=sys.stderr)
        return 2
    foreign = [emulator, "-L", LIBRARIES]
    suites = build("tests", "arm64", "ceiba_tests", COMPILER)
    run([*foreign, str(suites)])
    print("arm64: the unit tests of the core pass", flush=True)
    there = run([*foreign, str(build("portable", "arm64", "ceiba_portable", COMPILER))])
    here = run([str(build("portable", "native", "ceiba_portable"))])
    return compare(here.splitlines(), there.splitlines())


def build(project: str, kind: str, program: str, compiler: str | None = None) -> Path:
    """Compile a project of cpp/; give its program."""
    folder = FOLDER / f"{project}-{kind}"
    system = ["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64"]
    cross = [] if compiler is None else [f"-DCMAKE_CXX_COMPILER={compiler}", *system]
    run(["cmake", "-S", f"cpp/{project}", "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release", *cross])
    run(["cmake", "--build", str(folder), "--parallel", "2"])
    return folder / program


def run(words: list[str]) -> str:
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)} failed:\n{done.stdout[-2000:]}{done.stderr[-3000:]}")
    return done.stdout


def compare(here: list[str], there: list[str]) -> int:
    """Print the trees that differ; give the exit status."""
    different = [pair for pair in zip(here, there, strict=True) if pair[0] != pair[1]]
    for one, other in different:
        print(f"  here  {one}\n  arm64 {other}")
    print(f"{len(here)} trees, {len(different)} of them or of their figures differ")
    return int(bool(different) or not here)


if __name__ == "__main__":
    sys.exit(main())
