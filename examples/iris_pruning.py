"""Pruning, step by step: the nested trees of minimal cost-complexity pruning and their partitions.

The sequence of Breiman et al. (1984) for iris by two columns, and the choice by cross-validation.
Run: python examples/iris_pruning.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

import ceiba

iris = ceiba.datasets.load_iris()
X = {name: iris.X[name] for name in ("petal length", "petal width")}
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

sequence = ceiba.DecisionTreeClassifier().fit(X, iris.y).tree_.pruning_sequence()
print(sequence)
steps = [k for k in range(len(sequence)) if sequence.tree(k).n_leaves > 1]
figure, planes = plt.subplots(1, len(steps), figsize=(3.2 * len(steps), 3.4), layout="constrained")
for plane, k in zip(planes, steps, strict=True):
    tree = sequence.tree(k)
    ceiba.plot.plot_regions(tree, X, iris.y, columns=list(X), legend=False, point_size=8, ax=plane)
    plane.set_title(f"alpha {sequence.alpha[k]:.3g}: {tree.n_leaves} leaves", fontsize="medium")
figure.savefig(folder / "iris_pruning.png", dpi=80)

model = ceiba.DecisionTreeClassifier(prune="1se").fit(X, iris.y)
print(model.pruning_table_)
ceiba.plot.plot_pruning(model).figure.savefig(folder / "iris_pruning_curve.png", dpi=80)
