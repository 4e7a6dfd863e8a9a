from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from chunking.errors import StoreError
from retrieval.vectors.base import Points
from retrieval.vectors.chroma import ChromaStore
from retrieval.vectors.graphs import check_graphs


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Chroma folder of so many vectors that the graph is written to its files."""
    folder = tmp_path_factory.mktemp("graphs") / "whole"
    rows = np.random.default_rng(1).normal(size=(2200, 16)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    ids = [f"c{number}" for number in range(len(rows))]
    store = ChromaStore(folder, "graphs")
    for first in range(0, len(ids), 550):
        span = slice(first, first + 550)
        store.upsert(Points(ids[span], ids[span], rows[span]))
        store.query(rows[0], 3)
    store.delete(ids[5:40])
    store.query(rows[0], 3)
    store.close()
    return folder


def half(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def flipped(file: Path) -> None:
    content = np.frombuffer(file.read_bytes(), np.uint8).copy()
    places = np.random.default_rng(1).integers(0, len(content), max(20, len(content) // 100))
    content[places] ^= 0xFF
    file.write_bytes(content.tobytes())


def filled(file: Path) -> None:
    file.write_bytes(b"\xff" * file.stat().st_size)


def test_a_whole_graph_passes(stored: Path) -> None:
    assert list(stored.glob("*/header.bin"))
    check_graphs(stored)


@pytest.mark.parametrize("name", ["header.bin", "data_level0.bin", "link_lists.bin"])
@pytest.mark.parametrize("damage", [half, flipped, filled])
def test_a_damaged_graph_is_told_before_it_ends_the_process(
    stored: Path, tmp_path: Path, name: str, damage: Callable[[Path], None]
) -> None:
    folder = Path(shutil.copytree(stored, tmp_path / "copy"))
    (file,) = folder.glob(f"*/{name}")
    damage(file)
    store = ChromaStore(folder, "graphs")
    with pytest.raises(StoreError, match=r"is damaged.*crag index rebuild"):
        store.query(np.eye(16, dtype=np.float32)[0], 3)
    store.close()
