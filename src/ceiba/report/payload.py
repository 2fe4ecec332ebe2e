"""The payload: all that the page shows, as one plain dict of lists, numbers and texts.

Columnar (one list per figure, not one object per node), so that it is small and quick to read.
`VERSION` changes whenever a reader of the old form would misread the new one. No rows are in it.

Held-out rows are counted at each node: every metric of every pruned tree is a sum over its leaves
of these figures. Squared error of a leaf that says v is weight * (variance + (mean - v)^2), which
does not lose digits to a large common offset as a sum of squares would.

The page shows any tree of the pruning sequence by hiding what lies below nodes whose alpha is
passed. The table of a fitted model may begin with larger trees than the one that was kept; the page
then draws their risks and says that their nodes are not there.
"""

from __future__ import annotations

import datetime
import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, Final

import numpy as np

from ceiba.errors import CeibaError, OptionError
from ceiba.layout import NUMBER, class_palette
from ceiba.listing import Listing
from ceiba.prune import Risk, choose_step, pruning_sequence, unit_of
from ceiba.report.nodes import column_columns, exact, node_columns, whole
from ceiba.report.training_rows import (
    RowsByNode,
    boxes,
    column_bars,
    search_rivals,
    split_histograms,
)
from ceiba.report.trust import trust_columns
from ceiba.table import Scan, Table
from ceiba.table.scanning import ScannedTable
from ceiba.table.targets import split_target
from ceiba.tree import Tree
from ceiba.tree.routing import route
from ceiba.tree.splits import level_text
from ceiba.words import words

VERSION: Final = 1
_BYTES_PER_ROW: Final = 40  # target, node, place among the rows of its node, one column


def payload(
    tree: Tree,
    *,
    train: Any = None,
    test: Any = None,
    stability: Any = None,
    rivals: Any = None,
    groups: Any = None,
    drift: Any = None,
    pruning: Listing | None = None,
    alpha: float | None = None,
    parameters: Mapping[str, str] | None = None,
    model: str | None = None,
    title: str | None = None,
    lang: str = "en",
    output: int = 0,
    created: str | None = None,
) -> dict[str, Any]:
    """Return all that the interactive page shows.

    Parameters
    ----------
    tree : Tree
        The largest tree that the page can show.
    train, test : (X, y), optional
        Training rows add distributions of the columns, histograms of the split and runner-up
        splits at the largest nodes and, for regression, box plots; test rows add held-out counts to
        every node. Rows themselves are not kept. X may be a scan; of the training rows of a scan,
        columns are read one at a time, and runner-up splits are left out.
    stability : Stability, optional
        From `model.stability(X, y)`: how often splits, columns and answers come again.
    rivals : RivalColumns or list of them, optional
        From `model.rival_columns(X, y)`: columns that could stand at a node.
    groups : GroupEvaluation or list of them, optional
        From `model.evaluate(X, y, by=...)`: figures per group, and the differences.
    drift : Drift, optional
        From `model.drift(X_new, y_new)`: training rows beside new ones.
    pruning : Listing, optional
        A pruning table (`model.pruning_table_`), for the curve under the slider.
    alpha : float, optional
        Where the slider starts; by default at the tree as it is.
    parameters : mapping, optional
        Parameters of the model, by name, as text.
    model : str, optional
        Name of the model's class.
    title : str, optional
    lang : {"en", "es", "pt"}, default="en"
        Language in which the page opens.
    output : int, default=0
        Which output of a target with several.
    created : str, optional
        Date on the page; by default now.

    Returns
    -------
    dict
        Ready for `json.dumps`; `version` says its form.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.report import payload
    >>> made = payload(ceiba.tree.build(("x <= 2.5", "a", "b")))
    >>> made["version"], made["classes"], made["nodes"]["parent"]
    (1, ['a', 'b'], [-1, 0, 0])
    """
    words(lang)  # raises where the language is not known
    classifies = tree.task.is_classification("The report")
    if not 0 <= output < tree.n_outputs:
        raise OptionError(
            f"output: got {output!r}. The tree has outputs 0 to {tree.n_outputs - 1}."
        )
    if tree.n_outputs > 1 and not classifies:
        raise OptionError(
            f"The report of a regression tree with {tree.n_outputs} outputs: its nodes keep one "
            "impurity for all outputs, so the figures of one are not known. Fit a tree per output."
        )
    classes = tree.target.classes[output].tolist() if classifies else []
    rows, of_rows = None, dict.fromkeys(("boxes", "histograms", "bars", "rivals"))
    if train is not None:
        rows, y = rows_and_target(tree, train)
        if isinstance(rows, ScannedTable) and not fits_into_memory(rows.scan):
            needed, memory = _BYTES_PER_ROW * rows.n_rows, rows.scan.memory
            raise OptionError(
                f"train of a report takes {needed / 1e9:.3g} GB for {rows.n_rows:,} rows, and "
                f"memory is {memory / 1e9:.3g} GB. Give more, or a sample of the rows."
            )
        by_node = RowsByNode.read(tree, rows, y, output)
        of_rows = {
            "boxes": boxes(tree, by_node) if not classifies else None,
            "histograms": split_histograms(tree, by_node, output),
            "bars": column_bars(rows),
            "rivals": None if tree.competitors is not None else search_rivals(tree, by_node),
        }
    checks = {"stability": stability, "rivals": rivals, "groups": groups, "drift": drift}
    any_check = any(check is not None for check in checks.values())
    trust = trust_columns(tree, output=output, **checks) if any_check else None
    target, proof = tree.target.name, tree.certificate
    return {
        "version": VERSION,
        "title": title or ("ceiba" if target is None else str(target)),
        "lang": lang,
        "created": created or datetime.datetime.now().astimezone().isoformat(timespec="minutes"),
        "ceiba": version("ceiba"),
        "python": platform.python_version(),
        "model": model,
        "parameters": dict(parameters or {}),
        "task": tree.task,
        "target": None if target is None else str(target),
        "output": output,
        "n_outputs": tree.n_outputs,
        "classes": [level_text(label) for label in classes],
        "colours": class_palette(len(classes)) if classes else [NUMBER],
        "criterion": tree.criterion,
        "missing": tree.missing,
        "unseen": tree.unseen,
        "honest": tree.honest,
        "smoothed": tree.smoothed,
        "cost_matrix": None if tree.cost_matrix is None else exact(tree.cost_matrix),
        "class_prior": None if tree.class_prior is None else exact(tree.class_prior),
        "certificate": None
        if proof is None
        else {**proof.to_dict(), "gap": proof.gap, "proven": proof.proven},
        "columns": column_columns(tree, rows),
        "nodes": node_columns(tree, output),
        **of_rows,
        "test": None if test is None else evidence(tree, *rows_and_target(tree, test), output),
        "pruning": pruning_columns(tree, pruning, alpha),
        "trust": trust,
    }


