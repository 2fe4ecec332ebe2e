"""Cells of hostile tables, as JSON: plain values, and names of values that JSON does not have."""

from __future__ import annotations

import datetime
import decimal
import fractions
from typing import Any

import numpy as np

_UTC = datetime.UTC

ODD: dict[str, Any] = {
    "date": datetime.date(2024, 2, 29),
    "datetime": datetime.datetime(1969, 12, 31, 23, 59, 59),
    "aware": datetime.datetime(2024, 1, 1, tzinfo=_UTC),
    "time": datetime.time(1, 2),
    "timedelta": datetime.timedelta(days=-1, microseconds=1),
    "bytes": b"a",
    "complex": 1j,
    "decimal": decimal.Decimal("1.5"),
    "decimal nan": decimal.Decimal("NaN"),
    "fraction": fractions.Fraction(1, 3),
    "list": [1, 2],
    "dict": {"a": 1},
    "tuple": (1,),
    "set": frozenset({1}),
    "huge": 10**400,
    "long": 2**64 - 1,
    "half": "\ud800",  # half of a surrogate pair
    "array": np.arange(2),
    "float32": np.float32(0.1),
    "float16": np.float16(6e4),
    "int8": np.int8(-128),
    "numpy bool": np.bool_(True),
    "nat": np.datetime64("NaT"),
    "datetime64": np.datetime64("2024-01-01"),
    "type": int,
    "ellipsis": ...,
}

#: What a column holds: each cell is one of these.
POOLS: dict[str, list[Any]] = {
    "few": [0, 1, 2, 3],
    "numbers": [0.1, 0.2, 0.30000000000000004, -1.5, 2.5],
    "holes": [1.5, 2.5, None, float("nan")],
    "all missing": [None],
    "constant": [7.0],
    "extreme": [1e308, -1e308, 5e-324, -0.0, 0.0, 1.7976931348623157e308],
    "infinite": [float("inf"), float("-inf"), 0.0, 1.0],
    "near": [1.0, 1.0000000000000002, 0.9999999999999999],
    "integers": [2**53, 2**53 + 1, 2**53 + 2, -(2**53) - 1],
    "limits": [2**63 - 1, -(2**63), 0],
    "bools": [True, False],
    "bool holes": [True, False, None],
    "texts": ["a", "b", "c"],
    "text holes": ["a", "b", None, ""],
    "ugly texts": ["", " ", "\x00", "a\nb", "é", "e\u0301", "NaN", "None", "1", "'", '"', "\ufeff"],
    "number texts": ["1", "2", "1.0", "nan", "inf", "1e5"],
    "mixed": [1, "1", 1.0, True, None],
    "many": [f"level {k}" for k in range(70)],
    "dates": [{"odd": "datetime"}, {"odd": "date"}, None],
    "times": [{"odd": "datetime"}, None],
    "odd numbers": [{"odd": "decimal"}, {"odd": "fraction"}, {"odd": "float32"}, 1],
    "anything": [{"odd": name} for name in ODD],
    "numpy": [{"odd": "int8"}, {"odd": "float16"}, {"odd": "numpy bool"}],
    "halves": [{"odd": "half"}, "a"],
    "huge": [{"odd": "huge"}, {"odd": "long"}, 0],
}

USUAL = ("few", "numbers", "holes", "texts", "text holes", "bools", "constant")


def cell(value: Any) -> Any:
    """The value that a cell of a case stands for."""
    return ODD[value["odd"]] if isinstance(value, dict) and "odd" in value else value


def draw_cells(rng: Any, n: int, usual: float) -> list[Any]:
    """A column of one pool; `usual`: the chance that it is a harmless one."""
    name = rng.choice(USUAL if rng.random() < usual else list(POOLS))
    pool = POOLS[name]
    cells = [rng.choice(pool) for _ in range(n)]
    if cells and rng.random() < 0.05:  # one stranger
        cells[rng.randrange(n)] = rng.choice(rng.choice(list(POOLS.values())))
    return cells
