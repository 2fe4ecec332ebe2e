"""Export a tree as JavaScript code: tables and one loop, without dependencies."""

from __future__ import annotations

import json
from typing import Any, Final, Literal

from ceiba.errors import OptionError, TreeError
from ceiba.export.code.program import Program, header, to_program
from ceiba.tree import Tree

_CODE: Final = """\
// {about}
// apply(row) returns the node in which a row ends, predict(row) its prediction{and_proba}.
// A row is an object of values by column name; null, undefined and NaN are missing.
// Written by ceiba.
"use strict";

// Columns that the tree splits on: name, levels (null: a number).
const COLUMNS = {columns};

// A question: [kind, column, rule, branch of the low side]. Kinds: 1 cut (rule: the cut),
// 2 levels (rule: index in SETS), 3 presence, 4 intervals (rule: the cuts; the branch is the number
// of cuts below the value).
// A node: [question, children, branch of missing, branch of unseen, surrogates{and_shares}];
// null is a leaf. Branch -3 of unseen: the root predicts.
const NODES = [
{nodes}
];

// Level codes by branch, turned into the branch of each code; any other code is unseen.
const SETS = [
{sets}
].map((sets) => new Map(sets.flatMap((codes, branch) => codes.map((code) => [code, branch]))));
{tables}
const CODES = COLUMNS.map(([, levels]) => levels && new Map(levels.map((level, i) => [level, i])));

function read(row) {{
  return COLUMNS.map(([name, levels], i) => {{
    let value = Object.prototype.hasOwnProperty.call(row, name) ? row[name] : null;
    if (value === null || value === undefined || Number.isNaN(value)) value = null;
    else if (levels) value = CODES[i].has(value) ? CODES[i].get(value) : levels.length;
    else if (value instanceof Date) value = value.getTime() / 1000;
{iso}{refuse}    return value;
  }});
}}

// Return a branch, -1 (missing) or -2 (unseen).
function ask([kind, column, rule, low], values) {{
  const value = values[column], levels = COLUMNS[column][1];
  if (kind === 3) return value === null ? 1 : 0;
  if (value === null) return -1;
  if (kind === 1) {{
    if (levels && value >= levels.length) return -2;
    return value <= rule ? low : 1 - low;
  }}
  if (kind === 4) return rule.filter((cut) => cut < value).length;
  const branch = SETS[rule].get(value);
  return branch === undefined ? -2 : branch;
}}

function decide(node, values) {{
  let branch = ask(node[0], values);
  if (branch === -2) branch = node[3];
  if (branch === -3) return -3;
  for (const surrogate of node[4]) {{
    if (branch >= 0) break;
    branch = ask(surrogate, values);
  }}
  return branch >= 0 ? branch : node[2];
}}
{apply}{answers}{exports}"""

_APPLY: Final = """
function apply(row) {
  const values = read(row);
  let at = 0;
  while (NODES[at] !== null) {
    const branch = decide(NODES[at], values);
    if (branch === -3) return 0;
    if (branch < 0) break;
    at = NODES[at][1][branch];
  }
  return at;
}
"""

_SPREAD: Final = """
// Return the leaves that a row reaches, with the share of the row in each.
function spread(row) {
  const values = read(row), waiting = [[0, 1]], ends = [];
  while (waiting.length) {
    const [at, share] = waiting.pop(), node = NODES[at];
    if (node === null) {
      ends.push([at, share]);
      continue;
    }
    let branch = ask(node[0], values);
    if (branch === -2) branch = node[3];
    if (branch === -3) return [[0, 1]];
    if (branch >= 0) {
      waiting.push([node[1][branch], share]);
      continue;
    }
    for (let b = node[1].length - 1; b >= 0; b--) {
      if (node[5][b] > 0) waiting.push([node[1][b], share * node[5][b]]);
    }
  }
  return ends;
}

function apply(row) {
  const ends = spread(row), most = Math.max(...ends.map((end) => end[1]));
  return ends.find((end) => end[1] >= most * (1 - 1e-12))[0];
}

function mixed(row) {
  let total = null;
  for (const [at, share] of spread(row)) {
    const part = VALUE[at].map((output) => output.map((x) => share * x));
    total = total ? total.map((output, k) => output.map((x, c) => x + part[k][c])) : part;
  }
  return total;
}
"""

_BEST: Final = """
// Return the class of least expected cost, the first on ties.
function best(probability) {
  const cost = COSTS.map((_, j) => probability.reduce((sum, p, i) => sum + p * COSTS[i][j], 0));
  const least = Math.min(...cost);
  return cost.findIndex((c) => c <= least + 1e-12 * Math.abs(least));
}
"""

_MOST: Final = """
// Return the most probable class, the first on ties.
function best(probability) {
  const most = Math.max(...probability);
  return probability.findIndex((p) => p >= most - 1e-12 * most);
}
"""


