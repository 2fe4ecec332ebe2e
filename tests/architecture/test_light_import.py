"""``import ceiba`` stays light: nothing heavy is loaded, and it costs little time."""

from __future__ import annotations

import subprocess
import sys

HEAVY = [
    "sklearn",
    "pandas",
    "polars",
    "matplotlib",
    "narwhals",
    "pyarrow",
    "scipy",
    "typer",
    "rich",
]


def in_fresh_process(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_import_ceiba_fresh_process_loads_nothing_heavy() -> None:
    code = f"import sys, ceiba; print([m for m in {HEAVY} if m in sys.modules])"
    assert in_fresh_process(code) == "[]"


def test_import_ceiba_best_of_five_takes_under_150_ms_of_cpu() -> None:
    code = "import time; t = time.process_time(); import ceiba; print(time.process_time() - t)"
    assert min(float(in_fresh_process(code)) for _ in range(5)) < 0.15


def test_public_names_all_can_be_loaded() -> None:
    code = "import ceiba; print([n for n in ceiba.__all__ if getattr(ceiba, n, None) is None])"
    assert in_fresh_process(code) == "[]"


def test_dir_fresh_process_lists_names_not_loaded_yet() -> None:
    code = "import ceiba; print(set(ceiba.__all__) <= set(dir(ceiba)))"
    assert in_fresh_process(code) == "True"


def test_unknown_name_is_an_attribute_error() -> None:
    code = "import ceiba\ntry: ceiba.nonsense\nexcept AttributeError as e: print(e)"
    assert in_fresh_process(code) == "module 'ceiba' has no attribute 'nonsense'"
