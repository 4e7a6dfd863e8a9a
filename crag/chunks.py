"""One file, cut as a pipeline would cut it: what `crag chunk` shows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from chunking.config import ChunkingConfig
from chunking.errors import ConfigError
from crag.auto import resolve, resolve_retrieval
from crag.pipeline import load_pipeline

if TYPE_CHECKING:
    from chunking.strategies.base import SentenceEmbedder
    from chunking.types import Document
    from retrieval.embedders.base import Embedder


def chunk_file(file: Path, pipeline: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Read and cut `file` with the pipeline's chunking, `settings` laid over it.

    Gives ``{"document", "text", "chunks"}``. Raises ConfigError for a setting, DocumentError for the file.
    """
    from chunking.strategies import build_chunker
    from crag.boundaries import ChatBoundaries

    document, config, embedder = _read(file, pipeline, settings)
    model = ChatBoundaries(lambda: resolve(load_pipeline(pipeline)).pipeline.generation)
    chunker = build_chunker(config, embedder.count_tokens, _sentences(embedder), model)
    return {
        "document": {
            "id": document.id,
            "source": document.source,
            "title": document.title,
            "media_type": document.media_type,
            "notes": list(document.notes),
        },
        "chunking": config.model_dump(mode="json"),
        "text": document.text,
        "chunks": [
            {
                "id": chunk.id,
                "start": chunk.start,
                "end": chunk.end,
                "text": chunk.text,
                "tokens": chunk.tokens,
                "heading_path": list(chunk.heading_path),
                "page": chunk.page,
                "parent_id": chunk.parent_id,
                "forced": chunk.forced,
                "context": chunk.context,
                "note": chunk.note,
            }
            for chunk in chunker.chunk(document)
        ],
    }


def chunk_page(file: Path, pipeline: str, settings: Mapping[str, Any]) -> str:
    """The same as one self-contained page, see `crag.chunkview`. Raises as `chunk_file` does."""
    from crag.chunkview import chunk_view

    document, config, embedder = _read(file, pipeline, settings)
    return chunk_view(document, config, embedder.count_tokens, _sentences(embedder))


def _read(file: Path, pipeline: str, settings: Mapping[str, Any]) -> tuple[Document, ChunkingConfig, Embedder]:
    from chunking.loaders import load_path
    from retrieval.embedders import build_embedder

    resolved = resolve_retrieval(load_pipeline(pipeline))
    config = _config(resolved.chunking, settings)
    return load_path(file), config, build_embedder(resolved.embedding, None)


def _sentences(embedder: Embedder) -> SentenceEmbedder:
    return lambda texts: embedder.embed(texts, "passage")


def _config(base: ChunkingConfig, settings: Mapping[str, Any]) -> ChunkingConfig:
    try:
        return ChunkingConfig.model_validate({**base.model_dump(), **settings})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(map(str, first["loc"])) or "chunking"
        if first["type"] == "extra_forbidden":
            known = ", ".join(ChunkingConfig.model_fields)
            raise ConfigError(f"chunking has no field {name!r}: known are {known}.") from error
        raise ConfigError(f"{name}: {first['msg'].removeprefix('Value error, ')}.") from error
