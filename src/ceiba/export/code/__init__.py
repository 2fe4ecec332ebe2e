"""Export trees as standalone code: C, JavaScript, Python, SQL."""

from __future__ import annotations

from ceiba.export.code.sql import conditions_case as conditions_case
