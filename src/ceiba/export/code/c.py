"""Export a tree as C99 code: constant tables and one loop, without memory allocation.

A row is an array of doubles, one per column of the schema: the number, or the code of the level
(returned by `<name>_level`). NAN is a missing value, and an unused code is an unseen level.

A row is routed by a loop from the root. Level sets are sorted codes, searched by bisection. With
`missing="fractional"` a row is divided among leaves; instead of recursion there is a stack of fixed
size, because at most depth x (branches - 1) + 2 nodes are pending.
"""

from __future__ import annotations

import re
from typing import Any, Final

from ceiba.errors import OptionError, TreeError
from ceiba.export.code.program import INTERVALS, LEVELS, Program, ProgramSplit, header, to_program
from ceiba.tree import Tree

_CODE: Final = """\
/* {about}
 *
 * A row is an array of {n_columns} doubles; NAN is missing, levels are passed as their codes:
{listing}
 * Do not compile with -ffast-math, which breaks NAN. Written by ceiba.
 */
#include <math.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {{
#endif

/* A question: kind (1 cut, 2 levels, 3 presence, 4 intervals), column, branch of the low side (for
 * intervals the number of cuts), cut, levels of the column (0: a number), and the index of its set
 * of levels, or of its first cut in {name}_cuts. */
struct {name}_question {{ int kind, column, low; double cut; long n_levels, first; }};
/* A node: its question (-1: a leaf), the index of its first child, the number of children, the
 * branches of missing values and unseen levels (-1: none, -3: the root), its surrogates. */
struct {name}_node {{ long question, first, n; int missing, unseen; long stand_in, stand_in_end; }};

/* Set k: the codes {name}_code[{name}_set[k]] to {name}_code[{name}_set[k + 1] - 1], ascending, and
 * the branch of each in {name}_branch; any other code is an unseen level. */
static const long {name}_set[] = {{ {set_start} }};
static const long {name}_code[] = {{ {code} }};
static const int {name}_branch[] = {{ {branch} }};
static const double {name}_cuts[] = {{ {cuts} }};
static const struct {name}_question {name}_questions[] = {{
{questions}
}};
static const struct {name}_node {name}_nodes[] = {{
{nodes}
}};
static const long {name}_children[] = {{ {children} }};
{tables}
static int {name}_ask(long which, const double *row)
{{
    const struct {name}_question *q = &{name}_questions[which];
    const double x = row[q->column];
    if (q->kind == 3) return isnan(x) ? 1 : 0;
    if (isnan(x)) return -1;
    if (q->n_levels > 0 && !(x >= 0 && x < (double)q->n_levels)) return -2;
    if (q->kind == 1) return x <= q->cut ? q->low : 1 - q->low;
    if (q->kind == 4) {{
        int branch = 0;
        while (branch < q->low && {name}_cuts[q->first + branch] < x) branch++;
        return branch;
    }}
    {{
        long low = {name}_set[q->first], high = {name}_set[q->first + 1];
        const long code = (long)x;
        while (low < high) {{
            const long middle = low + (high - low) / 2;
            if ({name}_code[middle] == code) return {name}_branch[middle];
            if ({name}_code[middle] < code) low = middle + 1;
            else high = middle;
        }}
    }}
    return -2;
}}
{apply}{answers}
/* Return the code of a level of a column, NAN for a null pointer, an unused code if unknown. */
double {name}_level(int column, const char *text)
{{
    static const char *const levels[] = {{ {levels} }};
    static const long start[] = {{ {level_start} }};
    long i;
    if (text == 0) return NAN;
    for (i = start[column]; i < start[column + 1]; i++)
        if (strcmp(levels[i], text) == 0) return (double)(i - start[column]);
    return (double)(start[column + 1] - start[column]);
}}

#ifdef __cplusplus
}}
#endif
"""

_APPLY: Final = """
/* Return the node in which a row ends, -1 if the tree rejects the row. */
long {name}_apply(const double *row)
{{
    long at = 0;
{refuse}    while ({name}_nodes[at].question >= 0) {{
        const struct {name}_node *node = &{name}_nodes[at];
        long k;
        int branch = {name}_ask(node->question, row);
        if (branch == -2) branch = node->unseen;
        if (branch == -3) return 0;
        for (k = node->stand_in; branch < 0 && k < node->stand_in_end; k++)
            branch = {name}_ask(k, row);
        if (branch < 0) branch = node->missing;
        if (branch < 0) break;
        at = {name}_children[node->first + branch];
    }}
    return at;
}}
"""

