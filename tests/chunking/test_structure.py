"""The structure of real technical pages survives chunking: true offsets come from the data set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chunking.config import ChunkingConfig
from chunking.loaders import load_path
from chunking.loaders.markdown import plain_heading
from chunking.strategies import build_chunker
from chunking.types import Chunk, Document


def _count(texts: list[str]) -> list[int]:
    return [len(text.encode()) // 4 + 1 for text in texts]


@pytest.fixture(params=["docs_seatunnel_en", "docs_seatunnel_zh"])
def pages(request: pytest.FixtureRequest, datasets: Path) -> list[tuple[Document, dict]]:
    folder = datasets / request.param
    structure = {
        row["doc_id"]: row for row in map(json.loads, (folder / "structure.jsonl").read_text("utf-8").splitlines())
    }
    rows = map(json.loads, (folder / "documents.jsonl").read_text("utf-8").splitlines())
    read = [(load_path(folder / "corpus" / row["file"]), structure[row["doc_id"]]) for row in rows]
    # One page writes inline code between three marks; the reference takes that for fences.
    sound = [(page, truth) for page, truth in read if "sql-functions" not in page.source]
    assert len(sound) == len(read) - 1
    return sound


def _parts(text: str, span: list[int], chunks: list[Chunk]) -> bool:
    """Whether some chunk begins or ends inside the span, with text of the span on either side."""
    start, end = span
    return any(
        start < place < end and text[start:place].strip() and text[place:end].strip()
        for chunk in chunks
        for place in (chunk.start, chunk.end)
    )


@pytest.mark.parametrize("strategy", ["hybrid", "paragraph", "sentence"])
def test_headings_rows_and_code(pages: list[tuple[Document, dict]], strategy: str) -> None:
    chunker = build_chunker(ChunkingConfig(strategy=strategy), _count)
    for document, truth in pages:
        chunks = chunker.chunk(document)
        for heading in truth["headings"]:
            holder = [chunk for chunk in chunks if chunk.start <= heading["start"] < chunk.end]
            below = document.text[heading["end"] :].strip()
            # A heading at the very end announces nothing and is left out.
            assert bool(holder) == bool(below)
            assert not below or document.text[heading["end"] : holder[0].end].strip(), (document.source, heading)
        for table in truth["tables"]:
            assert not any(_parts(document.text, row, chunks) for row in table["rows"]), document.source
        for start, end in truth["code"]:
            assert not _parts(document.text, [start, end], [chunk for chunk in chunks if not chunk.forced])


def test_heading_paths(pages: list[tuple[Document, dict]]) -> None:
    chunker = build_chunker(ChunkingConfig(), _count)
    for document, truth in pages:
        marks: list[tuple[int, tuple[str, ...]]] = [(0, ())]
        open_headings: list[tuple[int, str]] = []
        for heading in truth["headings"]:
            open_headings = [item for item in open_headings if item[0] < heading["level"]]
            open_headings.append((heading["level"], plain_heading(heading["text"])))
            marks.append((heading["start"], tuple(title for _, title in open_headings)))
        for block in document.blocks:
            assert block.heading_path == [path for start, path in marks if start <= block.start][-1]
        for chunk in chunker.chunk(document):
            last = [path for start, path in marks if start < chunk.end][-1]
            assert last[: len(chunk.heading_path)] == chunk.heading_path


def test_a_continued_table_repeats_its_header(pages: list[tuple[Document, dict]]) -> None:
    chunker = build_chunker(ChunkingConfig(target_tokens=60, min_tokens=20), _count)
    continued = 0
    for document, truth in pages:
        chunks = chunker.chunk(document)
        for table in truth["tables"]:
            header = document.text[slice(*table["rows"][0])].strip()
            for start, _ in table["rows"][2:]:
                chunk = next(chunk for chunk in chunks if chunk.start <= start + 1 < chunk.end)
                if chunk.start > table["start"] and _count([header])[0] < 60:
                    assert header in chunk.context
                    continued += 1
    assert continued > 100
