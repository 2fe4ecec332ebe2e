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


@pytest.mark.skipif(sys.platform == "win32", reason="only on Linux or macOS")
@pytest.mark.parametrize("compiler", ["", "g++"])  # scikit-build-core sets CXX, pip alone does not
def test_build_without_a_compiler_says_what_to_install(tmp_path: Path, compiler: str) -> None:
    cmake = shutil.which("cmake", path=str(Path(sys.executable).parent)) or shutil.which("cmake")
    if cmake is None:
        pytest.skip("needs Linux or macOS with cmake")
    words = [cmake, "-S", str(ROOT), "-B", str(tmp_path / "build"), "-G", "Unix Makefiles"]
    environment = {"PATH": str(tmp_path), "CXX": compiler}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode != 0
    message = " ".join(done.stderr.split())
    assert "ceiba needs a C++20 compiler, and none was found. Install one" in message
    assert message.count("CMake Error") == 1
