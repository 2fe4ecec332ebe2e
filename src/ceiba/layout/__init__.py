"""Positions, sizes, texts and colors of tree drawings for matplotlib, SVG and the report."""

from __future__ import annotations

from ceiba.layout.captions import class_and_share as class_and_share
from ceiba.layout.captions import percent as percent
from ceiba.layout.captions import question as question
from ceiba.layout.captions import survival_texts as survival_texts
from ceiba.layout.colours import NUMBER as NUMBER
from ceiba.layout.colours import NodeFills as NodeFills
from ceiba.layout.colours import ValueScale as ValueScale
from ceiba.layout.colours import class_palette as class_palette
from ceiba.layout.colours import node_strengths as node_strengths
from ceiba.layout.drawing import Box as Box
from ceiba.layout.drawing import Drawing as Drawing
from ceiba.layout.drawing import Footer as Footer
from ceiba.layout.drawing import Measure as Measure
from ceiba.layout.drawing import Sheet as Sheet
from ceiba.layout.drawing import check_direction as check_direction
from ceiba.layout.drawing import fit as fit
from ceiba.layout.drawing import fold_weight as fold_weight
from ceiba.layout.drawing import lay_out_footer as lay_out_footer
from ceiba.layout.folding import FoldedTree as FoldedTree
from ceiba.layout.folding import VisibleNode as VisibleNode
from ceiba.layout.folding import fold_tree as fold_tree
from ceiba.layout.folding import visible_nodes as visible_nodes
from ceiba.layout.panel_axis import PanelAxis as PanelAxis
from ceiba.layout.panel_axis import axis_size as axis_size
from ceiba.layout.panel_axis import bin_edges as bin_edges
from ceiba.layout.panel_axis import separate_labels as separate_labels
from ceiba.layout.text_width import FONT_FAMILY as FONT_FAMILY
from ceiba.layout.text_width import measure_for_size as measure_for_size
