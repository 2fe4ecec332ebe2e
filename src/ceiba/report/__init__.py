"""Interactive reports of trees as self-contained HTML pages."""

from __future__ import annotations

from ceiba.report.nodes import encode_curve as encode_curve
from ceiba.report.nodes import exact_floats as exact_floats
from ceiba.report.page import bundle_scripts as bundle_scripts
from ceiba.report.page import bundle_styles as bundle_styles
from ceiba.report.page import csp_hash as csp_hash
from ceiba.report.payload import fits_into_memory as fits_into_memory
from ceiba.report.payload import payload
from ceiba.report.report import Report, report
from ceiba.report.training_rows import histogram as histogram

__all__ = ["Report", "payload", "report"]
