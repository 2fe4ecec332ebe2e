"""Geometry of the drawn tree: plain numbers and words, painted by plot, SVG and report."""

from __future__ import annotations

from ceiba.layout.captions import Caption, answers, caption, cut_digits, percent, question
from ceiba.layout.colours import class_palette, node_strength
from ceiba.layout.drawing import Box, Drawing, Measure, Sheet, draw, fold_weight
from ceiba.layout.fold import Fold, fold
from ceiba.layout.tidy import depths, tidy

__all__ = [
    "Box",
    "Caption",
    "Drawing",
    "Fold",
    "Measure",
    "Sheet",
    "answers",
    "caption",
    "class_palette",
    "cut_digits",
    "depths",
    "draw",
    "fold",
    "fold_weight",
    "node_strength",
    "percent",
    "question",
    "tidy",
]
