"""Files that the commands read and write."""

from __future__ import annotations

from ceiba.table.files.cell_styles import Style as Style
from ceiba.table.files.cell_styles import plain_value as plain_value
from ceiba.table.files.cell_styles import tidy as tidy
from ceiba.table.files.csv_file import CsvFile as CsvFile
from ceiba.table.files.csv_file import CsvPiece as CsvPiece
from ceiba.table.files.header import names_in as names_in
from ceiba.table.files.kinds import as_columns as as_columns
from ceiba.table.files.kinds import as_table as as_table
from ceiba.table.files.kinds import by_schema as by_schema
from ceiba.table.files.kinds import numbers_in as numbers_in
from ceiba.table.files.kinds import ordered_in as ordered_in
from ceiba.table.files.kinds import shape_columns as shape_columns
from ceiba.table.files.kinds import styles_of as styles_of
from ceiba.table.files.reading import Batch as Batch
from ceiba.table.files.reading import Reading as Reading
from ceiba.table.files.reading import batches as batches
from ceiba.table.files.reading import is_text as is_text
from ceiba.table.files.reading import load_table as load_table
from ceiba.table.files.reading import read_options as read_options
from ceiba.table.files.spooled import open_scan as open_scan
from ceiba.table.files.spreadsheets import is_spreadsheet as is_spreadsheet
from ceiba.table.files.streams import existing as existing
from ceiba.table.files.streams import in_child as in_child
from ceiba.table.files.streams import is_stream as is_stream
from ceiba.table.files.streams import seekable as seekable
from ceiba.table.files.streams import shown as shown
