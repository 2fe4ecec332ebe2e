"""Compute the payload of a report: a plain dict with the data of the page.

It is columnar (one list per figure, not one object per node), so that it is small and quick to
parse. `VERSION` changes whenever an old reader would misread the new form. No rows are included.

Test rows are counted at each node: every metric of every pruned tree is a sum of these counts over
its leaves. The squared error of a leaf with value v is weight * (variance + (mean - v)^2), which
does not lose digits to a large common offset as a sum of squares would.

The page shows a tree of the pruning sequence by hiding everything below nodes that collapse at its
alpha. The pruning table of a fitted model may contain larger trees than the fitted one; the page
then draws their risks and notes that their nodes are not available.
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
from ceiba.prune import Risk, choose_step, pruning_sequence, risk_unit
from ceiba.report.nodes import encode_columns, encode_nodes, encode_survival, exact_floats, int_list
from ceiba.report.training_rows import (
    RowsByNode,
    box_plots,
    column_histograms,
    find_competitors,
    split_histograms,
)
from ceiba.report.trust import encode_trust
from ceiba.table import Scan, Table
from ceiba.table.scanning import ScannedTable
from ceiba.table.targets import pop_target
from ceiba.task import Task
from ceiba.tree import Tree
from ceiba.tree.routing import route
from ceiba.tree.splits import level_text
from ceiba.words import words

VERSION: Final = 1
_MAX_BAR_CLASSES: Final = 12  # with more classes, the bars are not divided by class
_BYTES_PER_ROW: Final = 40  # memory for target, node, position and one column


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
    interaction_cst: Any = None,
    model: str | None = None,
    title: str | None = None,
    lang: str = "en",
    output: int = 0,
    created: str | None = None,
) -> dict[str, Any]:
    """Return the content of a tree's report page as a plain dict.

    Parameters
    ----------
    tree : Tree
        The largest tree that the page can show.
    train, test : (X, y), optional
        Training rows add distributions of the columns, histograms of the split and competing
        splits at the largest nodes and, for regression, box plots; test rows add counts to every
        node. Rows themselves are not stored. X may be a scan; training rows of a scan are read
        one column at a time, without competing splits.
    stability : Stability, optional
        From `model.stability(X, y)`: how often splits, columns and predictions recur.
    rivals : RivalColumns or list of them, optional
        From `model.rival_columns(X, y)`: columns that could replace the one at a node.
    groups : GroupEvaluation or list of them, optional
        From `model.evaluate(X, y, by=...)`: metrics per group, and their differences.
    drift : Drift, optional
        From `model.drift(X_new, y_new)`: training rows compared with new rows.
    pruning : Listing, optional
        A pruning table (`model.pruning_table_`), for the curve under the slider.
    alpha : float, optional
        Where the slider starts; by default at the full tree.
    parameters : mapping, optional
        Parameters of the model, by name, as text.
    interaction_cst : optional
        Constraint of the model on the columns of a path, which competing splits obey.
    model : str, optional
        Name of the model's class.
    title : str, optional
    lang : {"en", "es", "pt"}, default="en"
        Initial language of the page.
    output : int, default=0
        Output to show, for a target with several.
    created : str, optional
        Date on the page; by default now.

    Returns
    -------
    dict
        Ready for `json.dumps`; `version` is the version of its form.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.report import payload
    >>> data = payload(ceiba.tree.build(("x <= 2.5", "a", "b")))
    >>> data["version"], data["classes"], data["nodes"]["parent"]
    (1, ['a', 'b'], [-1, 0, 0])
    """
    words(lang)  # fail early if the language is unknown
    classifies = tree.task.has_classes
    if not 0 <= output < tree.n_outputs:
        raise OptionError(f"output must be from 0 to {tree.n_outputs - 1}, got {output!r}.")
    if tree.n_outputs > 1 and not classifies:
        raise OptionError(
            f"Reports are not supported for regression trees with several outputs, got "
            f"{tree.n_outputs} outputs. Fit one tree per output."
        )
    classes = tree.target.classes[output].tolist() if classifies else []
    rows, row_parts = (
        None,
        dict.fromkeys(("boxes", "histograms", "bars", "n_bar_classes", "rivals")),
    )
    if train is not None:
        rows, y = read_rows_and_target(tree, train)
        if isinstance(rows, ScannedTable) and not fits_into_memory(rows.scan):
            n_bytes, limit = _BYTES_PER_ROW * rows.n_rows, rows.scan.memory / 1e6
            raise OptionError(
                f"The {rows.n_rows:,} training rows require {-(-n_bytes // 10**6)} MB, more than "
                f"the {limit:g} MB limit of the scan. Pass a sample, or a larger memory= to scan()."
            )
        row_parts |= {"bars": column_histograms(rows), "n_bar_classes": 1}
    if rows is not None and tree.task is not Task.SURVIVAL:  # censored times have no quartiles
        by_node = RowsByNode.read(tree, rows, y, output)
        if 1 < len(classes) <= _MAX_BAR_CLASSES:
            row_parts["n_bar_classes"] = len(classes)
            row_parts["bars"] = column_histograms(rows, by_node.target, len(classes))
        row_parts |= {
            "boxes": box_plots(tree, by_node) if not classifies else None,
            "histograms": split_histograms(tree, by_node, output),
        }
        if tree.competitors is None:
            row_parts["rivals"] = find_competitors(tree, by_node, interaction_cst)
    checks = {"stability": stability, "rivals": rivals, "groups": groups, "drift": drift}
    any_check = any(check is not None for check in checks.values())
    trust = encode_trust(tree, output=output, **checks) if any_check else None
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
        "cost_matrix": None if tree.cost_matrix is None else exact_floats(tree.cost_matrix),
        "class_prior": None if tree.class_prior is None else exact_floats(tree.class_prior),
        "certificate": None
        if proof is None
        else {**proof.to_dict(), "gap": proof.gap, "proven": proof.proven},
        "columns": encode_columns(tree, rows),
        "nodes": encode_nodes(tree, output),
        "survival": encode_survival(tree) if tree.task is Task.SURVIVAL else None,
        **row_parts,
        "test": None
        if test is None
        else count_test_rows(tree, *read_rows_and_target(tree, test), output),
        "pruning": encode_pruning(tree, pruning, alpha),
        "trust": trust,
    }


def fits_into_memory(scan: Scan) -> bool:
    """Whether the training rows of a scan fit into its memory limit, as a report requires."""
    return _BYTES_PER_ROW * scan.n_rows <= scan.memory


def read_rows_and_target(tree: Tree, data: Any) -> tuple[Table, Any]:
    """Read rows and target from (X, y), (frame, target name) or a frame with the tree's target."""
    X, y = data if isinstance(data, tuple | list) and len(data) == 2 else (data, tree.target.name)
    X, y = pop_target(X, y, tree.task)
    return route.read(tree, X), y


