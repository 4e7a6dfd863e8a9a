"""Index switch, and a workspace that moves."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest

from chunking.errors import StoreError
from retrieval.archive import export_workspace, import_workspace
from retrieval.config import EmbeddingConfig, StoreConfig
from retrieval.embedders.cache import CachedEmbedder
from retrieval.ingest import catch_up, ingest
from retrieval.workspace import DATABASE, Workspace, index_fingerprint
from tests.fakes.corpus import CHUNKING, TEXTS
from tests.fakes.embedder import HashEmbedder


@pytest.fixture
def home(tmp_path: Path, folder: Path) -> Path:
    with Workspace.open(tmp_path / "home", write=True) as workspace:
        index = workspace.index(CHUNKING, CachedEmbedder(HashEmbedder(), workspace.cache))
        ingest(workspace, index, [folder], warm_sentences=False)
    (tmp_path / "home" / "keys.json").write_text("secret")
    (tmp_path / "home" / "uploads").mkdir()
    (tmp_path / "home" / "uploads" / "a.txt").write_text("upload")
    return tmp_path / "home"


def test_the_earlier_index_answers_until_the_new_one_is_whole(workspace: Workspace, folder: Path) -> None:
    config = EmbeddingConfig(provider="openai", dimensions=64)
    old = workspace.index(CHUNKING, HashEmbedder(), config)
    ingest(workspace, old, [folder], warm_sentences=False)
    assert workspace.switch("mine", old)
    new = HashEmbedder(dimension=32)
    own = index_fingerprint(CHUNKING, new, StoreConfig())
    # Lacking, empty and half built: the old one answers.
    record = workspace.earlier("mine", own)
    assert record is not None
    assert (record.fingerprint, record.embedding) == (old.fingerprint, config.model_dump())
    index = workspace.index(CHUNKING, new)
    ingest(workspace, index, [folder / "tea.txt"], warm_sentences=False)
    assert not workspace.switch("mine", index)
    assert workspace.earlier("mine", own) is not None
    assert workspace.earlier("another", own) is None
    # Resumed: what was done is not done again.
    assert catch_up(workspace, index, warm_sentences=False).added == len(TEXTS) - 1
    assert workspace.switch("mine", index)
    assert workspace.earlier("mine", own) is None
    assert [each.pipelines for each in workspace.indexes()] == [(), ("mine",)]
    workspace.drop([old.fingerprint])
    assert [each.fingerprint for each in workspace.indexes()] == [own]
    assert [path.name for path in (workspace.home / "indexes").iterdir()] == [own]
    assert index.verify()["ok"]


def test_an_index_is_not_whole_before_its_last_vectors_are_written(workspace: Workspace, folder: Path) -> None:
    old = workspace.index(CHUNKING, HashEmbedder(), EmbeddingConfig(provider="openai", dimensions=64))
    ingest(workspace, old, [folder], warm_sentences=False)
    assert workspace.switch("mine", old)
    index = workspace.index(CHUNKING, HashEmbedder(dimension=32))
    catch_up(workspace, index, warm_sentences=False)
    # As a kill between the commit of the last batch and its vectors leaves it.
    left = sorted(index.chunks.ids())[:3]
    index._store.delete(left)
    with workspace._database.transaction() as connection:
        index.chunks.mark(connection, left)
    assert not workspace.switch("mine", index)
    assert workspace.earlier("mine", index.fingerprint) is not None
    assert [(each.missing, each.awaiting) for each in workspace.indexes()] == [(0, 0), (0, 3)]
    assert catch_up(workspace, index, warm_sentences=False).added == 0
    assert index.verify()["ok"]
    assert workspace.switch("mine", index)
    assert workspace.earlier("mine", index.fingerprint) is None


def test_a_moved_workspace_is_whole_and_embeds_nothing(home: Path, tmp_path: Path) -> None:
    manifest = export_workspace(home, tmp_path / "all.tar")
    assert manifest["documents"] == len(TEXTS)
    assert "keys.json" not in manifest["files"]
    import_workspace(tmp_path / "all.tar", tmp_path / "there")
    assert (tmp_path / "there" / "uploads" / "a.txt").read_text() == "upload"
    embedder = HashEmbedder()
    with Workspace.open(tmp_path / "there", write=True) as workspace:
        index = workspace.index(CHUNKING, CachedEmbedder(embedder, workspace.cache))
        index.follow()
        assert index.verify()["ok"]
        assert len(index.dense(embedder._vector("tea") / 10, 50)) == len(index.chunks) > 0
    assert embedder.calls == 0
    with pytest.raises(StoreError, match="is not empty"):
        import_workspace(tmp_path / "all.tar", tmp_path / "there")
    with pytest.raises(StoreError, match="exists: name a new file"):
        export_workspace(home, tmp_path / "all.tar")


def tampered(file: Path, out: Path, name: str, data: bytes | None, rename: str | None = None) -> Path:
    """A copy in which one member has other bytes, or another name, in the manifest too."""
    with tarfile.open(file) as source, tarfile.open(out, "w") as target:
        for member in source.getmembers():
            content = source.extractfile(member)
            assert content is not None
            body = content.read()
            if member.name == "manifest.json" and rename:
                manifest = json.loads(body)
                manifest["files"][rename] = manifest["files"].pop(name)
                body = json.dumps(manifest).encode()
            if member.name == name:
                member.name, body = rename or name, body if data is None else data
            member.size = len(body)
            target.addfile(member, io.BytesIO(body))
    return out


@pytest.mark.parametrize(
    ("name", "data", "rename", "reason"),
    [
        ("uploads/a.txt", b"UPLOAD", None, "another SHA-256"),
        ("uploads/a.txt", b"longer than it was", None, "another size"),
        ("uploads/a.txt", None, "uploads/../../evil.txt", "names the path"),
        ("uploads/a.txt", None, "/tmp/evil.txt", "names the path"),
        ("uploads/a.txt", None, "indexes/x/evil.pickle", "names the path"),
        ("uploads/a.txt", None, "keys.json", "names the path"),
        (DATABASE, None, "uploads/none", f"lacks {DATABASE}"),
    ],
)
def test_a_file_that_was_tampered_with_leaves_nothing_behind(
    home: Path, tmp_path: Path, *, name: str, data: bytes | None, rename: str | None, reason: str
) -> None:
    export_workspace(home, tmp_path / "good.tar")
    bad = tampered(tmp_path / "good.tar", tmp_path / "bad.tar", name, data, rename)
    before = set(tmp_path.iterdir())
    with pytest.raises(StoreError, match=f"bad.tar cannot be imported .*{reason}"):
        import_workspace(bad, tmp_path / "there")
    assert set(tmp_path.iterdir()) == before


def test_a_link_or_no_archive_or_a_database_with_code_is_refused(home: Path, tmp_path: Path) -> None:
    with Workspace.open(home, write=True) as workspace, workspace._database.transaction() as connection:
        connection.execute("CREATE TRIGGER sly AFTER INSERT ON outbox BEGIN DELETE FROM documents; END")
    export_workspace(home, tmp_path / "sly.tar")
    with pytest.raises(StoreError, match="holds 'sly', which no workspace has"):
        import_workspace(tmp_path / "sly.tar", tmp_path / "there")
    (tmp_path / "no.tar").write_bytes(b"not an archive")
    with pytest.raises(StoreError, match=r"no\.tar cannot be imported"):
        import_workspace(tmp_path / "no.tar", tmp_path / "there")
    with pytest.raises(StoreError, match="There is no file"):
        import_workspace(tmp_path / "absent.tar", tmp_path / "there")
    with tarfile.open(tmp_path / "link.tar", "w") as archive:
        link = tarfile.TarInfo("manifest.json")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    with pytest.raises(StoreError, match="is not a plain file"):
        import_workspace(tmp_path / "link.tar", tmp_path / "there")
    assert not (tmp_path / "there").exists()
