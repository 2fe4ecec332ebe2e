"""Functions that export trees as text, code, drawings, workbooks and models."""

from __future__ import annotations

from ceiba.export.code.c import to_c
from ceiba.export.code.javascript import to_javascript
from ceiba.export.code.python import to_python
from ceiba.export.code.sql import to_sql
from ceiba.export.drawings.flow_charts import to_dot, to_mermaid
from ceiba.export.drawings.svg import to_svg
from ceiba.export.excel import to_excel
from ceiba.export.json import input_schema as input_schema
from ceiba.export.json import to_json
from ceiba.export.onnx import to_onnx
from ceiba.export.pipeline import pipeline_tree
from ceiba.export.pmml import to_pmml
from ceiba.export.registry import FORMATS, Format, export
from ceiba.export.registry import format_named as format_named
from ceiba.export.registry import format_of_path as format_of_path
from ceiba.export.sklearn import from_sklearn, to_sklearn
from ceiba.export.text import to_rules, to_text

__all__ = [
    "FORMATS",
    "Format",
    "export",
    "from_sklearn",
    "pipeline_tree",
    "to_c",
    "to_dot",
    "to_excel",
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
