"""Export a tree as a Python module without dependencies.

The module predicts one row at a time: a dict of values by column name, None or NaN if missing.
It requires Python 3.8 or newer, and not ceiba.
"""

from __future__ import annotations

from typing import Final

from ceiba.export.code.program import Program, header, median_or_none, to_program
from ceiba.paths import end_nodes
from ceiba.table import ColumnInfo
from ceiba.task import Task
from ceiba.tree import Tree, has_curve, node_curve, note_lines

_HEAD: Final = '''\
"""{about}

apply(row) returns the node in which a row ends, predict(row) its prediction{and_proba}.
A row is a dict of values by column name; None or NaN is missing. Written by ceiba.
"""

MISSING, UNSEEN, STAYS, ROOT = -1, -2, -1, -3

# Columns that the tree splits on: name, codes of the levels (None: a number).
COLUMNS = [
{columns}
]
'''

_NODES: Final = """
# A question: [kind, column, rule, branch of the low side]. Kinds: 1 cut (rule: the cut),
# 2 levels (rule: index in SETS), 3 presence, 4 intervals (rule: the cuts; the branch is the number
# of cuts below the value).
# A node: [question, children, branch of missing, branch of unseen, surrogates{and_shares}];
# None is a leaf. Branch -3 of unseen: the root predicts.
NODES = [
{nodes}
]

# Level codes by branch; a code in none of them is unseen.
SETS = [
{sets}
]
SETS = [{{code: k for k, codes in enumerate(sets) for code in codes}} for sets in SETS]
"""

_WALK: Final = '''

def _read(row):
    """Return the values of COLUMNS; levels as codes, missing as None."""
    values = []
    for name, codes in COLUMNS:
        value = row.get(name)
        if value is None or value != value:
            value = None
        elif codes is not None:
            value = codes.get(value, len(codes))
{convert}{refuse}        values.append(value)
    return values


def _ask(question, values):
    """Return a branch, MISSING or UNSEEN."""
    kind, column, rule, low = question
    value = values[column]
    if kind == 3:
        return 1 if value is None else 0
    if value is None:
        return MISSING
    codes = COLUMNS[column][1]
    if kind == 1:
        if codes is not None and value >= len(codes):
            return UNSEEN
        return low if value <= rule else 1 - low
    if kind == 4:
        return sum(cut < value for cut in rule)
    return SETS[rule].get(value, UNSEEN)


def _decide(node, values):
    """Return the branch that a row takes at a node, STAYS or ROOT."""
    branch = _ask(node[0], values)
    if branch == UNSEEN:
        branch = node[3]
    if branch == ROOT:
        return ROOT
    for surrogate in node[4]:
        if branch >= 0:
            break
        branch = max(_ask(surrogate, values), MISSING)
    return branch if branch >= 0 else node[2]
'''

_APPLY: Final = '''

def apply(row):
    """Return the id of the node in which a row ends."""
    values, at = _read(row), 0
    while NODES[at] is not None:
        branch = _decide(NODES[at], values)
        if branch == STAYS:
            break
        if branch == ROOT:
            return 0
        at = NODES[at][1][branch]
    return at
'''

_SPREAD: Final = '''

def _spread(row):
    """Return the leaves that a row reaches, with the share of the row in each."""
    values, waiting, ends = _read(row), [(0, 1.0)], []
    while waiting:
        at, share = waiting.pop()
        node = NODES[at]
        if node is None:
            ends.append((at, share))
            continue
        branch = _ask(node[0], values)
        if branch == UNSEEN:
            branch = node[3]
        if branch == ROOT:
            return [(0, 1.0)]
        if branch >= 0:
            waiting.append((node[1][branch], share))
            continue
        for child, part in reversed(list(zip(node[1], node[5]))):
            if part > 0:
                waiting.append((child, share * part))
    return ends


def apply(row):
    """Return the id of the leaf with the largest share of a row."""
    ends = _spread(row)
    most = max(share for _, share in ends)
    return next(at for at, share in ends if share >= most * (1 - 1e-12))


def _mixed(row):
    """Return the values of the leaves, averaged by the shares of the row."""
    total = None
    for at, share in _spread(row):
        part = [[share * x for x in output] for output in VALUE[at]]
        if total is None:
            total = part
        else:
            total = [[a + b for a, b in zip(u, v)] for u, v in zip(total, part)]
    return total
'''

