"""Readers of containers (arrays, frames, dicts, ...), which convert values to typed columns."""

from __future__ import annotations

from ceiba.table.readers.frames import as_frame as as_frame
from ceiba.table.readers.objects import missing_mask as missing_mask
from ceiba.table.readers.times import parse_iso_dates as parse_iso_dates
