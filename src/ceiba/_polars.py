"""Import polars as `pl` on first use; raise an error with the pip command if it is missing."""

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
                    "Reading files requires 'polars'. Install it with: pip install 'ceiba[files]'",
                    name="polars",
                ) from None
            return getattr(polars, name)

    pl = _Polars()
