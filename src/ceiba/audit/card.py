"""Write model cards, which help to approve and audit a tree, as Markdown, JSON or HTML.

Sections follow Mitchell et al. (2019), Model cards for model reporting. What a program cannot know
(purpose, owner, approval) is a field to fill in. Levels and bounds of fewer than five rows are left
out, because they may identify a person.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections import Counter
from dataclasses import dataclass, replace
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Any, Final

import numpy as np

from ceiba.audit.answers import mean_with_interval
from ceiba.audit.page import page_of
from ceiba.errors import OptionError
from ceiba.inspection import rules
from ceiba.listing import Listing, rows_to_columns
from ceiba.report import Report
from ceiba.table import Column, Table, format_value, level_counts
from ceiba.tree import Tree
from ceiba.tree.model_file import atomic_write, schema_to_json, tree_to_json
from ceiba.tree.routing import route

_LEAST_ROWS: Final = 5
_TO_FILL_IN: Final = "(to be filled in)"

#: Items of Annex IV of the EU AI Act (Regulation 2024/1689), and the sections that cover them.
_ANNEX_IV: Final = (
    ("1. General description", "Model details; a person adds purpose, provider and versions"),
    ("2. Elements and development process", "Model details, Training data, Evaluation, Rules"),
    ("2 (g). Validation and testing, metrics", "Evaluation, Evaluation by group"),
    ("3. Monitoring, functioning and control", "Drift baseline; a person adds oversight measures"),
    ("4. Appropriateness of the metrics", "only a person"),
    ("5. Risk management system", "only a person"),
    ("6. Changes through the lifecycle", "hashes of model and data; a person keeps the record"),
    ("7. Harmonised standards applied", "only a person"),
    ("8. EU declaration of conformity", "only a person"),
    ("9. Post-market monitoring plan", "Drift baseline; a person writes the plan"),
)


@dataclass(frozen=True, eq=False, repr=False)
class ModelCard:
    """A model card, which can be saved as Markdown, JSON or HTML.

    Attributes
    ----------
    title : str
    sections : dict
        The content by heading: a dict of facts, a text, or a `Listing`.
    """

    title: str
    sections: dict[str, dict[str, Any] | str | Listing]

    def to_dict(self) -> dict[str, Any]:
        """Return the card as a dict, for JSON."""
        plain: dict[str, Any] = {
            heading: [{name: _plain(value) for name, value in row.items()} for row in body]
            if isinstance(body, Listing)
            else body
            for heading, body in self.sections.items()
        }
        return {"title": self.title, "sections": plain}

    def to_markdown(self) -> str:
        """Return the card as Markdown."""
        parts = [f"# {self.title}"]
        for heading, body in self.sections.items():
            parts.append(f"## {heading}")
            if isinstance(body, Listing):
                parts.append(_markdown_table(body))
            elif isinstance(body, dict):
                parts.append("\n".join(f"- **{name}**: {_text(v)}" for name, v in body.items()))
            else:
                parts.append(f"```\n{body}\n```" if "\n" in body else body)
        return "\n\n".join(parts) + "\n"

    def to_html(self) -> Report:
        """Return the card as one HTML page."""
        sections: list[tuple[str, Listing | str]] = []
        for heading, body in self.sections.items():
            if isinstance(body, dict):
                cells = [(name, _text(value)) for name, value in body.items()]
                body = Listing(rows_to_columns(("item", "value"), cells))
            sections.append((heading, body))
        return page_of(self.title, [], sections)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the card as Markdown (.md, .markdown, .txt), JSON (.json) or HTML (.html, .htm)."""
        ending = Path(path).suffix.lower()
        if ending == ".json":
            text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        elif ending in (".html", ".htm"):
            text = self.to_html().html
        elif ending in (".md", ".markdown", ".txt"):
            text = self.to_markdown()
        else:
            raise OptionError(
                f"path must end in .md, .markdown, .txt, .json, .html or .htm, got {str(path)!r}."
            )
        with atomic_write(path, "w", encoding="utf-8") as file:
            file.write(text)

    def __str__(self) -> str:
        return self.to_markdown()

    __repr__ = __str__


