"""Run the tests of the core under sanitizers: ``make sanitize``.

    python -m tests.hardening.sanitize                  both: tests of the core, a sample of others
    python -m tests.hardening.sanitize --whole          both, all of these tests
    python -m tests.hardening.sanitize thread --all     one of them, slow tests too
    python -m tests.hardening.sanitize address --tests tests/table
    python -m tests.hardening.sanitize --units          both, the unit tests of cpp/tests alone
    python -m tests.hardening.sanitize --every 10       both, every tenth test
    python -m tests.hardening.sanitize address --arguments -k shards

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
#: What runs the compiled core most: growing, pruning, predicting, searching. For threads: what
#: grows and predicts with several.
CORE = {
    "address": ["tests/core", "tests/grow", "tests/optimal", "tests/prune", "tests/properties",
                "tests/table/test_unaligned.py", "tests/tree/test_route.py",
                "tests/tree/test_cut_trees.py", "tests/tree/test_general_trees.py"],
    "thread": ["tests/core", "tests/grow", "tests/optimal", "tests/properties/test_invariance.py",
               "tests/prune/test_cross_validation.py", "tests/tree/test_route.py",
               "tests/tree/test_cut_trees.py", "tests/tree/test_general_trees.py"],
}  # fmt: skip
#: What uses it: of these, a sample is run unless the whole is asked for.
OTHERS = {
    "address": ["tests/families", "tests/trust", "tests/estimators/test_beyond_memory.py",
                "tests/studio/test_node_analysis.py", "tests/studio/test_server.py"],
    "thread": ["tests/trust/test_shapley.py", "tests/trust/test_stability.py",
               "tests/estimators/test_beyond_memory.py", "tests/studio/test_node_analysis.py",
               "tests/studio/test_server.py"],
}  # fmt: skip
SAMPLE = 5  # every fifth of the others

#: Tests that limit the address space, of which a sanitizer needs terabytes. ThreadSanitizer holds
#: signals back while the core computes: a search does not hear of Ctrl-C before it has ended.
NOT_HERE = {
    "address": "not cannot_be_started",
    "thread": "not cannot_be_started and not ctrl_c",
}


def main() -> int:
    options = read_options()
    for kind in options.kinds or list(RUNTIME):
        suites = build_units(kind)
        status = run_units(suites)
        if status == 0 and not options.units:
            status = run(kind, build(kind), options)
        print(f"{kind}: {'clean' if status == 0 else 'NOT clean'}", flush=True)
        if status:
            return status
    return 0


def read_options() -> argparse.Namespace:
    assert __doc__
    parser = argparse.ArgumentParser("tests.hardening.sanitize", description=__doc__.split("\n")[0])
    parser.add_argument("kinds", nargs="*", metavar="address|thread", help="default: both")
    parser.add_argument("--whole", action="store_true", help="all tests that use the core")
    parser.add_argument("--all", action="store_true", help="slow tests too")
    parser.add_argument("--tests", nargs="+", metavar="PATH", help="these only, all of them")
    parser.add_argument("--units", action="store_true", help="the unit tests of cpp/tests alone")
    parser.add_argument("--every", type=int, metavar="K", help="every k-th test only")
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
    return python


def build_units(kind: str) -> Path:
    """Compile the unit tests of the core, instrumented; give the program."""
    folder = FOLDER / kind / "cpp-tests"
    print(f"{kind}: building into {folder.relative_to(ROOT)}", flush=True)
    call("cmake", "-S", "cpp/tests", "-B", folder, f"-DCEIBA_SANITIZE={kind}")
    call("cmake", "--build", folder, "--parallel", "2")
    return folder / "ceiba_tests"


def run_units(program: Path) -> int:
    """Run the unit tests; give the exit status."""
    return subprocess.run([*at_fixed_addresses(), str(program)], check=False).returncode


def at_fixed_addresses() -> list[str]:
    """ThreadSanitizer wants addresses where it expects them; containers may forbid asking."""
    words = ["setarch", "-R"]
    try:
        return (
            words if subprocess.run([*words, "true"], capture_output=True).returncode == 0 else []
        )
    except FileNotFoundError:
        return []


def run(kind: str, python: Path, options: argparse.Namespace) -> int:
    """Run the tests in the environment; give the exit status."""
    # Into files: pytest holds back what a test prints, and it is lost when the process dies.
    common = f"halt_on_error=1:log_path={FOLDER / kind / 'report'}"
    for old in reports(kind):
        old.unlink()
    environment = {
        **os.environ,
        "ASAN_OPTIONS": f"detect_leaks=0:abort_on_error=0:{common}",
        "UBSAN_OPTIONS": f"print_stacktrace=1:{common}",
        "TSAN_OPTIONS": f"{common}:suppressions={Path(__file__).with_name('tsan.txt')}",
        "OPENBLAS_NUM_THREADS": "1",
        # Polars' allocator makes a thread behind ThreadSanitizer's back, and the process crashes.
        "_RJEM_MALLOC_CONF": "background_thread:false",
        "CEIBA_CPP_TESTS": str(FOLDER / kind / "cpp-tests" / "ceiba_tests"),
        "CEIBA_SANITIZE": kind,
        **sampling(kind, options),
    }
    # The runtime is loaded first, with the library whose exceptions it watches.
    libraries = (RUNTIME[kind], "libstdc++.so.6")
    runtime = " ".join(call("gcc", f"-print-file-name={name}").strip() for name in libraries)
    words = [*at_fixed_addresses(), "env", f"LD_PRELOAD={runtime}", str(python), "-m", "pytest"]
    chosen = ["-k", NOT_HERE[kind], *([] if options.all else ["-m", "not slow"])]
    plugins = ["-q", "-p", "no:cacheprovider", "-p", "tests.hardening.every_kth"]
    tests = options.tests or [*CORE[kind], *OTHERS[kind]]
    words += [*plugins, "-n", "2", "--dist", "worksteal", *chosen, *tests, *options.arguments]
    status = subprocess.run(words, cwd=ROOT, env=environment, check=False).returncode
    for report in reports(kind):
        print(report.read_text("utf-8", errors="replace"), flush=True)
    return status


def reports(kind: str) -> list[Path]:
    """List what a sanitizer has reported, a file per process."""
    return sorted((FOLDER / kind).glob("report.*"))


def sampling(kind: str, options: argparse.Namespace) -> dict[str, str]:
    """Return the environment that sets the share of tests which the plugin every_kth keeps."""
    if options.every:
        return {"CEIBA_EVERY_KTH": str(options.every)}
    if options.whole or options.tests:
        return {}
    return {"CEIBA_EVERY_KTH": str(SAMPLE), "CEIBA_SAMPLED": os.pathsep.join(OTHERS[kind])}


def call(*words: str | Path) -> str:
    done = subprocess.run(
        [str(word) for word in words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words[:4]))} ... failed:\n{done.stderr[-3000:]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
