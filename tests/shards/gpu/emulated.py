"""A GPU without a GPU: kernels compiled by g++ and run by an emulator, arrays of numpy."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]
LIBRARY = Path(
    os.environ.get("CEIBA_EMULATOR", ROOT / "build" / "cpp-tests" / "libceiba_emulator.so")
)


class EmulatedDevice:
    """The interface of `CudaDevice`; memory is poisoned when it is allocated."""

    xp = np

    def __init__(self, shared_bytes: int = 100_000, n_processors: int = 2) -> None:
        if not LIBRARY.exists():
            pytest.skip("build/cpp-tests is not compiled: run `make cpp-tests`")
        self.shared_bytes, self.n_processors = shared_bytes, n_processors
        self._emulate = ctypes.CDLL(str(LIBRARY)).emulate
        self._memory: dict[int, np.ndarray] = {}
        self._words = np.empty(0, np.uint64)
        self.launched: dict[str, int] = {}
        self.record_words = 1

    def compile(self, record_words: int) -> None:
        self.record_words = record_words

    def allocate(self, n_bytes: int) -> int:
        memory = np.full(n_bytes + 16, 0x5A, np.uint8)
        self._memory[memory.ctypes.data] = memory
        return memory.ctypes.data

    def release(self, address: int) -> None:
        self._memory.pop(address)[:] = 0xA5

    def send(self, to: int, source: int, n_bytes: int) -> None:
        ctypes.memmove(to, source, n_bytes)

    fetch = send

    def fill(self, to: int, byte: int, n_bytes: int) -> None:
        ctypes.memset(to, byte, n_bytes)

    def launch(
        self, kernel: str, grid: int, rows: int, threads: int, shared_bytes: int, params: bytes
    ) -> None:
        assert shared_bytes <= self.shared_bytes, kernel
        assert 0 < threads <= 1024, kernel
        assert threads % 32 == 0, kernel
        failed = self._emulate(
            kernel.encode(), self.record_words, grid, rows, threads,
            ctypes.c_size_t(shared_bytes), params, ctypes.c_size_t(len(params)),
        )  # fmt: skip
        assert not failed, f"no kernel {kernel} with {len(params)} bytes of arguments"
        self.launched[kernel] = self.launched.get(kernel, 0) + 1

    def answer_words(self, n: int) -> int:
        if len(self._words) < n:
            self._words = np.empty(n, np.uint64)
        return self._words.ctypes.data

    def answer(self, n: int) -> Any:
        return self._words[:n]

    def view(self, owner: Any, interface: dict[str, Any]) -> np.ndarray:
        described = interface | {"version": 3}
        return np.asarray(SimpleNamespace(owner=owner, __array_interface__=described))

    def to_host(self, array: Any) -> np.ndarray:
        return np.array(array)
