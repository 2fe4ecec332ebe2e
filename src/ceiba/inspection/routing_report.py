"""What routed the training rows: the split itself, a surrogate, or the default.

One line for each sender of each inner node, in the order in which they are asked. Rows whose value
was there go by the split; the others by the first surrogate whose own value is there; what is left
takes the default branch, stays in the node, or (C4.5) goes down every branch by its share.
"""

from __future__ import annotations

from collections.abc import Iterator

from ceiba.listing import Listing
from ceiba.tree import Tree


def routing(tree: Tree) -> Listing:
    """Tell, for each inner node, how many training rows were sent by whom.

    Parameters
    ----------
    tree : Tree

    Returns
    -------
    Listing
        Columns node, by ("split", "surrogate", "default", "stays", "shares"), question, rows; the
        rows of one node add up to its own.

    Examples
    --------
    >>> import ceiba
    >>> X = {
    ...     "age": [20, 25, 30, 35, None, 50, 55, 60],
    ...     "height": [110, 120, 130, None, 115, 180, None, 175],
    ...     "sex": list("fmfmfmfm"),
    ... }
    >>> model = ceiba.rpart(minsplit=2, minbucket=1, xval=0).fit(X, list("aaaaabbb"))
    >>> print(ceiba.inspection.routing(model.tree_))
    who sent the training rows
    node  by         question        rows
       0  split      age < 42.5         7
       0  surrogate  height < 152.5     1
       0  default    -                  0
    by: the split where the value is there, else the first surrogate with a value, else as the
    tree's rule for missing values says
    """
    lines = [line for i in range(tree.n_nodes) if not tree.is_leaf[i] for line in _senders(tree, i)]
    names = ("node", "by", "question", "rows")
    return Listing(
        {name: [line[k] for line in lines] for k, name in enumerate(names)},
        title="who sent the training rows",
        legend="by: the split where the value is there, else the first surrogate with a value, "
        "else as the\ntree's rule for missing values says",
    )


def _senders(tree: Tree, i: int) -> Iterator[tuple[int, str, str, int]]:
    """Return (node, sender, question, rows) of one node."""
    node = tree.node(i)
    surrogates = node.surrogates if tree.active_surrogates is not None else ()
    by_surrogate = [surrogate.sent for surrogate in surrogates]
    last, rows = _last_resort(tree, i)
    yield i, "split", node.sentence(0), node.n_rows - sum(by_surrogate) - rows
    for surrogate, sent in zip(surrogates, by_surrogate, strict=True):
        yield i, "surrogate", surrogate.split.sentence(0, tree.schema), sent
    yield i, last, "-", rows


def _last_resort(tree: Tree, i: int) -> tuple[str, int]:
    """Return what happens to rows that nobody can place, and how many there were."""
    children = tree.branch_node[tree.branch_start[i] : tree.branch_start[i + 1]]
    if tree.missing == "fractional":
        # A row that goes down all branches is counted in each of them.
        extra = int(tree.n_rows[children].sum() - tree.n_rows[i])
        return "shares", extra // max(len(children) - 1, 1)
    left = int(tree.sent_default[i])
    stays = tree.default_branch[i] < 0 or int(tree.n_rows[children].sum()) < tree.n_rows[i]
    return "stays" if stays and left else "default", left
