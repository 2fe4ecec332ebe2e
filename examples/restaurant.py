"""Learning when to wait for a table, after the worked example of Russell and Norvig.

Entropy, gains of two columns, the tree and its formula; then the tree that the book's authors had
in mind, 100 rows sampled from it, and the learning curve: 20 runs for each size from 1 to 99.
Run: python examples/restaurant.py [FOLDER for the plots]
"""

import sys
from pathlib import Path

import ceiba

data = ceiba.datasets.load_restaurant()

print(f"entropy of the target: {ceiba.impurity(data.y, 'entropy')} bits")
for column in ("Patrons", "Type"):
    gain = ceiba.gain(data.X[column], data.y, "multiway", "entropy")
    print(f"gain of {column}: {gain:.3f} bits")

model = ceiba.DecisionTreeClassifier(criterion="entropy", categorical_splits="multiway")
model.fit(data.X, data.y)
print(f"\n{model.tree_}\n")
print("wait if", model.tree_.formula("Yes"), "\n")

bar = ("Bar", {"No": "No", "Yes": "Yes"})
reservation = ("Reservation", {"No": bar, "Yes": "Yes"})
weekend = ("FriSat", {"No": "No", "Yes": "Yes"})
rain = ("Rain", {"No": "No", "Yes": "Yes"})
long_wait = ("Alternate", {"No": reservation, "Yes": weekend})
short_wait = ("Hungry", {"No": "Yes", "Yes": ("Alternate", {"No": "Yes", "Yes": rain})})
estimate = {"0-10": "Yes", "10-30": short_wait, "30-60": long_wait, ">60": "No"}
by_hand = ceiba.tree.build(
    ("Patrons", {"None": "No", "Some": "Yes", "Full": ("WaitEstimate", estimate)})
)
X, y = by_hand.sample(100, random_state=1)
curve = ceiba.inspection.learning_curve(model, X, y, sizes=range(1, 100, 2), repeats=20)
print(f"accuracy after 10, 50 and 99 of 100 rows: {curve.mean[[4, 24, 49]].round(3)}")

if len(sys.argv) > 1:
    folder = Path(sys.argv[1])
    ceiba.plot.plot_tree(model).figure.savefig(folder / "restaurant_tree.png", dpi=80)
    ceiba.plot.plot_tree(by_hand).figure.savefig(folder / "restaurant_by_hand.png", dpi=70)
    ax = ceiba.plot.plot_learning_curve(curve)
    ax.figure.savefig(folder / "restaurant_learning_curve.png", dpi=80)
