"""Parse and evaluate R formulas such as "log(y) ~ . - id" or "Surv(time, dead == 2) ~ age".

Plain names are columns of the data, unchanged (levels, missing values). Computed terms such as
`log(x)` or `I(a/b)` become columns named after the term, so that new data can be read by the
columns of a fitted tree. Formulas are parsed and computed here; no code is executed.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, cast

import numpy as np

from ceiba.errors import CeibaError, CeibaWarning, DataError, OptionError, did_you_mean
from ceiba.table import Kind, Levels, read
from ceiba.table.readers import as_frame

_NAME: Final = re.compile(r"(?:[^\W\d]|\.(?!\d))[\w.]*")
_TOKEN: Final = re.compile(
    rf"""\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<text>"[^"]*"|'[^']*')|`(?P<quoted>[^`]+)`|(?P<name>{_NAME.pattern})
    |(?P<sign>%[^%]*%|\*\*|==|!=|<=|>=|&&|\|\||[-+*/^:()!,<>&|]))\s*""",
    re.VERBOSE,
)

# R's operators by precedence. Operators with larger numbers bind more tightly.
_BINDING: Final = {
    "||": 1, "|": 1, "&&": 2, "&": 2, "==": 4, "!=": 4, "<": 4, ">": 4, "<=": 4, ">=": 4,
    "+": 5, "-": 5, "*": 6, "/": 6, "%in%": 7, "%%": 7, "%/%": 7, ":": 8, "^": 10, "**": 10,
}  # fmt: skip
_UNARY: Final = {"!": 3, "-": 9, "+": 9}
_INTERACTIONS: Final = ("*", "/", ":", "^", "**", "%in%")


def _logical(compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return an elementwise operation whose result is missing where an operand is missing."""

    def compare(*sides: Any) -> Any:
        a, b = np.broadcast_arrays(
            *(np.asarray(side, object if isinstance(side, str) else None) for side in sides)
        )
        present = ~(_is_missing(a) | _is_missing(b))
        answer = np.full(a.shape, np.nan)
        answer[present] = compute(a[present], b[present])
        return answer.astype(bool) if present.all() else answer

    return compare


def _is_missing(values: Any) -> Any:
    values = np.asarray(values)
    return (
        np.equal(values, cast(Any, None)).astype(bool)
        if values.dtype == object
        else np.isnan(values)
    )


_OPERATORS: Final[Mapping[str, Callable[..., Any]]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "^": np.power,
    "**": np.power, "%%": np.mod, "%/%": np.floor_divide,
    "==": _logical(np.equal), "!=": _logical(np.not_equal), "<": _logical(np.less),
    ">": _logical(np.greater), "<=": _logical(np.less_equal), ">=": _logical(np.greater_equal),
    "&": _logical(np.logical_and), "&&": _logical(np.logical_and),
    "|": _logical(np.logical_or), "||": _logical(np.logical_or),
}  # fmt: skip

_FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "I": lambda x: x,
    "abs": np.abs,
    "as.numeric": lambda x: np.asarray(x, np.float64),
    "ceiling": np.ceil,
    "cos": np.cos,
    "exp": np.exp,
    "expm1": np.expm1,
    "floor": np.floor,
    "is.na": _is_missing,
    "log": lambda x, *base: np.log(x) / np.log(*base) if base else np.log(x),
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "pmax": np.maximum,
    "pmin": np.minimum,
    "round": lambda x, digits=0: np.round(x, int(digits)),
    "sign": np.sign,
    "sin": np.sin,
    "sqrt": np.sqrt,
    "tan": np.tan,
}
_FACTORS: Final = ("factor", "as.factor")

Tokens = list[tuple[str, str]]  # kind and text of each token
Node = tuple[Any, ...]  # a syntax node, such as ("name", n) or ("+", left, right)


def read_formula(formula: str, data: Any) -> tuple[Any, Any]:
    """Return the feature columns and the target that a formula selects or computes."""
    try:
        return _read(formula, read_columns(data))
    except RecursionError:
        raise OptionError("Cannot parse the formula: it is nested too deeply.") from None


