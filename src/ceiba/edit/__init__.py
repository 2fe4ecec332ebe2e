"""Trees edited by hand: regrow below a node, force a split, graft a subtree."""

from __future__ import annotations

from ceiba.edit.by_hand import regrow, set_split

__all__ = ["regrow", "set_split"]
