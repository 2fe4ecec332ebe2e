"""The sample of tests that `make sanitize` runs."""

from __future__ import annotations

import argparse
from types import SimpleNamespace

import pytest

from tests.hardening.every_kth import pytest_collection_modifyitems
from tests.hardening.sanitize import CORE, OTHERS, ROOT, SAMPLE, sampling

IDS = [f"tests/grow/test_a.py::test_{i}" for i in range(7)]
IDS += [f"tests/trust/test_b.py::test_{i}" for i in range(12)]


def _kept(**environment: str) -> list[str]:
    items = [SimpleNamespace(nodeid=name) for name in IDS]
    left_out: list[SimpleNamespace] = []
    config = SimpleNamespace(
        hook=SimpleNamespace(pytest_deselected=lambda items: left_out.extend(items))
    )
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CEIBA_EVERY_KTH", "CEIBA_SAMPLED"):
            patch.delenv(name, raising=False)
        for name, value in environment.items():
            patch.setenv(name, value)
        pytest_collection_modifyitems(config, items)
    assert len(items) + len(left_out) == len(IDS)
    return [item.nodeid for item in items]


def _options(**given: object) -> argparse.Namespace:
    return argparse.Namespace(**{"every": None, "whole": False, "tests": None, **given})


def test_default_keeps_the_core_and_samples_the_others() -> None:
    kept = _kept(**sampling("address", _options()))
    assert kept == IDS[:7] + IDS[7::SAMPLE]


@pytest.mark.parametrize("given", [{"whole": True}, {"tests": ["tests/trust"]}])
def test_whole_and_named_tests_are_not_sampled(given: dict[str, object]) -> None:
    assert _kept(**sampling("address", _options(**given))) == IDS


def test_every_samples_all() -> None:
    assert _kept(**sampling("thread", _options(every=4, whole=True))) == IDS[::4]


def test_selected_tests_exist() -> None:
    for kind in CORE:
        for path in CORE[kind] + OTHERS[kind]:
            assert (ROOT / path).exists(), path
