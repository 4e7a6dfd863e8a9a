from __future__ import annotations

from pathlib import Path

import pytest

from eval.suite import Suite
from tests.fakes.small_suite import suite_folder


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return suite_folder(tmp_path / "suite")
