"""The interactive report: a payload (plain dict) and one self-contained HTML page made of it."""

from __future__ import annotations

from ceiba.report.payload import payload
from ceiba.report.report import Report, report

__all__ = ["Report", "payload", "report"]
