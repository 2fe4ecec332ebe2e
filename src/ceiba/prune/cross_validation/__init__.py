"""Cross-validation of a whole pruning sequence."""

from __future__ import annotations

from ceiba.prune.cross_validation.validate import CrossValidation, cross_validate

__all__ = [
    "CrossValidation",
    "cross_validate",
]
