"""The studio: a tree grown by hand, with the data, in the browser.

`ceiba.studio(X, y)` opens it: this room can be called.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from ceiba.studio.launch import studio
from ceiba.studio.prepare import Prepared, prepare

__all__ = ["Prepared", "prepare", "studio"]


class _Room(ModuleType):
    """A room that opens the studio when it is called."""

    def __call__(self, *given: Any, **options: Any) -> Any:
        """Open the studio; see `ceiba.studio.studio`."""
        return studio(*given, **options)


sys.modules[__name__].__class__ = _Room
