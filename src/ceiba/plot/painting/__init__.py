"""Axes, colours and fonts of plots, and functions that paint drawings."""
