"""Routing rows down a tree: by the core, one by one in words, and node by node in numpy."""

from __future__ import annotations

from ceiba.tree.routing.branches import LEAVES as LEAVES
from ceiba.tree.routing.branches import MISSING as MISSING
from ceiba.tree.routing.branches import UNSEEN as UNSEEN
from ceiba.tree.routing.branches import ask as ask
from ceiba.tree.routing.branches import ask_surrogates as ask_surrogates
from ceiba.tree.routing.branches import decide as decide
from ceiba.tree.routing.one_row import few_rows as few_rows
from ceiba.tree.routing.recount import Endings as Endings
from ceiba.tree.routing.recount import endings as endings
from ceiba.tree.routing.recount import in_order as in_order
from ceiba.tree.routing.recount import recount as recount
from ceiba.tree.routing.recount import rounded_once as rounded_once
from ceiba.tree.routing.threads import n_threads as n_threads
from ceiba.tree.routing.trace import Move as Move
from ceiba.tree.routing.trace import trace as trace
