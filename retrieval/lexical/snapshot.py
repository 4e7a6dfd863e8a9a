"""The postings of an index as one file, so that opening a large index does not read every term count from SQLite.

The file is derived and may be deleted, damaged or old at any time. It carries the generation of the index and a digest
of the vocabulary it was written for; numpy's container holds a CRC-32 of every array.
"""

from __future__ import annotations

import hashlib
import os
import struct
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from retrieval.lexical.bm25 import BM25Index

_DAMAGED = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    EOFError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
)
"""What numpy and zipfile raise over bytes that are not what was written."""


def snapshot_file(folder: Path) -> Path:
    """For an index whose vectors are in `folder`: in the workspace's folder of postings."""
    return folder.parent.with_name("postings") / f"{folder.name}.npz"


def save_snapshot(path: Path, lexical: BM25Index, generation: int) -> None:
    """Write beside and rename: a crash leaves the old file or the new one. Raises OSError."""
    arrays, size = lexical.arrays()
    partial = path.with_name(f"{path.name}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            vocabulary = np.frombuffer(_digest(lexical.vocabulary[:size]), np.uint8)
            stamp = {"generation": np.int64(generation), "size": np.int64(size), "vocabulary": vocabulary}
            np.savez(file, **stamp, **arrays)  # type: ignore[arg-type]
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def load_snapshot(path: Path, vocabulary: Sequence[str], generation: int) -> BM25Index | None:
    """The index as it was at this generation, or None where the file is missing, damaged or of another state."""
    try:
        # Opened here: of a damaged file numpy leaves its own handle open.
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            size = int(file["size"])
            if int(file["generation"]) != generation or file["vocabulary"].tobytes() != _digest(vocabulary[:size]):
                return None
            names = ("ids", "documents", "codes", "lengths", "starts", "slots", "counts")
            return BM25Index.from_arrays(vocabulary, {name: file[name] for name in names})
    except _DAMAGED:
        return None


def _digest(vocabulary: Sequence[str]) -> bytes:
    return hashlib.sha256("\0".join(vocabulary).encode("utf-8", "surrogatepass")).digest()
