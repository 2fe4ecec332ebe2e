"""Commands that put a fitted tree to rows: answers, checks, explanations."""
