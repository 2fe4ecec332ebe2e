"""The payload: all that the page shows, as one plain dict of lists, numbers and texts.

Columnar (one list per figure, not one object per node), so that it is small and quick to read.
`VERSION` changes whenever a reader of the old form would misread the new one. No rows are in it.
"""

from __future__ import annotations

import datetime
import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, Final

from ceiba.errors import OptionError
from ceiba.layout.colours import NUMBER, class_palette
from ceiba.listing import Listing
from ceiba.report.boxes import boxes
from ceiba.report.columns import column_columns
from ceiba.report.evidence import check_memory, evidence, rows_and_target
from ceiba.report.histograms import RowsByNode, column_bars, split_histograms
from ceiba.report.nodes import node_columns
from ceiba.report.numbers import exact
from ceiba.report.pruning import pruning_columns
from ceiba.report.rivals import searched_rivals
from ceiba.report.trust import trust_columns
from ceiba.table import Table
from ceiba.tree import Tree
from ceiba.tree.splits.sentences import level_text
from ceiba.words import words

VERSION: Final = 1


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
    """Give all that the interactive page shows.

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
    rows, y = rows_and_target(tree, train) if train is not None else (None, None)
    if rows is not None:
        check_memory(rows)
    return {
        "version": VERSION,
        "title": title or _title(tree),
        "lang": lang,
        "created": created or datetime.datetime.now().astimezone().isoformat(timespec="minutes"),
        "ceiba": version("ceiba"),
        "python": platform.python_version(),
        "model": model,
        "parameters": dict(parameters or {}),
        "task": tree.task,
        "target": None if tree.target.name is None else str(tree.target.name),
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
        "certificate": _certificate(tree),
        "columns": column_columns(tree, rows),
        "nodes": node_columns(tree, output),
        **_of_training_rows(tree, rows, y, output),
        "test": None if test is None else evidence(tree, *rows_and_target(tree, test), output),
        "pruning": pruning_columns(tree, pruning, alpha),
        "trust": trust_columns(
            tree, stability=stability, rivals=rivals, groups=groups, drift=drift, output=output
        ),
    }


def _of_training_rows(tree: Tree, rows: Table | None, y: Any, output: int) -> dict[str, Any]:
    """Return what only the rows themselves tell: distributions, and splits that came second."""
    if rows is None:
        return {"boxes": None, "histograms": None, "bars": None, "rivals": None}
    by_node = RowsByNode.read(tree, rows, y, output)
    return {
        "boxes": boxes(tree, by_node),
        "histograms": split_histograms(tree, by_node, output),
        "bars": column_bars(rows),
        "rivals": None if tree.competitors is not None else searched_rivals(tree, by_node, y),
    }


def _certificate(tree: Tree) -> dict[str, Any] | None:
    """Return what a search has proven about the tree."""
    proof = tree.certificate
    return None if proof is None else {**proof.to_dict(), "gap": proof.gap, "proven": proof.proven}


def _title(tree: Tree) -> str:
    name = tree.target.name
    return str(name) if name is not None else "ceiba"
