"""Collections, filters, renamed and linked files."""

from __future__ import annotations

import sqlite3
from datetime import date
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chunking.errors import ConfigError
from chunking.loaders import load_bytes
from retrieval.config import RetrievalConfig
from retrieval.index import Index
from retrieval.ingest import ingest, ingest_documents
from retrieval.registry import _glob, member_id
from retrieval.retriever import Retriever
from retrieval.schema import SCHEMA_VERSION
from retrieval.types import DocumentInfo, Filters
from retrieval.workspace import DATABASE, Workspace
from tests.fakes.corpus import TEXTS
from tests.fakes.embedder import HashEmbedder


def sources(index: Index, question: str, filters: Filters | None = None) -> set[tuple[str, str]]:
    hits = Retriever(index, index.embedder, RetrievalConfig()).retrieve(question, filters=filters).hits
    documents = [each.document for hit in hits for each in (hit, *hit.also_in)]
    return {(document.collection, document.source) for document in documents}


def test_a_folder_in_two_collections_is_embedded_once_and_searched_apart(
    workspace: Workspace, index: Index, embedder: HashEmbedder, folder: Path
) -> None:
    ingest(workspace, index, [folder], warm_sentences=False)
    calls = embedder.calls
    report = ingest(workspace, index, [folder / "tea.txt"], collection="drinks", warm_sentences=False)
    assert (report.added, embedder.calls) == (1, calls)
    assert workspace.registry.collections() == {"default": len(TEXTS), "drinks": 1}
    assert sources(index, "oolong") == {("default", name) for name in TEXTS}
    assert sources(index, "oolong", Filters(collection="drinks")) == {("drinks", "tea.txt")}
    assert len(sources(index, "oolong", Filters(collection="*"))) == len(TEXTS) + 1
    assert sources(index, "oolong", Filters(collection="none")) == set()
    (tea,) = workspace.registry.documents(Filters(collection="drinks"))
    assert tea.id == member_id(str(folder / "tea.txt"), "drinks")
    assert sources(index, "oolong", Filters(documents=(tea.id,))) == {("drinks", "tea.txt")}
    # Pruning one leaves the other alone.
    (folder / "tea.txt").unlink()
    assert ingest(workspace, index, [folder], prune=True, warm_sentences=False).removed == 1
    assert workspace.registry.collections() == {"default": len(TEXTS) - 1, "drinks": 1}
    assert index.verify()["ok"]


def test_parsed_documents_go_into_their_collection(workspace: Workspace, index: Index) -> None:
    document = load_bytes(b"Granite is hard.", source="a.txt")
    for name in ("default", "rocks", "rocks"):
        ingest_documents(workspace, index, [document], collection=name, warm_sentences=False)
    assert workspace.registry.collections() == {"default": 1, "rocks": 1}
    with pytest.raises(ConfigError, match="cannot name a collection"):
        ingest_documents(workspace, index, [document], collection="a/b")


def test_filters_by_title_date_and_type(workspace: Workspace, index: Index, folder: Path) -> None:
    ingest(workspace, index, [folder], warm_sentences=False)
    everything = {record.source: record for record in workspace.registry}
    today = date.fromisoformat(everything["notes/tea.txt"].date)
    for filters, names in (
        (Filters(title="VOLC"), {"notes/volcano.md"}),
        (Filters(title="volc"), {"notes/volcano.md"}),
        (Filters(title="城*"), {"notes/deep/城市.md"}),
        (Filters(media_type="text/plain"), {"notes/tea.txt"}),
        (Filters(date_from=today), set(TEXTS)),
        (Filters(date_to=date(1999, 1, 1)), set()),
    ):
        assert {source for _, source in sources(index, "the", filters)} == names
        assert {record.source for record in workspace.registry.documents(filters)} == names
        assert {name for name, record in everything.items() if filters.matches(record.info)} == names


PATTERNS = st.text(st.sampled_from("ab*?[]!^-.é中"), max_size=7)


