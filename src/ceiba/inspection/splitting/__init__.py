"""Splits of a table before any tree: impurity, gain, split tables and curves."""