def _read(formula: str, columns: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    left, sign, right = formula.partition("~")
    if not sign or not left.strip() or not right.strip():
        raise OptionError(f"{formula!r} is not a formula. Write 'target ~ a + b' or 'target ~ .'.")
    response = _parse(left, columns, formula)
    targets = set(_names(response))
    X: dict[str, Any] = {}
    for adds, term in _terms(_parse(right, columns, formula), formula):
        names = [_format_term(term)]
        if term == ("name", "."):
            names = [name for name in columns if name not in targets]
        elif term == response:
            message = "The response appeared on the right-hand side and was dropped."
            warnings.warn(message, CeibaWarning, stacklevel=6)
            continue
        for name in names:
            if adds:
                X[name] = columns[name] if name in columns else _compute_term(term, columns)
            elif X.pop(name, None) is None:
                raise OptionError(f"{formula!r} removes {name!r}, which is not among its terms.")
    if not X:
        raise OptionError(f"{formula!r} must select at least one column to split on, got none.")
    return X, _compute_response(response, columns)


def read_response(formula: str, data: Any) -> Any:
    """Return the target that a formula selects or computes, as `read_formula` does."""
    columns = read_columns(data)
    return _compute_response(_parse(formula.partition("~")[0], columns, formula), columns)


def left_side(formula: str) -> tuple[str, set[str]]:
    """Return the left side of a formula, and the columns from which it is computed, if any."""
    left = formula.partition("~")[0].strip().strip("`")
    try:
        node = _parse(left, {}, formula)
    except OptionError:  # `left` is a column name that is not valid in R
        return left, {left}
    computed = node[0] != "name" and not (node[0] == "call" and node[1] in _FACTORS)
    return _format_term(node), set(_names(node)) if computed else set()


def add_terms(data: Any, names: list[str]) -> dict[str, Any]:
    """Return the columns and terms with the given names; compute terms such as `log(x)`."""
    columns = read_columns(data)
    terms = {}
    for name in names:
        if name in columns:
            terms[name] = columns[name]
            continue
        try:
            term = _parse(name, columns, name)
        except OptionError:  # reading the columns later raises an error for this name
            continue
        if term[0] not in ("name", "value"):
            terms[name] = _compute_term(term, columns)
    return terms


def read_columns(data: Any) -> dict[str, Any]:
    """Return a dict with the columns of a frame, a dict of columns or a list of dicts."""
    if isinstance(data, Mapping):
        return {str(name): values for name, values in data.items()}
    if isinstance(data, list) and data and all(isinstance(row, Mapping) for row in data):
        names = dict.fromkeys(name for row in data for name in row)
        return {str(name): [row.get(name) for row in data] for name in names}
    frame = None if isinstance(data, np.ndarray | list | tuple) or data is None else as_frame(data)
    if frame is None:
        raise DataError(
            "The data for a formula must be a frame, a dict of columns or a list of dicts, got "
            f"{type(data).__name__}. Call fit('y ~ a + b', data)."
        )
    return {str(name): frame[name].to_native() for name in frame.columns}


# ---------------------------------------------------------------------- parsing


def _parse(text: str, columns: Mapping[str, Any], formula: str) -> Node:
    tokens = list(_tokenize(text, columns, formula))
    node, end = _parse_expression(tokens, 0, 0, formula)
    if end < len(tokens):
        raise OptionError(f"Cannot parse formula {formula!r}: unexpected {tokens[end][1]!r}.")
    return node


def _tokenize(text: str, columns: Mapping[str, Any], formula: str) -> Iterator[tuple[str, str]]:
    # A column such as "petal length (cm)" may be written without backticks.
    odd = [name for name in columns if not _NAME.fullmatch(name) and re.match(r"[^\W\d]", name)]
    odd = sorted((name for name in odd if not set(name) & set("+-*/^:~`")), key=len, reverse=True)
    column = re.compile(rf"({'|'.join(map(re.escape, odd))})(?!\w)\s*") if odd else None
    text, at = text.strip(), 0
    while at < len(text):
        named = column.match(text, at) if column is not None else None
        if named is not None:
            yield "name", named[1]
            at = named.end()
            continue
        token = _TOKEN.match(text, at)
        if token is None:
            raise OptionError(f"Cannot parse formula {formula!r}: unexpected {text[at:]!r}.")
        kind = str(token.lastgroup)
        yield ("name" if kind == "quoted" else kind), token[kind]
        at = token.end()


def _parse_expression(tokens: Tokens, at: int, least: int, formula: str) -> tuple[Node, int]:
    """Parse operators of at least the given precedence (precedence climbing)."""
    node, at = _parse_operand(tokens, at, formula)
    while at < len(tokens):
        kind, sign = tokens[at]
        binding = _BINDING.get(sign, -1) if kind == "sign" else -1
        if binding < least or binding < 0:
            break
        # Powers associate to the right, all other operators to the left.
        other, at = _parse_expression(tokens, at + 1, binding + (binding < 10), formula)
        node = (sign, node, other)
    return node, at


def _parse_operand(tokens: Tokens, at: int, formula: str) -> tuple[Node, int]:
    if at == len(tokens):
        raise OptionError(f"Cannot parse formula {formula!r}: unexpected end.")
    kind, word = tokens[at]
    if kind == "number":
        return ("value", float(word)), at + 1
    if kind == "text":
        return ("value", word[1:-1]), at + 1
    if kind == "name" and tokens[at + 1 : at + 2] == [("sign", "(")]:
        arguments: list[Node] = []
        at += 2
        while tokens[at : at + 1] != [("sign", ")")]:
            argument, at = _parse_expression(tokens, at, 0, formula)
            arguments.append(argument)
            if tokens[at : at + 1] == [("sign", ",")]:
                at += 1
            elif tokens[at : at + 1] != [("sign", ")")]:
                raise OptionError(f"{formula!r}: expected ',' or ')' in the arguments of {word!r}.")
        return ("call", word, arguments), at + 1
    if kind == "name":
        return ("name", word), at + 1
    if word == "(":
        inner, at = _parse_expression(tokens, at + 1, 0, formula)
        if tokens[at : at + 1] != [("sign", ")")]:
            raise OptionError(f"Formula {formula!r} has unclosed parentheses.")
        return ("(", inner), at + 1
    if word in _UNARY:
        inner, at = _parse_expression(tokens, at + 1, _UNARY[word], formula)
        return (f"unary {word}", inner), at
    raise OptionError(f"Cannot parse formula {formula!r}: unexpected {word!r}.")


def _format_term(node: Node, inside: bool = False) -> str:
    """Return the text of a term from its syntax node, written as R does."""
    kind, *parts = node
    if kind == "name":
        return parts[0] if not inside or _NAME.fullmatch(parts[0]) else f"`{parts[0]}`"
    if kind == "value":
        value = parts[0]
        if isinstance(value, str):
            return f"'{value}'" if '"' in value else f'"{value}"'
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else repr(value)
    if kind == "call":
        return f"{parts[0]}({', '.join(_format_term(argument, True) for argument in parts[1])})"
    if kind == "(":
        return f"({_format_term(parts[0], True)})"
    if kind.startswith("unary"):
        return f"{kind[-1]}{_format_term(parts[0], True)}"
    space = "" if kind in ("/", "^", "**", ":") else " "
    return f"{_format_term(parts[0], True)}{space}{kind}{space}{_format_term(parts[1], True)}"


def _names(node: Node) -> Iterator[str]:
    if node[0] == "name":
        yield node[1]
    for child in node[2] if node[0] == "call" else node[1:]:
        if isinstance(child, tuple):
            yield from _names(child)


def _terms(node: Node, formula: str, adds: bool = True) -> Iterator[tuple[bool, Node]]:
    """Yield each term of the right side, with a flag that is False if the term is removed."""
    later = []
    while node[0] in ("+", "-"):  # avoid recursion, because there may be thousands of terms
        later.append((node[2], adds if node[0] == "+" else not adds))
        node = node[1]
    kind = node[0]
    if kind in ("(", "unary +", "unary -"):
        yield from _terms(node[1], formula, adds if kind != "unary -" else not adds)
    elif kind in _INTERACTIONS or (kind == "call" and node[1] == "poly"):
        raise OptionError(
            f"Interactions and poly() are not supported: {_format_term(node)}. Name the columns, "
            "or compute a column, such as I(a * b)."
        )
    elif kind == "call" and node[1] == "offset":
        raise OptionError(f"offset() is not supported in {formula!r}. Pass exposure to fit.")
    elif any(True for _ in _names(node)):
        yield adds, node
    elif node not in (("value", 0.0), ("value", 1.0)):  # the intercept in R
        raise OptionError(f"The term {_format_term(node)} in {formula!r} must contain a column.")
    for term, is_added in reversed(later):
        yield from _terms(term, formula, is_added)


# ---------------------------------------------------------------------- computing


def _compute_response(node: Node, columns: Mapping[str, Any]) -> Any:
    if node[0] != "call" or node[1] not in ("Surv", "cbind"):
        return _compute_term(node, columns)
    function, parts = node[1:]
    if len(parts) != 2:
        raise OptionError(
            f"{_format_term(node)}: {function} requires two columns, the time and the "
            f"{'status' if function == 'Surv' else 'events'}, got {len(parts)}."
        )
    values = {_format_term(term): _compute_term(term, columns) for term in parts}
    return values if function == "Surv" else np.stack(list(map(_floats, values.values())), axis=1)


def _floats(values: Any) -> Any:
    column = read({"y": values}).columns[0]
    if column.info.kind is not Kind.NUMERIC:
        raise DataError(f"cbind(time, events) requires numbers, got a {column.info.kind} column.")
    return np.asarray(column.values, np.float64)


def _compute_term(node: Node, columns: Mapping[str, Any]) -> Any:
    """Return the column that a term names, or the computed values of the term."""
    for name in _names(node):
        if name not in columns:
            raise DataError(
                f"The formula contains {name!r}, which is not a column in the data. Columns: "
                f"{', '.join(map(str, columns))}.{did_you_mean(name, list(map(str, columns)))}"
            )
    if node[0] == "name":
        return columns[node[1]]
    if node[0] == "(":
        return _compute_term(node[1], columns)
    try:
        # As in R, log(-1) is NaN, which counts as missing.
        with np.errstate(all="ignore"):
            return _evaluate(node, columns)
    except CeibaError:
        raise
    except (TypeError, ValueError) as error:
        texts = [
            name for name in _names(node) if _evaluate(("name", name), columns).dtype == object
        ]
        why = f"{texts[0]!r} contains strings" if texts else error
        raise DataError(f"Cannot compute {_format_term(node)}: {why}.") from None


def _evaluate(node: Node, columns: Mapping[str, Any]) -> Any:
    kind, *parts = node
    if kind == "value":
        return parts[0]
    if kind == "name":
        column = read({parts[0]: columns[parts[0]]}).columns[0]
        if column.info.kind is Kind.NUMERIC:
            return np.asarray(column.values, np.float64)
        labels = np.array([*column.info.levels, None], dtype=object)
        return labels[column.values]
    if kind == "(":
        return _evaluate(parts[0], columns)
    if kind == "unary -":
        return np.negative(_evaluate(parts[0], columns))
    if kind == "unary +":
        return _evaluate(parts[0], columns)
    if kind == "unary !":
        return _OPERATORS["=="](_evaluate(parts[0], columns), 0.0)
    if kind != "call":
        if kind not in _OPERATORS:
            raise OptionError(f"{_format_term(node)}: operator {kind!r} is not supported.")
        return _OPERATORS[kind](*(_evaluate(child, columns) for child in parts))
    function, arguments = parts
    if function in _FACTORS:
        if len(arguments) != 1:
            raise OptionError(f"{_format_term(node)}: only {function}(column) is supported.")
        return _compute_factor(arguments[0], columns)
    if function not in _FUNCTIONS:
        names = (*_FUNCTIONS, *_FACTORS)
        raise OptionError(
            f"{_format_term(node)}: function {function!r} is not supported. Supported functions: "
            f"{', '.join(sorted(names, key=str.lower))}.{did_you_mean(function, list(names))} "
            "Compute other terms before fitting, as columns of the data."
        )
    compute = _FUNCTIONS[function]
    if isinstance(compute, np.ufunc) and len(arguments) != compute.nin:
        raise OptionError(
            f"{_format_term(node)}: {function} takes {compute.nin} argument(s), got "
            f"{len(arguments)}."
        )
    return compute(*(_evaluate(argument, columns) for argument in arguments))


def _compute_factor(node: Node, columns: Mapping[str, Any]) -> Any:
    """Return a term as a factor; numbers become levels in ascending order."""
    values = _compute_term(node, columns)
    column = read({"x": values}).columns[0]
    if column.info.kind is not Kind.NUMERIC:
        return values
    numbers = np.asarray(column.values, np.float64)
    is_integer = bool(np.all(np.isnan(numbers) | (numbers == np.round(numbers))))
    labels = [None if np.isnan(v) else int(v) if is_integer else float(v) for v in numbers.tolist()]
    return Levels(labels, sorted({label for label in labels if label is not None}))
