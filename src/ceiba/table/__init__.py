"""Anything tabular -> Table, Column, Schema, Target.

numpy, pandas, polars, pyarrow, DuckDB, dicts and lists come in; typed columns with names, kinds,
levels and marked missing values go out. Nothing below this room knows which container the data came
in.
"""

from ceiba.table.column import Column
from ceiba.table.declared import Levels
from ceiba.table.display import show_number
from ceiba.table.files.read_file import read_file
from ceiba.table.read_for_fit import read
from ceiba.table.read_for_predict import read_like
from ceiba.table.scanning.scan import Scan, scan
from ceiba.table.schema import ColumnInfo, Kind, Schema, TargetInfo
from ceiba.table.table import Table
from ceiba.table.targets.split_target import is_named_target, split_target
from ceiba.table.targets.target import Target, present_rows, read_target
from ceiba.table.targets.target_like import read_target_like
from ceiba.table.weights import effective_rows, read_weights

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
    "effective_rows",
    "is_named_target",
    "present_rows",
    "read",
    "read_file",
    "read_like",
    "read_target",
    "read_target_like",
    "read_weights",
    "scan",
    "show_number",
    "split_target",
]
