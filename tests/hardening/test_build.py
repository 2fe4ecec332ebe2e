"""What the build refuses."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import nanobind
import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_free_threaded_python_is_refused_with_what_to_do(tmp_path: Path) -> None:
    cmake = shutil.which("cmake", path=str(Path(sys.executable).parent)) or shutil.which("cmake")
    if cmake is None or shutil.which("make") is None:
        pytest.skip("needs Linux or macOS with cmake and make")
    words = [cmake, "-S", str(ROOT), "-B", str(tmp_path), "-G", "Unix Makefiles"]
    words += [f"-Dnanobind_DIR={nanobind.cmake_dir()}", f"-DPython_EXECUTABLE={sys.executable}"]
    words += ["-DSKBUILD_SOABI=cpython-313t-x86_64-linux-gnu"]  # what such a Python calls its own
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    message = " ".join(done.stderr.split())
    assert "is free-threaded" in message
    assert "CEIBA_FREE_THREADED=ON" in message
