"""The same trees elsewhere as on this machine: ``make portable ON=32-bit`` (or arm64, wasm).

    python -m tests.hardening.portable 32-bit

The unit tests of the core, and a program that grows trees of every criterion (cpp/portable), are
compiled for the target and run, by an emulator if need be; the program's lines must be those of
this machine. Entropy, gain ratio and Poisson use logarithms, whose last bit differs between C
libraries: where the library is another one, their figures are compared to ten digits, and their
trees, like all others, to the last bit. What a target needs is in `TARGETS`; where it is absent,
nothing is compared and the exit status is 2.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "portable"
_QEMU = next((n for n in ("qemu-aarch64-static", "qemu-aarch64") if shutil.which(n)), "qemu")
_X87 = "-m32 -msse2 -mfpmath=sse"  # registers of 80 bits would round twice


@dataclass(frozen=True)
class Target:
    """What compiles for a target and runs its programs."""

    programs: tuple[str, ...]
    packages: str
    settings: tuple[str, ...] = ()
    configure: tuple[str, ...] = ()
    build: tuple[str, ...] = ()
    run: tuple[str, ...] = ()
    suffix: str = ""
    other_library: bool = False


TARGETS = {
    "arm64": Target(
        ("aarch64-linux-gnu-g++", _QEMU),
        "g++-aarch64-linux-gnu and qemu-user-static",
        (
            "-DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++",
            "-DCMAKE_SYSTEM_NAME=Linux",
            "-DCMAKE_SYSTEM_PROCESSOR=aarch64",
        ),
        run=(_QEMU, "-L", "/usr/aarch64-linux-gnu"),
    ),
    "32-bit": Target(("g++",), "g++-multilib", (f"-DCMAKE_CXX_FLAGS={_X87}",), other_library=True),
    "wasm": Target(
        ("emcmake", "emmake", "node"),
        "emscripten and nodejs",
        (
            "-DCMAKE_CXX_FLAGS=-fwasm-exceptions",
            "-DCMAKE_EXE_LINKER_FLAGS=-sALLOW_MEMORY_GROWTH -sSTACK_SIZE=1MB -sEXIT_RUNTIME",
        ),
        ("emcmake",),
        ("emmake",),
        ("node",),
        ".js",
        other_library=True,
    ),
}
HERE = Target((), "")


def main(kind: str) -> int:
    target = TARGETS[kind]
    if not is_present(kind):
        print(f"{kind}: needs {target.packages}: no comparison was made", file=sys.stderr)
        return 2
    run([*target.run, str(build("tests", kind, "ceiba_tests"))])
    print(f"{kind}: the unit tests of the core pass", flush=True)
    there = run([*target.run, str(build("portable", kind, "ceiba_portable"))])
    here = run([str(build("portable", "native", "ceiba_portable"))])
    return compare(here.splitlines(), there.splitlines(), kind)


def is_present(kind: str) -> bool:
    """Whether this machine compiles for a target and runs its programs."""
    if any(shutil.which(name) is None for name in TARGETS[kind].programs):
        return False
    if kind != "32-bit":
        return True
    compile_one = ["g++", "-m32", "-x", "c++", "-", "-o", "/dev/null"]
    code = "#include <vector>\nint main() {}"
    return subprocess.run(compile_one, input=code.encode(), capture_output=True).returncode == 0


def build(project: str, kind: str, program: str) -> Path:
    """Compile a project of cpp/ and return the path of its program."""
    target = TARGETS.get(kind, HERE)
    folder = FOLDER / f"{project}-{kind}"
    settings = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", *target.settings]
    run([*target.configure, "cmake", "-S", f"cpp/{project}", "-B", str(folder), *settings])
    # Only the program: the emulator of kernels beside the unit tests is for this machine.
    run([*target.build, "cmake", "--build", str(folder), "--target", program, "--parallel", "2"])
    return folder / (program + target.suffix)


def run(words: list[str]) -> str:
    # cmake and ninja are installed beside this interpreter.
    env = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)} failed:\n{done.stdout[-2000:]}{done.stderr[-3000:]}")
    return done.stdout


def compare(here: list[str], there: list[str], kind: str) -> int:
    """Print the trees that differ and return the exit status."""
    different = [
        pair
        for pair in zip(here, there, strict=True)
        if _comparable(pair[0], kind) != _comparable(pair[1], kind)
    ]
    for one, other in different:
        print(f"  here {one}\n  {kind} {other}")
    print(f"{len(here)} trees, {len(different)} of them or of their figures differ")
    return int(bool(different) or not here)


def _comparable(line: str, kind: str) -> str:
    """Return a line, without the digest of figures that depend on the C library."""
    by_logarithm = line.startswith(("entropy", "gain_ratio", "poisson"))
    return line.partition(" figures")[0] if by_logarithm and TARGETS[kind].other_library else line


if __name__ == "__main__":
    if sys.argv[1:] not in [[kind] for kind in TARGETS]:
        raise SystemExit(f"usage: python -m tests.hardening.portable {'|'.join(TARGETS)}")
    sys.exit(main(sys.argv[1]))
