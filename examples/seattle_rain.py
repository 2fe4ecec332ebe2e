"""Did it rain in Seattle? 25,551 days, 1948 to 2017.

Precipitation of the same day leaks the target, as the first tree shows; the second tree uses only
temperatures. Needs seattleWeather_1948-2017.csv (Kaggle, rtatman) in the folder CEIBA_DATA.
Run: python examples/seattle_rain.py [FOLDER]
"""

import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd

import ceiba

default = Path(__file__).resolve().parents[2] / "shared" / "data"
file = Path(os.environ.get("CEIBA_DATA", default)) / "seattleWeather_1948-2017.csv"
if not file.exists():
    sys.exit(f"File not found: {file.name}. Set CEIBA_DATA to its folder.")

frame = pd.read_csv(file).dropna(subset="RAIN")
frame["RAIN"] = frame["RAIN"].astype(str).str.upper().map({"TRUE": "rain", "FALSE": "dry"})
held_out = np.random.default_rng(0).random(len(frame)) < 0.2
train, test = frame[~held_out], frame[held_out]
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

all_columns = ["PRCP", "TMAX", "TMIN"]
model = ceiba.DecisionTreeClassifier(prune="1se").fit(train[all_columns], train["RAIN"])
print(model.tree_)
print(model.evaluate(test[all_columns], test["RAIN"]))

temperatures = ["TMAX", "TMIN"]
model = ceiba.DecisionTreeClassifier(prune="1se", min_samples_leaf=50)
model.fit(train[temperatures], train["RAIN"])
print(model.tree_.rules(sort="share"))
print(model.evaluate(test[temperatures], test["RAIN"]))
shown = model.tree_.prune(n_leaves=8)
ax = ceiba.plot.plot_tree(shown, train[temperatures], train["RAIN"])
ax.figure.savefig(folder / "seattle_tree.png", dpi=60)
some = test.sample(600, random_state=0)
ax = ceiba.plot.plot_regions(model, some[temperatures], some["RAIN"], point_size=8)
ax.figure.savefig(folder / "seattle_regions.png", dpi=80)
