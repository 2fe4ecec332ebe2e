"""Read tabular data and targets into `Table`, `Column`, `Schema` and `Target` objects.

Input: numpy, scipy.sparse, pandas, polars, pyarrow, DuckDB, dicts and lists. Output: typed columns
with names, kinds, levels and marked missing values. Other packages work with these objects.
"""

from __future__ import annotations

from ceiba.table.display import format_value as format_value
from ceiba.table.display import load_zone as load_zone
from ceiba.table.display import number_to_level as number_to_level
from ceiba.table.fit_schema import column_range as column_range
from ceiba.table.fit_schema import fit_schema as fit_schema
from ceiba.table.fit_schema import recount_missing as recount_missing
from ceiba.table.identifiers import MIN_DISTINCT as MIN_DISTINCT
from ceiba.table.identifiers import classify_texts as classify_texts
from ceiba.table.identifiers import has_rare_levels as has_rare_levels
from ceiba.table.identifiers import is_identifier as is_identifier
from ceiba.table.identifiers import level_counts as level_counts
from ceiba.table.identifiers import should_warn_identifier as should_warn_identifier
from ceiba.table.levels import Levels
from ceiba.table.levels import encode_numbers as encode_numbers
from ceiba.table.levels import recode as recode
from ceiba.table.levels import sort_levels as sort_levels
from ceiba.table.read_for_fit import find_categorical as find_categorical
from ceiba.table.read_for_fit import read
from ceiba.table.read_for_predict import conform_column as conform_column
from ceiba.table.read_for_predict import read_like as read_like
from ceiba.table.scanning.scan import Scan, read_file, scan
from ceiba.table.schema import ColumnInfo, Kind, Schema, TargetInfo
from ceiba.table.schema import Display as Display
from ceiba.table.table import Column, Table
from ceiba.table.targets.target import Target, read_target
from ceiba.table.weights import count_effective_rows as count_effective_rows
from ceiba.table.weights import exact_sum as exact_sum
from ceiba.table.weights import exact_sums as exact_sums
from ceiba.table.weights import read_weights as read_weights
from ceiba.table.weights import round_digit_sums as round_digit_sums

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
