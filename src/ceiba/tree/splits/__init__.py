"""Splits: the questions of a tree, their surrogates and tests, and how they read."""
