"""Search: trees that are not grown greedily, with a certificate of how good they are."""

from __future__ import annotations

from ceiba.grow.search.alternatives import Alternative, Alternatives, find_alternatives
from ceiba.grow.search.certificate import Certificate
from ceiba.grow.search.find import Searched, find_tree
from ceiba.grow.search.options import Lookahead, Optimal

__all__ = [
    "Alternative",
    "Alternatives",
    "Certificate",
    "Lookahead",
    "Optimal",
    "Searched",
    "find_alternatives",
    "find_tree",
]
