"""Bins that follow from all rows of a tree, chosen over shards."""
