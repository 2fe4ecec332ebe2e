"""Export a tree as a PMML 4.4 TreeModel with complete predicates.

Each child's predicate decides for every row, missing values, surrogates and unseen levels included,
so the result does not depend on how a consumer implements PMML's strategies. An unknown predicate
counts as false (`missingValueStrategy="none"`). If no child matches, the row stays in the node
(`noTrueChildStrategy="returnLastPrediction"`). Text levels are compared one by one if PMML's array
notation cannot quote them. Boolean columns are 0 and 1. Dates are ISO text; with a time zone, which
PMML does not have, they are seconds since 1970.
"""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta
from fractions import Fraction
from functools import partial
from importlib.metadata import version
from typing import Any, Final
from xml.sax.saxutils import quoteattr

from ceiba.errors import TreeError
from ceiba.paths import (
    Clause,
    ValueSet,
    branch_clause,
    drop_refused_values,
    refuse_fractional,
    unknown_levels,
)
from ceiba.table import ColumnInfo
from ceiba.tree import Tree, note_text

_NOT_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.+-]+")


def to_pmml(tree: Tree) -> str:
    """Return a tree as a PMML 4.4 document.

    Parameters
    ----------
    tree : Tree
        With one output.

    Returns
    -------
    str
        Output fields: ``leaf`` (id of the node) and ``probability(<class>)``.

    Raises
    ------
    TreeError
        For several outputs, `missing="fractional"`, and characters not allowed in XML.

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("clouds <= 4.5", "no", "yes"))
    >>> 'field="clouds" operator="lessOrEqual" value="4.5"' in tree.export("pmml")
    True
    """
    refuse_fractional(tree, "pmml")
    if tree.n_outputs > 1:
        raise TreeError("pmml: several outputs are not supported. Fit one tree per output.")
    target = tree.target.name or "target"
    while target in tree.schema.names:
        target += "_"
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4">',
        f' <Header><Application name="ceiba" version={_quote(version("ceiba"))}/></Header>',
        *_dictionary(tree, target),
        *_head(tree, target),
        *_nodes(tree),
        " </TreeModel>",
        "</PMML>",
    ]
    return "\n".join(lines) + "\n"


