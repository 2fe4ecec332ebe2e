"""Functions that route rows down a tree, and compute predictions and node statistics."""

from __future__ import annotations

from ceiba.tree.routing.attach import attach as attach
from ceiba.tree.routing.attach import attach_survival as attach_survival
from ceiba.tree.routing.branches import MISSING as MISSING
from ceiba.tree.routing.branches import TO_ROOT as TO_ROOT
from ceiba.tree.routing.branches import UNSEEN as UNSEEN
from ceiba.tree.routing.branches import evaluate_split as evaluate_split
from ceiba.tree.routing.branches import fill_from_surrogates as fill_from_surrogates
from ceiba.tree.routing.branches import route_at_node as route_at_node
from ceiba.tree.routing.one_row import apply_few_rows as apply_few_rows
from ceiba.tree.routing.recount import recount as recount
from ceiba.tree.routing.recount import sum_exactly as sum_exactly
from ceiba.tree.routing.recount import sum_in_order as sum_in_order
from ceiba.tree.routing.row_ends import RowEnds as RowEnds
from ceiba.tree.routing.row_ends import find_row_ends as find_row_ends
from ceiba.tree.routing.threads import n_threads as n_threads
from ceiba.tree.routing.trace import RouteStep as RouteStep
from ceiba.tree.routing.trace import trace as trace