def fits_into_memory(scan: Scan) -> bool:
    """Return whether a report can show the training rows of a scan."""
    return _BYTES_PER_ROW * scan.n_rows <= scan.memory


def rows_and_target(tree: Tree, data: Any) -> tuple[Table, Any]:
    """Read (X, y), a frame with the name of its target, or a frame that holds the target."""
    X, y = data if isinstance(data, tuple | list) and len(data) == 2 else (data, tree.target.name)
    if isinstance(y, str):
        X, y = split_target(X, y)
    return route.read(tree, X), y


def evidence(tree: Tree, table: Table, y: Any, output: int = 0) -> dict[str, Any]:
    """Return the counts, or the moments, of rows at each node."""
    counted = tree.recount(table, y)
    figures: dict[str, Any] = {"n_rows": whole(counted.n_rows)}
    if tree.task.is_classification("The report"):
        assert counted.counts is not None
        n_classes = len(tree.target.classes[output])
        return {**figures, "counts": exact(counted.counts[:, output, :n_classes])}
    reached = counted.weight > 0
    figures["weight"] = exact(counted.weight)
    if tree.criterion == "squared_error":
        figures["mean"] = exact(np.where(reached, counted.value[:, output, 0], np.nan))
        figures["variance"] = exact(np.where(reached, counted.impurity, np.nan))
    else:
        unchanged = tree.recount(table, y, keep_value=True)
        safe = np.where(unchanged.share > 0, unchanged.share, 1.0)
        figures["loss"] = exact(np.where(reached, unchanged.risk / safe, np.nan))
    return figures


def pruning_columns(
    tree: Tree, table: Listing | None = None, alpha: float | None = None
) -> dict[str, Any] | None:
    """Return the sequence of a tree, with cross-validated risks where a table has them."""
    steps = table if table is not None and {"alpha", "n_leaves"} <= set(table.columns) else None
    kind: Risk = "impurity" if tree.n_outputs > 1 else "cost"
    if steps is not None and "impurity" in steps:
        kind = "impurity"
    try:
        sequence = pruning_sequence(tree, risk=kind)
    except CeibaError:
        return None
    unit = "error" if tree.cost_matrix is None else "cost"
    if kind == "impurity" or tree.task.is_regression("The report"):
        unit = "impurity" if kind == "impurity" else tree.criterion
    part: dict[str, Any] = {
        "kind": kind,
        "unit": unit,
        "unit_text": unit_of(tree, kind),
        "node_alpha": exact(sequence.node_alpha),
        "alpha": exact(sequence.alpha),
        "n_leaves": sequence.n_leaves.tolist(),
        "risk": exact(sequence.risk),
        "start": None if alpha is None else float(alpha),
    }
    if steps is not None:
        part["alpha"] = exact(steps["alpha"])
        part["n_leaves"] = steps["n_leaves"].tolist()
        if "risk" in steps:
            part["risk"] = exact(steps["risk"])
        if "cv_risk" in steps and np.isfinite(steps["cv_risk"]).all():
            risk, se = steps["cv_risk"], steps["cv_se"]
            chosen = np.flatnonzero(steps["chosen"]).tolist() if "chosen" in steps else []
            part |= {
                "cv_risk": exact(risk),
                "cv_se": exact(se),
                "minimum": choose_step(risk, se, "min"),
                "one_se": choose_step(risk, se, "1se"),
                "chosen": chosen[0] if chosen else None,
                "title": steps.title,
            }
    return part
