"""Geometry of the drawn tree: plain numbers and words, painted by plot, SVG and report."""
