"""Rule sets as in C4.5 and C5.0, derived from the paths of a tree."""

from __future__ import annotations

from ceiba.rules.model_file import restore_rules as restore_rules
from ceiba.rules.rule_set import GeneralRule, RuleSet

__all__ = ["GeneralRule", "RuleSet"]
