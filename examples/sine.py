"""A regression tree on a sine: steps that follow a curve. Run: python examples/sine.py"""

import numpy as np

import ceiba

x = np.linspace(-5, 5, 200)
y = np.sin(x)
model = ceiba.DecisionTreeRegressor(max_depth=3).fit(x.reshape(-1, 1), y)
print(model.tree_)
print(model.evaluate(x.reshape(-1, 1), y))
