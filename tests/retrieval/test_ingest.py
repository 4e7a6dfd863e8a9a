from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from chunking.errors import ProviderError
from chunking.loaders import load_bytes
from retrieval.embedders.base import Role, Vectors
from retrieval.embedders.cache import CachedEmbedder
from retrieval.index import Index
from retrieval.ingest import catch_up, ingest, ingest_documents, iso_day
from retrieval.types import Filters
from retrieval.workspace import CACHE, Workspace
from tests.fakes.corpus import CHUNKING, TEXTS
from tests.fakes.embedder import HashEmbedder


def test_a_folder_is_taken_in_once_and_changes_follow(
    workspace: Workspace, index: Index, embedder: HashEmbedder, folder: Path
) -> None:
    first = ingest(workspace, index, [folder], warm_sentences=False)
    assert (first.added, first.updated, first.unchanged, first.removed) == (len(TEXTS), 0, 0, 0)
    assert first.chunks == len(index.chunks) > 0
    assert index.verify()["ok"]

    calls = embedder.calls
    second = ingest(workspace, index, [folder], warm_sentences=False)
    assert (second.added, second.updated, second.unchanged, second.chunks) == (0, 0, len(TEXTS), 0)
    assert embedder.calls == calls

    (folder / "tea.txt").write_text("White tea is withered.\n", encoding="utf-8")
    (folder / "smtp.md").unlink()
    third = ingest(workspace, index, [folder], warm_sentences=False)
    assert (third.added, third.updated, third.unchanged, third.removed) == (0, 1, len(TEXTS) - 2, 0)
    assert index.match("oolong").top(5) == []
    assert len(index.match("withered").top(5)) == 1
    assert len(index.match("email_smtp_port").top(5)) == 1

    fourth = ingest(workspace, index, [folder], prune=True, warm_sentences=False)
    assert (fourth.unchanged, fourth.removed) == (len(TEXTS) - 1, 1)
    assert index.match("email_smtp_port").top(5) == []
    assert index.verify()["ok"]


