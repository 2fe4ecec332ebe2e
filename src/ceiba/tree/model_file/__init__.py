"""The model file ``.ceiba``: a tree (and its estimator) as readable, checked, versioned JSON."""

from __future__ import annotations

from ceiba.tree.model_file.document import (
    VERSION,
    Document,
    dumps,
    loads,
    read,
    read_metadata,
    write,
)

__all__ = ["VERSION", "Document", "dumps", "loads", "read", "read_metadata", "write"]
