"""Shared by all tests: no connection leaves the machine, no key is set, and where the public data sets are."""

from __future__ import annotations

import os
import runpy
from pathlib import Path

import pytest
from hypothesis import settings

# How fast an example runs says something about the machine, not about the code.
settings.register_profile("project", deadline=None)
settings.load_profile("project")

_GUARD = Path(__file__).parent / "netguard"
runpy.run_path(str(_GUARD / "sitecustomize.py"))
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(_GUARD), os.environ.get("PYTHONPATH", "")]))
for _name in [name for name in os.environ if name.endswith("_API_KEY") or name.startswith(("CRAG_", "OPENAI_"))]:
    del os.environ[_name]
os.environ["HF_HUB_OFFLINE"] = os.environ["ORT_DISABLE_TELEMETRY"] = "1"

DATASETS = Path(__file__).parents[2] / "shared" / "datasets"


@pytest.fixture(scope="session")
def datasets() -> Path:
    """The public question sets that lie beside the clone."""
    if not DATASETS.is_dir():
        pytest.skip(f"the public data sets are not at {DATASETS}")
    return DATASETS
