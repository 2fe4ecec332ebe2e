"""The workspace of the studio: setup, history and tree, saved after every action."""

from __future__ import annotations

from ceiba.studio.work.source import Source as Source
