"""Campaigns that try to break the library: ``make fuzz MINUTES=5``.

A campaign is a module with `draw(seed)`, which gives a case as plain data (JSON), `check(case)`,
which raises on a finding, and `smaller(case)`, which yields cases that are a little simpler.
`KIND`, where it is set, is the entry of a case by which a run counts its cases. What a campaign
found is made as small as possible and kept in tests/hardening/cases, where a fast test replays it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

NAMES = ("tables", "properties", "files", "edits", "exports")


def campaign(name: str) -> Any:
    """The module of a campaign."""
    return import_module(f"tests.hardening.fuzz.{name}")
