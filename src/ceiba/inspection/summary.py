"""Summarize a tree: target, size, risk and the columns used.

Usage of a column is the share of training rows whose path has a split on it (attribute usage in
C5.0). Risk is R(T) on the training rows, which is optimistic; the baseline is the risk of the root.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ceiba.formatting import escape_control
from ceiba.inspection.importance import importance
from ceiba.layout import percent
from ceiba.listing import Block, Grid, Listing, format_blocks
from ceiba.task import Task
from ceiba.tree import Tree, has_curve, node_curve
from ceiba.tree.splits import level_text, number_text
from ceiba.words import Catalogue, words


@dataclass(frozen=True)
class Fact:
    """A line of a summary: name, value, value as text, legend and printed heading."""

    name: str
    value: Any
    shown: str
    legend: str
    heading: str


@dataclass(frozen=True)
class Summary:
    """The main properties of a tree as printable lines.

    Attributes
    ----------
    title : str
    facts : tuple of Fact
    columns : Listing
        Columns used: column, kind, splits, usage, importance.

    Examples
    --------
    >>> import ceiba
    >>> X = {"age": [20, 30, 40, 50], "sex": ["f", "m", "f", "m"]}
    >>> summary = ceiba.DecisionTreeClassifier().fit(X, ["a", "a", "b", "b"]).tree_.summary()
    >>> summary["leaves"], summary["risk"], summary["baseline"]
    (2, 0.0, 0.5)
    """

    title: str
    facts: tuple[Fact, ...]
    columns: Listing

    def __getitem__(self, name: str) -> Any:
        return self.to_dict()[name]

    def to_dict(self) -> dict[str, Any]:
        """Return the values of the summary by name."""
        return {fact.name: fact.value for fact in self.facts}

    def __str__(self) -> str:
        return format_blocks(self.blocks())

    def blocks(self) -> list[Block]:
        """Return the blocks to print: title, facts and columns used."""
        cells = [[fact.heading, fact.shown, fact.legend] for fact in self.facts]
        rows = [[escape_control(text, one_line=True) for text in row] for row in cells]
        table = ["", *self.columns.blocks()] if len(self.columns) else []
        return [escape_control(self.title), Grid(rows, [False] * 3), *table]

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(fact.heading)}</th>"
            f"<td style='text-align:left'>{escape(fact.shown)}</td>"
            f"<td style='text-align:left;opacity:0.65'>{escape(fact.legend)}</td></tr>"
            for fact in self.facts
        )
        table = self.columns._repr_html_()
        return f"<p><b>{escape(self.title)}</b></p><table>{rows}</table>{table}"


def summary(tree: Tree, *, pruning: Listing | None = None, lang: str = "en") -> Summary:
    """Return the summary of a tree."""
    word = words(lang)
    used, leaves, depth = len(tree.used_features), tree.n_leaves, tree.depth
    used_text = word("summary.used_of", n=used, all=len(tree.schema.columns))
    missing, unseen = tree.missing, tree.unseen
    facts = [
        *_row_facts(tree, word),
        _fact(word, "columns used", used, used_text, word["summary.used_legend"]),
        _fact(word, "leaves", leaves, str(leaves), word["summary.leaves_legend"]),
        _fact(word, "depth", depth, str(depth), word["summary.depth_legend"]),
        *_risk_facts(tree, word),
        *_pruning_facts(pruning, word),
        *_proof_facts(tree, word),
        _fact(word, "missing", missing, missing, word[f"summary.missing_{missing}"]),
        _fact(word, "unseen", unseen, unseen, word[f"summary.unseen_{unseen}"]),
    ]
    return Summary(_title(tree, word), tuple(facts), _column_table(tree, word))


def _fact(word: Catalogue, name: str, value: Any, text: str, legend: str) -> Fact:
    heading = word[f"summary.name_{name.replace(' ', '_')}"]
    return Fact(name, value, text, legend, heading)


def column_usage(tree: Tree) -> NDArray[np.float64]:
    """Return the share of training rows whose path has a split on each column."""
    usage = np.zeros(len(tree.schema.columns))
    columns: list[frozenset[int]] = []  # columns of the splits on the path to each node
    for node in range(tree.n_nodes):
        parent = int(tree.parent[node])
        above = columns[parent] if parent >= 0 else frozenset()
        column = int(tree.splits.column[node])
        if column >= 0 and column not in above:
            usage[column] += tree.share[node]
            above = above | {column}
        columns.append(above)
    return np.minimum(usage, 1.0)


def _title(tree: Tree, word: Catalogue) -> str:
    tree.task.require(Task, "A summary")
    if not tree.task.has_classes:
        task = word[f"summary.{tree.task}"]
    else:
        labels = [level_text(label) for label in tree.target.classes[0]]
        class_names = ", ".join(labels)
        if len(labels) > 6:
            class_names = word("summary.many_classes", n=len(labels))
        task = word("summary.classification", classes=class_names)
        if tree.n_outputs > 1:
            task += word("summary.more_targets", n=tree.n_outputs - 1)
    name = ", ".join(tree.target.outputs) or tree.target.name
    if name is None:
        return word("summary.title", what=task)
    return word("summary.title_for", name=name, what=task)


def _row_facts(tree: Tree, word: Catalogue) -> list[Fact]:
    n, weight = int(tree.n_rows[0]), float(tree.weight[0])
    if not n:
        return []
    facts = [_fact(word, "rows", n, word.number(n), word["summary.training_rows"])]
    if weight != n:
        legend = word["summary.total_weight"]
        facts.append(_fact(word, "weight", weight, number_text(weight), legend))
    if tree.task is Task.SURVIVAL and has_curve(tree):
        curve = node_curve(tree, 0)
        events, median = curve.n_events, curve.median()
        legend = word["summary.median_legend"]
        facts.append(
            _fact(word, "events", events, number_text(events), word["summary.events_legend"])
        )
        facts.append(_fact(word, "median", median.value, median.text(word.lang), legend))
    if tree.task.has_classes and tree.n_outputs == 1:
        labels = tree.target.classes[0].tolist()
        shares = dict(zip(labels, tree.value[0, 0, : len(labels)].tolist(), strict=True))
        if len(labels) <= 6:
            text = ", ".join(f"{level_text(k)} {percent(share)}" for k, share in shares.items())
            has_prior = tree.class_prior is not None
            legend = word["summary.shares_stated" if has_prior else "summary.shares_training"]
            facts.append(_fact(word, "classes", shares, text, legend))
    return facts


def _proof_facts(tree: Tree, word: Catalogue) -> list[Fact]:
    """Return the summary lines on the search for an optimal tree, if there was one."""
    certificate = tree.certificate
    if certificate is None:
        return []
    text = word("summary.gap", share=percent(certificate.gap))
    if certificate.status == "lookahead":
        text = word["summary.nothing"]
    text = word["summary.the_best"] if certificate.proven else text
    seconds = f"{certificate.seconds:.3g}"
    effort = word("summary.effort", n=word.number(certificate.nodes), seconds=seconds)
    return [
        _fact(word, "proven", certificate.to_dict(), text, str(certificate)),
        _fact(word, "search", effort, effort, word["summary.effort_legend"]),
    ]


def _risk_facts(tree: Tree, word: Catalogue) -> list[Fact]:
    if not tree.n_rows[0]:
        return []
    unit = word["summary.unit_squared"]
    if tree.task.has_classes:
        with_costs = tree.cost_matrix is not None
        unit = word["summary.unit_cost" if with_costs else "summary.unit_share"]
    elif tree.task is Task.SURVIVAL:
        unit = word["summary.unit_deviance"]
    elif tree.criterion != "squared_error":
        unit = word("summary.unit_loss", criterion=tree.criterion)
    if tree.class_prior is not None:
        unit = word("summary.unit_prior", unit=unit)
    # An optimal search minimizes its own objective instead of the split criterion.
    searched = tree.certificate is not None
    chosen = word["summary.searched_whole" if searched else "summary.chosen_by"]
    source = word["summary.source_honest" if tree.honest else "summary.source_training"]
    facts = [_fact(word, "criterion", tree.criterion, tree.criterion, chosen)]
    for name, value, legend in (
        ("risk", tree.tree_risk, word("summary.risk_legend", unit=unit, source=source)),
        ("baseline", float(tree.risk[0]), word["summary.baseline_legend"]),
    ):
        if value == value:
            facts.append(_fact(word, name, value, number_text(value, 4), legend))
    return facts


def _pruning_facts(pruning: Listing | None, word: Catalogue) -> list[Fact]:
    if pruning is None or "chosen" not in pruning or "cv_risk" not in pruning:
        return []
    chosen = np.flatnonzero(pruning["chosen"])
    if not len(chosen) or np.isnan(pruning["cv_risk"][chosen[0]]):
        return []
    row = pruning.row(int(chosen[0]))
    risk, error, alpha = row["cv_risk"], row.get("cv_se", float("nan")), row["alpha"]
    text = f"{number_text(risk, 4)} ± {number_text(error, 2)}"
    return [
        _fact(word, "cv risk", risk, text, word["summary.cv_legend"]),
        _fact(word, "alpha", alpha, number_text(alpha, 4), word["summary.alpha_legend"]),
    ]


def _column_table(tree: Tree, word: Catalogue) -> Listing:
    """Return a table of the columns used, in descending order of usage."""
    splits = np.bincount(tree.splits.column[~tree.is_leaf], minlength=len(tree.schema.columns))
    usage, worth = column_usage(tree), importance(tree)
    order = [j for j in np.lexsort((-worth, -usage)).tolist() if j in set(tree.used_features)]
    infos = [tree.schema.columns[j] for j in order]
    figures: dict[str, Any] = {
        "column": [info.name for info in infos],
        "kind": [word[f"summary.kind_{info.kind}"] for info in infos],
        "splits": splits[order] if order else np.zeros(0, np.int64),
    }
    legend = word["summary.legend_splits"]
    if tree.n_rows[0]:
        figures["usage"] = [percent(usage[j]) for j in order]
        figures["importance"] = [percent(worth[j]) for j in order]
        prior = "" if tree.class_prior is None else "_prior"
        legend += word[f"summary.legend_usage{prior}"]
    return Listing(figures, title=word["summary.columns_used"], legend=legend, lang=word.lang)
