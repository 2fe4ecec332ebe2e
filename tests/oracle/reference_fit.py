"""The reference fitted to an rpart golden, in place of the library: it validates the conversion and
the rules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from tests.oracle.load import TableColumn
from tests.oracle.rpart_goldens import Fitted
from tests.oracle.rpart_problem import Problem
from tests.reference.contract_tree import contract_tree
from tests.reference.exact import exact, precise, times
from tests.reference.pruning import sequence_by_weakest_links
from tests.reference.routing import predict_node
from tests.reference.rpart import Anova, Grower, RpartNode


@precise
def fit_reference(problem: Problem) -> Fitted:
    cost = problem.golden.get("cost")
    grower = Grower(problem.method(), problem.control(), [exact(c) for c in cost] if cost else None)
    root = grower.fit()
    tree = contract_tree(grower, root)
    at = {number: i for i, number in enumerate(tree.number_of_node)}
    kinds = [column.kind for column in problem.columns]
    use = problem.golden["control"]["usesurrogate"]

    def apply(columns: Sequence[TableColumn]) -> list[int]:
        rows = zip(*(column.codes() for column in columns), strict=True)
        return [at[predict_node(root, row, kinds, use)] for row in rows]

    pruning = exact_pruning(tree)
    return Fitted(tree, apply, pruning=pruning, importance=importance(root, grower))


def importance(root: RpartNode, grower: Grower) -> dict[str, float]:
    """Improvements of the primary splits, and of the stored surrogates times adj (section 9)."""
    result: dict[str, float] = defaultdict(float)
    stack = [root]
    while stack:
        node = stack.pop()
        if not node.sons:
            continue
        unit = node.risk if isinstance(grower.method, Anova) else 1
        worth = float(times(node.primary.improve, unit))
        splits = [(node.primary.mimic, 1.0)]
        splits += [(surrogate.mimic, float(surrogate.adj)) for surrogate in node.surrogates]
        for mimic, share in splits:
            result[grower.data.columns[mimic.column].name] += share * worth
        stack.extend(node.sons)
    return dict(result)


def exact_pruning(tree: Any) -> dict[str, list[float | None]]:
    """The golden's layout: from the root to the whole tree, in units of the root's risk."""
    children = [
        list(map(int, tree.branch_node[a:b]))
        for a, b in zip(tree.branch_start, tree.branch_start[1:], strict=False)
    ]
    steps = sequence_by_weakest_links(children, tree.exact_risk)
    rows = [(len(s.leaves) - 1, s.risk, s.alpha) for s in steps]
    n_splits = sum(1 for below in children if below)
    if n_splits > rows[0][0]:
        rows.insert(0, (n_splits, rows[0][1], 0))
    whole = tree.exact_risk[0] or 1
    return {
        "nsplit": [n for n, _, _ in rows[::-1]],
        "rel_error": [float(r / whole) for _, r, _ in rows[::-1]],
        "alpha_at_which_it_collapses": [None, *(float(a / whole) for _, _, a in rows[:0:-1])],
    }
