"""List the leaves of a tree as if-then rules, with rows, confidence and lift.

A rule is the simplified path to a leaf (`ceiba.paths`) with the leaf's prediction. Confidence is
the leaf's probability of its class; lift is confidence over the share of that class at the root.
Wilson's interval of the confidence counts the training rows, on which the splits were chosen, so it
is optimistic; priors transform it like the probability. There is no interval if rows are weighted
(`sample_weight`, `class_weight`), because the effective sample size is unknown, or if smoothing or
`monotonic_cst` changes the probability. Rows that stay in an inner node have a separate rule.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ceiba.criteria import quantile_level
from ceiba.errors import OptionError, did_you_mean
from ceiba.inspection.intervals import wilson
from ceiba.inspection.probability_scores import positive_index
from ceiba.listing import Listing
from ceiba.paths import Condition, node_conditions
from ceiba.survival import Estimate, SurvivalCurve
from ceiba.task import Task
from ceiba.tree import Tree, has_curve, node_curve, note_text
from ceiba.tree.splits import DIGITS, level_text, number_text
from ceiba.words import words

#: Key of the text that describes the interval in the legend, by task.
_INTERVAL: Final = {
    Task.CLASSIFICATION: "rules.wilson",
    Task.REGRESSION: "rules.of_mean",
    Task.SURVIVAL: "rules.of_median",
}
_MAX_LEVELS: Final = 8  # maximum number of levels listed in a condition
_FIGURES: Final = ("rows", "share", "confidence", "lift", "low", "high")


@dataclass(frozen=True)
class Interest:
    """Statistics of a leaf for the class of interest.

    Attributes
    ----------
    positive : object
        The class.
    count, others : float
        Weight of its training rows in the leaf, and of all others.
    probability : float
    evidence : float
        Weight of evidence, ln(P(leaf | class) / P(leaf | others)): positive if the leaf favors
        the class. If one of them has no rows in the leaf, half a row is added to both.
    information : float
        The leaf's term of the information value: (P(leaf | class) - P(leaf | others)) evidence.
    """

    positive: Any
    count: float
    others: float
    probability: float
    evidence: float
    information: float


@dataclass(frozen=True)
class Rule:
    """A leaf of a tree as an if-then rule.

    Attributes
    ----------
    node : int
        The leaf (or the inner node in which rows stay).
    condition : Condition
        Condition on a row; `condition.select(X)` and `condition.python()` evaluate it.
    text : str
        The condition as text.
    value : object
        The class, the number, or a tuple of them for several outputs.
    rows, share : int, float
        Training rows, and their share of all training rows.
    confidence, lift : float
        Probability of the class, and its ratio to the probability at the root; NaN for regression.
    low, high : float
        Interval of the confidence (Wilson), of the mean, or of the median time. The first two are
        NaN if rows are weighted, or if values are smoothed, limited or (for numbers) not means.
    note : str
        The notes of the node.
    interest : Interest, optional
        Rows, probability and weight of evidence of the class `positive`.
    curve : SurvivalCurve, optional
        The Kaplan-Meier curve of a survival tree's leaf.
    optimistic : bool
        Whether the splits were chosen on the rows of the interval (False for honest leaves).
    lang : str
        Language of the sentences.
    """

    node: int
    condition: Condition
    text: str
    value: Any
    rows: int
    share: float
    confidence: float
    lift: float
    low: float
    high: float
    note: str = ""
    interest: Interest | None = None
    curve: SurvivalCurve | None = None
    optimistic: bool = True
    lang: str = "en"

    def __str__(self) -> str:
        word = words(self.lang)
        value = number_text(self.value) if isinstance(self.value, float) else self.value
        if self.confidence == self.confidence:
            sure, lift = f"{self.confidence:.3g}", f"{self.lift:.3g}"
            figures = word("rules.figures", confidence=sure, lift=lift)
        elif self.curve is not None:
            value, figures = word("survival.risk", value=value), self.curve_text()
        else:
            low, high = number_text(self.low, 4), number_text(self.high, 4)
            figures = word("rules.interval", low=low, high=high)
            figures = word("rules.optimistic", text=figures) if self.optimistic else figures
            figures = figures if self.low == self.low else ""
        rows = word("text.rows", n=self.rows) if self.rows else ""
        about = ", ".join(filter(None, (rows, figures)))
        about = f"  ({about})" if about else ""
        note = f"\n   # {self.note}" if self.note else ""
        return word("rules.sentence", text=self.text, value=value, about=about, note=note)

    def curve_text(self) -> str:
        """Describe the number of events and the median survival; return "" without a curve."""
        if self.curve is None:
            return ""
        word = words(self.lang)
        median = Estimate(self.curve.median().value, self.low, self.high).text(self.lang)
        events = word("survival.events", n=number_text(self.curve.n_events))
        return f"{events}, {word('survival.median', time=median)}"


class RuleTable(Listing):
    """A table of rules, with one row per rule.

    Examples
    --------
    >>> import ceiba
    >>> X = {"age": [20, 30, 40, 50], "sex": ["f", "m", "f", "m"]}
    >>> model = ceiba.DecisionTreeClassifier().fit(X, ["a", "a", "b", "b"])
    >>> rules = model.tree_.rules()
    >>> rules["condition"].tolist()
    ['age <= 35', 'age > 35']
    >>> len(rules.filter(value="a"))
    1
    """

    __slots__ = ("rules",)

    def __init__(
        self, rules: Iterable[Rule], *, title: str = "", legend: str = "", lang: str = "en"
    ) -> None:
        self.rules = tuple(rules)
        figures: dict[str, Any] = {
            "leaf": np.array([rule.node for rule in self.rules], np.int64),
            "condition": _object_array([rule.text for rule in self.rules]),
            "value": _object_array([rule.value for rule in self.rules]),
        }
        for name in _FIGURES:
            kind = np.int64 if name == "rows" else np.float64
            figures[name] = np.array([getattr(rule, name) for rule in self.rules], kind)
        if self.rules and all(math.isnan(rule.confidence) for rule in self.rules):
            del figures["confidence"], figures["lift"]
        curves = [rule.curve for rule in self.rules if rule.curve is not None]
        if len(curves) == len(self.rules) > 0:
            low, high = figures.pop("low"), figures.pop("high")
            figures["events"] = np.array([curve.n_events for curve in curves])
            figures["median"] = np.array([curve.median().value for curve in curves])
            figures |= {"low": low, "high": high}
        if any(rule.note for rule in self.rules):
            figures["note"] = np.array([rule.note for rule in self.rules], object)
        interests = [rule.interest for rule in self.rules if rule.interest is not None]
        if interests:
            name = interests[0].positive
            figures[f"n({name})"] = np.array([interest.count for interest in interests])
            figures[f"p({name})"] = np.array([interest.probability for interest in interests])
            figures["evidence"] = np.array([interest.evidence for interest in interests])
        super().__init__(figures, title=title, legend=legend, lang=lang)

    def __getstate__(self) -> dict[str, Any]:
        around = {name: getattr(self, name) for name in ("title", "legend", "lang")}
        return {"rules": self.rules, **around}

    def _with_rules(self, rules: Iterable[Rule]) -> RuleTable:
        return RuleTable(rules, title=self.title, legend=self.legend, lang=self.lang)

    def sort(self, by: str, *, descending: bool = True) -> RuleTable:
        """Return the rules sorted by a column, without changing the order of ties.

        Parameters
        ----------
        by : {"leaf", "rows", "share", "value", "confidence", "lift", "low", "high"}
            With a class of interest also "count", "probability" and "evidence".
        descending : bool, default=True
        """
        of_interest = ("count", "probability", "evidence")
        has_interest = bool(self.rules) and self.rules[0].interest is not None
        allowed = ("leaf", "value", *_FIGURES, *(of_interest if has_interest else ()))
        if by not in allowed:
            raise OptionError(
                f"Unknown column to sort by: {by!r}. Allowed values: {', '.join(allowed)}."
                f"{did_you_mean(by, allowed)}"
            )
        name = "node" if by == "leaf" else by
        holders = [rule.interest if by in of_interest else rule for rule in self.rules]
        key = [getattr(holder, name) for holder in holders]
        order = sorted(range(len(key)), key=key.__getitem__, reverse=descending)
        return self._with_rules(self.rules[i] for i in order)

    def filter(
        self,
        *,
        value: Any = None,
        min_rows: int = 0,
        min_confidence: float = 0.0,
        min_lift: float = 0.0,
        column: str | None = None,
    ) -> RuleTable:
        """Return the rules that meet all criteria.

        Parameters
        ----------
        value : object, optional
            The prediction of the rule.
        min_rows, min_confidence, min_lift : number, default=0
        column : str, optional
            A column in the condition of the rule.
        """
        return self._with_rules(
            rule
            for rule in self.rules
            if (value is None or rule.value == value)
            and rule.rows >= min_rows
            and not rule.confidence < min_confidence
            and not rule.lift < min_lift
            and (column is None or column in {c.info.name for c in rule.condition.clauses})
        )

    def to_text(self) -> str:
        """Return the rules as text, one after another."""
        return "\n".join(map(str, self.rules))


def rules(
    tree: Tree,
    *,
    digits: int = DIGITS,
    max_levels: int | None = _MAX_LEVELS,
    sort: str | None = None,
    confidence: float = 0.95,
    positive: Any = None,
    lang: str = "en",
    **which: Any,
) -> RuleTable:
    """Return the leaves of a tree as a table of rules.

    Parameters
    ----------
    tree : Tree
    digits : int
        Minimum number of significant digits of cuts that are not short decimals; more are printed
        if a training value would otherwise change its side.
    max_levels : int or None
        Maximum number of levels listed per set; the others are counted.
    sort : str, optional
        Column to sort by, in descending order; by default in the order of the leaves.
    confidence : float, default=0.95
        Confidence of the intervals.
    positive : label, optional
        A class of interest: every rule then has its rows, its probability and the weight of
        evidence, by which rules can be sorted.
    lang : {"en", "es", "pt"}, default="en"
        Language of conditions, headings and sentences.
    **which
        Rules to keep: `value`, `min_rows`, `min_confidence`, `min_lift`, `column`, as in
        `RuleTable.filter`.

    Returns
    -------
    RuleTable
        Columns leaf, condition, value, rows, share, confidence, lift, low, high; `.rules` has the
        single rules, `.to_text()` returns them as text.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.inspection import rules
    >>> tree = ceiba.tree.build(
    ...     ("x <= 9", ("x <= 2.5", {"a": 8}, {"a": 1, "b": 7}), {"a": 4}))
    >>> print(rules(tree).to_text())
    if x <= 2.5
       then a  (8 rows, confidence 1, lift 1.54)
    if 2.5 < x <= 9
       then b  (8 rows, confidence 0.875, lift 2.5)
    if x > 9
       then a  (4 rows, confidence 1, lift 1.54)
    """
    stays = ~tree.is_leaf & (tree.default_branch < 0) & (tree.sent_default > 0)
    nodes = np.flatnonzero(tree.is_leaf | stays).tolist()
    conditions = node_conditions(tree, [(node, not tree.is_leaf[node]) for node in nodes])
    weighted = is_weighted(tree)  # computed once for all rules, because it reads every node
    interest: Sequence[Interest | None] = [None] * len(nodes)
    legend = _legend(tree, confidence, lang)
    if positive is not None:
        interest = figures = _compute_interest(tree, nodes, positive)
        value = f"{sum(leaf.information for leaf in figures):.4g}"
        legend += words(lang)("rules.legend_interest", name=figures[0].positive, value=value)
    name = " | ".join(tree.target.outputs) or tree.target.name
    table = RuleTable(
        (
            replace(
                _build_rule(tree, node, condition, digits, max_levels, confidence, weighted, lang),
                interest=of_interest,
            )
            for node, condition, of_interest in zip(nodes, conditions, interest, strict=True)
        ),
        title=words(lang)("rules.title", n=tree.n_leaves)
        if name is None
        else words(lang)("rules.title_for", n=tree.n_leaves, name=name),
        legend=legend,
        lang=words(lang).lang,
    )
    if which:
        table = table.filter(**which)
    return table.sort(sort) if sort is not None else table


def _compute_interest(tree: Tree, nodes: list[int], positive: Any) -> list[Interest]:
    """Return the rows, probability and weight of evidence of the positive class in each leaf."""
    if not tree.task.has_classes or tree.n_outputs > 1:
        raise OptionError(f"positive={positive!r} requires a single-output classification tree.")
    labels = tree.target.classes[0].tolist()
    k = positive_index(positive, labels)
    assert k is not None
    counts = tree.counts if tree.counts is not None else tree.value * tree.weight[:, None, None]
    end_share = tree.end_share[nodes]
    hits = counts[nodes, 0, k] * end_share
    misses = counts[nodes, 0, :].sum(axis=1) * end_share - hits
    correction = np.where((hits <= 0) | (misses <= 0), 0.5, 0.0)  # avoids log(0) below
    total, total_rest = float(counts[0, 0, k]), float(counts[0, 0, :].sum() - counts[0, 0, k])
    if total <= 0 or total_rest <= 0:
        evidence = np.full(len(nodes), math.nan)
    else:
        evidence = np.log(((hits + correction) / total) / ((misses + correction) / total_rest))
    share = hits / max(total, 1e-300) - misses / max(total_rest, 1e-300)
    return [
        Interest(labels[k], float(hits[i]), float(misses[i]), float(tree.value[node, 0, k]),
                 float(evidence[i]), float(share[i] * evidence[i]))
        for i, node in enumerate(nodes)
    ]  # fmt: skip


def _build_rule(
    tree: Tree,
    node: int,
    condition: Condition,
    digits: int,
    max_levels: int | None,
    confidence: float,
    weighted: bool,
    lang: str,
) -> Rule:
    inner = not bool(tree.is_leaf[node])
    text = condition.text(digits=digits, max_levels=max_levels, lang=lang)
    # The rule of an inner node covers only the rows that stay there, as counted in sent_default.
    rows = int(tree.sent_default[node] if inner else tree.n_rows[node])
    share = float(tree.share[node] * tree.end_share[node])
    sure, lift, low, high = _confidence_and_interval(tree, node, rows, confidence, weighted)
    value = tree.node(node).label
    curve = None
    if tree.task is Task.SURVIVAL and has_curve(tree, node):
        curve = node_curve(tree, node)
        low, high = curve.median(confidence)[1:]
    note, optimistic = note_text(tree, node), not tree.honest
    return Rule(
        node, condition, text, value, rows, share, sure, lift, low, high, note,
        curve=curve, optimistic=optimistic, lang=lang,
    )  # fmt: skip


def _confidence_and_interval(
    tree: Tree, node: int, rows: int, level: float, weighted: bool
) -> tuple[float, float, float, float]:
    """Return the confidence and lift of a node, and the interval of its confidence or mean."""
    nothing = math.nan
    if tree.n_outputs > 1:
        return nothing, nothing, nothing, nothing
    if not tree.task.has_classes:
        low, high = (nothing, nothing) if weighted else _mean_interval(tree, node, level)
        return nothing, nothing, low, high
    best = int(tree.answer[node])
    sure, base = float(tree.value[node, 0, best]), float(tree.value[0, 0, best])
    # Count a divided row by the fraction of it that reaches the node.
    n = min(rows, float(tree.weight[node])) if tree.missing == "fractional" else rows
    low = high = nothing
    if rows and not weighted and not tree.smoothed:
        low, high = _probability_interval(tree, node, best, n, level)
    return sure, (sure / base if base > 0 else nothing), low, high


def is_weighted(tree: Tree) -> bool:
    """Whether training rows had sample weights; fractions of divided rows are not weights."""
    if tree.missing == "fractional" and tree.weight[0] == tree.n_rows[0]:
        are_integers = tree.counts is None or np.allclose(tree.counts[0], np.round(tree.counts[0]))
        return not (are_integers and np.all(tree.weight <= tree.n_rows + 1e-6))
    return not np.allclose(tree.weight, tree.n_rows, rtol=1e-9)


def _probability_interval(
    tree: Tree, node: int, best: int, n: float, level: float
) -> tuple[float, float]:
    """Return the interval of a class probability, from its share of rows and the priors."""
    sure = float(tree.value[node, 0, best])
    if tree.counts is None:
        return wilson(sure, n, level) if tree.class_prior is None else (math.nan, math.nan)
    counts = tree.counts[node, 0]
    share = float(counts[best] / counts.sum())
    low, high = wilson(share, n, level)
    odds = 1.0
    if tree.class_prior is not None:
        # Priors multiply the odds by a factor that is constant for a fixed mix of other classes.
        totals = tree.counts[0, 0]
        factor = np.divide(tree.class_prior, totals, out=np.zeros(len(totals)), where=totals > 0)
        mix = counts if share < 1 else totals
        rest = np.delete(mix, best)
        odds = float(factor[best] * rest.sum() / max(float(np.delete(factor, best) @ rest), 1e-300))

    def apply_prior(p: float) -> float:
        return p * odds / (p * odds + (1.0 - p))

    if not math.isclose(apply_prior(share), sure, rel_tol=1e-9, abs_tol=1e-12):  # clipped
        return math.nan, math.nan
    return apply_prior(low), apply_prior(high)


def predicts_mean(tree: Tree, node: int) -> bool:
    """Whether a node predicts the mean of its rows instead of a smoothed value or a quantile."""
    if tree.smoothed or quantile_level(tree.criterion) is not None:
        return False
    # The squared error is least at the mean, so for any other value the risk exceeds the impurity.
    impurity = float(tree.impurity[node] * tree.weight[node])
    return bool(tree.risk[node] * tree.weight[0] <= impurity * (1 + 1e-9))


def _mean_interval(tree: Tree, node: int, level: float) -> tuple[float, float]:
    """Return Student's interval of a node's mean, or NaN if the node does not predict a mean."""
    from scipy.special import stdtrit

    n, value = int(tree.n_rows[node]), float(tree.value[node, 0, 0])
    if tree.criterion != "squared_error" or n < 2 or not predicts_mean(tree, node):
        return math.nan, math.nan
    error = math.sqrt(float(tree.impurity[node]) / (n - 1))
    half = float(stdtrit(n - 1, 0.5 + level / 2)) * error
    return value - half, value + half


def _legend(tree: Tree, confidence: float, lang: str) -> str:
    word = words(lang)
    if not tree.n_rows[0]:
        return word["rules.no_rows"]
    kind = word[tree.task.lookup(_INTERVAL, "A table of rules")]
    source = word["rules.from_training"]
    if tree.honest:
        source = word["rules.from_honest"]
    elif tree.class_prior is not None and tree.task.has_classes:
        source = word["rules.from_training_prior"]
    level = f"{100 * confidence:g}"
    interval = word("rules.legend_interval", level=level, source=source, kind=kind)
    if is_weighted(tree) and tree.task is not Task.SURVIVAL:
        interval = word["rules.unknown_weighted"]
    elif tree.smoothed:
        interval = word["rules.unknown_smoothed"]
    legend = "prior" if tree.class_prior is not None else "classes"
    legend = "numbers" if not tree.task.has_classes else legend
    legend = "survival" if tree.task is Task.SURVIVAL else legend
    return word(f"rules.legend_{legend}", interval=interval)


def _object_array(items: list[Any]) -> Any:
    array = np.empty(len(items), object)
    for i, item in enumerate(items):
        array[i] = level_text(item) if isinstance(item, str) and not item.strip() else item
    return array