_SPREAD: Final = """
/* Average the leaves of a row into value; return its leaf of largest share, -1 if rejected. */
static long {name}_spread(const double *row, double *value)
{{
    long stack[{stack}], top = 1, heaviest = -1, i;
    double part[{stack}], most = 0;
{refuse}    stack[0] = 0;
    part[0] = 1;
    for (i = 0; i < {size}; i++) value[i] = 0;
    while (top > 0) {{
        const long at = stack[--top];
        const double share = part[top];
        const struct {name}_node *node = &{name}_nodes[at];
        int branch;
        if (node->question < 0) {{
            for (i = 0; i < {size}; i++) value[i] += share * {name}_value[at * {size} + i];
            if (heaviest < 0 || share * (1 - 1e-12) > most) {{
                heaviest = at;
                most = share;
            }}
            continue;
        }}
        branch = {name}_ask(node->question, row);
        if (branch == -2) branch = node->unseen;
        if (branch == -3) {{
            for (i = 0; i < {size}; i++) value[i] = {name}_value[i];
            return 0;
        }}
        if (branch >= 0) {{
            stack[top] = {name}_children[node->first + branch];
            part[top++] = share;
            continue;
        }}
        for (i = node->n - 1; i >= 0; i--) {{
            const double below = {name}_share[node->first + i];
            if (below > 0) {{
                stack[top] = {name}_children[node->first + i];
                part[top++] = share * below;
            }}
        }}
    }}
    return heaviest;
}}

long {name}_apply(const double *row)
{{
    double value[{size}];
    return {name}_spread(row, value);
}}
"""


def to_c(tree: Tree, *, name: str = "tree") -> str:
    """Return a tree as C99 source.

    Parameters
    ----------
    tree : Tree
    name : str, default="tree"
        Prefix of every name in the file.

    Returns
    -------
    str
        Functions ``<name>_apply(row)`` (node), ``<name>_predict(row, output)`` (value or index of
        the class), ``<name>_probability(row, output, class)``, ``<name>_label(output, class)``
        and ``<name>_level(column, text)`` (code of a level). Rows that the tree rejects
        (`missing="error"`, `unseen="error"`) end in node -1.

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("clouds <= 4.5", "no", "yes"))
    >>> "long rain_apply(const double *row)" in tree.export("c", name="rain")
    True
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise OptionError(f"name must be a C identifier that begins with a letter, got {name!r}.")
    program = to_program(tree, "c")
    questions: list[ProgramSplit] = []
    nodes: list[str] = []
    children: list[int] = []
    for node in program.nodes:
        if node.question is None:
            nodes.append("{-1, 0, 0, -1, -1, 0, 0}")
            continue
        first = len(questions)
        questions += [node.question, *node.surrogates]
        nodes.append(
            f"{{{first}, {len(children)}, {len(node.children)}, {node.missing}, {node.unseen}, "
            f"{first + 1}, {len(questions)}}}"
        )
        children += list(node.children)
    rows, cuts = _split_rows(program, questions)
    set_start, pairs = [0], list[tuple[int, int]]()
    for index in range(len(program.sets)):
        pairs += program.branch_of_codes(index)
        set_start.append(len(pairs))
    levels, starts = list[str](), [0]
    for info in tree.schema.columns:
        levels += [_format_string(str(level)) for level in info.levels]
        starts.append(len(levels))
    fields: dict[str, Any] = {
        "name": name,
        "about": _escape_comment(header(tree, "\n *   ")),
        "n_columns": len(tree.schema.columns),
        "listing": "\n".join(
            f" *   row[{j}]: {_escape_comment(ascii(info.name))}, "
            f"{'a number' if info.is_numeric else 'a level code'}"
            for j, info in enumerate(tree.schema.columns)
        ),
        "set_start": _format_list(set_start),
        "code": _format_list([code for code, _ in pairs]),
        "branch": _format_list([branch for _, branch in pairs]),
        "cuts": _format_list(cuts),
        "questions": ",\n".join(rows) or "    {0, 0, 0, 0, 0, 0}",
        "nodes": ",\n".join(f"    {row}" for row in nodes),
        "children": _format_list(children),
        "tables": _value_arrays(program, name),
        "levels": ", ".join(levels) or '""',  # C does not allow empty arrays
        "level_start": _format_list(starts),
    }
    size = tree.n_outputs * tree.max_n_classes
    apply = _SPREAD if tree.missing == "fractional" else _APPLY
    fields["apply"] = apply.format(
        name=name,
        size=size,
        stack=int(tree.depth) * max(int(tree.n_branches.max()) - 1, 1) + 2,
        refuse=_refusal_code(program, name),
    )
    fields["answers"] = _prediction_code(tree, name, size)
    return _CODE.format(**fields)


def _escape_comment(text: str) -> str:
    """Escape text so that it can neither end nor start a comment."""
    return text.replace("*/", "* /").replace("/*", "/ *").replace("??/", "? ?/")


def _format_list(values: list[Any]) -> str:
    """Format the values of a C array, 20 per line; an empty array, which C forbids, becomes "0"."""
    lines = [", ".join(map(str, values[i : i + 20])) for i in range(0, len(values), 20)]
    return ",\n    ".join(lines) or "0"


def _format_string(text: str) -> str:
    """Return a C string literal in ASCII, with other characters as octal UTF-8 bytes."""
    if "\x00" in text:
        raise TreeError(f"c: levels and classes must not contain NUL characters, got {text!r}.")
    try:
        raw = text.encode("utf-8")
    except UnicodeEncodeError:
        raise TreeError(f"c: levels and classes must be valid Unicode, got {text!r}.") from None
    plain = {ord('"'): '\\"', ord("\\"): "\\\\", ord("?"): "\\?"}
    characters = (
        plain.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in raw
    )
    return '"' + "".join(characters) + '"'


def _split_rows(program: Program, questions: list[ProgramSplit]) -> tuple[list[str], list[float]]:
    rows: list[str] = []
    cuts: list[float] = []
    for question in questions:
        kind, column = question.kind, program.column_ids[question.column]
        first, low = 0, question.low
        if question.kind == LEVELS:
            first = question.sets
        elif question.kind == INTERVALS:
            first, low = len(cuts), len(question.cuts)
            cuts += question.cuts
        numbers = f"{kind}, {column}, {low}, {question.cut!r}, {question.n_levels}, {first}"
        rows.append(f"    {{{numbers}}}")
    return rows, cuts


def _value_arrays(program: Program, name: str) -> str:
    tree = program.tree
    flat = [repr(x) for node in program.value for output in node for x in output]
    text = f"static const double {name}_value[] = {{ {_format_list(flat)} }};\n"
    if tree.missing == "fractional":
        shares = [repr(share) for node in program.nodes for share in node.shares]
        text += f"static const double {name}_share[] = {{ {_format_list(shares)} }};\n"
    if tree.task.has_classes:
        answers = [k for node in program.answer for k in node]
        if tree.missing != "fractional":
            text += f"static const int {name}_answer[] = {{ {_format_list(answers)} }};\n"
        elif tree.cost_matrix is not None:
            costs = [repr(x) for x in tree.cost_matrix.reshape(-1).tolist()]
            text += f"static const double {name}_cost[] = {{ {_format_list(costs)} }};\n"
    return text


def _refusal_code(program: Program, name: str) -> str:
    tree, lines = program.tree, []
    for j, info in zip(program.column_ids, program.columns, strict=True):
        if tree.missing == "error":
            lines.append(f"    if (isnan(row[{j}])) return -1;")
        if tree.unseen == "error" and not info.is_numeric:
            lines.append(f"    if (row[{j}] < 0 || row[{j}] >= {len(info.levels)}) return -1;")
    return "".join(f"{line}\n" for line in lines)


def _prediction_code(tree: Tree, name: str, size: int) -> str:
    k = tree.max_n_classes
    fractional = tree.missing == "fractional"
    if fractional:
        look = f"    double value[{size}];\n    if ({name}_spread(row, value) < 0) return NAN;\n"
        cell = "value[output * {k} + {c}]"
    else:
        look = f"    const long at = {name}_apply(row);\n    if (at < 0) return NAN;\n"
        cell = f"{name}_value[at * {size} + output * {{k}} + {{c}}]"
    if not tree.task.has_classes:
        value = cell.format(k=1, c=0)
        return (
            f"\n/* Return the value of a row; output counts from 0. */\n"
            f"double {name}_predict(const double *row, int output)\n"
            f"{{\n{look}    return {value};\n}}\n"
        )
    sizes = ", ".join(str(n) for n in tree.target.n_classes)
    labels = [
        _format_string(str(label)) for labels in tree.target.classes for label in labels.tolist()
    ]
    starts = [0]
    for n in tree.target.n_classes:
        starts.append(starts[-1] + n)
    predict = look.replace("NAN", "-1")
    if fractional:
        predict += _best_class_code(tree, name, k, sizes)
    else:
        predict += f"    return {name}_answer[at * {tree.n_outputs} + output];\n"
    return f"""
