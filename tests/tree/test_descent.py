"""Many rows sent down node by node end where each row ends alone."""

import numpy as np
import pandas as pd
import pytest

import ceiba
from tests.marks import slow

GROWN = {
    "id3": lambda: ceiba.id3(),
    "chaid": lambda: ceiba.chaid(split=0.5, min_samples_split=2),
    "surrogates": lambda: ceiba.DecisionTreeClassifier(missing="surrogate", max_depth=6),
    "rpart": lambda: ceiba.rpart("class", cp=0.0, minsplit=5, usesurrogate=1),
    "c45": lambda: ceiba.c45(),
    "unseen stays apart": lambda: ceiba.c45(unseen="majority"),
}


def frame(rng, n, levels="abcdef"):
    table = pd.DataFrame(
        {
            "x": rng.normal(size=n).round(1),
            "y": rng.integers(0, 4, n).astype(float),
            "l": pd.Categorical(rng.choice(list(levels), n)),
            "o": pd.Categorical(
                rng.choice(["low", "mid", "high"], n), ["low", "mid", "high"], True
            ),
        }
    )
    for name in table:
        table.loc[rng.random(n) < 0.15, name] = np.nan
    return table


@pytest.mark.parametrize("name", GROWN)
@pytest.mark.parametrize("seed", [0, *slow([1, 2])])
def test_rows_together_end_where_each_ends_alone(name, seed):
    rng = np.random.default_rng(seed)
    X = frame(rng, 400)
    target = X.x.fillna(0) + X.y.fillna(2) + (X.l == "a") * 2 + rng.normal(size=400)
    if name == "id3":
        X = X.fillna({"x": 0.0, "y": 0.0, "l": "a", "o": "low"})
    tree = GROWN[name]().fit(X, np.digitize(target, [1.0, 3.0])).tree_
    new = frame(rng, 100, "abcdefgh")  # with levels that the tree has never seen
    if name == "id3":
        new = new.fillna({"x": 0.0, "y": 0.0, "l": "a", "o": "low"})
    alone = [tree.apply(new.iloc[[i]])[0] for i in range(len(new))]
    assert tree.n_leaves > 3
    assert tree.apply(new).tolist() == alone
    together = tree.predict_proba(new)
    alone = np.vstack([tree.predict_proba(new.iloc[[i]]) for i in range(len(new))])
    np.testing.assert_array_equal(together, alone)
