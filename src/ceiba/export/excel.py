"""Export a tree as an .xlsx workbook whose formulas compute the predictions.

The formula of a row is a chain of IFs, one per leaf, in the columns "step 1", "step 2", ...: Excel
allows 64 nested functions and 8,192 characters (16,384 bytes once parsed), so a longer chain goes
on in the next column. It ends in the number of the leaf, with which the prediction is looked up in
the sheet Rules. A cell that is neither empty nor of its column's type (such as text in a numeric
column) satisfies no condition, and a row that satisfies none is #N/A, or with `unseen="default"`
gets the root's prediction. Excel ignores case when it compares text and keeps 15 digits of the
numbers in a formula; so text is compared by EXACT, and longer numbers, long texts and long lists of
levels are in cells of the sheet Lists.
"""

from __future__ import annotations

import io
import math
import re
import sys
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, zip_longest
from typing import Any, Final
from xml.sax.saxutils import escape

import numpy as np

from ceiba.errors import OptionError, TreeError
from ceiba.paths import (
    Condition,
    ValueSet,
    end_nodes,
    node_condition,
    reachable_ends,
    refuse_fractional,
    root_answers,
)
from ceiba.table import Column, ColumnInfo
from ceiba.tree import Tree
from ceiba.tree.routing import route

_MOST_CHARACTERS: Final = 4_000  # maximum length of a formula (Excel allows 8,192)
_MOST_LEVELS: Final = 60  # maximum depth of nested functions (Excel allows 64)
_MOST_COLUMNS: Final = 16_384
_MOST_ROWS: Final = 1_048_576
_ROW: Final = "\x00"  # placeholder for the row number; levels cannot contain it
_INLINE: Final = 4  # maximum number of levels listed inside a formula
_EPOCH: Final = 25_569  # number of the day 1970-01-01 in Excel
_NOT_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_PLAIN, _QUOTED, _DATE, _TIME = range(4)  # indices of the cell styles in _STYLES
_XF: Final = 'numFmtId="{}" fontId="0" fillId="0" borderId="0"'
_STYLES: Final = (
    '<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>'
    '<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    f'<cellStyleXfs count="1"><xf {_XF.format(0)}/></cellStyleXfs><cellXfs count="4">'
    f'<xf {_XF.format(0)} xfId="0"/><xf {_XF.format(0)} xfId="0" quotePrefix="1"/>'
    f'<xf {_XF.format(14)} xfId="0" applyNumberFormat="1"/>'
    f'<xf {_XF.format(164)} xfId="0" applyNumberFormat="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
)
_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_TYPE: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml."


def to_excel(tree: Tree, *, X: Any = None, rows: int = 100) -> bytes:
    """Return a tree as an Excel workbook (.xlsx) whose formulas compute the predictions.

    The sheet Data has a column for each column of the table, then the formulas, and ends in `leaf`,
    `prediction` and, for classes, its `probability`. Paste rows into it and fill the formulas down.
    An empty cell is missing. The sheet Rules lists the leaves.

    Parameters
    ----------
    tree : Tree
    X : table, optional
        Rows to put into the sheet.
    rows : int, default=100
        Number of empty rows with formulas, if X is not given.

    Returns
    -------
    bytes

    Raises
    ------
    TreeError
        For `missing="fractional"`, for more columns or rows than a sheet has, for subnormal cuts,
        and for strings that XML does not allow.

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("clouds <= 4.5", "no", "yes"), target="RAIN")
    >>> tree.export("excel", rows=10)[:2]
    b'PK'
    """
    refuse_fractional(tree, "excel")
    if not isinstance(rows, int | np.integer) or rows < 1:
        raise OptionError(f"rows must be a positive int, got {rows!r}.")
    table = None if X is None else route.read(tree, X)
    n_rows = int(rows) if table is None else table.n_rows
    lists = _Lists()
    steps = _steps(tree, lists)
    answers, header, columns = _rules(tree)
    first = len(tree.schema.columns)  # index of the first column with formulas
    lookups = [j for j, name in enumerate(header) if name.startswith("prediction")]
    lookups += [j for j, name in enumerate(header) if name == "probability"]
    if first + len(steps) + len(lookups) > _MOST_COLUMNS or n_rows >= _MOST_ROWS:
        raise TreeError(
            "excel: sheets must have at most 16,384 columns and 1,048,576 rows, got "
            f"{first + len(steps) + len(lookups):,} columns and {n_rows + 1:,} rows."
        )
    head = [*tree.schema.names, *(f"step {i}" for i in range(1, len(steps))), "leaf"]
    head += [header[j] for j in lookups]
    data: list[list[str | None]] = [[_text(name) for name in head]]
    blank: Iterable[Iterable[str | None]] = [[None] * first] * n_rows
    cells = blank if table is None else zip(*map(_inputs, table.columns), strict=True)
    for i, row in enumerate(cells):
        formulas = _formulas(steps, first, i + 2, len(answers), lookups, table is None)
        data.append([*row, *formulas])
    sheets: dict[str, Any] = {"Data": data, "Rules": [list(map(_text, header)), *columns]}
    if lists.columns:
        sheets["Lists"] = zip_longest(*lists.columns)
    return _workbook(sheets)


