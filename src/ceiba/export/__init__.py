"""The export room: a Tree in other formats, one file each, and formats by name (`registry`)."""

from __future__ import annotations

from ceiba.export.c import to_c
from ceiba.export.dot import to_dot
from ceiba.export.javascript import to_javascript
from ceiba.export.json import to_json
from ceiba.export.mermaid import to_mermaid
from ceiba.export.onnx import to_onnx
from ceiba.export.pmml import to_pmml
from ceiba.export.python import to_python
from ceiba.export.registry import FORMATS, Format, export, format_named, format_of_path
from ceiba.export.rules import to_rules
from ceiba.export.sklearn import from_sklearn, to_sklearn
from ceiba.export.sql import to_sql
from ceiba.export.svg import to_svg
from ceiba.export.text import to_text

__all__ = [
    "FORMATS",
    "Format",
    "export",
    "format_named",
    "format_of_path",
    "from_sklearn",
    "to_c",
    "to_dot",
    "to_javascript",
    "to_json",
    "to_mermaid",
    "to_onnx",
    "to_pmml",
    "to_python",
    "to_rules",
    "to_sklearn",
    "to_sql",
    "to_svg",
    "to_text",
]
