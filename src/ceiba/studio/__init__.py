"""The studio: a local server and a web page for growing and editing a tree by hand."""

from __future__ import annotations

from ceiba.studio.launch import Address as Address
from ceiba.studio.launch import initial_setup as initial_setup
from ceiba.studio.launch import open_studio
from ceiba.studio.launch import open_workspace as open_workspace
from ceiba.studio.launch import run as run
from ceiba.studio.prepare import Prepared, prepare

__all__ = ["Prepared", "open_studio", "prepare"]
