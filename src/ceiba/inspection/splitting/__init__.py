"""Compute impurity, gain, split tables and split curves of a table without a tree."""

from __future__ import annotations

from ceiba.inspection.splitting.impurity import impurity as impurity
from ceiba.inspection.splitting.split_table import split_curve as split_curve
