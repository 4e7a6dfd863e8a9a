from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from chunking.config import ChunkingConfig
from chunking.types import Chunk
from retrieval.config import RetrievalConfig
from retrieval.embedders.cache import CachedEmbedder
from retrieval.index import Index
from retrieval.ingest import ingest
from retrieval.retriever import Retriever
from retrieval.sections import Section, merge_siblings
from retrieval.types import Copy, DocumentInfo, Hit
from retrieval.workspace import Workspace
from tests.fakes.embedder import HashEmbedder

DOCUMENT = DocumentInfo("d", "d.md", "D", "text/markdown")
SECTIONS = {"p": Section(Chunk("p", "d", 0, 40, "section p", 40), 4), "q": Section(Chunk("q", "d", 50, 60, "q", 10), 1)}


def hit(name: str, parent: str | None, **signals: float) -> Hit:
    chunk = Chunk(name, "d", 0, 10, name, 10, parent_id=parent)
    copy = Copy(1, 2, None, DocumentInfo(name, f"{name}.md", "", "text/plain"))
    return Hit(chunk, DOCUMENT, 1.0, {"rrf": 1.0}, {"rrf": 1}, signals, (copy,))


HITS = [hit("a", "p", coverage=0.2), hit("x", None), hit("b", "p", coverage=0.9), hit("y", "q"), hit("c", "p")]


@pytest.mark.parametrize(
    ("best", "share", "kept"),
    [
        (5, 0.75, ["p", "x", "y"]),
        (5, 0.76, ["a", "x", "b", "y", "c"]),
        (3, 0.5, ["p", "x", "y"]),
        (2, 0.5, ["a", "x", "b", "y", "c"]),
        (1, 0.0, ["p", "x", "y"]),
    ],
)
def test_a_section_takes_the_place_of_its_best_chunk_where_enough_were_found(
    best: int, share: float, kept: list[str]
) -> None:
    found = merge_siblings(HITS, best=best, share=share, sections=lambda ids: {i: SECTIONS[i] for i in ids})
    assert [each.chunk.id for each in found] == kept
    if kept[0] == "p":
        assert found[0].signals == {"coverage": 0.9}
        assert found[0].scores == HITS[0].scores
        assert [copy.document.id for copy in found[0].also_in] == ["a", "b", "c"]


def test_without_parents_nothing_is_looked_up() -> None:
    def sections(ids: object) -> dict[str, Section]:
        raise AssertionError

    assert merge_siblings([HITS[1]], best=10, share=0.5, sections=sections) == [HITS[1]]


TOPICS = ("valve", "motor", "panel", "sensor")


@pytest.fixture
def sections(workspace: Workspace, embedder: HashEmbedder, tmp_path: Path) -> Index:
    """Documents of four sections, each of them cut into several chunks of one parent."""
    for name in ("north", "south", "east"):
        parts = [
            f"## The {topic}\n\n" + " ".join(f"The {name} {topic} has rule {i} of the house." for i in range(12))
            for topic in TOPICS
        ]
        (tmp_path / f"{name}.md").write_text(f"# The {name} hall\n\n" + "\n\n".join(parts), "utf-8")
    chunking = ChunkingConfig(strategy="sentence", target_tokens=24, min_tokens=8, max_tokens=40, parent_tokens=130)
    index = workspace.index(chunking, CachedEmbedder(embedder, workspace.cache))
    ingest(workspace, index, [tmp_path / f"{name}.md" for name in ("north", "south", "east")], warm_sentences=False)
    return index


def test_what_is_read_is_the_document_from_the_first_sibling_to_the_last(sections: Index) -> None:
    question = "Which rules has the north valve?"
    small = Retriever(sections, sections.embedder, RetrievalConfig(section_share=1, top_k=3)).retrieve(question).hits
    large = Retriever(sections, sections.embedder, RetrievalConfig(section_share=0, top_k=3)).retrieve(question).hits
    assert all(each.chunk.parent_id is not None for each in small)
    chunks = {c.id: c for r in sections.registry for c in sections.chunks.of_document(r.id)}
    for found in large:
        children = [c for c in chunks.values() if c.parent_id == found.chunk.id]
        text = sections.registry.get(found.document.id).text
        assert len(children) > 1
        assert found.chunk.text == text[found.chunk.start : found.chunk.end]
        assert found.chunk.start == min(c.start for c in children)
        assert found.chunk.end == max(c.end for c in children)
        # A section is no larger than the pipeline's parents may be.
        assert found.chunk.tokens == sum(c.tokens for c in children) <= sections.chunking.parent_tokens
        assert all(c.heading_path[: len(found.chunk.heading_path)] == found.chunk.heading_path for c in children)
    spans = sorted((each.document.id, each.chunk.start, each.chunk.end) for each in large)
    assert all(a[0] != b[0] or a[2] <= b[1] for a, b in itertools.pairwise(spans))
