"""Routing rows down a tree: by the core, one by one in words, and node by node in numpy."""
