"""Terms and term counts that are lost or damaged in SQLite: the vectors answer, the answer says so, rebuild mends.

The damage is real: bytes of the closed file are flipped, page by page of the table in question.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from chunking.errors import StoreError
from retrieval.config import RetrievalConfig
from retrieval.index import Index
from retrieval.ingest import catch_up, ingest
from retrieval.retriever import Retrieval, Retriever
from retrieval.types import Filters
from retrieval.workspace import DATABASE, Workspace
from tests.fakes.corpus import CHUNKING, TEXTS
from tests.fakes.embedder import HashEmbedder

QUESTION = "Oolong tea is half oxidised."
Damage = Callable[[Path], None]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed workspace, its postings file included."""
    place = tmp_path_factory.mktemp("sound")
    (place / "notes").mkdir()
    (place / "notes" / "tea.txt").write_text(TEXTS["notes/tea.txt"])
    (place / "notes" / "volcano.md").write_text(TEXTS["notes/volcano.md"])
    for number in range(30):  # So that the terms have inner pages and leaves.
        (place / "notes" / f"{number}.txt").write_text(" ".join(f"word{number}x{each}" for each in range(120)) + ".")
    with Workspace.open(place / "home", write=True) as workspace:
        ingest(workspace, workspace.index(CHUNKING, HashEmbedder()), [place / "notes"], warm_sentences=False)
    return place / "home"


@pytest.fixture
def home(tmp_path: Path, sound: Path) -> Path:
    return Path(shutil.copytree(sound, tmp_path / "home"))


def statement(text: str) -> Damage:
    def damage(home: Path) -> None:
        connection = sqlite3.connect(home / DATABASE)
        connection.execute(text)
        connection.commit()
        connection.close()

    return damage


def flipped(table: str, first: int, kind: str = "leaf") -> Damage:
    """Bytes of every such page of a table, from `first` on."""

    def damage(home: Path) -> None:
        connection = sqlite3.connect(home / DATABASE)
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        connection.close()
        content = bytearray((home / DATABASE).read_bytes())
        pages = [root]
        begin = (root - 1) * size
        if content[begin] in (2, 5):  # Inner: the children that it points at.
            cells = int.from_bytes(content[begin + 3 : begin + 5])
            at = [int.from_bytes(content[begin + 12 + 2 * i : begin + 14 + 2 * i]) for i in range(cells)]
            last = int.from_bytes(content[begin + 8 : begin + 12])
            children = [*(int.from_bytes(content[begin + a : begin + a + 4]) for a in at), last]
            pages = children if kind == "leaf" else pages
        for page in pages:
            for offset in range((page - 1) * size + first, (page - 1) * size + first + 64):
                content[offset] ^= 0xFF
        (home / DATABASE).write_bytes(content)

    return damage


def asked(home: Path, *, write: bool = False, filters: Filters | None = None, **settings: object) -> Retrieval:
    with Workspace.open(home, write=write) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        retriever = Retriever(index, index.embedder, RetrievalConfig.model_validate(settings))
        return retriever.retrieve(QUESTION, filters=filters)


def opened(home: Path, look: Callable[[Index], None], *, write: bool = False) -> None:
    with Workspace.open(home, write=write) as workspace:
        look(workspace.index(CHUNKING, HashEmbedder()))


def mended(home: Path) -> None:
    """As crag index rebuild does it; what was found before is found again."""
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        workspace.mend()
        index.rebuild()
        catch_up(workspace, index, warm_sentences=False)
        assert (verdict := index.verify())["ok"], verdict
        assert len(index.chunks) > 30


SOME_LOST = statement("DELETE FROM terms WHERE id % 7 = 3")
LEAVES = flipped("terms", 0)