def test_prune_leaves_what_lies_elsewhere(workspace: Workspace, index: Index, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere.txt"
    other.write_text("Basalt is dark.", encoding="utf-8")
    ingest(workspace, index, [folder, other], warm_sentences=False)
    other.unlink()
    (folder / "tea.txt").unlink()
    assert ingest(workspace, index, [folder], prune=True, warm_sentences=False).removed == 1
    assert "elsewhere.txt" in {record.source for record in workspace.registry}


def test_changing_one_paragraph_embeds_only_that(
    workspace: Workspace, index: Index, embedder: HashEmbedder, folder: Path
) -> None:
    path = folder / "long.md"
    sections = [f"## Section {n}\n\n" + f"Sentence about topic {n} number {n}. " * 6 for n in range(8)]
    path.write_text("\n\n".join(sections), encoding="utf-8")
    ingest(workspace, index, [folder], warm_sentences=False)
    embedder.texts.clear()
    sections[-1] += "A new ending."
    path.write_text("\n\n".join(sections), encoding="utf-8")
    assert ingest(workspace, index, [folder], warm_sentences=False).updated == 1
    assert 1 <= len(embedder.texts) <= 2


def test_sources_are_relative_to_the_parent_of_the_folder(workspace: Workspace, index: Index, folder: Path) -> None:
    ingest(workspace, index, [folder, folder / "tea.txt"], warm_sentences=False)
    assert {record.source for record in workspace.registry} == set(TEXTS)
    assert {record.origin for record in workspace.registry} == {str(folder.parent / name) for name in TEXTS}


def test_a_single_file_is_called_by_its_name(workspace: Workspace, index: Index, folder: Path) -> None:
    ingest(workspace, index, [folder / "tea.txt"], warm_sentences=False)
    assert [record.source for record in workspace.registry] == ["tea.txt"]


def test_what_is_gone_and_what_readers_noted_is_in_the_report(workspace: Workspace, index: Index, folder: Path) -> None:
    (folder / "old.txt").write_bytes("每日备份保留十四天，由值班工程师核对。".encode("gb18030"))
    (folder / "gone.txt").write_text("The gate closes at nine.", encoding="utf-8")
    first = ingest(workspace, index, [folder], warm_sentences=False).to_dict()
    assert [entry["path"] for entry in first["notes"]] == ["notes/old.txt"]
    assert "gb18030" in first["notes"][0]["notes"][0]
    assert first["gone"] == []
    (folder / "gone.txt").unlink()
    (folder / "tea.txt").unlink()
    second = ingest(workspace, index, [folder], warm_sentences=False).to_dict()
    assert (second["gone"], second["removed"], second["notes"]) == (["notes/gone.txt", "notes/tea.txt"], 0, [])
    third = ingest(workspace, index, [folder], prune=True, warm_sentences=False).to_dict()
    assert (third["gone"], third["removed"]) == ([], 2)


def test_bad_files_are_reported_and_the_rest_goes_in(workspace: Workspace, index: Index, folder: Path) -> None:
    (folder / "empty.txt").write_bytes(b"")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 but not really")
    (folder / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8)
    report = ingest(workspace, index, [folder, folder / "absent.md"], warm_sentences=False)
    assert report.added == len(TEXTS)
    skipped = {Path(entry.path).name: entry.reason for entry in report.skipped}
    assert set(skipped) == {"empty.txt", "broken.pdf", "image.png", "absent.md"}
    assert all(skipped.values())
    counts = {"added", "updated", "unchanged", "removed", "renamed"}
    assert set(report.to_dict()) == {*counts, "skipped", "gone", "notes", "chunks", "seconds", "degraded"}
    assert {"path", "reason"} == set(report.to_dict()["skipped"][0])


def test_a_parser_that_fails_loses_its_file_only(
    workspace: Workspace, index: Index, folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(html: str) -> None:
        raise RuntimeError("lexbor is out of order")

    monkeypatch.setattr("selectolax.lexbor.LexborHTMLParser", fail)
    (folder / "page.html").write_text("<html><body><p>Words.</p></body></html>", encoding="utf-8")
    report = ingest(workspace, index, [folder], warm_sentences=False)
    assert report.added == len(TEXTS)
    assert [(Path(entry.path).name, entry.reason) for entry in report.skipped] == [
        (
            "page.html",
            "notes/page.html could not be read (RuntimeError, see the log): save it anew in another format.",
        )
    ]
    assert "lexbor is out of order" in caplog.text


def test_hidden_and_looping_folders_are_passed_over(workspace: Workspace, index: Index, folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "config.txt").write_text("hidden", encoding="utf-8")
    (folder / ".secret.txt").write_text("hidden", encoding="utf-8")
    (folder / "deep" / "loop").symlink_to(folder, target_is_directory=True)
    report = ingest(workspace, index, [folder], warm_sentences=False)
    assert (report.added, report.skipped) == (len(TEXTS), [])


def test_the_same_content_under_two_paths_is_two_documents(workspace: Workspace, index: Index, folder: Path) -> None:
    (folder / "copy.txt").write_text(TEXTS["notes/tea.txt"], encoding="utf-8")
    ingest(workspace, index, [folder], warm_sentences=False)
    assert len(index.match("oolong").top(5)) == 2
    assert index.verify()["ok"]


def _note(seen: list[tuple[int, int, str]], *step: Any) -> None:
    seen.append(step)


def test_progress_counts_every_file_once(workspace: Workspace, index: Index, folder: Path) -> None:
    (folder / "empty.txt").write_bytes(b"")
    for _ in range(2):
        seen: list[tuple[int, int, str]] = []
        ingest(workspace, index, [folder], warm_sentences=False, progress=partial(_note, seen))
        assert [done for done, _, _ in seen] == list(range(1, len(TEXTS) + 2))
        assert {total for _, total, _ in seen} == {len(TEXTS) + 1}
        assert {name for _, _, name in seen} == {*TEXTS, "notes/empty.txt"}


def test_an_embedder_that_fails_stores_nothing_of_the_batch(workspace: Workspace, folder: Path) -> None:
    def fail(texts: object) -> None:
        raise ProviderError("the far end is gone", provider="hash")

    index = workspace.index(CHUNKING, HashEmbedder(before=fail))
    with pytest.raises(ProviderError):
        ingest(workspace, index, [folder], warm_sentences=False)
    assert len(workspace.registry) == len(index.chunks) == 0


def test_parsed_documents_are_taken_in_by_their_source(workspace: Workspace, index: Index, folder: Path) -> None:
    ingest(workspace, index, [folder], warm_sentences=False)

    def page(text: str) -> list[object]:
        document = load_bytes(text.encode(), source="upload/a.txt")
        report = ingest_documents(workspace, index, [document], warm_sentences=False)
        return [report.added, report.updated, report.unchanged, len(index.match("granite").top(5))]

    assert page("Granite is hard.") == [1, 0, 0, 1]
    assert page("Granite is hard.") == [0, 0, 1, 1]
    assert page("Chalk is soft.") == [0, 1, 0, 0]
    assert index.verify()["ok"]


def test_a_new_embedder_gets_its_own_index_from_the_stored_documents(
    workspace: Workspace, index: Index, folder: Path
) -> None:
    ingest(workspace, index, [folder], warm_sentences=False)
    other = workspace.index(CHUNKING, CachedEmbedder(HashEmbedder(dimension=32), workspace.cache))
    assert other.status()["missing"] == len(TEXTS)
    for path in folder.rglob("*.*"):
        path.unlink()
    assert catch_up(workspace, other, warm_sentences=False).added == len(TEXTS)
    assert other.status()["missing"] == 0
    assert other.verify()["ok"]
    assert index.verify()["ok"]


def test_a_change_leaves_no_stale_chunk_in_another_index(workspace: Workspace, index: Index, folder: Path) -> None:
    other = workspace.index(CHUNKING, HashEmbedder(dimension=32))
    ingest(workspace, index, [folder], warm_sentences=False)
    ingest(workspace, other, [folder], warm_sentences=False)
    (folder / "tea.txt").write_text("White tea is withered.\n", encoding="utf-8")
    ingest(workspace, index, [folder], warm_sentences=False)
    assert other.match("oolong").top(5) == []
    assert other.status()["missing"] == 1
    assert catch_up(workspace, other, warm_sentences=False).added == 1
    assert len(other.match("withered").top(5)) == 1
    assert other.verify()["ok"]


def test_what_is_removed_goes_from_indexes_that_nobody_has_opened(tmp_path: Path, folder: Path) -> None:
    embedders = (HashEmbedder(), HashEmbedder(dimension=32))
    with Workspace.open(tmp_path / "home", write=True) as workspace:
        for each in embedders:
            ingest(workspace, workspace.index(CHUNKING, each), [folder], warm_sentences=False)
    with Workspace.open(tmp_path / "home", write=True) as workspace:
        workspace.remove([workspace.registry.find("notes/tea.txt").id])
    with Workspace.open(tmp_path / "home", write=True) as workspace:
        (folder / "smtp.md").unlink()
        index = workspace.index(CHUNKING, embedders[0])
        assert ingest(workspace, index, [folder / "deep"], warm_sentences=False).removed == 0
        assert ingest(workspace, index, [folder], prune=True, warm_sentences=False).removed == 1
    with Workspace.open(tmp_path / "home", write=False) as workspace:
        for each in embedders:
            index = workspace.index(CHUNKING, each)
            assert index.chunks.pending() == []
            assert index.verify()["missing_vectors"] == index.verify()["extra_vectors"] == 0


def test_documents_that_change_while_an_index_catches_up_are_taken_in_as_they_are_then(
    workspace: Workspace, index: Index, folder: Path
) -> None:
    class Meddled(HashEmbedder):
        """While it embeds for the first time, one document is replaced and one removed."""

        def embed(self, texts: Sequence[str], role: Role) -> Vectors:
            if not self.calls:
                self.calls = 1
                (folder / "tea.txt").write_text("White tea is withered.\n", encoding="utf-8")
                (folder / "smtp.md").unlink()
                ingest(workspace, index, [folder], prune=True, warm_sentences=False)
            return super().embed(texts, role)

    ingest(workspace, index, [folder], warm_sentences=False)
    other = workspace.index(CHUNKING, Meddled(dimension=32))
    catch_up(workspace, other, warm_sentences=False)
    assert other.status()["missing"] == 0
    assert len(other.match("withered").top(5)) == 1
    assert other.match("oolong").top(5) == other.match("email_smtp_port").top(5) == []
    assert other.verify()["ok"]


def test_a_cache_that_cannot_be_used_is_named_in_the_report(workspace: Workspace, index: Index, folder: Path) -> None:
    workspace.cache.close()
    (workspace.home / CACHE).write_bytes(b"junk" * 5000)
    report = ingest(workspace, index, [folder], warm_sentences=False)
    assert report.added == len(TEXTS)
    (entry,) = report.to_dict()["degraded"]
    assert entry["stage"] == "embedding cache"
    assert str(workspace.home / CACHE) in entry["reason"]
    assert entry["action"] == "it is made anew"
    (folder / "tea.txt").write_text("White tea is withered.\n", encoding="utf-8")
    assert ingest(workspace, index, [folder], warm_sentences=False).degraded == ()


def test_sentences_are_warmed_so_that_reranking_embeds_nothing(
    workspace: Workspace, index: Index, embedder: HashEmbedder, folder: Path
) -> None:
    from retrieval.rerankers.sentence import sentences_of

    ingest(workspace, index, [folder])
    calls = embedder.calls
    chunks = [chunk for chunk, _ in index.chunks.get(index.chunks.ids()).values()]
    sentences = [sentence for chunk in chunks for sentence in sentences_of(chunk)]
    assert len(sentences) > len(chunks)
    index.embedder.embed(sentences, "passage")
    assert embedder.calls == calls


@pytest.mark.parametrize(
    ("seconds", "day"), [(-1e11, "0001-01-01"), (1e12, "9999-12-31"), (1e30, "9999-12-31"), (86_400.5, "1970-01-02")]
)
def test_a_file_may_be_of_a_year_that_no_date_names(seconds: float, day: str) -> None:
    assert iso_day(seconds) == day


def test_what_a_link_led_to_goes_with_the_link(
    workspace: Workspace, index: Index, folder: Path, tmp_path: Path
) -> None:
    outside, other = tmp_path / "elsewhere", tmp_path / "other" / "notes"
    for path in (outside / "one.txt", outside / "inner" / "two.txt", other / "three.txt"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"Gneiss is banded, says {path.name}.", encoding="utf-8")
    (folder / "stone.txt").symlink_to(outside / "one.txt")
    (folder / "stones").symlink_to(outside / "inner")

    def prune(*folders: Path) -> list[str]:
        ingest(workspace, index, folders, prune=True, warm_sentences=False)
        assert index.verify()["ok"]
        return [each.source for each in workspace.registry.documents(Filters(source="*[oe].txt"))]

    stones = ["notes/stone.txt", "notes/stones/two.txt"]
    assert prune(folder) == stones
    # A disk that is away is not a link that was removed.
    outside.rename(tmp_path / "away")
    assert prune(folder) == stones
    (tmp_path / "away").rename(outside)
    (folder / "stone.txt").unlink()
    assert prune(folder) == stones[1:]
    # Another folder of this name may have brought it.
    assert prune(other) == [*stones[1:], "notes/three.txt"]
    (folder / "stones").unlink()
    assert prune(folder) == [*stones[1:], "notes/three.txt"]
    assert prune(folder, other) == ["notes/three.txt"]
