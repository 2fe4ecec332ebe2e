"""Three Gaussian clouds: the tree, its decision function, and the path of one black point.

Run: python examples/three_gaussians.py [FOLDER]
"""

import sys
from pathlib import Path

import numpy as np

import ceiba

rng = np.random.default_rng(0)
clouds = [
    rng.multivariate_normal([5, 5], [[4, 0], [0, 2]], 1000),
    rng.multivariate_normal([-5, -10], [[2, 1], [1, 3]], 1000),
    rng.multivariate_normal([15, -6], [[2, 3], [3, 7]], 1000),
]
X = dict(zip(("x", "y"), np.concatenate(clouds).T, strict=True))
y = np.repeat([1, 2, 3], 1000)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

model = ceiba.DecisionTreeClassifier(criterion="entropy", min_samples_split=1010).fit(X, y)
ax = ceiba.plot.plot_tree(model, X, y, node_ids=True, impurity=True, counts=True)
ax.figure.savefig(folder / "gaussians_tree.png", dpi=80)

point = {"x": -3.0, "y": 0.5}
ax = ceiba.plot.plot_regions(model, X, y, point_size=6)
ax.plot(point["x"], point["y"], "o", color="black", ms=9, mec="white", zorder=5)
ax.figure.savefig(folder / "gaussians_regions.png", dpi=80)

print(model.explain(point))
ceiba.plot.plot_path(model, point).figure.savefig(folder / "gaussians_path.png", dpi=80)
