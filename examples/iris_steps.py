"""How a tree divides the plane: iris by two columns, split by split.

The points alone, then the partition with 2, 3 and all leaves, each beside its tree.
Run: python examples/iris_steps.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

import ceiba

iris = ceiba.datasets.load_iris()
X = {name: iris.X[name] for name in ("petal length", "petal width")}
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

figure, rows = plt.subplots(
    3, 2, figsize=(17, 14), layout="constrained", width_ratios=[1, 2.2], height_ratios=[3, 3, 5]
)
for (plane, graph), n_leaves in zip(rows, (2, 3, None), strict=True):
    model = ceiba.DecisionTreeClassifier(max_leaf_nodes=n_leaves).fit(X, iris.y)
    ceiba.plot.plot_regions(model, X, iris.y, node_ids=True, legend=False, ax=plane)
    figure.draw_without_rendering()  # so that the tree knows its room
    ceiba.plot.plot_tree(model, ax=graph, node_ids=True, legend=n_leaves is None)
    print(model.tree_, "\n")
figure.savefig(folder / "iris_steps.png", dpi=60)
