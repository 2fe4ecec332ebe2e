"""A tree of 500 leaves on one page: as an icicle plot, and folded.

Run: python examples/large_tree.py [FOLDER]
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

import ceiba

rng = np.random.default_rng(11)
n = 20_000
X = pd.DataFrame(rng.random((n, 5)), columns=["age", "gain", "hours", "loss", "score"])
chance = 1 / (1 + np.exp(-8 * (X["age"] - 0.5) - 6 * (X["gain"] - 0.6) * (X["hours"] > 0.4)))
y = np.where(rng.random(n) < chance, ">50K", "<=50K")
model = ceiba.DecisionTreeClassifier(max_leaf_nodes=500).fit(X, y)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
ceiba.plot.plot_icicle(model).figure.savefig(folder / "large_icicle.png", dpi=80)
ceiba.plot.plot_tree(model, max_depth=3).figure.savefig(folder / "large_folded.png", dpi=70)
