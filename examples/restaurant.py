"""Learning when to wait for a table, as Russell and Norvig work it out by hand.

Entropy, gains of all questions, the tree, the same tree written by hand, and new examples drawn
from it. Run: python examples/restaurant.py
"""

import ceiba

data = ceiba.datasets.load_restaurant()

print(f"entropy of the target: {ceiba.impurity(data.y, 'entropy')} bits")
for column in ("Patrons", "Type"):
    gain = ceiba.gain(data.X[column], data.y, "multiway", "entropy")
    print(f"gain of asking for {column}: {gain:.3f} bits")

model = ceiba.DecisionTreeClassifier(criterion="entropy", categorical_splits="multiway")
model.fit(data.X, data.y)
print(f"\n{model.tree_}\n")

full = ("Hungry", {"No": "No", "Yes": ("Type", {"Burger": "Yes", "Italian": "No", "Thai": "Yes"})})
by_hand = ceiba.tree.build(("Patrons", {"None": "No", "Some": "Yes", "Full": full}))
X, y = by_hand.sample(5, random_state=0)
print("five new rows, drawn at random and labelled by a tree written by hand:")
for i, label in enumerate(y):
    print("  ", {name: values[i] for name, values in X.items()}, "->", label)
