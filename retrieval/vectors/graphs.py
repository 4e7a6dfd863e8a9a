"""Whether Chroma's HNSW graphs can be walked: hnswlib trusts its files, and a damaged one ends the process.

The layout is that of hnswlib's saveIndex as Chroma splits it. ``header.bin``: counts and sizes. ``data_level0.bin``:
a record for each element, its neighbours on the lowest level first. ``link_lists.bin``: for each element the number of
bytes of its neighbours on the levels above, and those.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

_HEADER = struct.Struct("<i6QiI3QdQ")


def check_graphs(folder: Path) -> None:
    """Raises ValueError over a graph whose files do not fit together or lead outside of them; OSError."""
    for header in sorted(folder.glob("*/header.bin")):
        try:
            _check(header.parent)
        except (ValueError, struct.error, IndexError) as error:
            raise ValueError(f"the graph in {header.parent.name} is damaged: {error}") from error


def _check(graph: Path) -> None:
    raw = (graph / "header.bin").read_bytes()
    if len(raw) != _HEADER.size:
        raise ValueError(f"header.bin has {len(raw)} bytes")
    _, offset, most, count, size, label, data, top, entry, fan, fan_low, _, _, _ = _HEADER.unpack(raw)
    if offset or count > most or data != 4 + 4 * fan_low or not data < label or label + 8 != size:
        raise ValueError("header.bin does not hold what belongs there")
    if not count:  # Chroma sets files of some size aside before it writes the first graph.
        return
    if not (0 <= top < 64 and entry < count):
        raise ValueError("header.bin names no element to begin at")
    if (graph / "data_level0.bin").stat().st_size != count * size:
        raise ValueError("data_level0.bin is not as long as header.bin says")
    records = np.memmap(graph / "data_level0.bin", np.uint8, "r", shape=(count, size))
    lists = np.ascontiguousarray(records[:, :data]).view(np.uint32)
    # The upper half of the word holds the mark of a deleted element.
    held = lists[:, 0] & 0xFFFF
    if (held > fan_low).any():
        raise ValueError("data_level0.bin holds too many neighbours")
    if (lists[:, 1:][np.arange(fan_low) < held[:, None]] >= count).any():
        raise ValueError("data_level0.bin names neighbours that do not exist")
    _check_upper(np.frombuffer((graph / "link_lists.bin").read_bytes(), np.uint32), count, fan, top, entry)


def _check_upper(
    words: np.ndarray[tuple[int], np.dtype[np.uint32]], count: int, fan: int, top: int, entry: int
) -> None:
    levels = np.zeros(count, np.int64)
    found: list[tuple[int, np.ndarray[tuple[int], np.dtype[np.uint32]]]] = []
    at = 0
    for element in range(count):
        level, rest = divmod(int(words[at]), 4 * (fan + 1))
        at += 1
        if rest or level > top:
            raise ValueError("link_lists.bin holds a list of an impossible length")
        levels[element] = level
        for each in range(1, level + 1):
            held = int(words[at]) & 0xFFFF
            if held > fan:
                raise ValueError("link_lists.bin holds too many neighbours")
            found.append((each, words[at + 1 : at + 1 + held]))
            at += fan + 1
    if at != len(words) or levels[entry] != top:
        raise ValueError("link_lists.bin does not end where it should")
    for level, neighbours in found:
        if (neighbours >= count).any() or (levels[neighbours] < level).any():
            raise ValueError("link_lists.bin names neighbours that do not exist")