_BEST: Final = '''

def _best(probability):
    """Return the class of least expected cost, the first on ties."""
    cost = [sum(p * c for p, c in zip(probability, column)) for column in zip(*COSTS)]
    least = min(cost)
    return next(k for k, c in enumerate(cost) if c <= least + 1e-12 * abs(least))
'''

_MOST: Final = '''

def _best(probability):
    """Return the most probable class, the first on ties."""
    most = max(probability)
    return next(k for k, p in enumerate(probability) if p >= most - 1e-12 * most)
'''

_SURVIVAL: Final = '''

# Of each leaf: median time (None: not reached), times of the steps, probability of no event so far.
CURVES = {{
{curves}
}}


def predict_median(row):
    """Return the median time of a row; None if it is not reached."""
    return CURVES[apply(row)][0]


def predict_survival(row, time):
    """Return the probability that a row has no event up to a time."""
    _, times, shares = CURVES[apply(row)]
    return shares[max(sum(step <= time for step in times) - 1, 0)]
'''

_TIMES: Final = """\
        elif not isinstance(value, (int, float)):
            value = _seconds(value, name)
"""

_SECONDS: Final = '''

# Columns whose datetimes have a time zone.
ZONED = {zoned}


def _seconds(value, name):
    """Return a date, datetime, ISO string or duration in seconds (since 1970, UTC).

    Scalars of numpy and pandas are accepted as well.
    """
    import datetime

    dtype = getattr(value, "dtype", None)
    if dtype is not None and dtype.kind in "mM":
        if dtype.kind == "M" and name in ZONED:
            raise ValueError(f"{{name!r}}: times with and without a time zone cannot be compared")
        whole = value.astype(dtype.kind + "8[s]")
        rest = (value - whole).astype("m8[ns]")
        return int(whole.astype("int64")) + int(rest.astype("int64")) / 1e9
    if dtype is not None:
        return float(value)
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, str):
        text = value.strip()
        value = datetime.datetime.fromisoformat(text[:-1] + "+00:00" if text[-1:] in "Zz" else text)
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    if (value.tzinfo is not None) != (name in ZONED):
        raise ValueError(f"{{name!r}}: times with and without a time zone cannot be compared")
    if value.tzinfo is not None:
        value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return (value - datetime.datetime(1970, 1, 1)) / datetime.timedelta(seconds=1)
'''


def to_python(tree: Tree) -> str:
    """Return a tree as the source of a Python module without dependencies.

    Parameters
    ----------
    tree : Tree

    Returns
    -------
    str
        With functions ``apply(row)``, ``predict(row)`` and, for classification,
        ``predict_proba(row)``; for survival, where ``predict`` is the relative risk,
        ``predict_median(row)`` and ``predict_survival(row, time)``. They raise ValueError for
        missing values and unseen levels that the tree rejects.

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("clouds <= 4.5", "no", "yes"))
    >>> module = {}
    >>> exec(tree.export("python"), module)
    >>> module["predict"]({"clouds": 7}), module["predict_proba"]({"clouds": None})
    ('yes', {'no': 1.0, 'yes': 0.0})
    """
    program = to_program(tree, "python")
    fractional = tree.missing == "fractional"
    classes = tree.task.has_classes
    timed = any(info.display in ("date", "datetime", "duration") for info in program.columns)
    parts = [
        *(f"# {ascii(note)[1:-1]}\n" for note in note_lines(tree)),
        _HEAD.format(
            about=header(tree).replace("\\", "\\\\").replace('"', '\\"'),  # inside a docstring
            and_proba=", predict_proba(row)\nthe probability of each class" if classes else "",
            columns="\n".join(f"    ({info.name!a}, {_codes(info)})," for info in program.columns),
        ),
        _tables(program, fractional),
        _WALK.format(convert=_TIMES if timed else "", refuse=_refusal_code(tree)),
        _SECONDS.format(zoned=sorted(info.name for info in program.columns if info.zone))
        if timed
        else "",
        _SPREAD if fractional else _APPLY,
        (_MOST if tree.cost_matrix is None else _BEST) if fractional and classes else "",
        _prediction_code(tree, fractional),
        _survival_code(tree, fractional),
    ]
    return "".join(parts)


