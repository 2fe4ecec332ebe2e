"""Geometry of the drawn tree: plain numbers and words, painted by plot, SVG and report."""

from __future__ import annotations

from ceiba.layout.captions import percent as percent
from ceiba.layout.captions import question as question
from ceiba.layout.colours import NUMBER as NUMBER
from ceiba.layout.colours import NodeFills as NodeFills
from ceiba.layout.colours import ValueScale as ValueScale
from ceiba.layout.colours import class_palette as class_palette
from ceiba.layout.colours import node_strengths as node_strengths
from ceiba.layout.drawing import SMALLEST_FONT as SMALLEST_FONT
from ceiba.layout.drawing import Box as Box
from ceiba.layout.drawing import Drawing as Drawing
from ceiba.layout.drawing import Foot as Foot
from ceiba.layout.drawing import Measure as Measure
from ceiba.layout.drawing import Sheet as Sheet
from ceiba.layout.drawing import checked_direction as checked_direction
from ceiba.layout.drawing import fit as fit
from ceiba.layout.drawing import fold_weight as fold_weight
from ceiba.layout.drawing import lay_foot as lay_foot
from ceiba.layout.fold import Fold as Fold
from ceiba.layout.fold import ShownNode as ShownNode
from ceiba.layout.fold import fold as fold
from ceiba.layout.fold import shown_nodes as shown_nodes
from ceiba.layout.letters import FONT_FAMILY as FONT_FAMILY
from ceiba.layout.letters import letter_measure as letter_measure
from ceiba.layout.panel_axis import PanelAxis as PanelAxis
from ceiba.layout.panel_axis import apart as apart
from ceiba.layout.panel_axis import axis_room as axis_room
from ceiba.layout.panel_axis import bin_edges as bin_edges
