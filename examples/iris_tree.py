"""The iris tree as a plot, as shown in the README.

Run: python examples/iris_tree.py [FILE]
"""

import sys

import ceiba

iris = ceiba.datasets.load_iris()
model = ceiba.DecisionTreeClassifier(max_depth=3).fit(iris.X, iris.y)
ax = ceiba.plot.plot_tree(model)
ax.figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "iris_tree.png", dpi=100)
