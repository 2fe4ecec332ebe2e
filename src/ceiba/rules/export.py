"""Rules as programs: asked in order, the first that holds answers, else the default class."""

from __future__ import annotations

from typing import Any, Final

from ceiba.errors import OptionError, did_you_mean
from ceiba.export.code.sql import conditions_case
from ceiba.rules.rule_set import RuleSet


def _text(rules: RuleSet) -> str:
    return f"{rules}\n"


def _python(rules: RuleSet) -> str:
    lines = [
        '"""predict(row) gives the class of a row, a dict of values by column name.',
        "",
        "None or NaN is missing. Written by ceiba; needs nothing.",
        '"""',
        "",
        "import datetime",
        "",
        "",
        "def predict(row):",
    ]
    for number, rule in enumerate(rules.rules_, 1):
        lines += [
            f"    # Rule {number}: confidence {rule.confidence:.3f}",
            f"    if {rule.condition.python('row')}:",
            f"        return {_plain(rule.value)!a}",
        ]
    return "\n".join([*lines, f"    return {_plain(rules.default_)!a}", ""])


def _sql(rules: RuleSet, dialect: str = "duckdb") -> str:
    conditions = dict(enumerate(rule.condition for rule in rules.rules_))
    answers = {i: _plain(rule.value) for i, rule in enumerate(rules.rules_)}
    return conditions_case(rules.tree_, conditions, answers, _plain(rules.default_), dialect)


#: The formats of `RuleSet.export`.
RULE_FORMATS: Final = {"text": _text, "python": _python, "sql": _sql}


def export_rules(rules: RuleSet, format: str, **options: Any) -> str:  # noqa: A002
    """Return a fitted RuleSet in another format."""
    if format not in RULE_FORMATS:
        known = list(RULE_FORMATS)
        raise OptionError(
            f"A RuleSet is exported as {', '.join(known)}. Got {format!r}."
            f"{did_you_mean(str(format), known)}"
        )
    try:
        text: str = RULE_FORMATS[format](rules, **options)
    except TypeError as error:
        raise OptionError(f"export of rules as {format}: {error}.") from None
    return text


def _plain(label: Any) -> Any:
    return label.item() if hasattr(label, "item") else label