def make_card(
    model: Any,
    tree: Tree,
    *,
    train: tuple[Table, Any] | None = None,
    test: tuple[Table, Any] | None = None,
    by: tuple[str, Any] | None = None,
    purpose: str | None = None,
    owner: str | None = None,
    approval: str | None = None,
) -> ModelCard:
    """Return the model card of a model; see `TreeMethods.card` for the options."""
    metadata = getattr(model, "metadata_", {})
    target = tree.target.name or "the target"
    model_file = {"schema": schema_to_json(tree.schema), "tree": tree_to_json(tree)}
    model_text = json.dumps(model_file, sort_keys=True, allow_nan=False)
    sections: dict[str, dict[str, Any] | str | Listing] = {
        "Model details": {
            "predicts": f"{target} ({tree.task})",
            "predictions": ", ".join(str(c) for labels in tree.target.classes for c in labels)
            or "numbers",
            "tree": f"{tree.n_leaves} leaves, depth {tree.depth}",
            "grown by": " ".join(repr(model).split()) if model is not tree else "a bare tree",
            "rebuilt by": f"`{metadata['command']}`"
            if metadata.get("command")
            else ("not recorded" if model is tree else "fit with these parameters"),
            "versions": f"ceiba {version('ceiba')}, scikit-learn {version('scikit-learn')}, "
            f"numpy {version('numpy')}",
            "hash of the model (SHA-256)": hashlib.sha256(model_text.encode("ascii")).hexdigest(),
            "hash of the data (SHA-256)": metadata.get("sha256", "not recorded"),
        },
        "Intended use": {
            "purpose": purpose or _TO_FILL_IN,
            "owner": owner or _TO_FILL_IN,
            "approval": approval or _TO_FILL_IN,
        },
        "Training data": _columns(tree, None if train is None else train[0]),
        "Rules": rules(tree if train is None else _without_rare_levels(tree, train[0])),
    }
    if (pruning := getattr(model, "pruning_table_", None)) is not None:
        sections["Choice of the size"] = pruning
    if test is None:
        sections["Evaluation"] = (
            "No held-out rows were passed, so this card has no figures of quality. Figures of the "
            "training rows would be too good."
        )
    else:
        sections["Evaluation"] = str(model.evaluate(*test))
        if tree.task.has_classes and tree.n_outputs == 1:
            sections["Calibration"] = _calibration(tree, *test)
        if by is not None:
            sections[f"Evaluation by group ({by[0]})"] = _evaluate_groups(model, *test, by[1])
    if train is not None:
        stability = model.stability(*train, resamples=50)
        agreement = ", ".join(
            f"{100 * share:.1f} % of the predictions of two such trees"
            if tree.task.has_classes
            else f"{share:.4g}, the root mean square difference of two such trees"
            for share in np.atleast_1d(stability.agreement)
        )
        how = "50, of half of the training rows each"
        sections["Stability"] = {"resamples": how, "agreement": agreement}
    leaves = np.flatnonzero(tree.is_leaf)
    share = tree.n_rows[leaves] / max(int(tree.n_rows[0]), 1)
    sections["Drift baseline"] = Listing(
        {"leaf": leaves, "rows": tree.n_rows[leaves], "share": share},
        legend="training rows in each leaf; model.drift(X) compares new rows with these shares",
    )
    sections["Limits"] = (
        "The tree describes rows like its training rows. Associations are not causes. Check drift "
        "before use on other rows, and have a person review decisions about people."
    )
    names = ("item of Annex IV", "where")
    sections["EU AI Act, Annex IV"] = Listing(rows_to_columns(names, _ANNEX_IV))
    return ModelCard(f"Model card: {target}", sections)


