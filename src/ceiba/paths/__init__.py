"""Paths through a tree: which values a path admits, as value sets and as conditions."""