def _formulas(
    steps: list[str], first: int, row: int, n_rules: int, lookups: list[int], is_template: bool
) -> list[str]:
    """Return the formulas that find the leaf of a row and look up its prediction."""
    formulas = []
    # Empty rows of a template have no prediction. In exported rows, empty cells are missing values.
    for i, step in enumerate(steps):
        formula = step.replace(_ROW, str(row))
        if i > 0:
            before = f"{_letters(first + i - 1)}{row}"
            formula = f'IF({before}<>"",{before},{formula})'
        elif is_template:
            formula = f'IF(COUNTA($A{row}:${_letters(first - 1)}{row})=0,"",{formula})'
        formulas.append(formula)
    leaf = f"${_letters(first + len(steps) - 1)}{row}"
    match = f"MATCH({leaf},Rules!$A$2:$A${n_rules + 1},0)"
    for at in map(_letters, lookups):
        formulas.append(f'IF({leaf}="","",INDEX(Rules!${at}$2:${at}${n_rules + 1},{match}))')
    return [f"><f>{escape(formula)}</f>" for formula in formulas]


def _steps(tree: Tree, lists: _Lists) -> list[str]:
    """Return nested IF formulas within Excel's limits that find the leaf of row `_ROW`."""
    position = {name: _letters(j) for j, name in enumerate(tree.schema.names)}
    writer = _Writer(position, lists)
    ends = [(writer.condition(c), n) for n, c in reachable_ends(tree, end_nodes(tree))]
    other = "NA()"
    if root_answers(tree):
        other = "0"
        if tree.missing == "error":  # rows with missing values have no prediction
            used = (tree.schema.columns[j] for j in tree.used_features.tolist())
            ends = [(writer.values(ValueSet.only_missing(info)), -1) for info in used] + ends
    steps: list[str] = []
    chain: list[tuple[str, str]] = []
    size = deepest = 0
    for test, node in ends:
        depth = max(accumulate((c == "(") - (c == ")") for c in test))  # nested parentheses
        if len(test) > _MOST_CHARACTERS or depth > _MOST_LEVELS // 2:
            raise TreeError(
                f"excel: the condition of node {node} must have at most {_MOST_CHARACTERS:,} "
                f"characters and {_MOST_LEVELS // 2} nested parentheses, got {len(test):,} "
                f"characters and {depth} parentheses."
            )
        longer = size + len(test) + 20
        if longer > _MOST_CHARACTERS or len(chain) + 2 + max(deepest, depth) > _MOST_LEVELS:
            steps.append(_chain(chain, '""'))
            chain, longer, deepest = [], len(test) + 20, 0
        chain.append((test, "NA()" if node < 0 else str(node)))
        size, deepest = longer, max(deepest, depth)
    return [*steps, _chain(chain, other)]


def _chain(tests: list[tuple[str, str]], other: str) -> str:
    return "".join(f"IF({test},{node}," for test, node in tests) + other + ")" * len(tests)


@dataclass
class _Lists:
    """The sheet "Lists", with the numbers and levels that formulas refer to."""

    columns: list[list[str]] = field(default_factory=list)
    places: dict[tuple[Any, ...], str] = field(default_factory=dict)

    def place(self, values: Sequence[Any]) -> str:
        """Return the cell range of `values`, which are added to the sheet if necessary."""
        key = tuple((type(value), value) for value in values)
        if key not in self.places:
            column = _letters(len(self.columns))
            self.columns.append([_cell(value) for value in values])
            end = f":${column}${len(values)}" if len(values) > 1 else ""
            self.places[key] = f"Lists!${column}$1{end}"
        return self.places[key]


