"""The workspace: what is set up, what was done, the tree as it is; saved after every action."""

from __future__ import annotations

from ceiba.studio.work.source import Source as Source
