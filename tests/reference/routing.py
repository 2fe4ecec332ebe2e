"""Where rpart's `predict` leaves a row (oracle section 7, column "predict").

The primary split, else the first surrogate that can place the row, else (usesurrogate = 2) the son
with more rows; equally many, or nothing usable: the row stays in the node, which then predicts for
it.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.reference.rpart import RpartNode
from tests.reference.surrogates import Side

Row = Sequence[float | int | None]


def side_of(node: RpartNode, row: Row, kinds: Sequence[str], usesurrogate: int) -> Side | None:
    stand_ins = [s.mimic for s in node.surrogates] if usesurrogate > 0 else []
    for mimic in [node.primary.mimic, *stand_ins]:
        value = row[mimic.column]
        if kinds[mimic.column] == "ordered" and value == mimic.cut:
            value -= 1  # while growing `level < cut` decides, in predict `level <= cut`
        side = mimic.side(value)
        if side is not None:
            return side
    left, right = (len(son.rows) for son in node.sons)
    if usesurrogate < 2 or left == right:
        return None
    return "left" if left > right else "right"


def predict_node(root: RpartNode, row: Row, kinds: Sequence[str], usesurrogate: int) -> int:
    node = root
    while node.sons:
        side = side_of(node, row, kinds, usesurrogate)
        if side is None:
            break
        node = node.sons[0 if side == "left" else 1]
    return node.number
