"""Export trees as standalone code in C, JavaScript, Python or SQL."""

from __future__ import annotations

from ceiba.export.code.sql import conditions_case as conditions_case
