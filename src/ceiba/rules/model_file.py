"""Save a RuleSet (its tree, `confidence` and rules) in a model file, and restore it.

Rules are stored as data (bounds, level codes, whether missing values are included), so a file
cannot execute code and is validated like any other.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from ceiba.paths import Chain, Clause, Condition, ValueSet
from ceiba.rules.rule_set import GeneralRule, RuleSet, to_python_label
from ceiba.tree.model_file import Document, Field, from_json, to_json, write
from ceiba.tree.splits import ALL_DIGITS

_FIGURES: Final = ("cover", "errors", "confidence", "lift")
_SET_KEYS: Final = ("column", "low", "high", "codes", "named", "missing", "digits")


def save_rules(
    rules: RuleSet,
    path: str | os.PathLike[str] | Any,
    metadata: Mapping[str, Any] | None,
    compress: bool | None,
) -> None:
    """Save a fitted RuleSet in a model file."""
    schema = rules.tree_.schema
    entries = [
        {
            "value": rules.classes_.tolist().index(to_python_label(rule.value)),
            "n_tests": rule.n_tests,
            **{name: float(getattr(rule, name)) for name in _FIGURES},
            "clauses": [_clause_to_json(clause, schema) for clause in rule.condition.clauses],
        }
        for rule in rules.rules_
    ]
    fitted = {
        "rules": entries,
        "default": int(rules._default),
        "share": to_json(rules._share),
        "n_path_tests": rules.n_path_tests_,
    }
    model = {
        "class": "RuleSet",
        "parameters": {"confidence": float(rules.confidence)},
        "fitted": fitted,
    }
    restore_rules(
        Document(rules.tree_, Field(model, "model"))
    )  # only as a check: raises an error if the file could not be loaded
    write(path, rules.tree_, model=model, metadata=metadata, compress=compress)


def _clause_to_json(clause: Clause, schema: Any) -> dict[str, Any]:
    return {
        "column": schema.index(clause.info.name),
        "choices": [
            {
                "set": _set_to_json(values, schema),
                "chains": [
                    {
                        "default": chain.default,
                        "tests": [
                            [_set_to_json(a, schema), _set_to_json(b, schema)]
                            for a, b in chain.tests
                        ],
                    }
                    for chain in chains
                ],
            }
            for values, chains in clause.choices
        ],
    }


def _set_to_json(values: ValueSet, schema: Any) -> dict[str, Any]:
    return {
        "column": schema.index(values.info.name),
        "low": to_json(float(values.low)),
        "high": to_json(float(values.high)),
        "digits": list(values.digits),
        "codes": sorted(values.codes),
        "named": sorted(values.named),
        "missing": values.missing,
    }


def restore_rules(document: Document) -> RuleSet:
    """Return the RuleSet stored in a model file."""
    tree, field = document.tree, document.model
    assert field is not None
    field.object(("class", "parameters", "fitted"))
    parameters, fitted = field["parameters"], field["fitted"]
    parameters.object(("confidence",))
    fitted.object(("rules", "default", "share", "n_path_tests"))
    if not tree.task.has_classes or tree.n_outputs > 1:
        field["class"].fail("A RuleSet requires a single-output classification tree.")
    classes = tree.target.classes[0]
    rules = RuleSet(confidence=parameters["confidence"].number())
    share = from_json(fitted["share"], {})
    if not isinstance(share, np.ndarray) or share.shape != (len(classes),):
        fitted["share"].fail("Must have one share per class.")
    rules._set_fitted(
        tree,
        [_rule_from_json(rule, tree, classes) for rule in fitted["rules"].items()],
        fitted["default"].integer(0, len(classes) - 1),
        share.astype(np.float64),
        fitted["n_path_tests"].integer(0, 2**53),
    )
    return rules


def _rule_from_json(field: Field, tree: Any, classes: Any) -> GeneralRule:
    field.object(("value", "n_tests", "clauses", *_FIGURES))
    clauses = tuple(_clause_from_json(clause, tree.schema) for clause in field["clauses"].items())
    return GeneralRule(
        Condition(tree.schema, clauses),
        classes[field["value"].integer(0, len(classes) - 1)],
        **{name: field[name].number() for name in _FIGURES},
        n_tests=field["n_tests"].integer(0, 2**31),
    )


def _clause_from_json(field: Field, schema: Any) -> Clause:
    field.object(("column", "choices"))
    info = schema.columns[field["column"].integer(0, len(schema.columns) - 1)]
    choices = []
    for choice in field["choices"].items():
        choice.object(("set", "chains"))
        chains = []
        for chain in choice["chains"].items():
            chain.object(("default", "tests"))
            tests = tuple(
                tuple(_set_from_json(item, schema) for item in pair.items(2))
                for pair in chain["tests"].items()
            )
            chains.append(Chain(tests, chain["default"].boolean()))  # type: ignore[arg-type]
        choices.append((_set_from_json(choice["set"], schema), tuple(chains)))
    return Clause(info, tuple(choices))


def _set_from_json(field: Field, schema: Any) -> ValueSet:
    field.object(_SET_KEYS)
    info = schema.columns[field["column"].integer(0, len(schema.columns) - 1)]
    low, high = (from_json(field[name], {}) for name in ("low", "high"))
    for name, bound in (("low", low), ("high", high)):
        if not isinstance(bound, float | int) or bound != bound:
            field[name].fail("Must be a number other than NaN.")
    codes, named = (
        frozenset(code.integer(0, info.n_levels) for code in field[name].items())
        for name in ("codes", "named")
    )
    missing = field["missing"].boolean()
    digits = field["digits"].integers(2, 0, ALL_DIGITS, int)
    bounds = (int(digits[0]), int(digits[1]))
    return ValueSet(info, float(low), float(high), codes, named, missing, bounds)
