"""Write the texts of a drawn node: split, prediction, number of rows and edge labels.

The edges of a split are labeled yes and no, or with values if the question is only the column's
name: for booleans (no and yes), intervals, single levels and more than two sets of levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from ceiba.criteria import quantile_level
from ceiba.survival import format_time
from ceiba.task import Task
from ceiba.tree import Cut, Intervals, LevelSets, Tree, has_curve, node_curve, note_text
from ceiba.tree.splits import class_text, format_cut, level_text, number_text, quote_level
from ceiba.words import words


@dataclass(frozen=True)
class Caption:
    """The texts of one node, and the weighted fraction of its rows in each class."""

    head: str
    lines: tuple[str, ...]
    shares: tuple[float, ...]


def percent(share: float, decimals: int = 0) -> str:
    """Format a share as a percentage; only the exact shares 0 and 1 become 0% and 100%."""
    step = 10.0**-decimals
    if 0 < share < step / 200:
        return f"<{step:g}%"
    if 1 - step / 200 <= share < 1:
        return f">{100 - step:g}%"
    return f"{number_text(round(100 * share, decimals))}%"


def question(tree: Tree, node: int, *, max_levels: int = 6, lang: str = "en") -> str:
    """Return the split of an inner node as text, or "" at a leaf."""
    split = tree.splits.split(node, tree.schema)
    if split is None:
        return ""
    if _names_its_answers(tree, node):
        return f"{split.column}?"
    sentence = split.sentence(0, tree.schema, max_levels=max_levels, lang=lang)
    if not isinstance(split, Cut):
        return sentence
    return split.column + sentence[len(split.column) :].replace(" <= ", " ≤ ").replace(
        " >= ", " ≥ "
    )


def edge_labels(tree: Tree, node: int, *, max_levels: int = 6, lang: str = "en") -> tuple[str, ...]:
    """Return the label of the edge to each branch of an inner node."""
    split = tree.splits.split(node, tree.schema)
    if split is None:
        return ()
    word = words(lang)
    texts = [word["split.yes"], word["split.no"]]
    if isinstance(split, LevelSets) and _names_its_answers(tree, node):
        texts = [
            ", ".join(map(quote_level, group[:max_levels]))
            + (", " + word("split.more", n=len(group) - max_levels)) * (len(group) > max_levels)
            for group in split.branches
        ]
        texts += [word["split.missing"]] if split.missing_branch else []
    elif isinstance(split, Intervals):
        texts = _interval_words(tree, split, lang)
    elif isinstance(split, Cut) and _names_its_answers(tree, node):
        texts.reverse()
    default = int(tree.default_branch[node])
    info = tree.schema.columns[tree.schema.index(split.column)]
    by_default = tree.missing in ("learn", "majority") and not tree.splits.has_missing_branch[node]
    if info.n_missing and default >= 0 and by_default:
        texts[default] += f" {word['split.or_missing']}"
    return tuple(texts)


def caption(
    tree: Tree,
    node: int,
    *,
    leaf: bool,
    digits: int | None = None,
    node_ids: bool = False,
    impurity: bool = False,
    counts: bool = False,
    lang: str = "en",
) -> Caption:
    """Return the caption of a node; `leaf` must also be True for a folded inner node."""
    answer = _answer_lines(tree, node, digits, lang)
    if leaf:
        head, *lines = answer
    else:
        head = question(tree, node, lang=lang)
        # Inner nodes show no class label, because it would look like a prediction.
        lines = [] if tree.task.has_classes else [_number_line(tree, v, lang) for v in answer]
        lines = answer if tree.task is Task.SURVIVAL else lines
    if tree.n_rows[0]:
        rows = words(lang).number(int(tree.n_rows[node]))
        lines.append(f"n = {rows} ({percent(float(tree.share[node]))})")
    if counts and tree.counts is not None:
        lines += [
            " / ".join(number_text(float(c)) for c in row[: len(classes)])
            for row, classes in zip(tree.counts[node], tree.target.classes, strict=True)
        ]
    if impurity:
        lines.append(f"{tree.criterion} {number_text(float(tree.impurity[node]), 3)}")
    if note := note_text(tree, node):
        lines.append(note)
    if node_ids:
        head = f"#{node}  {head}"
    shares: list[float] = []
    if tree.task.has_classes and tree.n_outputs == 1:
        shares = tree.value[node, 0, : len(tree.target.classes[0])].tolist()
    return Caption(head, tuple(lines), tuple(shares))


def _interval_words(tree: Tree, split: Intervals, lang: str) -> list[str]:
    """Return the intervals of a split as text, such as "≤ 18", "18 – 65" and "> 65"."""
    info = tree.schema.columns[tree.schema.index(split.column)]
    cuts = [format_cut(cut, info, split.digits) for cut in split.cuts]
    upper = [f"{'≤' if sign == '<=' else '<'} {text}" for sign, text in cuts]
    lower = [f"{'>' if sign == '<=' else '≥'} {text}" for sign, text in cuts]
    between = [
        f"{a} – {b}" if low == high == "<=" else f"{lower[k]}, {upper[k + 1]}"
        for k, ((low, a), (high, b)) in enumerate(pairwise(cuts))
    ]
    texts = [upper[0], *between, lower[-1]]
    return [*texts, words(lang)["split.missing"]] if split.missing_branch else texts


def _names_its_answers(tree: Tree, node: int) -> bool:
    """Whether the edge labels of a split show values, so that its node shows only the column."""
    split = tree.splits.split(node, tree.schema)
    if isinstance(split, Intervals):
        return True
    if isinstance(split, LevelSets):
        return split.n_branches > 2 or all(len(group) == 1 for group in split.branches)
    if isinstance(split, Cut):
        info = tree.schema.columns[tree.schema.index(split.column)]
        return info.display == "boolean" and 0 <= split.cut < 1
    return False


def _number_line(tree: Tree, value: str, lang: str) -> str:
    """Return a predicted number with the name of its statistic: mean, median or a quantile."""
    word, level = words(lang), quantile_level(tree.criterion)
    if level is not None and level != 0.5:
        return f"{word('plot.quantile', level=f'{level:g}')} {value}"
    return f"{word['plot.mean' if level is None else 'plot.median']} {value}"


def survival_texts(tree: Tree, node: int, digits: int | None = None, lang: str = "en") -> list[str]:
    """Return the relative risk, the number of events and the median time of a node as text."""
    word, value = words(lang), number_text(float(tree.value[node, 0, 0]), digits or 4)
    texts = [word("survival.risk", value=value)]
    if has_curve(tree, node):
        curve = node_curve(tree, node)
        texts.append(word("survival.events", n=number_text(curve.n_events)))
        texts.append(word("survival.median", time=format_time(curve.median().value, lang)))
    return texts


def _answer_lines(tree: Tree, node: int, digits: int | None, lang: str) -> list[str]:
    """Return the node's prediction, one line per output."""
    if tree.task is Task.SURVIVAL:
        risk, *figures = survival_texts(tree, node, digits, lang)
        return [risk, ", ".join(figures)] if figures else [risk]
    if not tree.task.has_classes:
        numbers = [number_text(float(v), digits or 4) for v in tree.value[node, :, 0]]
        return [tree.target.format_output(k, text) for k, text in enumerate(numbers)]
    return [
        tree.target.format_output(output, class_and_share(tree, node, output))
        for output in range(tree.n_outputs)
    ]


def class_and_share(tree: Tree, node: int, output: int = 0) -> str:
    """Return the predicted class and its share of the rows: "no 62%", "Survived = 0 · 62%"."""
    code = int(tree.answer[node].reshape(-1)[output])
    text = class_text(tree.target, code, output)
    is_number = text != level_text(tree.target.classes[output][code])
    return f"{text}{' ·' * is_number} {percent(float(tree.value[node, output, code]))}"
