"""Interactive reports for five data sets, and the screenshots of the docs.

Titanic (survival), Seattle (rain, with a column that leaks it), California (house values, 500
leaves), Adult (income, 500 leaves pruned to a few), diabetes (older patients as new rows). Needs
the data sets in the folder CEIBA_DATA; the screenshots need the packages playwright and Pillow, and
Chromium.
Run: python examples/report_pages.py [FOLDER] [--pictures FOLDER]
"""

import argparse
import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes

import ceiba

FILES = {
    "titanic": "titanic.csv",
    "seattle": "seattleWeather_1948-2017.csv",
    "california": "california_housing.csv",
    "adult_train": "adult_train.csv.gz",
    "adult_test": "adult_test.csv.gz",
}
default = Path(__file__).resolve().parents[2] / "shared" / "data"
data = Path(os.environ.get("CEIBA_DATA", default))
if gone := [name for name in FILES.values() if not (data / name).exists()]:
    sys.exit(f"Files not found: {', '.join(gone)}. Set CEIBA_DATA to their folder.")

ADULT = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
]
CHOSEN = ceiba.prune.CostComplexity(rule="1se", keep_unpruned=True)


def hold_out(X, y, share=0.3):
    """Hold out a random share of the rows."""
    test = np.random.default_rng(0).random(len(y)) < share
    return (X[~test], y[~test]), (X[test], y[test])


def titanic():
    frame = pd.read_csv(data / FILES["titanic"])
    y = frame["Survived"].map({0: "died", 1: "lived"}).rename("Survived")
    X = frame[["Pclass", "Sex", "Age", "SibSp", "Parch", "Fare", "Embarked"]]
    train, test = hold_out(X, y)
    model = ceiba.DecisionTreeClassifier(prune=CHOSEN, min_samples_leaf=7, max_competitors=3)
    return model, train, test, "Titanic: who lived?"


def seattle():
    frame = pd.read_csv(data / FILES["seattle"]).dropna()
    y = frame["RAIN"].astype(str).str.upper().map({"TRUE": "rain", "FALSE": "dry"}).rename("RAIN")
    train, test = hold_out(frame[["PRCP", "TMAX", "TMIN"]], y)
    return ceiba.DecisionTreeClassifier(prune="1se"), train, test, "Does it rain in Seattle?"


def california():
    frame = pd.read_csv(data / FILES["california"])
    y = frame.pop("median_house_value")
    train, test = hold_out(frame, y)
    pruning = ceiba.prune.CostComplexity(rule="1se", keep_unpruned=True, folds=5)
    model = ceiba.DecisionTreeRegressor(max_leaf_nodes=500, min_samples_leaf=10, prune=pruning)
    return model, train, test, "House values in California, 1990"


def adult():
    files = [data / FILES["adult_train"], data / FILES["adult_test"]]
    parts = [
        pd.read_csv(f, names=ADULT, skipinitialspace=True, na_values="?", comment="|").dropna(
            subset="income"
        )
        for f in files
    ]
    answers = [part.pop("income").str.rstrip(".") for part in parts]
    columns = [part.drop(columns=["fnlwgt", "education-num"]) for part in parts]
    pruning = ceiba.prune.CostComplexity(rule="1se", keep_unpruned=True, folds=5)
    model = ceiba.DecisionTreeClassifier(max_leaf_nodes=500, prune=pruning)
    (X, X_test), (y, y_test) = columns, answers
    return model, (X, y), (X_test, y_test), "Who earns more than 50,000 dollars?"


def diabetes():
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    old = X["age"] > 55
    model = ceiba.DecisionTreeRegressor(max_depth=2, min_samples_leaf=10)
    return model, (X[~old], y[~old]), (X[old], y[old]), "Diabetes: the younger, and the older"


def trust(name, model, train, test):
    """Check how far a tree can be trusted; of diabetes the older patients are new rows."""
    if name == "diabetes":
        return {"drift": model.drift(*test)}
    if name == "titanic":
        return {
            "stability": model.stability(*train, resamples=100),
            "rivals": model.rival_columns(*train),
            "groups": model.evaluate(*test, by="Sex", positive="lived"),
        }
    return {}


