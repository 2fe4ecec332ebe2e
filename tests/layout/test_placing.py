"""Boxes to the right: no two overlap, edges end at their boxes; axes of the small pictures."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from tests.tree.random_trees import random_tree

from ceiba.errors import OptionError
from ceiba.layout.drawing import Box, Sheet, draw
from ceiba.layout.panel_axis import PanelAxis, axis_size, separate_labels


def width(text: str, bold: bool) -> float:
    return (6.0 if bold else 5.0) * len(text)


def words(box: Box, sheet: Sheet) -> tuple[float, float, float, float]:
    half = max((width(line, False) for line in box.edge), default=0.0) / 2
    x, top = box.word
    return x - half, top, x + half, top + len(box.edge) * sheet.line_height


@pytest.mark.parametrize("direction", ["down", "right"])
@pytest.mark.parametrize("seed", range(8))
def test_draw_boxes_and_words_never_overlap(seed: int, direction: str) -> None:
    sheet = Sheet(direction=direction)  # type: ignore[arg-type]
    drawing = draw(random_tree(seed, n_inner=12), width, sheet)
    areas = [(b.left, b.top, b.left + b.width, b.bottom) for b in drawing.boxes]
    areas += [words(b, sheet) for b in drawing.boxes if b.edge]
    for (a0, a1, a2, a3), (b0, b1, b2, b3) in combinations(areas, 2):
        assert a2 <= b0 or b2 <= a0 or a3 <= b1 or b3 <= a1
    assert all(x0 >= 0 and x1 <= drawing.width + 1e-9 for x0, _, x1, _ in areas)
    assert all(-0.2 * sheet.line_height <= y0 and y1 <= drawing.height + 1e-9
               for _, y0, _, y1 in areas)  # fmt: skip


def test_draw_to_the_right_edges_run_from_parent_to_box() -> None:
    drawing = draw(random_tree(3, n_inner=9), width, Sheet(direction="right"))
    for box, route in zip(drawing.boxes, drawing.routes, strict=True):
        assert bool(route) == (box.parent >= 0)
        if route:
            above = drawing.boxes[box.parent]
            assert route[0] == (above.left + above.width, above.top + above.height / 2)
            assert route[-1][0] == pytest.approx(box.left)
            assert box.top < route[-1][1] < box.bottom
            assert above.left + above.width < box.left


def test_draw_unknown_direction_names_the_known() -> None:
    from ceiba.export import to_svg

    with pytest.raises(OptionError, match="'down' or 'right'"):
        to_svg(random_tree(0, n_inner=1), direction="up")  # type: ignore[arg-type]


def test_apart_random_texts_stay_in_their_room_and_never_meet() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        widths = rng.uniform(1, 30, rng.integers(1, 6))
        room = float(widths.sum() + 4 * (len(widths) - 1) + rng.exponential(20))
        places = np.sort(rng.uniform(0, room, len(widths)))
        at = np.array(separate_labels(places.tolist(), widths.tolist(), room, 4.0))
        assert (at - widths / 2 >= -1e-9).all()
        assert (at + widths / 2 <= room + 1e-9).all()
        assert (np.diff(at) >= (widths[1:] + widths[:-1]) / 2 + 4 - 1e-9).all()


def test_panel_axis_long_names_stand_upright_and_stay_different() -> None:
    names = [f"a very long level name, number {k}" for k in range(9)]
    axis = PanelAxis.of_levels(names)
    assert len(set(axis.names)) == len(names)
    assert max(map(len, axis.names)) <= 12
    assert axis_size(axis, width, Sheet()).upright
    assert not axis_size(PanelAxis.of_levels(["no", "yes"]), width, Sheet()).upright
