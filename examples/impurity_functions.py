"""Impurity of two classes: entropy, Gini index and error rate over (p, 1 - p).

Run: python examples/impurity_functions.py [FOLDER]
"""

import sys
from pathlib import Path

import ceiba

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
ax = ceiba.plot.plot_impurity(["entropy", "gini", "error"])
ax.figure.savefig(folder / "impurity.png", dpi=80)
