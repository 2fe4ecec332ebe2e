"""Classes that read files piece by piece, and checks for tables that are not in memory."""

from __future__ import annotations

from ceiba.table.scanning.beyond_memory import is_beyond_memory as is_beyond_memory
from ceiba.table.scanning.beyond_memory import is_device_array as is_device_array
from ceiba.table.scanning.beyond_memory import is_device_frame as is_device_frame
from ceiba.table.scanning.beyond_memory import is_on_gpu as is_on_gpu
from ceiba.table.scanning.parquet import BATCH_ROWS as BATCH_ROWS
from ceiba.table.scanning.parquet import check_unique_names as check_unique_names
from ceiba.table.scanning.scan import Scan as Scan
from ceiba.table.scanning.scan import ScannedTable as ScannedTable
from ceiba.table.scanning.scan import ScanPiece as ScanPiece
from ceiba.table.scanning.scan import is_dask as is_dask
from ceiba.table.scanning.scan import is_dask_array as is_dask_array
from ceiba.table.scanning.scan import is_dask_frame as is_dask_frame