@dataclass(frozen=True)
class _Writer:
    """Writer of conditions as Excel formulas."""

    position: dict[str, str]
    lists: _Lists

    def condition(self, condition: Condition) -> str:
        clauses = (clause for clause in condition.clauses if not clause.is_trivial)
        parts = [clause.fold(self.values, _every, _some) for clause in clauses]
        return _every(parts) if parts else "TRUE"

    def values(self, values: ValueSet) -> str:
        """Return the formula that tests whether a cell is in a set of values."""
        cell = f"${self.position[values.info.name]}{_ROW}"
        write = self.numbers if values.info.is_numeric else self.levels
        parts = [f'{cell}=""'] if values.missing else []
        if not values.present.is_empty:
            parts.append(write(cell, values.present))
        return _some(parts)

    def numbers(self, cell: str, values: ValueSet) -> str:
        is_boolean = values.info.display == "boolean"
        number = _number_of(cell, values.info)
        parts = [f"OR(ISLOGICAL({cell}),ISNUMBER({cell}))" if is_boolean else f"ISNUMBER({cell})"]
        if values.low > -math.inf:
            parts.append(f"{number}>{self.number(values.low)}")
        if values.high < math.inf:
            parts.append(f"{number}<={self.number(values.high)}")
        return _every(parts)

    def levels(self, cell: str, values: ValueSet) -> str:
        info, unseen = values.info, values.info.n_levels in values.codes
        all_codes = range(info.n_levels)
        codes = [code for code in all_codes if (code in values.codes) != unseen]
        is_present = f'{cell}<>""'
        if not codes:
            return is_present
        formula = self.is_among(cell, [info.levels[code] for code in codes])
        return f"AND({is_present},NOT({formula}))" if unseen else f"AND({is_present},{formula})"

    def is_among(self, cell: str, levels: list[Any]) -> str:
        texts = [level for level in levels if isinstance(level, str)]
        other_levels = [level for level in levels if not isinstance(level, str)]
        fits = all(len(text) <= 200 and text.isprintable() for text in texts)
        if fits and len(levels) <= _INLINE:
            parts = [f"EXACT({cell},{self.literal(text)})" for text in texts]
            return _some(parts + [f"{cell}={self.literal(level)}" for level in other_levels])
        parts = []
        if texts:
            parts.append(f"SUMPRODUCT(--EXACT({cell},{self.lists.place(texts)}))>0")
        if other_levels:
            parts.append(f"ISNUMBER(MATCH({cell},{self.lists.place(other_levels)},0))")
        return _some(parts)

    def literal(self, level: Any) -> str:
        if isinstance(level, str):
            return '"' + level.replace('"', '""') + '"'
        return str(level).upper() if isinstance(level, bool) else self.number(level)

    def number(self, value: float) -> str:
        if 0 < abs(value) < sys.float_info.min:
            raise TreeError(
                f"excel: numbers must not be subnormal, got {value}. Scale the columns or the "
                "target, and refit."
            )
        text = repr(value)
        digits = re.sub(r"e.*|[.-]", "", text).strip("0")
        return text.upper() if len(digits) <= 15 else self.lists.place([value])


def _number_of(cell: str, info: ColumnInfo) -> str:
    """Return a formula that converts a cell to the unit of the cuts (dates are days in Excel)."""
    if info.display in ("date", "datetime"):
        return f"ROUND(({cell}-{_EPOCH})*86400,3)"
    if info.display == "duration":
        return f"ROUND({cell}*86400,3)"
    return f"N({cell})" if info.display == "boolean" else cell