def _columns(tree: Tree, table: Table | None) -> Listing:
    """Return a listing of a tree's columns, with levels and ranges if `table` is given."""
    cells = []
    for j, info in enumerate(tree.schema.columns):
        values = "" if table is None else _values(table.columns[j])
        cells.append((info.name, str(info.kind), info.n_missing, values))
    legend = f"levels and bounds that fewer than {_LEAST_ROWS} rows have are left out"
    if table is None:
        legend = "pass the training rows for levels and ranges, and to hide rare levels in rules"
    return Listing(rows_to_columns(("column", "kind", "missing", "values"), cells), legend=legend)


def _values(column: Column) -> str:
    if not column.info.is_numeric:
        return ", ".join(
            f"{level} ({n})"
            for level, n in zip(column.info.levels, level_counts(column), strict=True)
            if n >= _LEAST_ROWS
        )
    present = np.sort(column.values[~column.missing])
    if len(present) < 2 * _LEAST_ROWS:
        return ""
    ends, display = (present[_LEAST_ROWS - 1], present[-_LEAST_ROWS]), column.info.display
    texts = [f"{v:.6g}" if display == "number" else format_value(float(v), display) for v in ends]
    return " to ".join(texts)


def _without_rare_levels(tree: Tree, table: Table) -> Tree:
    """Rename levels that occur in fewer than five rows, so that no rule reveals them."""
    columns = []
    for column, info in zip(table.columns, tree.schema.columns, strict=True):
        if not info.is_numeric:
            rare = (f"(rare level {k})" for k in count(1))
            levels = tuple(
                level if n >= _LEAST_ROWS else next(rare)
                for level, n in zip(info.levels, level_counts(column), strict=True)
            )
            info = replace(info, levels=levels)
        columns.append(info)
    return replace(tree, schema=replace(tree.schema, columns=tuple(columns)))


def _evaluate_groups(model: Any, table: Table, y: Any, groups: Any) -> str:
    """Return the evaluation of the model for each group of at least five rows, as text."""
    labels = np.asarray(groups, dtype=object)
    size = Counter(labels.tolist())
    rows = np.flatnonzero([size[label] >= _LEAST_ROWS for label in labels.tolist()])
    if not len(rows):
        return f"No group has {_LEAST_ROWS} rows."
    text = str(model.evaluate(table.take(rows), np.asarray(y)[rows], by=labels[rows]))
    few = f"\n\nGroups of fewer than {_LEAST_ROWS} rows are left out."
    return text + few if len(rows) < len(labels) else text


def _calibration(tree: Tree, table: Table, y: Any) -> Listing:
    """Compare the predicted probability of each leaf with the class proportion in held-out rows."""
    leaf, truth = route.apply(tree, table), np.asarray(y)
    labels = tree.target.classes[0]
    cells = []
    for node in np.flatnonzero(tree.is_leaf).tolist():
        inside = truth[leaf == node]
        k = int(tree.answer[node])
        observed = mean_with_interval(inside == labels[k])
        cells.append((node, labels[k], float(tree.value[node, 0, k]), len(inside), *observed))
    names = ("leaf", "prediction", "probability", "rows", "observed", "low", "high")
    return Listing(rows_to_columns(names, cells), legend="95 % intervals (Wilson)")


def _markdown_table(listing: Listing) -> str:
    def line(cells: list[str]) -> str:
        escaped = (cell.replace("|", "\\|").replace("\n", " ") for cell in cells)
        return f"| {' | '.join(escaped)} |"

    lines = [line(list(listing.columns)), line(["---"] * len(listing.columns))]
    lines += [line([_text(value) for value in row.values()]) for row in listing]
    text = "\n".join(lines)
    return f"{text}\n\n{listing.legend}" if listing.legend else text


def _plain(value: Any) -> Any:
    """Convert a value to JSON types, with conditions as text and NaN as None."""
    if isinstance(value, str | int | None):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return list(value) if isinstance(value, list | tuple) else str(value)


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}" if math.isfinite(value) else ""
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value))
    return "" if value is None else str(value)