def count_test_rows(tree: Tree, table: Table, y: Any, output: int = 0) -> dict[str, Any]:
    """Return statistics of the test rows by node: class counts, mean and variance, or loss."""
    test_tree = tree.refit_leaves(table, y)
    figures: dict[str, Any] = {"n_rows": int_list(test_tree.n_rows)}
    if tree.task.has_classes:
        assert test_tree.counts is not None
        n_classes = len(tree.target.classes[output])
        return {**figures, "counts": exact_floats(test_tree.counts[:, output, :n_classes])}
    reached = test_tree.weight > 0
    figures["weight"] = exact_floats(test_tree.weight)
    if tree.criterion == "squared_error":
        figures["mean"] = exact_floats(np.where(reached, test_tree.value[:, output, 0], np.nan))
        figures["variance"] = exact_floats(np.where(reached, test_tree.impurity, np.nan))
    else:
        unchanged = tree.refit_leaves(table, y, keep_value=True)
        safe = np.where(unchanged.share > 0, unchanged.share, 1.0)
        figures["loss"] = exact_floats(np.where(reached, unchanged.risk / safe, np.nan))
    return figures


def encode_pruning(
    tree: Tree, table: Listing | None = None, alpha: float | None = None
) -> dict[str, Any] | None:
    """Return the pruning sequence and risks of a tree, or None if it cannot be pruned."""
    steps = table if table is not None and {"alpha", "n_leaves"} <= set(table.columns) else None
    kind: Risk = "impurity" if tree.n_outputs > 1 else "cost"
    if steps is not None and "impurity" in steps:
        kind = "impurity"
    try:
        sequence = pruning_sequence(tree, risk=kind)
    except CeibaError:
        return None
    unit = "error" if tree.cost_matrix is None else "cost"
    if kind == "impurity" or not tree.task.has_classes:
        unit = "impurity" if kind == "impurity" else tree.criterion
        unit = "deviance" if tree.task is Task.SURVIVAL else unit
        unit = "pinball" if unit.startswith("quantile") else unit
    fields: dict[str, Any] = {
        "kind": kind,
        "unit": unit,
        "unit_text": risk_unit(tree, kind),
        "node_alpha": exact_floats(sequence.node_alpha),
        "alpha": exact_floats(sequence.alpha),
        "n_leaves": sequence.n_leaves.tolist(),
        "risk": exact_floats(sequence.risk),
        "start": None if alpha is None else float(alpha),
    }
    if steps is not None:
        fields["alpha"] = exact_floats(steps["alpha"])
        fields["n_leaves"] = steps["n_leaves"].tolist()
        if "risk" in steps:
            fields["risk"] = exact_floats(steps["risk"])
        if "cv_risk" in steps and np.isfinite(steps["cv_risk"]).all():
            risk, se = steps["cv_risk"], steps["cv_se"]
            chosen = np.flatnonzero(steps["chosen"]).tolist() if "chosen" in steps else []
            fields |= {
                "cv_risk": exact_floats(risk),
                "cv_se": exact_floats(se),
                "minimum": choose_step(risk, se, "min"),
                "one_se": choose_step(risk, se, "1se"),
                "chosen": chosen[0] if chosen else None,
                "title": steps.title,
            }
    return fields
