"""Anything tabular -> Table, Column, Schema, Target.

numpy, pandas, polars, pyarrow, DuckDB, dicts and lists come in; typed columns with names, kinds,
levels and marked missing values go out. Nothing below this room knows which container the data came
in.
"""

from ceiba.table.levels import Levels
from ceiba.table.read_for_fit import read
from ceiba.table.scanning.scan import Scan, read_file, scan
from ceiba.table.schema import ColumnInfo, Kind, Schema, TargetInfo
from ceiba.table.table import Column, Table
from ceiba.table.targets.target import Target, read_target

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