def _quote(value: Any) -> str:
    """Return a value as a quoted XML attribute, with escaped line breaks and tabs."""
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, str | int):
        text = str(value)
    else:
        text = repr(float(value) + 0.0)  # no -0.0
    if _NOT_XML.search(text):
        raise TreeError(f"pmml: names and strings must be valid in XML, got {text!r}.")
    return quoteattr(text, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _data_type(values: tuple[Any, ...] | list[Any], owner: str) -> str:
    kinds = {type(value) for value in values}
    for kind, name in ((str, "string"), (bool, "boolean"), (int, "integer")):
        if kinds <= {kind}:
            return name
    if kinds <= {int, float}:
        return "double"
    raise TreeError(f"pmml: {owner} must not mix strings, booleans and numbers, got {values[:20]}.")


def _number_type(info: ColumnInfo) -> str:
    if info.zone is not None:
        return "double"
    return {"date": "date", "datetime": "dateTime"}.get(info.display, "double")


def _format_bound(info: ColumnInfo, value: float) -> float | str:
    """Return a cut in the type of its column; dates are rounded down to days or nanoseconds."""
    kind = _number_type(info)
    if kind == "double":
        return value
    seconds, nanoseconds = divmod(math.floor(Fraction(value) * 10**9), 10**9)
    moment = datetime(1970, 1, 1) + timedelta(seconds=seconds)
    if kind == "date":
        return moment.date().isoformat()
    return moment.isoformat() + (f".{nanoseconds:09d}" if nanoseconds else "")


def _dictionary(tree: Tree, target: str) -> list[str]:
    lines = [" <DataDictionary>"]
    for info in tree.schema.columns:
        name = _quote(info.name)
        if info.is_numeric:
            kind = _number_type(info)
            lines.append(f'  <DataField name={name} optype="continuous" dataType="{kind}"/>')
            continue
        kind = _data_type(info.levels, f"column {info.name!r}")
        lines.append(f'  <DataField name={name} optype="categorical" dataType="{kind}">')
        lines += [f"   <Value value={_quote(level)}/>" for level in info.levels]
        lines.append("  </DataField>")
    if not tree.task.has_classes:
        lines.append(f'  <DataField name={_quote(target)} optype="continuous" dataType="double"/>')
    else:
        labels = tree.target.classes[0].tolist()
        kind = _data_type(labels, "the target")
        lines.append(f'  <DataField name={_quote(target)} optype="categorical" dataType="{kind}">')
        lines += [f"   <Value value={_quote(label)}/>" for label in labels]
        lines.append("  </DataField>")
    return [*lines, " </DataDictionary>"]


def _head(tree: Tree, target: str) -> list[str]:
    split = "binarySplit" if tree.is_binary else "multiSplit"
    # PMML has no survival trees, so export the relative risk as a number.
    function = "classification" if tree.task.has_classes else "regression"
    lines = [
        f' <TreeModel functionName="{function}" splitCharacteristic="{split}" '
        'missingValueStrategy="none" noTrueChildStrategy="returnLastPrediction">',
        "  <MiningSchema>",
    ]
    for j in tree.used_features.tolist():
        name = _quote(tree.schema.columns[j].name)
        # "asIs" passes unseen levels to the predicates.
        lines.append(f'   <MiningField name={name} invalidValueTreatment="asIs"/>')
    lines += [f'   <MiningField name={_quote(target)} usageType="target"/>', "  </MiningSchema>"]
    lines += [
        "  <Output>",
        '   <OutputField name="leaf" feature="entityId" optype="categorical" dataType="string"/>',
    ]
    if tree.task.has_classes:
        for label in tree.target.classes[0].tolist():
            name = f"probability({label})"
            lines.append(
                f'   <OutputField name={_quote(name)} feature="probability" '
                f'value={_quote(label)} optype="continuous" dataType="double"/>'
            )
    return [*lines, "  </Output>"]


def _nodes(tree: Tree) -> list[str]:
    """Return the XML lines of the nested nodes, without recursion because trees may be deep."""
    start, nodes = tree.branch_start.tolist(), tree.branch_node.tolist()
    lines: list[str] = []
    waiting: list[tuple[int, int, Clause | None, bool]] = [(0, 0, None, False)]
    while waiting:
        node, depth, clause, closing = waiting.pop()
        pad = " " * min(2 + depth, 40)
        if closing:
            lines.append(f"{pad}</Node>")
            continue
        lines.append(f"{pad}<Node {_score(tree, node)}>")
        if note := note_text(tree, node):
            lines.append(f'{pad} <Extension extender="ceiba" name="note" value={_quote(note)}/>')
        predicate = ["<True/>"]
        if clause is not None and not clause.is_trivial:
            predicate = clause.fold(_values, partial(_combine, "and"), partial(_combine, "or"))
        lines += [f"{pad} {line}" for line in predicate]
        lines += [f"{pad} {line}" for line in _distribution(tree, node)]
        waiting.append((node, depth, None, True))
        if (unknown := unknown_levels(tree, node)) is not None:
            # Add a child with the root's prediction for rows with an unknown level.
            head = _score(tree, 0).replace('id="0"', f'id="0:{node}"', 1)
            inside = [*_values(unknown), *_distribution(tree, 0)]
            lines += [f"{pad} <Node {head}>", *(f"{pad}  {line}" for line in inside)]
            lines.append(f"{pad} </Node>")
        for branch in range(start[node + 1] - start[node] - 1, -1, -1):
            below = drop_refused_values(tree, branch_clause(tree, node, branch))
            waiting.append((nodes[start[node] + branch], depth + 1, below, False))
    return lines


def _score(tree: Tree, node: int) -> str:
    if not tree.task.has_classes:
        score: Any = float(tree.value[node, 0, 0])
    else:
        score = tree.target.classes[0].tolist()[int(tree.answer[node])]
    return f'id="{node}" score={_quote(score)} recordCount="{float(tree.weight[node])!r}"'


def _distribution(tree: Tree, node: int) -> list[str]:
    if not tree.task.has_classes:
        return []
    weight = float(tree.weight[node]) or 1.0
    return [
        f"<ScoreDistribution value={_quote(label)} "
        f'recordCount="{share * weight!r}" probability="{share!r}"/>'
        for label, share in zip(
            tree.target.classes[0].tolist(), tree.value[node, 0].tolist(), strict=True
        )
    ]


# ---------------------------------------------------------------------- predicates


def _combine(operator: str, parts: list[list[str]]) -> list[str]:
    """Join PMML predicates with `operator`; without predicates, "or" is false and "and" true."""
    if not parts:
        return ["<False/>" if operator == "or" else "<True/>"]
    if len(parts) == 1:
        return parts[0]
    inside = [f" {line}" for lines in parts for line in lines]
    head = f'<CompoundPredicate booleanOperator="{operator}">'
    return [head, *inside, "</CompoundPredicate>"]


def _values(values: ValueSet) -> list[str]:
    parts = [_numbers(values)] if values.info.is_numeric else [_levels(values)]
    if values.missing:
        parts.insert(0, [_simple(values.info, "isMissing")])
    return _combine("or", [lines for lines in parts if lines])


def _simple(info: ColumnInfo, operator: str, value: Any = None) -> str:
    attribute = "" if value is None else f" value={_quote(value)}"
    return f'<SimplePredicate field={_quote(info.name)} operator="{operator}"{attribute}/>'


def _numbers(values: ValueSet) -> list[str]:
    info = values.info
    if values.present.is_empty:
        return []
    parts = []
    if values.low > -math.inf:
        parts.append([_simple(info, "greaterThan", _format_bound(info, values.low))])
    if values.high < math.inf:
        parts.append([_simple(info, "lessOrEqual", _format_bound(info, values.high))])
    return _combine("and", parts) if parts else [_simple(info, "isNotMissing")]


def _levels(values: ValueSet) -> list[str]:
    info, unseen = values.info, values.info.n_levels in values.codes
    levels = [info.levels[c] for c in range(info.n_levels) if (c in values.codes) != unseen]
    if not levels:
        return [_simple(info, "isNotMissing")] if unseen else []
    if len(levels) > 1 and all(isinstance(v, str) and _PLAIN.fullmatch(v) for v in levels):
        array = " ".join(f'"{level}"' for level in levels)
        operator = "isNotIn" if unseen else "isIn"
        return [
            f'<SimpleSetPredicate field={_quote(info.name)} booleanOperator="{operator}">'
            f'<Array type="string" n="{len(levels)}">{array}</Array></SimpleSetPredicate>'
        ]
    operator, join = ("notEqual", "and") if unseen else ("equal", "or")
    return _combine(join, [[_simple(info, operator, level)] for level in levels])
