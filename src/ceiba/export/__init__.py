"""The export room: a Tree as text, as a scikit-learn estimator, and back; one file each."""

from __future__ import annotations

from ceiba.export.sklearn import from_sklearn, to_sklearn
from ceiba.export.text import to_text

__all__ = ["from_sklearn", "to_sklearn", "to_text"]
