"""A regression tree on a curve: the tree, and its step function along the sine.

Run: python examples/sine.py [FOLDER]
"""

import sys
from pathlib import Path

import numpy as np

import ceiba

x = np.linspace(-5, 5, 100)
y = np.sin(x) + 0.3 * np.cos(3 * x)
X = {"x": x}
model = ceiba.DecisionTreeRegressor(max_depth=3).fit(X, y)
print(model.tree_)
print(model.evaluate(X, y))

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
ax = ceiba.plot.plot_tree(model, X, y, node_ids=True)
ax.figure.savefig(folder / "sine_tree.png", dpi=60)
ax = ceiba.plot.plot_prediction(model, X, y, label="depth 3")
deeper = ceiba.DecisionTreeRegressor(max_depth=5).fit(X, y)
ceiba.plot.plot_prediction(deeper, label="depth 5", color="#4477AA", ax=ax)
ax.figure.savefig(folder / "sine_staircase.png", dpi=80)
