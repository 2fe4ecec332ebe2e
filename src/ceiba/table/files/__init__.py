"""Readers of table files: CSV, Parquet, Arrow, NDJSON, spreadsheets and databases."""

from __future__ import annotations

from ceiba.table.files.cell_styles import Style as Style
from ceiba.table.files.cell_styles import normalize_value as normalize_value
from ceiba.table.files.cell_styles import strip_cells as strip_cells
from ceiba.table.files.csv_file import CsvFile as CsvFile
from ceiba.table.files.csv_file import CsvPiece as CsvPiece
from ceiba.table.files.header import split_names as split_names
from ceiba.table.files.kinds import apply_schema as apply_schema
from ceiba.table.files.kinds import as_columns as as_columns
from ceiba.table.files.kinds import as_table as as_table
from ceiba.table.files.kinds import convert_columns as convert_columns
from ceiba.table.files.kinds import get_styles as get_styles
from ceiba.table.files.kinds import parse_ordered as parse_ordered
from ceiba.table.files.kinds import read_numbers as read_numbers
from ceiba.table.files.reading import Batch as Batch
from ceiba.table.files.reading import ReadOptions as ReadOptions
from ceiba.table.files.reading import build_read_options as build_read_options
from ceiba.table.files.reading import is_text as is_text
from ceiba.table.files.reading import load_table as load_table
from ceiba.table.files.reading import read_batches as read_batches
from ceiba.table.files.spool import open_scan as open_scan
from ceiba.table.files.spreadsheets import is_spreadsheet as is_spreadsheet
from ceiba.table.files.streams import call_in_child as call_in_child
from ceiba.table.files.streams import display_name as display_name
from ceiba.table.files.streams import is_stream as is_stream
from ceiba.table.files.streams import make_seekable as make_seekable
from ceiba.table.files.streams import require_file as require_file
