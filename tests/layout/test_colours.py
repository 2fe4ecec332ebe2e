"""The class palette: how far its colours are apart, for normal and for colour-blind eyes.

Difference: CIEDE2000 (Sharma, Wu and Dalal 2005, checked against their published pairs). Colour
blindness: Machado, Oliveira and Fernandes 2009, full severity, on linear RGB.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.layout.colours import NodeFills, ValueScale, class_palette, node_strengths
from ceiba.tree import Leaf

DEUTERANOPE = [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.011820, 0.042940, 0.968881],
]
PROTANOPE = [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
]
TO_XYZ = [
    [0.4124564, 0.3575761, 0.1804375],
    [0.2126729, 0.7151522, 0.0721750],
    [0.0193339, 0.1191920, 0.9503041],
]
WHITE = [0.95047, 1.0, 1.08883]
EYES: dict[str, Any] = {
    "normal": np.eye(3),
    "deuteranope": np.array(DEUTERANOPE),
    "protanope": np.array(PROTANOPE),
}


def lab(colour: str, eye: str) -> tuple[float, float, float]:
    """Return the CIELAB coordinates (D65) of "#rrggbb" as an eye sees it."""
    rgb = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = np.array(TO_XYZ) @ np.clip(EYES[eye] @ linear, 0, 1) / np.array(WHITE)
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def ciede2000(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean_chroma = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    stretch = 1.5 - 0.5 * math.sqrt(mean_chroma**7 / (mean_chroma**7 + 25**7))
    a1, a2 = a1 * stretch, a2 * stretch
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = (math.degrees(math.atan2(b, a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    hue = h1 + turn / 2 if c1 * c2 else h1 + h2
    dh = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2

    def cos(degrees: float) -> float:
        return math.cos(math.radians(degrees))

    weight = 1 - 0.17 * cos(hue - 30) + 0.24 * cos(2 * hue)
    weight += 0.32 * cos(3 * hue + 6) - 0.2 * cos(4 * hue - 63)
    sl = 1 + 0.015 * (light - 50) ** 2 / math.sqrt(20 + (light - 50) ** 2)
    sc, sh = 1 + 0.045 * chroma, 1 + 0.015 * chroma * weight
    twist = 2 * math.sqrt(chroma**7 / (chroma**7 + 25**7))
    twist *= math.sin(math.radians(60 * math.exp(-(((hue % 360 - 275) / 25) ** 2))))
    x, y, z = (l2 - l1) / sl, (c2 - c1) / sc, dh / sh
    return math.sqrt(x * x + y * y + z * z - twist * y * z)


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((50.0, 2.49, -0.001), (50.0, -2.49, 0.0011), 7.2195),
        ((22.7233, 20.0904, -46.694), (23.0331, 14.973, -42.5619), 2.0373),
        ((90.8027, -2.0831, 1.441), (91.1528, -1.6435, 0.0447), 1.4441),
    ],
)
def test_ciede2000_gives_the_published_differences(
    one: tuple[float, ...], other: tuple[float, ...], apart: float
) -> None:
    assert ciede2000(one, other) == pytest.approx(apart, abs=1e-4)


@pytest.mark.parametrize("n", range(2, 13))
@pytest.mark.parametrize(("eye", "least"), [("normal", 18), ("deuteranope", 12), ("protanope", 12)])
def test_class_palette_up_to_twelve_colours_are_told_apart(n: int, eye: str, least: float) -> None:
    seen = [lab(colour, eye) for colour in class_palette(n)]
    assert min(itertools.starmap(ciede2000, itertools.combinations(seen, 2))) >= least


@pytest.mark.parametrize("paper", ["#FFFFFF", "#1C2127"])
def test_class_palette_stands_out_from_light_and_dark_paper(paper: str) -> None:
    for colour in class_palette(12):
        assert ciede2000(lab(colour, "normal"), lab(paper, "normal")) >= 12


def rank_by_hand(tree: ceiba.Tree, value: float) -> float:
    leaves = [node for node in tree.nodes if node.is_leaf]
    total = sum(leaf.n_rows for leaf in leaves)
    below = sum(leaf.n_rows for leaf in leaves if leaf.value < value)
    same = sum(leaf.n_rows for leaf in leaves if leaf.value == value)
    return (below + same / 2) / total


@pytest.mark.parametrize("seed", range(4))
def test_value_scale_is_the_share_of_rows_in_leaves_below(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.random((200, 2)), np.exp(4 * rng.random(200))
    tree = ceiba.DecisionTreeRegressor(max_leaf_nodes=15).fit(x, y).tree_
    asked = [*tree.value[:, 0, 0].tolist(), 0.0, 1e9, *rng.uniform(1, 50, 20).tolist()]
    assert ValueScale(tree).place(asked) == pytest.approx([rank_by_hand(tree, v) for v in asked])
    assert node_strengths(tree) == pytest.approx(ValueScale(tree).place(tree.value[:, 0, 0]))


def test_value_scale_long_tail_does_not_bleach_the_rest() -> None:
    tree = ceiba.tree.build(
        ("x <= 1", Leaf(1.0, rows=40), ("x <= 2", Leaf(2.0, rows=40), Leaf(999.0, rows=20)))
    )
    low, middle, high = node_strengths(tree)[[1, 3, 4]]
    assert middle - low > 0.3
    assert high > 0.8


def test_inner_nodes_are_coloured_lighter_than_leaves_of_the_same_shares() -> None:
    tree = ceiba.tree.build(("x <= 1", {"a": 9, "b": 1}, {"a": 5}))
    fills = NodeFills(tree)
    (inner, light), (leaf, strong) = fills(0, leaf=False), fills(0, leaf=True)
    assert inner == leaf
    assert 0 < light < strong
