"""Trees and rules of the families on the same data sets: the figures of docs/families.md.

    python -m benchmarks.families

Adult is fitted on its training file and evaluated on its test file; for mushrooms a random third of
the rows is held out. The files are read from the folder CEIBA_DATA.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from benchmarks.tables import TABLES

RECIPES = ("cart", "id3", "c45", "chaid")


def adult() -> tuple[Any, Any, str]:
    """Return the rows to learn from, those to judge on, and the target."""
    import pandas as pd

    names = [f"c{k}" for k in range(14)] + ["income"]
    options: Any = {"header": None, "skipinitialspace": True, "na_values": "?", "names": names}
    learn = pd.read_csv(TABLES / "adult_train.csv.gz", **options)
    new = pd.read_csv(TABLES / "adult_test.csv.gz", **options)
    return learn, new.assign(income=new["income"].str.rstrip(".")), "income"


def mushrooms() -> tuple[Any, Any, str]:
    """Return the rows to learn from, those to judge on, and the target."""
    import pandas as pd
    from sklearn.model_selection import train_test_split

    frame = pd.read_csv(TABLES / "mushrooms.csv", na_values="?")
    learn, new = train_test_split(frame, test_size=1 / 3, random_state=0)
    return learn, new, "type"


def lines(name: str, learn: Any, new: Any, target: str) -> Iterator[str]:
    """Yield a line per recipe, and one for the rules of C4.5's tree."""
    import ceiba

    X, y = learn.drop(columns=target), learn[target]
    X_new, y_new = new.drop(columns=target), new[target]
    for recipe in RECIPES:
        started = time.process_time()
        model = getattr(ceiba, recipe)(n_jobs=1).fit(X, y)
        seconds = time.process_time() - started
        tree = model.tree_
        size = f"{tree.n_leaves:,} leaves | {tree.depth} | {tree.node_depth[tree.leaves].sum():,}"
        yield f"| {name} | {recipe} | {size} | {model.score(X_new, y_new):.2%} | {seconds:.2f} s |"
        if recipe == "c45":
            started = time.process_time()
            rules = ceiba.RuleSet.from_tree(model, X, y)
            seconds = time.process_time() - started
            right = rules.score(X_new, y_new)
            size = f"{len(rules.rules_):,} rules |  | {rules.n_tests_:,}"
            yield f"| {name} | c45, RuleSet | {size} | {right:.2%} | {seconds:.2f} s |"


def main() -> None:
    print("| table | recipe | size | depth | tests on all paths | right on new rows | CPU time |")
    print("|---|---|---|---|---|---|---|")
    for name, tables in (("adult", adult()), ("mushrooms", mushrooms())):
        for line in lines(name, *tables):
            print(line, flush=True)


if __name__ == "__main__":
    main()
