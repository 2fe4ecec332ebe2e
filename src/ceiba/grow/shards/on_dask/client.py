"""The client of a Dask cluster: by address, as it is, or the one that is in use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from ceiba.errors import DataError

_CONNECT: Final = "10s"  # that a scheduler has to answer


@contextmanager
def client_of(cluster: Any) -> Iterator[Any]:
    """Give the client of a cluster; of none, the one that is in use."""
    try:
        from distributed import Client, default_client
    except ImportError as error:
        raise ImportError(
            "Fitting on a cluster needs the package distributed. Install it with: "
            "pip install ceiba[dask]"
        ) from error
    if isinstance(cluster, str):
        try:
            made = Client(cluster, timeout=_CONNECT, set_as_default=False)  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as error:
            raise DataError(
                f"There is no Dask scheduler at {cluster}: {error}. Start one with `dask "
                "scheduler`, and give the address that it prints."
            ) from error
        with made:
            yield made
        return
    if cluster is None:
        try:
            cluster = default_client()  # type: ignore[no-untyped-call]
        except ValueError as error:
            raise DataError(
                "A dask DataFrame is learned from on a cluster, and there is no client. Make one: "
                "`from dask.distributed import Client; Client()` uses the cores of this machine."
            ) from error
    if getattr(cluster, "asynchronous", False):
        raise DataError(
            "The Dask client is asynchronous, and fitting waits for answers. Make a client without "
            "asynchronous=True, or fit in a thread that has one."
        )
    yield cluster
