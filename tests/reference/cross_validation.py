"""rpart's cross-validation on given folds (oracle section 10), without its two defects.

One tree per fold, grown on the other rows with alpha and the betas in absolute units of the full
fit times the other rows' share of the weight; class scales are those of the full data, Poisson
shrinkage is the fold's own. A held-out row runs down while the complexity of the node exceeds the
threshold. xerror = sum w e / R(root); xstd likewise from the squares.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.reference.exact import Number, decimal, exact, ln, precise, ratio, times
from tests.reference.rpart import Class, Control, Grower, Method, Poisson, RpartNode
from tests.reference.surrogates import Side

Error = Callable[[RpartNode, int], Number]


def stop_node(root: RpartNode, row: int, grower: Grower, threshold: Number) -> RpartNode:
    """Where a held-out row ends: as while growing, but right when both sides weigh the same."""
    node = root
    while node.sons and node.complexity > threshold:
        side = side_of(node, row, grower)
        if side is None:
            break
        node = node.sons[0 if side == "left" else 1]
    return node


def side_of(node: RpartNode, row: int, grower: Grower) -> Side | None:
    stand_ins = [s.mimic for s in node.surrogates] if grower.control.usesurrogate > 0 else []
    for mimic in [node.primary.mimic, *stand_ins]:
        side = mimic.side(grower.data.columns[mimic.column].values[row])
        if side is not None:
            return side
    return (node.default or "right") if grower.control.usesurrogate == 2 else None


def error_of(method: Method) -> Error:
    """The error of a held-out row: cost of the answer, squared error, or Poisson deviance."""
    target = method.data.targets[0]
    if isinstance(method, Class):
        return lambda node, row: times(
            method.scale[target[row]], method.loss[target[row]][method.value(node.rows)]
        )
    if isinstance(method, Poisson):
        return lambda node, row: deviance(method, method.value(node.rows), row)
    return lambda node, row: (target[row] - method.value(node.rows)) ** 2


def deviance(method: Poisson, rate: Number, row: int) -> Number:
    time = method.time[row]
    y, mu = method.data.targets[0][row] * time, rate * time
    log = decimal(y) * (ln(y) - ln(mu)) if y else decimal(0)
    return 2 * (log - decimal(y - mu))


@precise
def cross_validate(
    method: Method,
    control: Control,
    cost: Sequence[Number] | None,
    folds: Sequence[int],
    betas: Sequence[float],
) -> tuple[list[float], list[float]]:
    """xerror and xstd for each beta."""
    everything = list(range(method.data.n_rows))
    root_risk, whole = method.risk(everything), method.data.total_weight(everything)
    first = [decimal(0)] * len(betas)
    second = [decimal(0)] * len(betas)
    for fold in sorted(set(folds)):
        others = [row for row in everything if folds[row] != fold]
        share = ratio(method.data.total_weight(others), whole)
        fitted = method
        if isinstance(method, Poisson):
            fitted = Poisson(method.data, method.time, method.shrink, others)
        grower = Grower(fitted, control, cost)
        unit = times(root_risk, share)
        root = grower.fit(others, times(control.cp, unit))
        error = error_of(fitted)
        for row in (row for row in everything if folds[row] == fold):
            weight = decimal(method.data.weight[row])
            for k, beta in enumerate(betas):
                e = decimal(error(stop_node(root, row, grower, times(exact(beta), unit)), row))
                first[k] += weight * e
                second[k] += weight * e * e
    scale = decimal(root_risk)
    spread = [
        (b - a * a / decimal(whole)).max(0).sqrt() for a, b in zip(first, second, strict=True)
    ]
    return [float(a / scale) for a in first], [float(s / scale) for s in spread]
