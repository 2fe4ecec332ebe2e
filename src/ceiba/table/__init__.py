"""Anything tabular -> Table, Column, Schema, Target.

numpy, pandas, polars, pyarrow, DuckDB, dicts and lists come in; typed columns with names, kinds,
levels and marked missing values go out. Nothing below this room knows which container the data came
in.
"""

from __future__ import annotations

from ceiba.table.described import column_range as column_range
from ceiba.table.described import described as described
from ceiba.table.described import with_missing_counted as with_missing_counted
from ceiba.table.display import level_of_number as level_of_number
from ceiba.table.display import show_number as show_number
from ceiba.table.display import zone_named as zone_named
from ceiba.table.identifiers import MIN_DISTINCT as MIN_DISTINCT
from ceiba.table.identifiers import is_identifier as is_identifier
from ceiba.table.identifiers import looks_like as looks_like
from ceiba.table.identifiers import warned_identifier as warned_identifier
from ceiba.table.levels import Levels
from ceiba.table.levels import code_numbers as code_numbers
from ceiba.table.levels import recode as recode
from ceiba.table.levels import sorted_levels as sorted_levels
from ceiba.table.read_for_fit import read
from ceiba.table.read_for_predict import conform as conform
from ceiba.table.read_for_predict import read_like as read_like
from ceiba.table.scanning.scan import Scan, read_file, scan
from ceiba.table.schema import ColumnInfo, Kind, Schema, TargetInfo
from ceiba.table.schema import Display as Display
from ceiba.table.table import Column, Table
from ceiba.table.targets.target import Target, read_target
from ceiba.table.weights import effective_rows as effective_rows
from ceiba.table.weights import exact_sum as exact_sum
from ceiba.table.weights import exact_sums as exact_sums
from ceiba.table.weights import read_weights as read_weights
from ceiba.table.weights import sums_of_digits as sums_of_digits

__all__ = [
    "Column",
    "ColumnInfo",
    "Kind",
    "Levels",
    "Scan",
    "Schema",
    "Table",
    "Target",
    "TargetInfo",
    "read",
    "read_file",
    "read_target",
    "scan",
]