def _every(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"AND({','.join(parts)})"


def _some(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"OR({','.join(parts)})"


# ---------------------------------------------------------------------- rows


def _rules(tree: Tree) -> tuple[list[int], list[str], list[list[str]]]:
    """Return the nodes with a prediction, and the header and rows of the sheet "Rules"."""
    nodes = [node for node, _ in end_nodes(tree)]
    if root_answers(tree) and 0 not in nodes:
        nodes.insert(0, 0)
    header = ["leaf", "rule", "training rows"]
    has_classes = tree.task.has_classes
    labels = [classes.tolist() for classes in tree.target.classes]
    for k in range(tree.n_outputs):
        tail = tree.target.output_suffix(k)
        header.append(f"prediction{tail}")
        if has_classes:
            header.append(f"probability{tail}")
            header += [f"probability{tail}_{label}" for label in labels[k]]
    answer = tree.answer.reshape(tree.n_nodes, -1) if has_classes else None
    rows = []
    for node in nodes:
        row = [_cell(node), _text(str(node_condition(tree, node)) or "all rows")]
        row.append(_cell(int(tree.n_rows[node])))
        for k in range(tree.n_outputs):
            if answer is None:
                row.append(_cell(float(tree.value[node, k, 0])))
                continue
            shares = tree.value[node, k, : len(labels[k])].tolist()
            best = int(answer[node, k])
            row += [_cell(labels[k][best]), _cell(shares[best]), *map(_cell, shares)]
        rows.append(row)
    return nodes, header, rows


def _inputs(column: Column) -> list[str | None]:
    pairs = zip(column.values.tolist(), column.missing.tolist(), strict=True)
    return [None if missing else _input(value, column.info) for value, missing in pairs]


def _input(value: Any, info: ColumnInfo) -> str:
    if not info.is_numeric:
        code = int(value)
        return _cell(info.levels[code] if code < info.n_levels else "(unseen level)")
    if info.display == "boolean":
        return _cell(bool(value))
    if info.display in ("date", "datetime"):
        style = _DATE if value % 86400 == 0 else _TIME
        return _cell(value / 86400 + _EPOCH, style)
    return _cell(value / 86400 if info.display == "duration" else value)


def _cell(value: Any, style: int = _PLAIN) -> str:
    """Return the part of a cell's XML that follows its address."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return f't="b"><v>{int(value)}</v>'
    if not math.isfinite(value):
        return 't="e"><v>#NUM!</v>'
    number = float(value)
    return f's="{style}"><v>{int(number) if number.is_integer() else repr(number)}</v>'


def _text(text: str) -> str:
    if _NOT_XML.search(text) or len(text) > 32_767:
        raise TreeError(
            "excel: strings must contain only characters allowed in XML and have at most 32,767 "
            f"characters, got {text[:40]!r} ({len(text):,} characters)."
        )
    # Escape text such as _x0041_ (read as "A"), and mark text that looks like a formula as text.
    content = escape(re.sub("_(?=x[0-9A-Fa-f]{4}_)", "_x005F_", text), {"\r": "_x000D_"})
    style = _QUOTED if text[:1] in tuple("=+-@\t\r") and text else _PLAIN
    return f's="{style}" t="inlineStr"><is><t xml:space="preserve">{content}</t></is>'


# ---------------------------------------------------------------------- the file


def _letters(column: int) -> str:
    """Return the name of a column: A, B, ..., Z, AA, ..."""
    return (_letters(column // 26 - 1) if column >= 26 else "") + chr(65 + column % 26)


def _sheet(rows: Iterable[Sequence[str | None]]) -> str:
    lines = []
    for i, row in enumerate(rows, 1):
        cells = (
            f'<c r="{_letters(j)}{i}" {cell}</c>' for j, cell in enumerate(row) if cell is not None
        )
        lines.append(f'<row r="{i}">{"".join(cells)}</row>')
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>'


def _workbook(sheets: dict[str, Any]) -> bytes:
    """Return the bytes of an .xlsx file, identical for equal sheets."""
    numbers = range(1, len(sheets) + 1)
    elements = "".join(
        f'<sheet name="{name}" sheetId="{i}" r:id="rId{i}"/>'
        for i, name in zip(numbers, sheets, strict=True)
    )
    bodies = zip(numbers, sheets.values(), strict=True)
    parts = {f"xl/worksheets/sheet{i}.xml": _sheet(rows) for i, rows in bodies}
    kinds = {f"/{path}": "worksheet" for path in parts}
    kinds |= {"/xl/workbook.xml": "sheet.main", "/xl/styles.xml": "styles"}
    links = [(f"rId{i}", "worksheet", f"worksheets/sheet{i}.xml") for i in numbers]
    parts |= {
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{elements}'
        '</sheets><calcPr fullCalcOnLoad="1"/></workbook>',
        "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}">{_STYLES}</styleSheet>',
        "xl/_rels/workbook.xml.rels": _relations([*links, ("styles", "styles", "styles.xml")]),
        "_rels/.rels": _relations([("book", "officeDocument", "xl/workbook.xml")]),
    }
    types = "".join(
        f'<Override PartName="{path}" ContentType="{_TYPE}{kind}+xml"/>'
        for path, kind in kinds.items()
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{types}</Types>'
    } | parts
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as book:
        for path, text in parts.items():
            info = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
            book.writestr(info, (head + text).encode("utf-8"), zipfile.ZIP_DEFLATED)
    return file.getvalue()


def _relations(links: list[tuple[str, str, str]]) -> str:
    elements = "".join(
        f'<Relationship Id="{name}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for name, kind, target in links
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{elements}</Relationships>'