@pytest.mark.parametrize(
    ("damage", "write"),
    [
        pytest.param(statement("DROP TABLE terms"), False, id="dropped"),
        pytest.param(statement("DELETE FROM terms"), True, id="emptied"),
        pytest.param(SOME_LOST, False, id="some lost"),
        pytest.param(LEAVES, False, id="leaves"),
        pytest.param(flipped("terms", 0, "root"), True, id="root"),
        pytest.param(flipped("terms", 3000), True, id="cells"),
    ],
)
def test_without_the_terms_the_vectors_answer_and_rebuild_mends(home: Path, damage: Damage, write: bool) -> None:
    whole = asked(home)
    vectors = asked(home, lexical=False)
    damage(home)
    found = asked(home, write=write)
    assert [hit.chunk.id for hit in found.hits] == [hit.chunk.id for hit in vectors.hits]
    assert found.hits[0].document.source == "notes/tea.txt"
    (entry,) = found.degraded
    assert (entry.stage, entry.action, entry.code) == ("bm25", "ranked by vectors alone", "store_damaged")
    assert "crag index verify" in entry.reason
    assert "crag index rebuild" in entry.reason
    # Filters are passed to the vectors by the ids of chunks, which the postings know in health.
    filtered = asked(home, filters=Filters(source="notes/*.txt"))
    assert filtered.hits[0].document.source == "notes/tea.txt"
    assert {hit.document.media_type for hit in filtered.hits} == {"text/plain"}
    with pytest.raises(StoreError, match="crag index rebuild"):
        asked(home, dense=False)

    def look(index: Index) -> None:
        verdict = index.verify()
        assert not verdict["ok"]
        assert verdict["missing_postings"] == verdict["chunks"]
        assert (verdict["missing_vectors"], verdict["wrong_offsets"]) == (0, 0)
        with pytest.raises(StoreError, match="crag index rebuild"):  # Which the rewriting takes for no lexicon.
            index.lexicon()

    opened(home, look, write=write)
    mended(home)
    assert asked(home).degraded == ()
    assert [(hit.chunk.id, hit.score) for hit in asked(home).hits] == [(hit.chunk.id, hit.score) for hit in whole.hits]


@pytest.mark.parametrize("blob", ["x'010203'", "x'ffffffffffffffff'", "x'0000000000000000'"])
def test_term_counts_that_are_none(home: Path, blob: str) -> None:
    statement(f"UPDATE chunks SET terms = {blob} WHERE number = 5")(home)

    def look(index: Index) -> None:
        assert index.verify()["wrong_postings"] >= 1

    # While the postings file holds, nobody reads them to answer.
    assert asked(home).degraded == ()
    opened(home, look)
    for file in (home / "postings").iterdir():
        file.unlink()
    (entry,) = asked(home).degraded
    assert entry.code == "store_damaged"
    mended(home)
    assert asked(home).degraded == ()


def test_an_owner_that_met_the_damage_answers_whole_after_a_rebuild(home: Path) -> None:
    SOME_LOST(home)
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        retriever = Retriever(index, index.embedder, RetrievalConfig())
        assert retriever.retrieve(QUESTION).degraded == retriever.retrieve(QUESTION).degraded != ()
        workspace.mend()
        index.rebuild()
        assert retriever.retrieve(QUESTION).degraded == ()


def test_an_ingest_over_damaged_terms_is_refused_before_it_writes(home: Path, tmp_path: Path) -> None:
    LEAVES(home)
    (tmp_path / "new.txt").write_text("Basalt is dark.")
    with Workspace.open(home, write=True) as workspace:
        documents = len(workspace.registry)
        with pytest.raises(StoreError, match="crag index rebuild"):
            ingest(workspace, workspace.index(CHUNKING, HashEmbedder()), [tmp_path / "new.txt"], warm_sentences=False)
        assert len(workspace.registry) == documents
    mended(home)


@pytest.mark.parametrize(
    "damage",
    [
        flipped("chunks", 0),
        statement("DROP TABLE chunks"),
        flipped("indexed", 0),
        flipped("outbox", 0),
        flipped("documents_filter", 0),
        flipped("sqlite_autoindex_documents_1", 0),
        flipped("chunks_document", 0),
    ],
    ids=["chunks", "no chunks", "indexed", "outbox", "index of documents", "ids of documents", "index of chunks"],
)
def test_tables_that_are_derived_are_made_anew_from_the_documents(home: Path, damage: Damage) -> None:
    whole = asked(home)
    damage(home)
    with pytest.raises(StoreError, match="crag index rebuild"):
        opened(home, assert_ok)
    mended(home)
    found = asked(home)
    assert found.degraded == ()
    assert [(hit.chunk.id, hit.score) for hit in found.hits] == [(hit.chunk.id, hit.score) for hit in whole.hits]


def test_a_table_that_was_mended_is_as_the_one_before(home: Path) -> None:
    def schema() -> list[str]:
        connection = sqlite3.connect(home / DATABASE)
        found = [
            row[0].replace('"documents"', "documents")
            for row in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
        ]
        connection.close()
        return found

    before = schema()
    for _ in range(2):
        flipped("documents_filter", 0)(home)
        mended(home)
        assert schema() == before
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        assert workspace.remove([workspace.registry.find("notes/tea.txt").id]) == 1
        assert index.verify()["ok"]


def assert_ok(index: Index) -> None:
    """As verify tells on the command line."""
    if not (verdict := index.verify())["ok"]:
        raise StoreError(f"{verdict}: run crag index rebuild")


def test_documents_that_cannot_be_read_give_one_sentence(home: Path) -> None:
    flipped("documents", 0)(home)
    with (
        Workspace.open(home, write=True) as workspace,
        pytest.raises(StoreError, match=r"its documents cannot be read any more: restore it from a copy"),
    ):
        workspace.mend()
