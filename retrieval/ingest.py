"""Files and folders into a workspace. What has not changed costs one hash; embedding goes in large batches."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from chunking.errors import CragError, DocumentError, MissingExtraError, NotFoundError
from chunking.types import Chunk, Document
from retrieval.embedders.base import Vectors
from retrieval.embedders.cache import CachedEmbedder
from retrieval.embedding import embed
from retrieval.files import Found, find_files
from retrieval.index import Index
from retrieval.registry import Member, Place, member_id
from retrieval.types import DEFAULT_COLLECTION, Degraded, check_collection
from retrieval.workspace import Workspace

_log = logging.getLogger(__name__)

Progress = Callable[[int, int, str], None]
"""Called with (done, total, name) as each file is finished."""

_BATCH = 256
"""Chunks embedded and committed together. A crash repeats at most this much chunking; its vectors are in the cache."""
_WAIT = 0.2
"""Seconds between two looks at whether a caller that waits for another one is still wanted."""


@dataclass(frozen=True, slots=True)
class Skipped:
    path: str
    reason: str


@dataclass(slots=True)
class IngestReport:
    """Numbers of documents by what happened to them. `chunks` were written, `notes` are what readers of a document
    should know, by source; `gone` are the sources of documents under the given folders whose file is gone,
    which stay without `prune`; `degraded` is what failed on the way without a document being lost."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    renamed: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    chunks: int = 0
    seconds: float = 0.0
    notes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    degraded: tuple[Degraded, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The shape of ``crag ingest --json``."""
        return {
            "added": self.added,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "removed": self.removed,
            "renamed": self.renamed,
            "skipped": [{"path": entry.path, "reason": entry.reason} for entry in self.skipped],
            "gone": self.gone,
            "notes": [{"path": source, "notes": list(notes)} for source, notes in self.notes.items()],
            "chunks": self.chunks,
            "seconds": round(self.seconds, 3),
            "degraded": [entry.to_dict() for entry in self.degraded],
        }


def ingest(
    workspace: Workspace,
    index: Index,
    paths: Sequence[Path],
    *,
    collection: str = DEFAULT_COLLECTION,
    prune: bool = False,
    warm_sentences: bool = True,
    progress: Progress | None = None,
) -> IngestReport:
    """Take in files and, recursively, folders. Raises StoreError and ProviderError; a bad file is only reported.

    Hidden files and folders are passed over. A document's origin is its absolute path, links followed, its source the
    path from the parent of the given folder on. A file of the same content as a document whose own file is gone is
    that document, renamed: it keeps its id, chunks and vectors. `prune` removes documents from under the given
    folders whose file is gone; what lies in a folder that cannot be listed stays.
    `warm_sentences` also embeds every sentence into the cache, which the sentence reranker reads.
    """
    report = IngestReport()
    started = time.perf_counter()
    found = find_files(paths)
    report.skipped.extend(Skipped(path, reason) for path, reason in found.skipped)
    members = workspace.registry.members(check_collection(collection))
    report.renamed = len(moved := _renamed(members, found))
    workspace.move(moved)
    for identifier, (path, source) in moved.items():
        (old,) = (origin for origin, member in members.items() if member.id == identifier)
        members[str(path)] = replace(members.pop(old), source=source)
    taken = {member.id for member in members.values()}
    indexed = index.chunks.indexed()
    batch = _Batch(index, report, warm_sentences, progress, len(found.files))
    for path, source in found.files.items():
        origin = str(path)
        known = members.get(origin)
        try:
            if known is None or known.content_hash != _hash(path):
                identifier = known.id if known else _free(origin, collection, taken)
                place = Place(origin, collection, iso_day(path.stat().st_mtime))
                batch.add(replace(_load(path, origin, source), id=identifier), place)
                if known is None:
                    report.added += 1
                else:
                    report.updated += 1
            elif known.id in indexed:
                report.unchanged += 1
                batch.skip(source)
            else:
                batch.add(workspace.registry.get(known.id), None)
                report.added += 1
        except (DocumentError, MissingExtraError, OSError) as error:
            reason = error.strerror or str(error) if isinstance(error, OSError) else str(error)
            if known is not None:
                reason = f"{reason.rstrip('.')}; the version taken in before stays"
            report.skipped.append(Skipped(origin, reason))
            batch.skip(source)
    batch.flush()
    folders = [path.resolve() for path in paths if path.is_dir()]
    gone = _gone(members, folders, found)
    if prune:
        report.removed = workspace.remove([member.id for member in gone])
    else:
        report.gone = sorted(member.source for member in gone)
    workspace.follow()
    return _finished(report, index, started)


def ingest_documents(
    workspace: Workspace,
    index: Index,
    documents: Iterable[Document],
    *,
    collection: str = DEFAULT_COLLECTION,
    warm_sentences: bool = True,
    progress: Progress | None = None,
) -> IngestReport:
    """Take in documents that are parsed already; their source is their origin. Raises StoreError and ProviderError.

    In a collection that is not the default one a document's id becomes `registry.member_id` of its source.
    """
    report = IngestReport()
    started = time.perf_counter()
    check_collection(collection)
    everything = list(documents)
    if collection != DEFAULT_COLLECTION:
        everything = [replace(each, id=member_id(each.source, collection)) for each in everything]
    hashes = {member.id: member.content_hash for member in workspace.registry.members(collection).values()}
    indexed = index.chunks.indexed()
    batch = _Batch(index, report, warm_sentences, progress, len(everything))
    for document in everything:
        known = hashes.get(document.id)
        if known == document.content_hash and document.id in indexed:
            report.unchanged += 1
            batch.skip(document.source)
            continue
        if known in (None, document.content_hash):
            report.added += 1
        else:
            report.updated += 1
        batch.add(document, None if known == document.content_hash else Place(document.source, collection))
    batch.flush()
    workspace.follow()
    return _finished(report, index, started)


def catch_up(
    workspace: Workspace, index: Index, *, warm_sentences: bool = True, progress: Progress | None = None
) -> IngestReport:
    """Take the workspace's documents that this index lacks into it: after a change of chunking or embedder.

    Also the vectors that it lacks: a kill may have come between the commit of the last documents and theirs.

    A second call, of another thread, waits for the first one and then finds little left. What `progress` raises ends
    either; what was committed until then stays.
    """
    report = IngestReport()
    started = time.perf_counter()
    while not index.catching_up.acquire(timeout=_WAIT):
        if progress:
            progress(0, 0, "")
    try:
        if index.chunks.awaiting():
            index.repair()
        # Documents that another thread replaces meanwhile are not taken in (see `Index.write`) but in the next round.
        while missing := index.chunks.missing():
            batch = _Batch(index, report, warm_sentences, progress, len(missing))
            for identifier in missing:
                with contextlib.suppress(NotFoundError):  # Removed meanwhile.
                    batch.add(workspace.registry.get(identifier), None)
                    report.added += 1
            batch.flush()
        index.keep()
    finally:
        index.catching_up.release()
    return _finished(report, index, started)


def _finished(report: IngestReport, index: Index, started: float) -> IngestReport:
    if isinstance(index.embedder, CachedEmbedder):
        report.degraded = index.embedder.take_troubles()
    report.seconds = time.perf_counter() - started
    return report


class _Batch:
    """Collects documents until their chunks are worth a call of the embedder, then commits them together."""

    def __init__(
        self, index: Index, report: IngestReport, warm_sentences: bool, progress: Progress | None, total: int
    ) -> None:
        self._index = index
        self._report = report
        self._warm_sentences = warm_sentences
        self._progress = progress
        self._total = total
        self._done = 0
        self._waiting: list[tuple[Document, Place | None, Sequence[Chunk]]] = []
        self._chunks = 0

    def add(self, document: Document, place: Place | None) -> None:
        chunks = self._index.chunker.chunk(document)
        self._waiting.append((document, place, chunks))
        self._chunks += len(chunks)
        if notes := tuple(dict.fromkeys([*document.notes, *(chunk.note for chunk in chunks if chunk.note)])):
            self._report.notes[document.source] = notes
        if self._chunks >= _BATCH:
            self.flush()

    def skip(self, name: str) -> None:
        self._done += 1
        if self._progress:
            self._progress(self._done, self._total, name)

    def flush(self) -> None:
        if not self._waiting:
            return
        chunks = [chunk for _, _, chunks in self._waiting for chunk in chunks]
        vectors: dict[str, Vectors] = {}
        for first in range(0, len(chunks), _BATCH):
            vectors.update(self._embed(chunks[first : first + _BATCH]))
        self._index.write(self._waiting, vectors)
        self._report.chunks += len(chunks)
        written, self._waiting, self._chunks = self._waiting, [], 0
        for document, _, _ in written:
            self.skip(document.source)

    def _embed(self, chunks: Sequence[Chunk]) -> Iterator[tuple[str, Vectors]]:
        texts = [chunk.embedded_text for chunk in chunks]
        if self._warm_sentences:
            from retrieval.rerankers.sentence import sentences_of

            texts += [sentence for chunk in chunks for sentence in sentences_of(chunk)]
        vectors = embed(self._index.embedder, texts, "passage")
        return zip((chunk.id for chunk in chunks), vectors, strict=False)


def _renamed(members: Mapping[str, Member], found: Found) -> dict[str, tuple[Path, str]]:
    """New path and source by id of the documents whose file is gone and whose content is in a file not known yet."""
    new = [path for path in found.files if str(path) not in members]
    gone = {origin: member for origin, member in members.items() if new and _is_gone(origin, found)}
    waiting: dict[str, list[str]] = {}
    for member in gone.values():
        waiting.setdefault(member.content_hash, []).append(member.id)
    moved = {}
    for path in new if waiting else ():
        with contextlib.suppress(OSError):
            if identifiers := waiting.get(_hash(path)):
                moved[identifiers.pop(0)] = (path, found.files[path])
    return moved


def _gone(members: Mapping[str, Member], folders: Sequence[Path], found: Found) -> list[Member]:
    """Documents from under the folders whose file is gone, or the link in them that led to it.

    A link's document is known by a source that is no end of its origin. Where another folder of the same name has been
    taken in too, it may be that one's, and stays.
    """
    gone = []
    for origin, member in members.items():
        if found.may_hold(origin):
            continue
        if any(Path(origin).is_relative_to(folder) for folder in folders):
            gone.append(member)
        elif Path(origin).is_absolute() and _base(origin, member) is None:
            shown = [each.parent / member.source for each in folders if member.source.startswith(f"{each.name}/")]
            bases = {_base(each, other) for each, other in members.items() if _top(other) == _top(member)} - {None}
            if shown and bases <= {each.parent for each in folders} and not any(found.may_hold(str(p)) for p in shown):
                gone.append(member)
    return gone


def _top(member: Member) -> str:
    return member.source.partition("/")[0]


def _base(origin: str, member: Member) -> Path | None:
    """What a source begins from; None where a link leads to the file."""
    path, source = Path(origin), Path(member.source)
    return path.parents[len(source.parts) - 1] if path.parts[-len(source.parts) :] == source.parts else None


def _is_gone(origin: str, found: Found) -> bool:
    """Whether the file is surely not there any more, or has become another name of one that was found."""
    path = Path(origin)
    if not path.is_absolute() or found.may_hold(origin):
        return False
    try:
        path.lstat()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return path.is_symlink() and path.resolve() in found.files


def _free(origin: str, collection: str, taken: Container[str]) -> str:
    """The id of a new document. A renamed document keeps the id of its first path, where another may lie by now."""
    identifier = member_id(origin, collection)
    while identifier in taken:
        identifier = member_id(f"{origin}\0{identifier}", collection)
    return identifier


def iso_day(seconds: float) -> str:
    """Of a time since 1970, in UTC; the first or last day that a date can name where it lies outside of them."""
    try:
        return datetime.fromtimestamp(seconds, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return (date.min if seconds < 0 else date.max).isoformat()


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _load(path: Path, origin: str, source: str) -> Document:
    from chunking.loaders import load_path

    try:
        return load_path(path, origin=origin, source=source)
    except (CragError, OSError):
        raise
    except Exception as error:  # of a parser, over one file: no reason to lose the others
        _log.exception("The reader of %s failed.", origin)
        raise DocumentError(
            f"{source} could not be read ({type(error).__name__}, see the log): save it anew in another format.",
            code="damaged",
        ) from error
