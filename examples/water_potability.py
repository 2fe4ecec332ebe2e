"""Is the water fit to drink? 3,276 samples with missing values.

The tree of the documents' first figure, its missing values, and its evaluation on held-out rows:
the columns carry little information. Needs water_potability.csv (Kaggle, adityakadiwal) in the
folder CEIBA_DATA.
Run: python examples/water_potability.py [FOLDER]
"""

import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd

import ceiba

default = Path(__file__).resolve().parents[2] / "shared" / "data"
file = Path(os.environ.get("CEIBA_DATA", default)) / "water_potability.csv"
if not file.exists():
    sys.exit(f"File not found: {file.name}. Set CEIBA_DATA to its folder.")

frame = pd.read_csv(file)
X, y = frame.drop(columns="Potability"), frame["Potability"].map({0: "unfit", 1: "fit"})
held_out = np.random.default_rng(0).random(len(frame)) < 0.25
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

model = ceiba.DecisionTreeClassifier(max_depth=4, min_samples_leaf=20)
model.fit(X[~held_out], y[~held_out])
print(model.summary())
print(model.evaluate(X[held_out], y[held_out]))
ax = ceiba.plot.plot_tree(model)
ax.figure.savefig(folder / "water_tree.png", dpi=60)
ax = ceiba.plot.plot_importance(model, X[held_out], y[held_out])
ax.figure.savefig(folder / "water_importance.png", dpi=80)
