"""Models changed by hand: edited, and grown step by step."""
