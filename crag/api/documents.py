"""`/v1/documents` and `/v1/search`: what is in the workspace, and what a question finds in it."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool

from crag.api.errors import ApiError
from crag.api.schemas import SearchRequest
from crag.api.streams import unless_client_leaves
from crag.app import Crag, search_shape
from crag.pipeline import Pipeline


def router(crag: Crag, pipelines: dict[str, Pipeline], default: str) -> APIRouter:
    routes = APIRouter(prefix="/v1")

    @routes.get("/documents")
    async def list_documents() -> dict[str, Any]:
        """Every document of the workspace, in the order of their sources."""
        documents = await run_in_threadpool(crag.documents)
        return {"object": "list", "data": [_public(document) for document in documents]}

    @routes.get("/documents/{document_id}")
    async def show_document(document_id: str) -> dict[str, Any]:
        """One document with its text and blocks; offsets are Unicode code points."""
        return _public(await run_in_threadpool(crag.document, document_id))

    @routes.post("/search")
    async def search(body: SearchRequest, request: Request) -> dict[str, Any]:
        """The passages that a question finds, retrieved and reranked, in the shape of ``crag search --json``."""
        name = body.pipeline or default
        if (pipeline := pipelines.get(name)) is None:
            message = f"There is no pipeline {name!r}; there are {', '.join(pipelines)}."
            raise ApiError(404, message, param="pipeline", code="model_not_found")
        work = crag.asearch(body.question, pipeline=pipeline, top_k=body.top_k, filters=body.filters)
        return search_shape(body.question, *await unless_client_leaves(request, work))

    return routes


def _public(document: dict[str, Any]) -> dict[str, Any]:
    """Without the path on the server's disk."""
    return {name: value for name, value in document.items() if name != "origin"}
