"""The bill of materials of a wheel, as CycloneDX JSON: what is compiled in, and what it needs.

nanobind and the hash map inside it are compiled into ``_core``; the dependencies are those of
pyproject.toml, which pip installs beside it. Number and time are those of the version and of
SOURCE_DATE_EPOCH: the bill of one commit is the same text on any day.
"""

from __future__ import annotations

import os
import re
import tomllib
import uuid
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from cyclonedx.factory.license import LicenseFactory
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output.json import JsonV1Dot5
from packageurl import PackageURL

ROOT = Path(__file__).resolve().parents[1]
#: Compiled into the core; robin_map comes with nanobind's sources and has no version of its own.
COMPILED_IN = {"nanobind": "BSD-3-Clause", "robin-map": "MIT"}


def bill_of_materials() -> str:
    """Give the bill as text."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    licence = LicenseFactory()
    ceiba = Component(
        name="ceiba",
        version=project["version"],
        type=ComponentType.LIBRARY,
        licenses=[licence.make_with_expression(project["license"])],
        purl=PackageURL("pypi", name="ceiba", version=project["version"]),
        bom_ref="ceiba",
    )
    content = f"{project['name']} {project['version']} {os.environ['SOURCE_DATE_EPOCH']}"
    bill = Bom(serial_number=uuid.uuid5(uuid.NAMESPACE_OID, content))
    bill.metadata.timestamp = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)
    bill.metadata.component = ceiba
    parts = [
        Component(
            name=name,
            version=version(name) if name == "nanobind" else None,
            type=ComponentType.LIBRARY,
            licenses=[licence.make_with_expression(terms)],
            scope=ComponentScope.REQUIRED,
            bom_ref=name,
            description="compiled into ceiba._core",
        )
        for name, terms in COMPILED_IN.items()
    ]
    for requirement in project["dependencies"]:
        name = re.split(r"[<>=~! ;\[]", requirement)[0]
        parts.append(
            Component(
                name=name,
                type=ComponentType.LIBRARY,
                scope=ComponentScope.REQUIRED,
                purl=PackageURL("pypi", name=name),
                bom_ref=name,
                description=f"run-time dependency: {requirement}",
            )
        )
    for part in parts:
        bill.components.add(part)
    bill.register_dependency(ceiba, parts)
    return str(JsonV1Dot5(bill).output_as_string(indent=2))
