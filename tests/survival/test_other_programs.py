"""Curves and metrics equal those of scikit-survival, lifelines and R's survival."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.survival import SurvivalCurve, brier_scores, concordance

from ..marks import slow
from .cases import draw_case, simulate

SEEDS = [*range(20), *slow(range(20, 200))]
R_SCRIPT = """
library(survival)
arguments <- commandArgs(trailingOnly = TRUE)
data <- read.csv(arguments[1])
options(digits = 17)
out <- file(arguments[2], "w")
for (case in unique(data$case)) {
  d <- data[data$case == case, ]
  fit <- survfit(Surv(time, event) ~ 1, data = d, weights = weight, conf.type = "log-log",
                 robust = FALSE)
  figures <- summary(fit, rmean = 4.5)$table
  cells <- c(figures[c("median", "0.95LCL", "0.95UCL", "rmean", "se(rmean)")], fit$surv, fit$lower,
             fit$upper)
  writeLines(paste(c(case, length(fit$time), format(cells, digits = 17)), collapse = ","), out)
}
close(out)
"""


def structured(time: Any, event: Any) -> Any:
    return np.array(list(zip(event, time, strict=True)), dtype=[("event", bool), ("time", float)])


@pytest.mark.parametrize("seed", SEEDS)
def test_curve_equals_scikit_survival(seed: int) -> None:
    reason = "scikit-survival is not installed"
    nonparametric = pytest.importorskip("sksurv.nonparametric", reason=reason)
    time, event, *_ = draw_case(seed)
    curve = SurvivalCurve.from_rows(time, event)
    times, s, band = nonparametric.kaplan_meier_estimator(event, time, conf_type="log-log")
    assert np.array_equal(curve.time, times)
    assert np.allclose(curve.survival, s, rtol=0, atol=1e-9)
    inside = (s > 1e-12) & (s < 1)
    assert np.allclose(np.array(curve.bands())[:, inside], band[:, inside], rtol=0, atol=1e-9)
    assert np.allclose(curve.hazard, nonparametric.nelson_aalen_estimator(event, time)[1])


@pytest.mark.parametrize("seed", SEEDS)
def test_metrics_equal_scikit_survival(seed: int) -> None:
    metrics = pytest.importorskip("sksurv.metrics", reason="scikit-survival is not installed")
    time, event, _, risk = draw_case(seed)
    harrell = concordance(time, event, risk)
    other = metrics.concordance_index_censored(event, time, risk)
    assert harrell.value == pytest.approx(other[0], abs=1e-9)
    assert harrell[1:4] == pytest.approx(other[1:4])
    train, y = structured(time, event), structured(time, event)
    censoring = SurvivalCurve.of_censoring(time, event)
    horizon = float(np.quantile(time, 0.7)) + 0.5
    uno = concordance(time, event, risk, censoring=censoring, horizon=horizon)
    other = metrics.concordance_index_ipcw(train, y, risk, tau=horizon)
    assert uno.value == pytest.approx(other[0], abs=1e-9)
    grid = np.unique(np.quantile(time, [0.1, 0.3, 0.5, 0.7]))
    grid = grid[grid < time.max()]
    if not len(grid):
        return
    predicted = np.random.default_rng(seed).random((len(time), len(grid)))
    found = brier_scores(time, event, predicted, grid, censoring)
    assert found.scores == pytest.approx(
        metrics.brier_score(train, y, predicted, grid)[1], abs=1e-9
    )
    if len(grid) > 1:
        integrated = metrics.integrated_brier_score(train, y, predicted, grid)
        assert found.integrated == pytest.approx(integrated, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_curve_equals_lifelines(seed: int) -> None:
    lifelines = pytest.importorskip("lifelines", reason="lifelines is not installed")
    time, event, weight, _ = draw_case(seed)
    fitter = lifelines.KaplanMeierFitter().fit(time, event, weights=weight)
    curve = SurvivalCurve.from_rows(time, event, weight)
    s = fitter.survival_function_["KM_estimate"].to_numpy()
    if curve.time[0] > 0:
        s = s[1:]  # starts at time 0
    assert np.allclose(curve.survival, s, rtol=0, atol=1e-9)
    inside = (s > 1e-9) & (s < 1)
    band = fitter.confidence_interval_.to_numpy()[-len(s) :]
    assert np.allclose(np.array(curve.bands()).T[inside], band[inside], rtol=0, atol=1e-9)


@pytest.fixture(scope="module")
def r_figures(tmp_path_factory: pytest.TempPathFactory) -> dict[int, list[float]]:
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed (Debian: r-base-core r-cran-survival)")
    folder: Path = tmp_path_factory.mktemp("survfit")
    lines = ["case,time,event,weight"]
    for seed in range(200):
        time, event, weight, _ = draw_case(seed)
        for t, e, w in zip(time, event, weight, strict=True):
            lines.append(f"{seed},{t!r},{int(e)},{w:g}".replace("np.float64(", "").replace(")", ""))
    (folder / "rows.csv").write_text("\n".join(lines), "utf-8")
    (folder / "survfit.R").write_text(R_SCRIPT, "utf-8")
    arguments = [str(folder / name) for name in ("survfit.R", "rows.csv", "out.csv")]
    done = subprocess.run(["Rscript", *arguments], capture_output=True, text=True, check=False)
    if "there is no package" in done.stderr:
        pytest.skip("R is not installed with its package survival")
    assert done.returncode == 0, done.stderr
    rows = (folder / "out.csv").read_text("utf-8").splitlines()
    cells = [[float("nan") if "NA" in c else float(c) for c in row.split(",")] for row in rows]
    return {int(row[0]): row[1:] for row in cells}


def test_curve_equals_survfit(r_figures: dict[int, list[float]]) -> None:
    for seed, (n, median, low, high, mean, error, *steps) in r_figures.items():
        time, event, weight, _ = draw_case(seed)
        curve = SurvivalCurve.from_rows(time, event, weight)
        assert len(curve.time) == n
        s, lower, upper = np.array(steps).reshape(3, -1)
        assert np.allclose(curve.survival, s, rtol=0, atol=1e-9), seed
        for band, expected in zip(curve.bands(), (lower, upper), strict=True):
            assert np.allclose(band, expected, rtol=0, atol=1e-9, equal_nan=True), seed
        expected = np.nan_to_num([median, low, high], nan=np.inf)
        assert np.allclose(curve.median(), expected), (seed, curve.median(), expected)
        found = curve.restricted_mean(4.5)
        assert found.value == pytest.approx(mean, abs=1e-9), seed
        if found.high < 4.5 and found.low > 0:
            assert (found.high - found.low) / 2 / 1.959963984540054 == pytest.approx(
                error, abs=1e-9
            )


def test_scorers_of_scikit_survival_take_the_estimator() -> None:
    metrics = pytest.importorskip("sksurv.metrics", reason="scikit-survival is not installed")
    frame = simulate(200, 7)
    y = structured(frame["weeks"], frame["died"])
    X = np.stack([frame["age"], frame["noise"]], axis=1)
    model = ceiba.DecisionTreeSurvival(max_depth=2, min_samples_leaf=15)
    for scored in (
        metrics.as_concordance_index_ipcw_scorer(model, tau=6.0),
        metrics.as_integrated_brier_score_scorer(model, times=[1.0, 3.0, 5.0]),
        metrics.as_cumulative_dynamic_auc_scorer(model, times=[1.0, 3.0, 5.0]),
    ):
        assert np.isfinite(scored.fit(X, y).score(X, y))
