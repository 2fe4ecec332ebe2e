"""Trees that are not grown: written by hand, from arrays; and random data drawn from a tree."""

from __future__ import annotations

from ceiba.tree.construct.chained import chained as chained
from ceiba.tree.construct.from_arrays import branches_of as branches_of
from ceiba.tree.construct.from_arrays import skeleton as skeleton
