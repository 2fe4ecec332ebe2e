"""A plugin for pytest that runs every k-th test: `make sanitize ARGS="--every 10"`."""

from __future__ import annotations

import os
from typing import Any


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Keep every k-th test, of all files alike."""
    k = int(os.environ.get("CEIBA_EVERY_KTH", "1"))
    config.hook.pytest_deselected(items=[item for i, item in enumerate(items) if i % k])
    items[:] = items[::k]
