"""A workspace and the pipelines over it, without the asking: documents in and out, their indexes, what is in use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chunking.errors import NotFoundError, StoreError
from crag import given
from crag.auto import Resolved
from crag.pipeline import Pipeline, load_pipeline
from crag.wiring import Parts
from retrieval.types import DEFAULT_COLLECTION

if TYPE_CHECKING:
    from chunking.types import Document
    from graph.deps import Deps
    from retrieval.embedders.base import Embedder
    from retrieval.embedders.cache import EmbeddingCache
    from retrieval.ingest import IngestReport
    from retrieval.registry import DocumentRecord
    from retrieval.types import Filters
    from retrieval.workspace import Workspace

SAMPLES = Path(__file__).parent / "samples" / "documents"
"""Bundled with the package: a small corpus in both languages."""


class Library:
    """What is in a workspace. Every method raises StoreError once it is closed."""

    def __init__(
        self, workspace: Workspace, pipeline: Pipeline, *, cache: EmbeddingCache | None = None, home: Path | None = None
    ) -> None:
        """`cache` (closed by its owner) and `home`, where calibrations lie, are the workspace's own unless given."""
        self.pipeline = pipeline
        self._opened = workspace
        self._built = Parts(workspace, cache, home)
        self._closed = False

    @property
    def workspace(self) -> Workspace:
        self._require_open()
        return self._opened

    # Documents

    def ingest(
        self,
        paths: str | Path | Sequence[str | Path],
        *,
        collection: str = DEFAULT_COLLECTION,
        prune: bool = False,
        pipeline: str | Path | Pipeline | None = None,
        progress: Callable[..., None] | None = None,
    ) -> IngestReport:
        """Read files and folders into the index of the pipeline. `prune` removes documents whose files are gone.

        Raises ConfigError for a name that no collection can have, StoreError where the workspace is open for reading.
        """
        from retrieval.ingest import ingest

        given.warn_inside_a_loop("ingest")
        self._require_writable()
        chosen = self._choose(pipeline)
        index = self._parts.index(chosen)
        report = ingest(
            self.workspace,
            index,
            given.read_paths(paths),
            collection=collection,
            prune=prune,
            progress=progress,
        )
        self.workspace.switch(chosen.name, index)
        return report

    def ingest_documents(
        self,
        documents: Sequence[Document],
        *,
        collection: str = DEFAULT_COLLECTION,
        pipeline: str | Path | Pipeline | None = None,
        progress: Callable[..., None] | None = None,
    ) -> IngestReport:
        """Take documents that are parsed already into the index of the pipeline."""
        from retrieval.ingest import ingest_documents

        self._require_writable()
        chosen = self._choose(pipeline)
        index = self._parts.index(chosen)
        report = ingest_documents(self.workspace, index, documents, collection=collection, progress=progress)
        self.workspace.switch(chosen.name, index)
        return report

    def replace(self, document: Document, *, pipeline: str | Path | Pipeline | None = None) -> int:
        """Put a document that was read anew in the place of the one with its id; the number of its chunks.

        The other indexes lack it until `catch_up`. Raises NotFoundError where there is none of that id.
        """
        from retrieval.registry import Place

        record = self.workspace.registry.find(document.id)
        index = self._parts.index(self._choose(pipeline))
        chunks = index.chunker.chunk(document)
        index.write([(document, Place(record.origin, record.collection, record.date), chunks)], {})
        self.workspace.follow()
        return len(chunks)

    def ingest_samples(self, progress: Callable[..., None] | None = None) -> IngestReport:
        """Read the bundled sample documents."""
        return self.ingest(sorted(SAMPLES.iterdir()), progress=progress)

    def documents(self, collection: str | None = None) -> list[dict[str, Any]]:
        """The documents of a collection, or of all, sorted by source, in the shape of ``crag docs list --json``."""
        from retrieval.types import Filters

        filters = None if collection is None else Filters(collection=collection)
        return [record.to_dict() for record in self.workspace.registry.documents(filters)]

    def collections(self) -> list[dict[str, Any]]:
        """``{"name", "documents"}`` of every collection, sorted by name; the default one is always there."""
        found = self.workspace.registry.collections()
        return [{"name": name, "documents": documents} for name, documents in found.items()]

    def remove_collection(self, name: str) -> list[dict[str, Any]]:
        """Remove a collection with its documents; gives what was removed. Raises NotFoundError."""
        known = self.workspace.registry.collections()
        if not known.get(name):
            raise NotFoundError(f"There is no collection {name!r} (there are: {', '.join(known)}).")
        return self.remove([each["id"] for each in self.documents(name)])

    def document(self, name: str) -> dict[str, Any]:
        """One document by id or source, with its text and blocks. Raises NotFoundError."""
        record = self._find(name)
        document = self.workspace.registry.get(record.id)
        blocks = [
            {"kind": each.kind, "start": each.start, "end": each.end, "page": each.page} for each in document.blocks
        ]
        return {**record.to_dict(), "text": document.text, "blocks": blocks}

    def _find(self, name: str) -> DocumentRecord:
        try:
            return self.workspace.registry.find(name)
        except NotFoundError as error:
            sources = [record.source for record in self.workspace.registry.documents()]
            meant = [source for source in sources if source.endswith(f"/{name}")]
            if name in sources or not meant:
                raise
            raise NotFoundError(f"No document is called {name}: did you mean {' or '.join(meant[:3])}?") from error

    def remove(self, names: Sequence[str]) -> list[dict[str, Any]]:
        """Remove documents by id or source from every index; gives what was removed. Raises NotFoundError."""
        self._require_writable()
        records = [self._find(name) for name in names]
        self.workspace.remove([record.id for record in records])
        return [record.to_dict() for record in records]

    def require_documents(self) -> None:
        """Raises StoreError where the workspace holds nothing."""
        if not len(self.workspace.registry):
            raise StoreError(f"The workspace {self.workspace.home} has no documents yet: run crag ingest PATH first.")

    def require_index(self, pipeline: str | Path | Pipeline | None = None, filters: Filters | None = None) -> None:
        """Raises StoreError where there is nothing to ask, or where the pipeline's index lacks documents.

        NotFoundError where the collection that would be asked holds none, for then it is misspelt or not named.
        """
        self.require_documents()
        chosen = self._choose(pipeline)
        collection = (filters and filters.collection) or chosen.retrieval.collection
        self._require_filled(collection, filters)
        if filters is not None:
            self._require_match(filters, collection)
        if self._parts.earlier(chosen) is not None:
            return
        if missing := len(self._parts.index(chosen).chunks.missing()):
            raise StoreError(
                f"The index of pipeline {chosen.name} lacks {missing} of the documents of {self.workspace.home}: "
                "run crag index rebuild with the same --pipeline once."
            )

    def _require_match(self, filters: Filters, collection: str) -> None:
        asked = filters if filters.documents is not None else filters.model_copy(update={"collection": collection})
        if not self.workspace.registry.documents(asked):
            example = self.workspace.registry.documents()[0].source
            raise NotFoundError(
                f"No document matches the filters; a source is named like {example!r}: see crag docs list."
            )

    def require_collection(self, pipeline: str | Path | Pipeline | None = None, filters: Filters | None = None) -> None:
        """Raises NotFoundError where the filters, else the pipeline's file, name a collection without documents.

        The default one may be empty where nobody named it: a chat client cannot, and is told that nothing was found.
        """
        named = filters.collection if filters is not None else None
        name = named or self._choose(pipeline).retrieval.collection
        if named or name != DEFAULT_COLLECTION:
            self._require_filled(name, filters)

    def _require_filled(self, name: str, filters: Filters | None) -> None:
        if filters and filters.documents is not None:
            return
        known = self.workspace.registry.collections()
        if any(count and fnmatchcase(each, name) for each, count in known.items()):
            return
        held = [each for each, count in known.items() if count]
        if not held:
            raise NotFoundError(f"The collection {name} holds no documents, nor does another: put documents in first.")
        told = f"The collection {name} holds no documents" if name in known else f"There is no collection {name!r}"
        raise NotFoundError(f"{told} (there are: {', '.join(held)}): name one of these, or '*' for all.")

    # The index of the pipeline

    def catch_up(
        self, pipeline: str | Path | Pipeline | None = None, progress: Callable[..., None] | None = None
    ) -> IngestReport:
        """Take documents that came in by another pipeline, or before chunking or embedding changed, into its index.

        Until that is done the index that served the pipeline before goes on answering; then one transaction switches.
        """
        from retrieval.ingest import catch_up

        chosen = self._choose(pipeline)
        index = self._parts.index(chosen)
        report = catch_up(self.workspace, index, progress=progress)
        self.workspace.switch(chosen.name, index)
        return report

    def serves_earlier(self, pipeline: str | Path | Pipeline | None = None) -> bool:
        """Whether the pipeline's own index is not whole and the one before it answers meanwhile."""
        return self._parts.earlier(self._choose(pipeline)) is not None

    def index_status(self) -> dict[str, Any]:
        home = str(self.workspace.home)
        documents = len(self.workspace.registry)
        return {"home": home, "documents": documents, "index": self._parts.index(self.pipeline).status()}

    def index_size(self, pipeline: str | Path | Pipeline | None = None) -> dict[str, float]:
        """``chunks`` and their ``mean_tokens`` in the pipeline's index."""
        chunks = self._parts.index(self._choose(pipeline)).chunks
        return {"chunks": len(chunks), "mean_tokens": chunks.mean_tokens()}

    def verify_index(self) -> dict[str, Any]:
        """Compare documents, vectors and postings in full; ``ok`` is False where they differ."""
        return self._parts.index(self.pipeline).verify()

    def rebuild_index(self, progress: Callable[..., None] | None = None) -> dict[str, Any]:
        """Make vectors and postings anew, and damaged tables of chunks; documents that were missing come in.

        Gives `index_status`. Raises StoreError, also where what the documents say cannot be read any more.
        """
        self.workspace.mend()
        self._parts.index(self.pipeline).rebuild()
        self.catch_up(progress=progress)
        return self.index_status()

    def indexes(self) -> list[dict[str, Any]]:
        """Every index of the workspace, oldest first, with the pipelines that it answers for."""
        return [record.to_dict() for record in self.workspace.indexes()]

    def prune_indexes(self, fingerprints: Sequence[str] = ()) -> list[dict[str, Any]]:
        """Remove the named indexes, or those that answer for no pipeline; gives what was removed.

        The one of the pipeline in use stays unless it is named. Raises NotFoundError for a name that is none.
        """
        known = {each["fingerprint"]: each for each in self.indexes()}
        for name in fingerprints:
            if name not in known:
                raise NotFoundError(f"There is no index {name} (there are: {', '.join(known)}): see crag index list.")
        own = self._parts.index(self.pipeline).fingerprint
        idle = [name for name, each in known.items() if not each["pipelines"] and name != own]
        gone = list(dict.fromkeys(fingerprints)) or idle
        self.workspace.drop(gone)
        self._parts.forget()
        return [known[name] for name in gone]

    def follow_index(self, progress: Callable[..., None] | None = None) -> dict[str, Any]:
        """Write the vectors that the pipeline's index lacks, from the cache where it has them; gives `index_status`."""
        self._parts.index(self.pipeline).follow()
        self.catch_up(progress=progress)
        return self.index_status()

    # What is in use

    def forget_questions(self, pipeline: str | Path | Pipeline | None = None) -> None:
        """Have the pipeline embed each question anew, for fair latencies where several are asked the same."""
        from retrieval.embedders.cache import CachedEmbedder

        embedder = self.embedder(pipeline)
        if isinstance(embedder, CachedEmbedder):
            embedder.forget_queries()

    def resolved(self, pipeline: str | Path | Pipeline | None = None) -> Resolved:
        """The pipeline with every `auto` decided. Raises ConfigError where that cannot be done."""
        return self._parts.resolved(self._choose(pipeline))

    def dependencies(self, pipeline: str | Path | Pipeline | None = None) -> Deps:
        """What the pipeline's engine answers with."""
        return self._parts.engine(self._choose(pipeline)).deps

    def embedder(self, pipeline: str | Path | Pipeline | None = None) -> Embedder:
        """The pipeline's embedder, behind the cache."""
        return self._parts.embedder(self._choose(pipeline))

    def models(self, pipeline: str | Path | Pipeline | None = None) -> dict[str, str]:
        """Provider in use by role, `auto` decided."""
        return self.resolved(pipeline).models

    def _choose(self, pipeline: str | Path | Pipeline | None) -> Pipeline:
        return self.pipeline if pipeline is None else as_pipeline(pipeline)

    @property
    def _parts(self) -> Parts:
        self._require_open()
        return self._built

    def _require_open(self) -> None:
        if self._closed:
            raise self._is_closed()

    def _is_closed(self) -> StoreError:
        return StoreError(f"The workspace {self._opened.home} has been closed: open it again with Crag.open(...).")

    def _require_writable(self) -> None:
        if not self.workspace.writable:
            raise StoreError(
                f"The workspace {self.workspace.home} is open for reading only: "
                "open it with Crag.open(..., write=True) to change it."
            )


def as_pipeline(given: str | Path | Pipeline) -> Pipeline:
    """A pipeline by shipped name or path. Raises NotFoundError and ConfigError."""
    return given if isinstance(given, Pipeline) else load_pipeline(given)
