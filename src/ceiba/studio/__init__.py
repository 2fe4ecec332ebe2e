"""The studio: a tree grown by hand, with the data, in the browser."""

from __future__ import annotations

from ceiba.studio.launch import open_studio
from ceiba.studio.prepare import Prepared, prepare

__all__ = ["Prepared", "open_studio", "prepare"]
