"""One file, cut as a pipeline would cut it: what `crag chunk` shows."""

from __future__ import annotations

import html
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from chunking.config import ChunkingConfig
from chunking.errors import ConfigError
from crag.auto import resolve_retrieval
from crag.pipeline import load_pipeline


def chunk_file(file: Path, pipeline: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Read and cut `file` with the pipeline's chunking, `settings` laid over it.

    Gives ``{"document", "text", "chunks"}``. Raises ConfigError for a setting, DocumentError for the file.
    """
    from chunking.loaders import load_path
    from chunking.strategies import build_chunker
    from retrieval.embedders import build_embedder

    resolved = resolve_retrieval(load_pipeline(pipeline))
    config = _config(resolved.chunking, settings)
    document = load_path(file)
    embedder = build_embedder(resolved.embedding, None)
    chunker = build_chunker(config, embedder.count_tokens, lambda texts: embedder.embed(texts, "passage"))
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
            }
            for chunk in chunker.chunk(document)
        ],
    }


def as_html(shape: Mapping[str, Any]) -> str:
    """One self-contained page: the text as a strip, a colour a chunk, sizes at the side. Works offline."""
    parts, end = [], 0
    for number, chunk in enumerate(shape["chunks"], 1):
        parts.append(html.escape(shape["text"][end : chunk["start"]]))
        label = f"{number} · {chunk['tokens']} tokens · {' › '.join(chunk['heading_path'])}"
        body = html.escape(shape["text"][max(chunk["start"], end) : chunk["end"]])
        parts.append(f'<span class="c{number % 6}" title="{html.escape(label)}"><b>{number}</b>{body}</span>')
        end = max(end, chunk["end"])
    parts.append(html.escape(shape["text"][end:]))
    tokens = [chunk["tokens"] for chunk in shape["chunks"]]
    mean = sum(tokens) / len(tokens) if tokens else 0
    title = html.escape(shape["document"]["title"] or shape["document"]["source"])
    facts = (
        f"{len(tokens)} chunks · {mean:.0f} tokens on average · strategy {html.escape(shape['chunking']['strategy'])}"
    )
    return _PAGE.format(title=title, facts=facts, body="".join(parts))


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


_PAGE = """<!doctype html>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}: chunks</title>
<style>
body {{ font: 16px/1.7 system-ui, sans-serif; margin: 2rem auto; max-width: 52rem; padding: 0 1rem;
  background: Canvas; color: CanvasText; color-scheme: light dark }}
p {{ color: GrayText }}
main {{ white-space: pre-wrap; overflow-wrap: anywhere }}
span {{ border-radius: 4px; padding: 1px 2px; -webkit-box-decoration-break: clone; box-decoration-break: clone }}
b {{ font: 600 11px system-ui; vertical-align: super; margin-right: 4px; opacity: .7 }}
.c0 {{ background: rgb(66 133 244 / .2) }} .c1 {{ background: rgb(52 168 83 / .2) }}
.c2 {{ background: rgb(251 188 5 / .25) }} .c3 {{ background: rgb(234 67 53 / .17) }}
.c4 {{ background: rgb(156 39 176 / .17) }} .c5 {{ background: rgb(0 150 160 / .2) }}
</style>
<h1>{title}</h1>
<p>{facts}</p>
<main>{body}</main>
"""
