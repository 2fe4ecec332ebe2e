"""A survival tree of lung cancer patients, and the Kaplan-Meier curves of its leaves.

Run: python examples/lung.py [FOLDER for the plots]
"""

import sys
from pathlib import Path

import ceiba

lung = ceiba.datasets.load_lung()
model = ceiba.DecisionTreeSurvival(max_depth=2, min_samples_leaf=20).fit(lung.X, lung.y)
print(model.tree_)

if len(sys.argv) > 1:
    folder = Path(sys.argv[1])
    ceiba.plot.plot_tree(model).figure.savefig(folder / "lung_tree.png", dpi=80)
    ceiba.plot.plot_survival(model).figure.savefig(folder / "lung_curves.png", dpi=80)
