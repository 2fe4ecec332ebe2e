"""Can this tree be trusted: why this answer, what would change it, is it stable, does it hold."""

from __future__ import annotations

from ceiba.trust.shapley import ShapleyValues, shap_values

__all__ = ["ShapleyValues", "shap_values"]
