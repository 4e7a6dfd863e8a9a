"""Files and folders into a workspace. What has not changed costs one hash; embedding goes in large batches."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chunking.errors import DocumentError, MissingExtraError
from chunking.types import Chunk, Document, document_id
from retrieval.embedders.base import Vectors
from retrieval.embedding import embed
from retrieval.files import find_files
from retrieval.index import Index
from retrieval.workspace import Workspace

Progress = Callable[[int, int, str], None]
"""Called with (done, total, name) as each file is finished."""

_BATCH = 256
"""Chunks embedded and committed together. A crash repeats at most this much chunking; its vectors are in the cache."""


@dataclass(frozen=True, slots=True)
class Skipped:
    path: str
    reason: str


@dataclass(slots=True)
class IngestReport:
    """Numbers of documents by what happened to them. `chunks` were written, `notes` are what readers of a document
    should know, by source."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    chunks: int = 0
    seconds: float = 0.0
    notes: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The shape of ``crag ingest --json``."""
        return {
            "added": self.added,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "removed": self.removed,
            "skipped": [{"path": entry.path, "reason": entry.reason} for entry in self.skipped],
            "chunks": self.chunks,
            "seconds": round(self.seconds, 3),
        }


def ingest(
    workspace: Workspace,
    index: Index,
    paths: Sequence[Path],
    *,
    prune: bool = False,
    warm_sentences: bool = True,
    progress: Progress | None = None,
) -> IngestReport:
    """Take in files and, recursively, folders. Raises StoreError and ProviderError; a bad file is only reported.

    Hidden files and folders are passed over. A document's origin is its absolute path, its source the path from the
    parent of the given folder on. `prune` removes documents from under the given folders whose file is gone; what
    lies in a folder that cannot be listed stays.
    `warm_sentences` also embeds every sentence into the cache, which the sentence reranker reads.
    """
    report = IngestReport()
    started = time.perf_counter()
    found = find_files(paths)
    report.skipped.extend(Skipped(path, reason) for path, reason in found.skipped)
    hashes = workspace.registry.content_hashes()
    indexed = index.chunks.indexed()
    batch = _Batch(index, report, warm_sentences, progress, len(found.files))
    for path, source in found.files.items():
        origin = str(path)
        identifier = document_id(origin)
        known = hashes.get(identifier)
        try:
            if known is None or known != _hash(path):
                batch.add(_load(path, origin, source), origin)
                if known is None:
                    report.added += 1
                else:
                    report.updated += 1
            elif identifier in indexed:
                report.unchanged += 1
                batch.skip(source)
            else:
                batch.add(workspace.registry.get(identifier), None)
                report.added += 1
        except (DocumentError, MissingExtraError, OSError) as error:
            reason = error.strerror or str(error) if isinstance(error, OSError) else str(error)
            if known is not None:
                reason = f"{reason.rstrip('.')}; the version taken in before stays"
            report.skipped.append(Skipped(origin, reason))
            batch.skip(source)
    batch.flush()
    if prune:
        folders = [path.resolve() for path in paths if path.is_dir()]
        report.removed = workspace.remove(
            [
                identifier
                for identifier, origin in workspace.registry.origins().items()
                if any(Path(origin).is_relative_to(folder) for folder in folders) and not found.may_hold(origin)
            ]
        )
    workspace.follow()
    report.seconds = time.perf_counter() - started
    return report


def ingest_documents(
    workspace: Workspace,
    index: Index,
    documents: Iterable[Document],
    *,
    warm_sentences: bool = True,
    progress: Progress | None = None,
) -> IngestReport:
    """Take in documents that are parsed already; their source is their origin. Raises StoreError and ProviderError."""
    report = IngestReport()
    started = time.perf_counter()
    everything = list(documents)
    hashes = workspace.registry.content_hashes()
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
        batch.add(document, None if known == document.content_hash else document.source)
    batch.flush()
    workspace.follow()
    report.seconds = time.perf_counter() - started
    return report


def catch_up(
    workspace: Workspace, index: Index, *, warm_sentences: bool = True, progress: Progress | None = None
) -> IngestReport:
    """Take the workspace's documents that this index lacks into it: after a change of chunking or embedder."""
    report = IngestReport()
    started = time.perf_counter()
    missing = index.chunks.missing()
    batch = _Batch(index, report, warm_sentences, progress, len(missing))
    for identifier in missing:
        batch.add(workspace.registry.get(identifier), None)
        report.added += 1
    batch.flush()
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
        self._waiting: list[tuple[Document, str | None, Sequence[Chunk]]] = []
        self._chunks = 0

    def add(self, document: Document, origin: str | None) -> None:
        chunks = self._index.chunker.chunk(document)
        self._waiting.append((document, origin, chunks))
        self._chunks += len(chunks)
        if document.notes:
            self._report.notes[document.source] = document.notes
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


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _load(path: Path, origin: str, source: str) -> Document:
    from chunking.loaders import load_path

    return load_path(path, origin=origin, source=source)
