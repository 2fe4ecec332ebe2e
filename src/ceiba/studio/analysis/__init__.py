"""Analyze the current tree: rivals, previews, columns, scores, warnings, comparisons."""
