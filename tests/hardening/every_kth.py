"""A plugin for pytest that runs every k-th test: `make sanitize ARGS="--every 10"`.

CEIBA_EVERY_KTH is k; CEIBA_SAMPLED, if given, the folders and files to which it applies.
"""

from __future__ import annotations

import os
from typing import Any


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Keep every k-th test, of all files alike."""
    k = int(os.environ.get("CEIBA_EVERY_KTH", "1"))
    paths = tuple(os.environ.get("CEIBA_SAMPLED", "").split(os.pathsep))
    sampled = [item for item in items if item.nodeid.startswith(paths)]
    left_out = {item.nodeid for i, item in enumerate(sampled) if i % k}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
    items[:] = [item for item in items if item.nodeid not in left_out]
