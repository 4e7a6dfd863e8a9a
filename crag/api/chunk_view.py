"""`/v1/documents/{id}/chunk-view`: how a document is cut, as the page that `crag chunk --html` writes."""

from __future__ import annotations

from threading import Lock
from typing import Any

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool

from crag.api import schemas
from crag.api.documents import find_document
from crag.api.errors import ApiError, responses
from crag.api.pages import Pages
from crag.app import Crag
from crag.pipeline import Pipeline

MOST_CHARACTERS = 400_000
"""Of a document: above that a browser cuts too slowly to follow a slider."""
_KIND = "chunks"


def router(crag: Crag, pipelines: dict[str, Pipeline], default: str, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/v1", tags=["documents"])
    # Embedding a long document keeps every core busy: one page at a time leaves room for questions.
    turn = Lock()

    def render(document_id: str, pipeline: str) -> str:
        with turn:
            return _page(crag, document_id, pipelines[pipeline])

    pages.add(_KIND, render)

    @routes.get("/documents/{document_id}/chunk-view", response_model=schemas.ReportLink, responses=responses(404))
    async def show_chunks(document_id: str, pipeline: str = default) -> Any:
        """The address of a page that shows one document as the pipeline cuts it, and cuts it anew by sliders."""
        if pipeline not in pipelines:
            message = f"There is no pipeline {pipeline!r}; there are {', '.join(pipelines)}."
            raise ApiError(404, message, param="pipeline", code="model_not_found")
        found = await run_in_threadpool(find_document, crag, document_id)
        return {"url": pages.link(_KIND, found.id, pipeline)}

    return routes


def _page(crag: Crag, document_id: str, pipeline: Pipeline) -> str:
    from crag.chunkview import chunk_view

    document = crag.workspace.registry.get(document_id)
    if len(document.text) > MOST_CHARACTERS:
        message = (
            f"{document.source} has {len(document.text)} characters, more than the {MOST_CHARACTERS} that are shown "
            "here: write the page with crag chunk FILE --html OUT."
        )
        raise ApiError(413, message, code="document_too_large")
    embedder = crag.embedder(pipeline)
    config = crag.resolved(pipeline).pipeline.chunking
    return chunk_view(document, config, embedder.count_tokens, lambda texts: embedder.embed(texts, "passage"))
