"""Geometry of the drawn tree: plain numbers and words, painted by plot, SVG and report."""

from __future__ import annotations

from ceiba.layout.captions import (
    Caption,
    answers,
    caption,
    percent,
    question,
)
from ceiba.layout.colours import NodeFills, ValueScale, class_palette, node_strengths
from ceiba.layout.drawing import Box, Drawing, Measure, Sheet, checked_direction, draw, fold_weight
from ceiba.layout.fit import fit
from ceiba.layout.fold import Fold, fold
from ceiba.layout.foot import Foot, lay_foot
from ceiba.layout.letters import FONT_FAMILY, letter_measure
from ceiba.layout.panel_axis import PanelAxis
from ceiba.layout.tidy import depths, tidy

__all__ = [
    "FONT_FAMILY",
    "Box",
    "Caption",
    "Drawing",
    "Fold",
    "Foot",
    "Measure",
    "NodeFills",
    "PanelAxis",
    "Sheet",
    "ValueScale",
    "answers",
    "caption",
    "checked_direction",
    "class_palette",
    "depths",
    "draw",
    "fit",
    "fold",
    "fold_weight",
    "lay_foot",
    "letter_measure",
    "node_strengths",
    "percent",
    "question",
    "tidy",
]
