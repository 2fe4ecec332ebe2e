"""The interactive report: a payload (plain dict) and one self-contained HTML page made of it."""

from __future__ import annotations

from ceiba.report.nodes import exact as exact
from ceiba.report.page import script_of as script_of
from ceiba.report.page import source_hash as source_hash
from ceiba.report.page import style_of as style_of
from ceiba.report.payload import fits_into_memory as fits_into_memory
from ceiba.report.payload import payload
from ceiba.report.report import Report, report
from ceiba.report.training_rows import bars as bars

__all__ = ["Report", "payload", "report"]
