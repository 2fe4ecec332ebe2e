"""The playground as one HTML file: the core as WebAssembly, the worker and the page.

Run: python docs/_ext/playground.py OUT.html, after `make wasm`. Scripts and styles are allowed by
hash; compiling the core needs 'wasm-unsafe-eval', and the worker comes from a blob of this page.
What Python defines (markers of missing values, notations of numbers and dates, limits of the
report, colours) is written into the page as data.
"""

from __future__ import annotations

import base64
import json
import sys
import zlib
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ceiba.datasets import describe_tables, get_path, load
from ceiba.layout import NUMBER, class_palette, panel_axis
from ceiba.report import bundle_scripts, bundle_styles, csp_hash, training_rows
from ceiba.report.payload import _MAX_BAR_CLASSES
from ceiba.table.files import cell_styles, reading

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "docs" / "playground"
FOLDER = "../../docs/playground"  # from the package, as the report's modules are named
BUILD = ROOT / "build" / "wasm"
STYLES = (
    *(f"report/assets/style/{name}.css" for name in ("base", "views", "trust")),
    f"{FOLDER}/playground.css",
)
NOT_BUILT = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>ceiba</title>
<p>The playground was not built with this copy of the documentation: <code>make wasm docs</code>
builds it, and needs emscripten.</p></html>
"""


def is_built() -> bool:
    """Return whether `make wasm` has compiled the core."""
    return (BUILD / "ceiba.wasm").is_file() and (BUILD / "ceiba.js").is_file()


def reader_rules() -> dict[str, Any]:
    """Return the rules by which Python reads the cells of a CSV file."""
    styles = [cell_styles.Style("number", *pair) for pair in cell_styles._PAIRS]
    return {
        "markers": list(reading.MARKERS),
        "weak": list(cell_styles.WEAK_MARKERS),
        "code": cell_styles.CODE,
        "affixed": cell_styles._AFFIXED,
        "groups": cell_styles._GROUPS,
        "numbers": [
            {"decimal": s.decimal, "thousands": s.thousands, "pattern": s.pattern} for s in styles
        ],
        "dates": cell_styles._DATES,
        "clocks": cell_styles._CLOCKS,
    }


def payload_limits() -> dict[str, Any]:
    """Return the limits and colours of the report's payload."""
    return {
        "bins": training_rows.BINS,
        "columnBins": training_rows.COLUMN_BINS,
        "distinct": training_rows.MAX_DISTINCT,
        "levels": training_rows.MAX_LEVELS,
        "nodes": training_rows.MAX_NODES,
        "competitors": training_rows.MAX_COMPETITORS,
        "searched": training_rows.MAX_SEARCHED_NODES,
        "cells": training_rows.MAX_CELLS,
        "columns": training_rows.MAX_COLUMNS,
        "barClasses": _MAX_BAR_CLASSES,
        "far": panel_axis._FAR,
        "whole": panel_axis._MAX_WHOLE,
        "mostly": panel_axis._MOSTLY,
        "palettes": [class_palette(n) for n in range(41)],
        "number": NUMBER,
    }


def shipped_tables() -> list[dict[str, Any]]:
    """Return the tables of `ceiba.datasets` with the options that suit them.

    Survival times are left out, because the page learns classes and numbers only.
    """
    tables = []
    for name, about in describe_tables().items():
        target = about["target"]
        if not isinstance(target, str):
            continue
        if "levels" in about:  # the tables of textbooks
            options = {"criterion": "entropy", "multiway": True}
        else:
            is_class = isinstance(load(name).y[0], str)
            options = {"criterion": "gini" if is_class else "squared_error", "multiway": False}
        text = get_path(name).read_text("utf-8")
        tables.append({"name": name, "target": target, "csv": text, "options": options})
    return tables


def worker_script() -> str:
    """Return the script of the worker: emscripten's, then ours."""
    return (BUILD / "ceiba.js").read_text("utf-8") + bundle_scripts(f"{FOLDER}/worker.js")


def page() -> str:
    """Return the page; without a compiled core, a sentence that says so."""
    if not is_built():
        return NOT_BUILT
    style = bundle_styles(STYLES)
    script = bundle_scripts(f"{FOLDER}/playground.js", ("page", "playground"))
    data = {
        "version": version("ceiba"),
        "rules": reader_rules(),
        "limits": payload_limits(),
        "tables": shipped_tables(),
    }
    worker = worker_script()
    if "</script" in worker.lower() or "<!--" in worker:
        raise ValueError("The worker's script would end the element that holds it.")
    parts = {
        "csp": "default-src 'none'; connect-src 'none'; worker-src blob:; "
        f"script-src {csp_hash(script)} 'wasm-unsafe-eval'; style-src {csp_hash(style)}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'",
        "style": style,
        "data": json.dumps(data, ensure_ascii=True).replace("<", "\\u003c"),
        "worker": worker,
        "wasm": base64.b64encode(zlib.compress((BUILD / "ceiba.wasm").read_bytes(), 9)).decode(),
        "script": script,
    }
    pieces = (SOURCES / "page.html").read_text("utf-8").split("@@")
    return "".join(parts[piece] if k % 2 else piece for k, piece in enumerate(pieces))


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
