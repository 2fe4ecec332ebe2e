"""What the leaves of a grown tree answer: held-out rows (honest), smoothed values."""
