"""LightGBM with quantised gradients: one tree, as in lightgbm.py, from gradients of 4 levels."""

from __future__ import annotations

from typing import Any

from benchmarks.libraries import Settings, lightgbm
from benchmarks.tables import Data

why_absent, version, prepare = lightgbm.why_absent, lightgbm.version, lightgbm.prepare
predict, leaves = lightgbm.predict, lightgbm.leaves


def fit(data: Data, settings: Settings) -> Any:
    return lightgbm.fit(data, settings, use_quantized_grad=True, quant_train_renew_leaf=True)