_EXPORTS: Final = {
    "any": '\nif (typeof module !== "undefined") module.exports = {{ {} }};\n',
    "esm": "\nexport {{ {} }};\n",
    "commonjs": "\nmodule.exports = {{ {} }};\n",
}


def to_javascript(tree: Tree, *, module: Literal["any", "esm", "commonjs"] = "any") -> str:
    """Return a tree as the source of a JavaScript module.

    Parameters
    ----------
    tree : Tree
    module : {"any", "esm", "commonjs"}, default="any"
        "esm" uses `export`, "commonjs" `module.exports`; "any" runs in browsers and in Node.js.

    Returns
    -------
    str
        With functions ``apply(row)``, ``predict(row)`` and, for classification,
        ``predictProba(row)``. Dates are seconds since 1970, Date objects or ISO 8601 strings.

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("clouds <= 4.5", "no", "yes"))
    >>> "function predict(row)" in tree.export("javascript")
    True
    """
    if module not in _EXPORTS:
        raise OptionError(f"module must be 'any', 'esm' or 'commonjs', got {module!r}.")
    program = to_program(tree, "javascript")
    levels = [level for info in program.columns for level in info.levels]
    for value in (*levels, *(label for output in program.labels for label in output)):
        if isinstance(value, int) and abs(value) > 2**53:
            raise TreeError(
                "javascript: integer levels and classes must be between -2**53 and 2**53, got "
                f"{value}. Convert them to strings and refit."
            )
    fractional = tree.missing == "fractional"
    classes = tree.task.has_classes
    return _CODE.format(
        about=header(tree, "\n// "),
        and_proba=", predictProba(row) the class\n// probabilities" if classes else "",
        columns=_format_columns(program),
        nodes=",\n".join(f"  {_dump(node.row())}" for node in program.nodes),
        sets=",\n".join(f"  {_dump(level_sets)}" for level_sets in program.sets),
        and_shares=", shares of the branches" if fractional else "",
        tables=_tables(program, fractional),
        iso=_date_parsing_code(program),
        refuse=_refusal_code(tree),
        apply=_SPREAD if fractional else _APPLY,
        answers=_prediction_code(tree, fractional),
        exports=_EXPORTS[module].format("apply, predict" + (", predictProba" if classes else "")),
    )


def _date_parsing_code(program: Program) -> str:
    """Return JavaScript code that parses ISO 8601 dates, with UTC as the default time zone."""
    names = [info.name for info in program.columns if info.display in ("date", "datetime")]
    if not names:
        return ""
    zone = r"/([Zz]|[+-]\d\d:?\d\d)$|^[^T ]*$/"
    return (
        f'    else if (typeof value === "string" && {_dump(names)}.includes(name))\n'
        f'      value = Date.parse({zone}.test(value) ? value : value + "Z") / 1000;\n'
    )


def _dump(value: Any) -> str:
    # Write only ASCII, because U+2028 ends a line in old JavaScript engines.
    return json.dumps(value, allow_nan=False)


def _format_columns(program: Program) -> str:
    rows = [
        f"  [{_dump(info.name)}, {'null' if info.is_numeric else _dump(list(info.levels))}]"
        for info in program.columns
    ]
    return "[\n" + ",\n".join(rows) + "\n]" if rows else "[]"


def _tables(program: Program, fractional: bool) -> str:
    tree = program.tree
    rows = ",\n".join(f"  {_dump(row)}" for row in program.value)
    text = f"\n// Of each node and output.\nconst VALUE = [\n{rows}\n];\n"
    if tree.task.has_classes:
        text += f"const CLASSES = {_dump(program.labels)};\n"
        if not fractional:
            text += f"const ANSWER = {_dump(program.answer)};\n"
        elif tree.cost_matrix is not None:
            text += f"const COSTS = {_dump(tree.cost_matrix.tolist())};\n"
    return text


def _refusal_code(tree: Tree) -> str:
    text = ""
    if tree.missing == "error":
        text += "    if (value === null) throw new Error(`${name} is missing`);\n"
    if tree.unseen == "error":
        text += (
            "    if (levels && value === levels.length) "
            "throw new Error(`${name}: unseen level ${row[name]}`);\n"
        )
    return text


def _prediction_code(tree: Tree, fractional: bool) -> str:
    first = "[0]" if tree.n_outputs == 1 else ""
    value = "mixed(row)" if fractional else "VALUE[apply(row)]"
    if not tree.task.has_classes:
        answer = f"{value}.map((output) => output[0]){first}"
        return f"\nfunction predict(row) {{\n  return {answer};\n}}\n"
    head = ""
    chosen = "ANSWER[apply(row)]"
    if fractional:
        head = _MOST if tree.cost_matrix is None else _BEST
        chosen = f"{value}.map(best)"
    return f"""{head}
function predict(row) {{
  return {chosen}.map((c, k) => CLASSES[k][c]){first};
}}

function predictProba(row) {{
  const value = {value};
  return CLASSES.map((labels, k) => new Map(labels.map((label, c) => [label, value[k][c]]))){first};
}}
"""
