"""Helpers that the plots share: axes, colors, fonts, and painting of tree drawings."""
