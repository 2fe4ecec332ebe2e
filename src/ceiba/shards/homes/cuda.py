"""Access a CUDA device through CuPy: memory, copies and kernel launches.

CuPy compiles the kernels (`_core.kernel_text`) at first use and caches them on disk. All work is on
the current device and stream of the calling thread.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.errors import DataError

#: Lowest supported compute capability, times 10.
_LOWEST_CAPABILITY: Final = 70
_HOST_TO_DEVICE, _DEVICE_TO_HOST = 1, 2
_MOST_STATIC_SHARED: Final = 48 << 10


def import_cupy() -> Any:
    """Return the module cupy, or raise an error with the command that installs it."""
    try:
        import cupy
    except ImportError:
        raise ImportError(
            "Tables on a GPU require the 'cupy' package. Install it with: pip install 'ceiba[gpu]'",
            name="cupy",
        ) from None
    return cupy


class CudaDevice:
    """The current device and stream of CuPy."""

    def __init__(self) -> None:
        self.xp = cupy = import_cupy()
        if cupy.cuda.runtime.is_hip:
            raise DataError("Tables on a GPU require CUDA; ROCm is not supported.")
        device = cupy.cuda.Device()
        if int(device.compute_capability) < _LOWEST_CAPABILITY:
            raise DataError(
                f"The GPU must have compute capability {_LOWEST_CAPABILITY / 10} or higher, got "
                f"{int(device.compute_capability) / 10}. Copy the table to the host."
            )
        self.n_processors: int = device.attributes["MultiProcessorCount"]
        self.shared_bytes: int = device.attributes["MaxSharedMemoryPerBlockOptin"]
        self._number = device.id
        self._stream = cupy.cuda.get_current_stream()
        self._record_words = 1
        self._memory: dict[int, Any] = {}
        self._allowed: dict[str, int] = {}  # allowed bytes of dynamic shared memory, by kernel
        self._words: Any = None
        self._n_words = 0

    def compile(self, record_words: int) -> None:
        """Select the kernels for a record size, which is given in words."""
        self._record_words = record_words
        self._allowed.clear()

    def allocate(self, n_bytes: int) -> int:
        """Allocate memory from CuPy's pool, and return its address."""
        cupy = self.xp
        try:
            memory = cupy.cuda.alloc(n_bytes)
        except cupy.cuda.memory.OutOfMemoryError:
            self._memory.clear()
            self._words, self._n_words = None, 0
            cupy.get_default_memory_pool().free_all_blocks()
            free, total = cupy.cuda.runtime.memGetInfo()
            raise DataError(
                f"Out of GPU memory: another {n_bytes / 1e9:.2f} GB is required, but only "
                f"{free / 1e9:.2f} GB of {total / 1e9:.2f} GB is free. Free some memory, fit fewer "
                "rows, or copy the table to the host. See docs/gpu.md for the memory per row."
            ) from None
        self._memory[memory.ptr] = memory
        return int(memory.ptr)

    def release(self, address: int) -> None:
        """Return memory to CuPy's pool."""
        self._memory.pop(address, None)

    def send(self, to: int, source: int, n_bytes: int) -> None:
        """Copy bytes from the host to the device."""
        self._copy(to, source, n_bytes, _HOST_TO_DEVICE)

    def fetch(self, to: int, source: int, n_bytes: int) -> None:
        """Copy bytes from the device to the host, and wait until the copy is complete."""
        self._copy(to, source, n_bytes, _DEVICE_TO_HOST)
        self._stream.synchronize()

    def _copy(self, to: int, source: int, n_bytes: int, direction: int) -> None:
        runtime = self.xp.cuda.runtime
        runtime.memcpyAsync(to, source, n_bytes, direction, self._stream.ptr)

    def fill(self, to: int, byte: int, n_bytes: int) -> None:
        """Set all bytes of a memory range on the device to the same value."""
        self.xp.cuda.runtime.memsetAsync(to, byte, n_bytes, self._stream.ptr)

    def launch(
        self, kernel: str, grid: int, rows: int, threads: int, shared_bytes: int, params: bytes
    ) -> None:
        """Launch a kernel with a struct as its only argument."""
        function = _kernel(kernel, self._record_words, self._number)
        if shared_bytes > self._allowed.get(kernel, _MOST_STATIC_SHARED):
            function.max_dynamic_shared_size_bytes = self._allowed[kernel] = shared_bytes
        struct = np.frombuffer(params, _struct(len(params))).reshape(())
        function((grid, rows), (threads,), (struct,), shared_mem=shared_bytes, stream=self._stream)

    def answer_words(self, n: int) -> int:
        """Return the address of pinned host memory that can receive n words."""
        if self._n_words < n:
            self._n_words = max(n, 1 << 20)
            self._words = self.xp.cuda.alloc_pinned_memory(8 * self._n_words)
        return int(self._words.ptr)

    def answer(self, n: int) -> npt.NDArray[np.uint64]:
        """Return the n words at the address that `answer_words` returned, without a copy."""
        return np.frombuffer(self._words, np.uint64, n)

    def view(self, owner: Any, interface: dict[str, Any]) -> Any:
        """Return the array that `__cuda_array_interface__` describes, in its owner's memory."""
        return self.xp.asarray(SimpleNamespace(owner=owner, __cuda_array_interface__=interface))

    def to_host(self, array: Any) -> npt.NDArray[Any]:
        """Copy an array from the device to the host."""
        return np.asarray(array.get() if hasattr(array, "get") else array)


@cache
def _struct(n_bytes: int) -> np.dtype[Any]:
    return np.dtype([("words", "<u8", n_bytes // 8)])


@cache
def _kernel(name: str, record_words: int, device: int) -> Any:
    return _module(record_words, device).get_function(name)


@cache
def _module(record_words: int, device: int) -> Any:
    """Compile the kernels for a device and a record size."""
    cupy = import_cupy()
    options = ("-std=c++17", "--fmad=false", f"-DRECORD_WORDS={record_words}")
    try:
        module = cupy.RawModule(code=_core.kernel_text(), options=options)
        module.compile()
    except OSError as error:  # raised by CuPy if its cache folder is not writable
        raise DataError(
            f"CuPy cannot write its cache of compiled kernels: {error}. Set CUPY_CACHE_DIR to a "
            "writable folder."
        ) from error
    return module