@example("[^]", "^")
@example("[^]", "a")
@example("[!^]", "^")
@example("[b-a]", "b")
@example("[!b-a]", "b")
@example("[]-a]", "]")
@example("[b-ac]", "c")
@example("[--.]", "-")
@given(pattern=PATTERNS, name=st.text(st.sampled_from("abA[]!^-.é中/"), max_size=5))
def test_sqlite_matches_what_filters_match(pattern: str, name: str) -> None:
    with sqlite3.connect(":memory:") as connection:
        (found,) = connection.execute("SELECT ? GLOB ?", (name, _glob(pattern))).fetchone()
    connection.close()
    assert bool(found) == Filters(source=pattern).matches(DocumentInfo("i", name, "t", "text/plain"))


def test_a_renamed_file_keeps_its_document_and_embeds_nothing(
    workspace: Workspace, index: Index, embedder: HashEmbedder, folder: Path
) -> None:
    ingest(workspace, index, [folder], warm_sentences=False)
    before, calls = workspace.registry.find("notes/tea.txt"), embedder.calls
    (folder / "hot").mkdir()
    (folder / "tea.txt").rename(folder / "hot" / "oolong.txt")
    report = ingest(workspace, index, [folder], warm_sentences=False)
    assert (report.renamed, report.added, report.unchanged, report.chunks) == (1, 0, len(TEXTS), 0)
    after = workspace.registry.find("notes/hot/oolong.txt")
    assert (after.id, after.ingested_at, embedder.calls) == (before.id, before.ingested_at, calls)
    assert ("default", "notes/hot/oolong.txt") in sources(index, "oolong")
    # Its first path is free for another document.
    (folder / "tea.txt").write_text("Basalt is dark.", encoding="utf-8")
    assert ingest(workspace, index, [folder], prune=True, warm_sentences=False).added == 1
    assert len(workspace.registry) == len(TEXTS) + 1
    assert index.verify()["ok"]


def test_a_copy_is_no_rename(workspace: Workspace, index: Index, folder: Path) -> None:
    ingest(workspace, index, [folder], warm_sentences=False)
    (folder / "copy.txt").write_bytes((folder / "tea.txt").read_bytes())
    report = ingest(workspace, index, [folder], warm_sentences=False)
    assert (report.renamed, report.added) == (0, 1)


def test_links_to_a_file_are_that_file(workspace: Workspace, index: Index, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "tea-link.txt").symlink_to(folder / "tea.txt")
    (other / "all").symlink_to(folder, target_is_directory=True)
    report = ingest(workspace, index, [other, folder], warm_sentences=False)
    assert (report.added, {record.source for record in workspace.registry}) == (len(TEXTS), set(TEXTS))
    again = ingest(workspace, index, [other], warm_sentences=False)
    assert (again.added, again.unchanged) == (0, len(TEXTS))


def test_a_workspace_of_the_first_format_is_upgraded_by_its_next_owner(
    workspace: Workspace, index: Index, folder: Path, tmp_path: Path
) -> None:
    ingest(workspace, index, [folder], warm_sentences=False)
    workspace.close()
    with sqlite3.connect(tmp_path / "home" / DATABASE) as connection:
        connection.execute("DROP INDEX documents_collection")
        connection.execute("DROP INDEX documents_filter")
        connection.execute("DROP TABLE serving")
        for table, column in (("documents", "page_starts"), ("documents", "collection"), ("documents", "date"),
                              ("indexes", "embedding"), ("indexes", "store")):  # fmt: skip
            connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        connection.execute("UPDATE documents SET media_type = 'application/pdf',"
                           " blocks = '[[\"paragraph\",0,5,[],1],[\"paragraph\",7,9,[],2]]'")  # fmt: skip
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    with pytest.raises(Exception, match="crag index rebuild brings it up to date"):
        Workspace.open(tmp_path / "home", write=False)
    with Workspace.open(tmp_path / "home", write=True) as upgraded:
        assert upgraded._database.read().execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION
        record = next(iter(upgraded.registry))
        assert (record.collection, record.date) == ("default", record.ingested_at[:10])
        assert upgraded.registry.get(record.id).page_starts == (0, 7)
