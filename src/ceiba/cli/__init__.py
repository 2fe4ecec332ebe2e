"""The command line ``ceiba``: one file per command, put together in `main`."""

from __future__ import annotations

from ceiba.cli.files.read_file import read_file

__all__ = ["read_file"]
