"""The card of a tree: what it is about, how large it is and how good it looks, with a legend.

Usage of a column is the share of the training rows whose path asks about it (C5.0
calls it attribute usage). Risk is R(T) on the training rows, so optimistic; the baseline is the
risk of the root alone, which asks nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ceiba.inspection.importance import importance
from ceiba.layout import percent
from ceiba.listing import Listing
from ceiba.tree import Tree
from ceiba.tree.splits.sentences import level_text, number_text
from ceiba.visible import visible

_MISSING: Final = {
    "learn": "each split learned a side for missing values",
    "majority": "missing values go where more rows go",
    "surrogate": "surrogate splits stand in for missing values",
    "fractional": "a row with a missing value goes down every branch, by shares",
    "error": "missing values are refused",
}
_UNSEEN: Final = {
    "majority": "unseen levels go where more rows go",
    "missing": "unseen levels count as missing",
    "error": "unseen levels are refused",
    "default": "unseen levels get the answer of the root",
}


@dataclass(frozen=True)
class Fact:
    """One line of the card: a name, its value, how it is shown and what it means."""

    name: str
    value: Any
    shown: str
    legend: str


@dataclass(frozen=True)
class Summary:
    """The card of a tree.

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
    >>> card = ceiba.DecisionTreeClassifier().fit(X, ["a", "a", "b", "b"]).tree_.summary()
    >>> card["leaves"], card["risk"], card["baseline"]
    (2, 0.0, 0.5)
    """

    title: str
    facts: tuple[Fact, ...]
    columns: Listing

    def __getitem__(self, name: str) -> Any:
        return self.to_dict()[name]

    def to_dict(self) -> dict[str, Any]:
        """Return the facts by name."""
        return {fact.name: fact.value for fact in self.facts}

    def __str__(self) -> str:
        names = max(len(fact.name) for fact in self.facts)
        shown = max(len(fact.shown) for fact in self.facts)
        lines = [
            f"{fact.name:<{names}}  {fact.shown:<{shown}}  {fact.legend}".rstrip()
            for fact in self.facts
        ]
        table = ["", str(self.columns)] if len(self.columns) else []
        return visible("\n".join([self.title, *lines, *table]))

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(fact.name)}</th>"
            f"<td style='text-align:left'>{escape(fact.shown)}</td>"
            f"<td style='text-align:left;opacity:0.65'>{escape(fact.legend)}</td></tr>"
            for fact in self.facts
        )
        table = self.columns._repr_html_()
        return f"<p><b>{escape(self.title)}</b></p><table>{rows}</table>{table}"


def summary(tree: Tree, *, pruning: Listing | None = None) -> Summary:
    """Return the card of a tree.

    Parameters
    ----------
    tree : Tree
    pruning : Listing, optional
        The pruning table by which the tree was chosen; its estimates become facts.

    Returns
    -------
    Summary
        A value that prints, with a legend for every figure.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.inspection import summary
    >>> print(summary(ceiba.tree.build(("x <= 2.5", "a", ("y <= 1", "b", "a")))))
    Decision tree: classification into a, b
    columns used  2 of 2    columns that some split (or surrogate in use) asks about
    leaves        3         nodes that answer
    depth         2         most questions on a path from the root to a leaf
    missing       majority  missing values go where more rows go
    unseen        majority  unseen levels go where more rows go
    <BLANKLINE>
    columns used
    column  kind     splits
    x       numeric       1
    y       numeric       1
    splits: nodes that ask about the column
    """
    facts = [*_rows(tree), *_size(tree), *_risks(tree), *_choice(pruning), *_proof(tree)]
    facts += _handling(tree)
    return Summary(_title(tree), tuple(facts), _columns(tree))


def column_usage(tree: Tree) -> NDArray[np.float64]:
    """Return for each column the share of training rows whose path asks about it.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.inspection import column_usage
    >>> column_usage(ceiba.tree.build(("x <= 2", {"a": 3}, ("y <= 1", {"b": 1}, {"a": 2}))))
    array([1. , 0.5])
    """
    usage = np.zeros(len(tree.schema.columns))
    asked: list[frozenset[int]] = []  # columns asked above each node
    for node in range(tree.n_nodes):
        parent = int(tree.parent[node])
        above = asked[parent] if parent >= 0 else frozenset()
        column = int(tree.splits.column[node])
        if column >= 0 and column not in above:
            usage[column] += tree.share[node]
            above = above | {column}
        asked.append(above)
    return np.minimum(usage, 1.0)


def _title(tree: Tree) -> str:
    names = ", ".join(tree.target.outputs) or tree.target.name
    target = f" for {names}" if names is not None else ""
    if tree.task == "regression":
        return f"Decision tree{target}: regression"
    labels = [level_text(label) for label in tree.target.classes[0]]
    listed = ", ".join(labels) if len(labels) <= 6 else f"{len(labels)} classes"
    several = f" and {tree.n_outputs - 1} more targets" if tree.n_outputs > 1 else ""
    return f"Decision tree{target}: classification into {listed}{several}"


def _rows(tree: Tree) -> list[Fact]:
    n, weight = int(tree.n_rows[0]), float(tree.weight[0])
    if not n:
        return []
    facts = [Fact("rows", n, f"{n:,}", "training rows")]
    if weight != n:
        facts.append(Fact("weight", weight, number_text(weight), "total weight of the rows"))
    if tree.task == "classification" and tree.n_outputs == 1:
        labels = tree.target.classes[0].tolist()
        shares = dict(zip(labels, tree.value[0, 0, : len(labels)].tolist(), strict=True))
        if len(labels) <= 6:
            shown = ", ".join(f"{level_text(k)} {percent(share)}" for k, share in shares.items())
            prior = "as stated" if tree.class_prior is not None else "in the training rows"
            facts.append(Fact("classes", shares, shown, f"share of each class, {prior}"))
    return facts


def _proof(tree: Tree) -> list[Fact]:
    """Give what a search has proven about the tree."""
    certificate = tree.certificate
    if certificate is None:
        return []
    shown = "nothing" if certificate.status == "lookahead" else f"gap {percent(certificate.gap)}"
    shown = "the best tree" if certificate.proven else shown
    effort = f"{certificate.nodes:,} cuts in {certificate.seconds:.3g} s"
    return [
        Fact("proven", certificate.to_dict(), shown, str(certificate)),
        Fact("search", effort, effort, "cuts that were evaluated, and the wall time they took"),
    ]


def _size(tree: Tree) -> list[Fact]:
    used, n = len(tree.used_columns), len(tree.schema.columns)
    return [
        Fact(
            "columns used",
            used,
            f"{used} of {n}",
            "columns that some split (or surrogate in use) asks about",
        ),
        Fact("leaves", tree.n_leaves, str(tree.n_leaves), "nodes that answer"),
        Fact(
            "depth", tree.depth, str(tree.depth), "most questions on a path from the root to a leaf"
        ),
    ]


def _risks(tree: Tree) -> list[Fact]:
    if not tree.n_rows[0]:
        return []
    unit = "mean squared error"
    if tree.task == "classification":
        unit = "mean cost" if tree.cost_matrix is not None else "share of rows answered wrongly"
    elif tree.criterion != "squared_error":
        unit = f"mean loss of {tree.criterion}"
    if tree.class_prior is not None:
        unit = f"prior-weighted {unit}"
    chosen = "what the splits were chosen by"
    if tree.certificate is not None:  # the search minimised the loss of its certificate
        chosen = "the impurity that nodes show; the tree was searched for as a whole"
    source = "the training rows, so optimistic"
    if tree.honest:
        source = "the rows that give its values and had no say in the splits"
    facts = [Fact("criterion", tree.criterion, tree.criterion, chosen)]
    for name, value, legend in (
        ("risk", tree.tree_risk, f"R(T): {unit}, on {source}"),
        ("baseline", float(tree.risk[0]), "R(root): the same without any question"),
    ):
        if value == value:
            facts.append(Fact(name, value, number_text(value, 4), legend))
    return facts


def _choice(pruning: Listing | None) -> list[Fact]:
    if pruning is None or "chosen" not in pruning or "cv_risk" not in pruning:
        return []
    chosen = np.flatnonzero(pruning["chosen"])
    if not len(chosen) or np.isnan(pruning["cv_risk"][chosen[0]]):
        return []
    row = pruning.row(int(chosen[0]))
    risk, error = row["cv_risk"], row.get("cv_se", float("nan"))
    return [
        Fact(
            "cv risk",
            risk,
            f"{number_text(risk, 4)} ± {number_text(error, 2)}",
            "cross-validated risk of the chosen size ± standard error",
        ),
        Fact("alpha", row["alpha"], number_text(row["alpha"], 4), "cost per leaf it stands for"),
    ]


def _handling(tree: Tree) -> list[Fact]:
    return [
        Fact("missing", tree.missing, tree.missing, _MISSING[tree.missing]),
        Fact("unseen", tree.unseen, tree.unseen, _UNSEEN[tree.unseen]),
    ]


def _columns(tree: Tree) -> Listing:
    """List the columns used, the most used first."""
    splits = np.bincount(tree.splits.column[~tree.is_leaf], minlength=len(tree.schema.columns))
    usage, worth = column_usage(tree), importance(tree)
    order = [j for j in np.lexsort((-worth, -usage)).tolist() if j in set(tree.used_columns)]
    infos = [tree.schema.columns[j] for j in order]
    figures: dict[str, Any] = {
        "column": [info.name for info in infos],
        "kind": [str(info.kind) for info in infos],
        "splits": splits[order] if order else np.zeros(0, np.int64),
    }
    legend = "splits: nodes that ask about the column"
    if tree.n_rows[0]:
        figures["usage"] = [percent(usage[j]) for j in order]
        figures["importance"] = [percent(worth[j]) for j in order]
        share = "" if tree.class_prior is None else "prior-weighted share of "
        legend += (
            f"; usage: {share}training rows whose path asks about it;\n"
            "importance: its share of the impurity decrease of all splits"
        )
    return Listing(figures, title="columns used", legend=legend)