/* Return the index of the class of a row (-1: rejected); output counts from 0. */
int {name}_predict(const double *row, int output)
{{
{predict}}}

/* Return the probability of a class. */
double {name}_probability(const double *row, int output, int which)
{{
{look}    return {cell.format(k=k, c="which")};
}}

/* Return the label of a class. */
const char *{name}_label(int output, int which)
{{
    static const char *const labels[] = {{ {", ".join(labels)} }};
    static const int start[] = {{ {_format_list(starts)} }};
    return labels[start[output] + which];
}}
"""


def _best_class_code(tree: Tree, name: str, k: int, sizes: str) -> str:
    if tree.cost_matrix is None:
        return (
            f"    static const int n[] = {{ {sizes} }};\n    double most = 0;\n    int c;\n"
            f"    for (c = 0; c < n[output]; c++)\n"
            f"        if (value[output * {k} + c] > most) most = value[output * {k} + c];\n"
            f"    for (c = 0; c < n[output]; c++)\n"
            f"        if (value[output * {k} + c] >= most - 1e-12 * most) return c;\n"
            "    return 0;\n"
        )
    return (
        f"    double cost[{k}], least = 0;\n    int i, j;\n"
        f"    for (j = 0; j < {k}; j++) {{\n        cost[j] = 0;\n"
        f"        for (i = 0; i < {k}; i++)\n"
        f"            cost[j] += value[output * {k} + i] * {name}_cost[i * {k} + j];\n"
        "        if (j == 0 || cost[j] < least) least = cost[j];\n    }\n"
        f"    for (j = 0; j < {k}; j++)\n"
        "        if (cost[j] <= least + 1e-12 * fabs(least)) return j;\n    return 0;\n"
    )
