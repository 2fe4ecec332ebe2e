"""Analyses of trees in the studio: best splits, previews, scores, warnings and comparisons."""
