"""Parents hold whole chunks of one section, side by side, within their size."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import pytest
from pydantic import ValidationError

from chunking.config import ChunkingConfig
from chunking.loaders import load_bytes
from chunking.strategies import STRATEGIES, build_chunker
from chunking.strategies.tfidf import tfidf_vectors
from chunking.types import chunk_id
from tests.fakes.boundaries import EveryThird

TEXT = "\n\n".join(
    f"# Chapter {chapter}\n\n"
    + "\n\n".join(
        f"## Section {section}\n\n" + " ".join(f"Sentence {i} of part {section} says something." for i in range(length))
        for section, length in enumerate((3, 9, 40), start=1)
    )
    for chapter in (1, 2)
)


def _count(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_parents_are_whole_stretches(strategy: str) -> None:
    sizes = {"strategy": strategy, "target_tokens": 30, "min_tokens": 10, "max_tokens": 60}
    document = load_bytes(TEXT.encode(), source="a.md")
    plain = build_chunker(ChunkingConfig.model_validate(sizes), _count, tfidf_vectors, EveryThird()).chunk(document)
    config = ChunkingConfig.model_validate({**sizes, "parent_tokens": 120})
    chunks = build_chunker(config, _count, tfidf_vectors, EveryThird()).chunk(document)
    assert [(chunk.id, chunk.text) for chunk in chunks] == [(chunk.id, chunk.text) for chunk in plain]
    assert all(chunk.parent_id is None for chunk in plain)
    parents = [list(group) for _, group in groupby(chunks, key=lambda chunk: chunk.parent_id)]
    assert len({group[0].parent_id for group in parents}) == len(parents) < len(chunks)
    for group in parents:
        start, end = group[0].start, group[-1].end
        assert group[0].parent_id == chunk_id(document.id, start, end, document.text[start:end])
        assert sum(chunk.tokens for chunk in group) <= 120
        assert len({chunk.heading_path[:1] for chunk in group}) == 1


def test_a_parent_is_no_smaller_than_a_chunk_may_be() -> None:
    with pytest.raises(ValidationError, match="parent_tokens must be 0 or at least max_tokens"):
        ChunkingConfig(parent_tokens=100)
