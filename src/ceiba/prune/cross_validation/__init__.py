"""Cross-validation of a whole pruning sequence."""
