"""Run the tests of the core under sanitizers: ``make sanitize``.

    python -m tests.hardening.sanitize                  both, the fast tests of the core
    python -m tests.hardening.sanitize thread --all     one of them, slow tests too
    python -m tests.hardening.sanitize address --tests tests/table

*address* is AddressSanitizer with UBSan, *thread* is ThreadSanitizer. Each builds the package into
an environment of its own below build/sanitize, which sees the packages of this one by a path file;
the working tree's build is left alone. The first report of a sanitizer ends the run.

Python itself is not instrumented, so leaks are not looked for (it keeps memory on purpose), and
the BLAS library runs in one thread.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "sanitize"
RUNTIME = {"address": "libasan.so", "thread": "libtsan.so"}
#: What runs the compiled core most: growing, pruning, predicting, searching, explaining.
TESTS = {
    "address": ["tests/core", "tests/grow", "tests/optimal", "tests/prune", "tests/families",
                "tests/properties", "tests/trust", "tests/table/test_unaligned.py"],
    "thread": ["tests/core", "tests/grow", "tests/optimal", "tests/properties"],
}  # fmt: skip

#: Tests that limit the address space, of which a sanitizer needs terabytes.
NOT_HERE = "not cannot_be_started"


def main() -> int:
    options = read_options()
    for kind in options.kinds or list(RUNTIME):
        python = build(kind)
        tests = options.tests or TESTS[kind]
        status = run(kind, python, tests, everything=options.all, arguments=options.arguments)
        print(f"{kind}: {'clean' if status == 0 else 'NOT clean'}", flush=True)
        if status:
            return status
    return 0


def read_options() -> argparse.Namespace:
    assert __doc__
    parser = argparse.ArgumentParser("tests.hardening.sanitize", description=__doc__.split("\n")[0])
    parser.add_argument("kinds", nargs="*", metavar="address|thread", help="default: both")
    parser.add_argument("--all", action="store_true", help="slow tests too")
    parser.add_argument("--tests", nargs="+", metavar="PATH", help="default: those of the core")
    parser.add_argument("--arguments", nargs=argparse.REMAINDER, default=[], help="for pytest")
    return parser.parse_args()


def build(kind: str) -> Path:
    """Install the package, instrumented, into its environment; give the interpreter."""
    home = FOLDER / kind
    python = home / "environment" / "bin" / "python"
    if not python.exists():
        call(sys.executable, "-m", "venv", "--without-pip", str(home / "environment"))
        packages = call(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
        borrowed = Path(packages.strip(), "borrowed.pth")
        borrowed.write_text(sysconfig.get_path("purelib"), "utf-8")
    print(f"{kind}: building into {home.relative_to(ROOT)}", flush=True)
    flags = [f"-Ccmake.define.CEIBA_SANITIZE={kind}", f"-Cbuild-dir={home / 'objects'}"]
    install = ["--no-build-isolation", "--no-deps", "--no-index", "--force-reinstall", *flags]
    call(sys.executable, "-m", "pip", "--python", python, "install", "-q", *install, str(ROOT))
    suites = home / "cpp-tests"
    call("cmake", "-S", "cpp/tests", "-B", suites, f"-DCEIBA_SANITIZE={kind}")
    call("cmake", "--build", suites, "--parallel", "2")
    return python


def run(
    kind: str, python: Path, tests: list[str], *, everything: bool, arguments: list[str]
) -> int:
    """Run the tests in the environment; give the exit status."""
    environment = {
        **os.environ,
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:halt_on_error=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "TSAN_OPTIONS": f"halt_on_error=1:suppressions={Path(__file__).with_name('tsan.txt')}",
        "OPENBLAS_NUM_THREADS": "1",
        "CEIBA_CPP_TESTS": str(FOLDER / kind / "cpp-tests" / "ceiba_tests"),
        "CEIBA_SANITIZE": kind,
    }
    # The runtime is loaded first, with the library whose exceptions it watches; ThreadSanitizer
    # wants addresses where it expects them.
    libraries = (RUNTIME[kind], "libstdc++.so.6")
    runtime = " ".join(call("gcc", f"-print-file-name={name}").strip() for name in libraries)
    words = ["setarch", "-R", "env", f"LD_PRELOAD={runtime}", str(python), "-m", "pytest", "-q"]
    chosen = ["-k", NOT_HERE] if everything else ["-k", NOT_HERE, "-m", "not slow"]
    words += ["-p", "no:cacheprovider", "-n", "2", *chosen, *tests, *arguments]
    return subprocess.run(words, cwd=ROOT, env=environment, check=False).returncode


def call(*words: str | Path) -> str:
    done = subprocess.run(
        [str(word) for word in words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words[:4]))} ... failed:\n{done.stderr[-3000:]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
