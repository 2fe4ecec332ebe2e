"""Models changed by hand: grown step by step."""
