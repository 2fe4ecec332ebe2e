"""The one door to pyarrow's Parquet reader: imported at first use; its absence says what to do."""

from __future__ import annotations

from typing import Any


def require_parquet() -> Any:
    """Import `pyarrow.parquet`, or say what to install."""
    try:
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise ImportError(
            "ceiba.scan needs pyarrow, which is not installed. Install it with: "
            "pip install ceiba[parquet]"
        ) from error
    return parquet