def write(folder):
    """Fit the models and write their pages."""
    for make in (titanic, seattle, california, adult, diabetes):
        model, train, test, title = make()
        model.fit(*train)
        checks = trust(make.__name__, model, train, test)
        page = model.report(
            folder / f"{make.__name__}.html", train=train, test=test, title=title, **checks
        )
        print(page)


# ---------------------------------------------------------------------------------- pictures

# A woman in third class, age unknown, boarded in Queenstown; in column order.
HER = "[3, 0, null, 0, 0, 7.75, 1]"


def scroll_to(selector):
    """Give the script that moves a part of the panel to its top."""
    return (
        f"const at = document.querySelector('{selector}').getBoundingClientRect().top,"
        " p = document.querySelector('#panel'); p.scrollTop += at - p.offsetTop - 12"
    )


# Name of the image: page, script to run on it (r = the page's own functions).
PICTURES = {
    "report_case": ("titanic", f"r.update({{tab: 'case', values: {HER}, hasCase: true}})"),
    "report_node": ("titanic", "r.reveal(r.model.child(0, 1))"),
    "report_model": ("titanic", "r.update({tab: 'model'})"),
    "report_rules": (
        "titanic",
        "r.update({tab: 'model'});"
        "[...document.querySelectorAll('#panel .block')].slice(-2)[0].scrollIntoView();"
        "document.querySelector('#panel').scrollTop -= 12",
    ),
    "report_why": (
        "titanic",
        f"r.update({{tab: 'case', values: {HER}, hasCase: true}}); {scroll_to('#case-shares')}",
    ),
    "report_trust": ("titanic", "r.update({tab: 'trust'})"),
    "report_groups": (
        "titanic",
        f"r.update({{tab: 'trust'}}); {scroll_to('#panel .groups')}",
    ),
    "report_drift": ("diabetes", "r.update({tab: 'trust'})"),
    "report_prune": ("adult", "r.update({tab: 'prune'})"),
    "report_five": (
        "adult",
        "r.update({tab: 'prune', step: r.model.steps.findIndex((s) => s.leaves === 5)})",
    ),
    "report_overview": (
        "california",
        "r.update({step: r.model.steps.length - 1, tab: 'model'});"
        "document.querySelector('#big').click()",
    ),
    "report_leak": ("seattle", "r.update({tab: 'data'})"),
    "report_dark": ("california", "r.update({tab: 'prune'})"),
    "report_phone": ("titanic", f"r.update({{tab: 'case', values: {HER}, hasCase: true}})"),
}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def browser_path():
    """Find the browser, or exit and say what is missing."""
    for package, name in (("playwright", "playwright"), ("PIL", "Pillow")):
        if find_spec(package) is None:
            sys.exit(f"--pictures needs the package {name}: pip install {name.lower()}")
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        sys.exit(
            f"--pictures needs Chromium; none of {', '.join(BROWSERS)} is on the PATH. "
            "Install it (apt-get install chromium), or leave --pictures out."
        )
    return path


def photograph(pages, folder, program):
    """Open the pages in Chromium and take the screenshots of the documentation."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for name, (page_name, script) in PICTURES.items():
            options = (
                PHONE if name == "report_phone" else {"viewport": {"width": 1280, "height": 820}}
            )
            scheme = "dark" if name == "report_dark" else "light"
            page = browser.new_page(color_scheme=scheme, **options)
            page.goto((pages / f"{page_name}.html").resolve().as_uri())
            page.wait_for_selector("#panel h2")
            page.evaluate(f"() => {{ const r = window.ceibaReport; {script}; }}")
            page.wait_for_timeout(800)
            file = folder / f"{name}.png"
            page.screenshot(path=file)
            page.close()
            with Image.open(file) as picture:
                picture.convert("RGB").quantize(256, kmeans=4).save(file, optimize=True)
        browser.close()


def main():
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("folder", nargs="?", type=Path, default=Path(), help="where the pages go")
    reader.add_argument("--pictures", type=Path, metavar="FOLDER", help="take screenshots too")
    asked = reader.parse_args()
    program = browser_path() if asked.pictures else None  # before anything is fitted
    asked.folder.mkdir(parents=True, exist_ok=True)
    write(asked.folder)
    if asked.pictures:
        photograph(asked.folder, asked.pictures, program)


if __name__ == "__main__":
    main()
