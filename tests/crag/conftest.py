"""The samples, ingested once for all tests of this folder, and one server over them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.crag.cli import SAMPLES, crag
from tests.crag.serving import Serving, serving


@pytest.fixture(scope="session")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace that holds the samples. Nobody opens it: tests take copies."""
    home = tmp_path_factory.mktemp("samples") / "home"
    ran = crag("ingest", SAMPLES, home=home)
    assert ran.code == 0, ran.err
    return home


@pytest.fixture(scope="session")
def copy_of_samples(ingested: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    def copy() -> Path:
        return Path(shutil.copytree(ingested, tmp_path_factory.mktemp("copy") / "home"))

    return copy


@pytest.fixture
def home(copy_of_samples: Callable[[], Path]) -> Path:
    """A workspace of the test's own that holds the samples."""
    return copy_of_samples()


@pytest.fixture(scope="session")
def server(copy_of_samples: Callable[[], Path]) -> Iterator[Serving]:
    """A server over the samples, without a language model and without a key."""
    with serving(copy_of_samples()) as running:
        yield running
