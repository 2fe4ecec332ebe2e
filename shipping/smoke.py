"""What an installed wheel must do, away from the project: learn, predict, save, report, export.

Runs in an environment that has the wheel, its dependencies and the extras cli and plot only.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import ceiba
from ceiba.datasets import load_iris, load_restaurant


def main() -> None:
    assert "site-packages" in str(ceiba.__file__), ceiba.__file__
    iris, restaurant = load_iris(), load_restaurant()
    model = ceiba.DecisionTreeClassifier(prune="1se").fit(iris.X, iris.y)
    assert model.score(iris.X, iris.y) > 0.9
    words = ceiba.DecisionTreeClassifier(criterion="entropy", categorical_splits="multiway")
    assert words.fit(restaurant.X, restaurant.y).score(restaurant.X, restaurant.y) == 1.0
    model.save("iris.ceiba")
    assert (ceiba.load("iris.ceiba").predict(iris.X) == model.predict(iris.X)).all()
    model.report("iris.html", train=(iris.X, iris.y))
    assert "<script" in Path("iris.html").read_text("utf-8")
    assert "CASE" in ceiba.export.to_sql(model.tree_)
    folder = Path(sys.executable).parent
    script = next(file for file in (folder / "ceiba", folder / "ceiba.exe") if file.exists())
    for words_of in (["--version"], ["show", "iris.ceiba"], ["demo", "--out", "look"]):
        subprocess.run([script, *words_of], check=True, stdout=subprocess.DEVNULL)
    print(f"the wheel of ceiba {ceiba.__version__} works in {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