def _codes(info: ColumnInfo) -> str:
    codes = ", ".join(f"{level!a}: {code}" for code, level in enumerate(info.levels))
    return "None" if info.is_numeric else f"{{{codes}}}"


def _tables(program: Program, fractional: bool) -> str:
    lines = [f"    {node.row()!r},  # {i}" for i, node in enumerate(program.nodes)]
    text = _NODES.format(
        nodes="\n".join(lines),
        sets="\n".join(f"    {list(map(list, level_sets))!r}," for level_sets in program.sets),
        and_shares=", shares of the branches" if fractional else "",
    )
    tree = program.tree
    if tree.task.has_classes:
        text += f"\nCLASSES = {program.labels!a}\n"
        if fractional and tree.cost_matrix is not None:
            text += f"COSTS = {tree.cost_matrix.tolist()!r}\n"
    value = "\n".join(f"    {row!r}," for row in program.value)
    content = "class probabilities" if tree.task.has_classes else "the value"
    text += f"\n# Of each node and output: {content}.\nVALUE = [\n{value}\n]\n"
    if tree.task.has_classes and not fractional:
        text += f"\n# Class of each node and output.\nANSWER = {program.answer!r}\n"
    return text


def _survival_code(tree: Tree, fractional: bool) -> str:
    """Return Python code with the median times and survival curves of the nodes."""
    if tree.task is not Task.SURVIVAL or fractional or not has_curve(tree):
        return ""
    lines = []
    for node in sorted({0, *(node for node, _ in end_nodes(tree))}):
        steps = node_curve(tree, node).step_function()
        figures = (median_or_none(tree, node), steps.x.tolist(), steps.y.tolist())
        lines.append(f"    {node}: {figures!r},")
    return _SURVIVAL.format(curves="\n".join(lines))


def _refusal_code(tree: Tree) -> str:
    text = ""
    if tree.missing == "error":
        text += '        if value is None:\n            raise ValueError(f"{name!r} is missing")\n'
    if tree.unseen == "error":
        text += (
            "        if codes is not None and value == len(codes):\n"
            '            raise ValueError(f"{name!r}: unseen level {row.get(name)!r}")\n'
        )
    return text


def _prediction_code(tree: Tree, fractional: bool) -> str:
    single_output = tree.n_outputs == 1
    value = "_mixed(row)" if fractional else "VALUE[apply(row)]"
    if not tree.task.has_classes:
        answer = f"{value}[0][0]" if single_output else f"[output[0] for output in {value}]"
        return f'\n\ndef predict(row):\n    """Return the value of a row."""\n    return {answer}\n'
    best = f"[_best(output) for output in {value}]" if fractional else "ANSWER[apply(row)]"
    first = "[0]" if single_output else ""
    return f'''

def predict(row):
    """Return the class of a row."""
    return [labels[k] for labels, k in zip(CLASSES, {best})]{first}


def predict_proba(row):
    """Return the probability of each class."""
    return [dict(zip(labels, output)) for labels, output in zip(CLASSES, {value})]{first}
'''
