"""How a tree divides the plane: iris by two columns, split by split.

The points alone, then the partition with 2, 3 and all leaves, each next to its tree.
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
    4, 2, figsize=(17, 17), layout="constrained", width_ratios=[1, 2.2], height_ratios=[3, 3, 3, 5]
)
largest = ceiba.DecisionTreeClassifier().fit(X, iris.y).tree_
trees = [largest.prune(n_leaves=n) for n in (1, 2, 3)] + [largest]
for (plane, graph), tree in zip(rows, trees, strict=True):
    ceiba.plot.plot_regions(tree, X, iris.y, columns=list(X), node_ids=True, legend=False, ax=plane)
    figure.draw_without_rendering()  # so that the tree knows the size of its axes
    ceiba.plot.plot_tree(tree, ax=graph, node_ids=True, legend=tree is largest)
    print(tree, "\n")
figure.savefig(folder / "iris_steps.png", dpi=60)
