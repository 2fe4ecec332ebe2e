"""Analyses of the studio's trees: rivals, previews, columns, scores, warnings, comparisons."""
