"""Weka's goldens: J48 against `ceiba.c45()`, Id3 against `ceiba.id3()`.

Compared are the number of leaves and nodes, the printed tree line by line (question, level or cut,
class, weight in the leaf and weight misclassified), the training confusion, and the class
distribution of the incomplete rows (oracle section 13). Weka counts an empty branch of Id3 as
unclassified; ceiba answers there, which no training row meets.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np

from tests.oracle.load import Golden, frame
from tests.oracle.report import Outcome
from tests.oracle.weka_problem import WekaProblem, problem

KIND = "Weka"


def check(golden: Golden, library: ModuleType) -> Outcome:
    """Fit the recipe and compare."""
    outcome = Outcome(KIND, golden["id"])
    given = problem(golden)
    model = recipe(golden, given, library).fit(frame(given.columns), labels(given))
    tree = model.tree_
    if "n_leaves" in golden:
        for name, got in (("n_leaves", tree.n_leaves), ("size", tree.n_nodes)):
            judge(outcome, "structure", name, got, golden[name])
    expected = printed(golden)
    got_lines = list(lines(tree, given, counted="n_leaves" in golden))
    wrong = [f"{b!r} instead of {a!r}" for a, b in zip(expected, got_lines, strict=False) if a != b]
    judge(outcome, "structure", "printed tree", wrong[:3], [])
    judge(outcome, "structure", "lines", len(got_lines), len(expected))
    judge(outcome, "routing", "confusion", confusion(model, given), golden["train_confusion"])
    if given.incomplete is not None:
        got = model.predict_proba(frame(given.incomplete))
        expected = np.array(golden["na_rows"]["prob"])[:, model.classes_]
        gap = float(np.abs(got - expected).max())
        judge(outcome, "routing", "incomplete rows off by more than 3 decimals", gap > 6e-4, False)
    if outcome.differences and golden["engine"].endswith("Id3"):
        excuse_ties(outcome, given, library)
    return outcome


def excuse_ties(outcome: Outcome, given: WekaProblem, library: ModuleType) -> None:
    """The structure says nothing when two columns of a node have the same gain."""
    model = library.id3(max_competitors=1).fit(frame(given.columns), labels(given))
    tree = model.tree_
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        first, last = tree.competitors.start[node : node + 2]
        if last > first and abs(tree.competitors.gain[first] - tree.gain[node]) < 1e-9:
            outcome.notes.append(f"node {node}: two columns have a gain of {tree.gain[node]:.6f}")
    if outcome.notes:
        outcome.notes += outcome.differences
        outcome.differences = []
        outcome.parts = {p: "tied" if v == "differ" else v for p, v in outcome.parts.items()}


def recipe(golden: Golden, given: WekaProblem, library: ModuleType) -> Any:
    if "Id3" in golden["engine"]:
        return library.id3()
    options = given.options
    return library.c45(
        min_samples_leaf=options["min_samples"],
        confidence=options["confidence"],
        raising=options["raising"],
        categorical_splits="binary" if options["binary"] else "multiway",
    )


def labels(given: WekaProblem) -> list[int]:
    """The classes as positions in the golden's order: ties go to the first class."""
    position = {label: k for k, label in enumerate(given.classes)}
    return [position[label] for label in given.labels]


def judge(outcome: Outcome, part: str, name: str, got: Any, expected: Any) -> None:
    if got == expected:
        outcome.parts.setdefault(part, "match")
    else:
        outcome.parts[part] = "differ"
        outcome.differences.append(f"{name}: {got} instead of {expected}")


def confusion(model: Any, given: WekaProblem) -> list[list[float]]:
    table = np.zeros((len(given.classes), len(given.classes)))
    for truth, predicted in zip(labels(given), model.predict(frame(given.columns)), strict=True):
        table[truth, predicted] += 1
    return table.tolist()


def printed(golden: Golden) -> list[str]:
    """The lines of Weka's print that show the tree."""
    text = [line.replace("|  ", "|").replace(" ", "") for line in golden["tree_text"].splitlines()]
    shown = [line for line in text if line and not line.startswith(("J48", "---", "Id3"))]
    return [line for line in shown if not line.startswith(("NumberofLeaves", "Sizeofthetree"))]


def lines(tree: Any, given: WekaProblem, *, counted: bool) -> Iterator[str]:
    """The same lines from a tree of ours, without spaces."""
    classes, binary = given.classes, given.options["binary"]
    if tree.n_nodes == 1:
        yield leaf_words(tree, 0, classes, counted)
        return
    waiting = [(0, 0, "")]
    while waiting:
        node, depth, question = waiting.pop()
        leaf = bool(tree.is_leaf[node])
        if node:
            yield (
                "|" * (depth - 1)
                + question
                + (leaf_words(tree, node, classes, counted) if leaf else "")
            )
        if not leaf:
            start, end = tree.branch_start[node : node + 2]
            words = questions(tree, node, binary)
            asked = list(zip(words, tree.branch_node[start:end], strict=True))
            # Weka prints the one level before the rest; ours starts with the first level.
            if "!=" in asked[0][0]:
                asked.reverse()
            waiting += [(int(son), depth + 1, words) for words, son in reversed(asked)]


def questions(tree: Any, node: int, binary: bool) -> list[str]:
    info = tree.schema.columns[tree.splits.column[node]]
    name = info.name.replace(" ", "")
    cut = float(tree.splits.cut[node])
    if not np.isnan(cut):
        shown = f"{cut:.6f}".rstrip("0").rstrip(".")
        if binary and "." not in shown:  # Java's print of a double
            shown += ".0"
        return [f"{name}<={shown}", f"{name}>{shown}"]
    codes, branches = tree.splits.level_map(node)
    if not binary:
        return [f"{name}={level}".replace(" ", "") for level in info.levels]
    of_branch = [
        [info.levels[c] for c, b in zip(codes, branches, strict=True) if b == k] for k in range(2)
    ]
    one = min(range(2), key=lambda k: len(of_branch[k]))
    words = [f"{name}={of_branch[one][0]}", f"{name}!={of_branch[one][0]}"]
    return [word.replace(" ", "") for word in (words if one == 0 else reversed(words))]


def leaf_words(tree: Any, node: int, classes: list[str], counted: bool) -> str:
    counts = tree.counts[node, 0]
    total = float(counts.sum())
    if total == 0 and not counted:
        return ":null"
    answer = classes[tree.target.classes[0][tree.answer[node]]].replace(" ", "")
    if not counted:
        return f":{answer}"
    wrong = total - float(counts.max())
    errors = f"/{rounded(wrong)}" if wrong > 1e-6 else ""
    return f":{answer}({rounded(total)}{errors})"


def rounded(x: float) -> str:
    text = f"{x:.2f}".rstrip("0")
    return text + "0" if text.endswith(".") else text
