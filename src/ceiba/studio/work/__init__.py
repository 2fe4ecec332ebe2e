"""Define the workspace: setup, history and current tree, saved after every action."""

from __future__ import annotations

from ceiba.studio.work.source import Source as Source
