"""Classes that read tables in files piece by piece, and tests for Dask objects."""

from __future__ import annotations

from ceiba.table.scanning.parquet import BATCH_ROWS as BATCH_ROWS
from ceiba.table.scanning.parquet import check_unique_names as check_unique_names
from ceiba.table.scanning.scan import Scan as Scan
from ceiba.table.scanning.scan import ScannedTable as ScannedTable
from ceiba.table.scanning.scan import ScanPiece as ScanPiece
from ceiba.table.scanning.scan import is_dask as is_dask
from ceiba.table.scanning.scan import is_dask_array as is_dask_array
from ceiba.table.scanning.scan import is_dask_frame as is_dask_frame
