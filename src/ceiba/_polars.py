"""Import polars as `pl` at first use; the error for a missing package says how to install it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars

    pl = polars
else:

    class _Polars:
        def __getattr__(self, name: str) -> Any:
            try:
                import polars
            except ImportError:
                raise ImportError(
                    "Reading files needs the package polars. Install it with: "
                    "pip install ceiba[files]",
                    name="polars",
                ) from None
            return getattr(polars, name)

    pl = _Polars()
