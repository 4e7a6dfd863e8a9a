"""`/v1/documents`, `/v1/collections` and `/v1/search`: what is in the workspace, and what a question finds in it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.concurrency import run_in_threadpool

from chunking.errors import NotFoundError
from crag.api import schemas
from crag.api.errors import ApiError, gone, responses
from crag.api.jobs import Jobs
from crag.api.paging import Limit, Offset, part_of
from crag.api.schemas import SearchRequest
from crag.api.streams import ClientGoneError, unless_client_leaves
from crag.app import Crag, search_shape
from crag.pipeline import Pipeline
from retrieval.registry import DocumentRecord


def router(crag: Crag, jobs: Jobs, pipelines: dict[str, Pipeline], default: str) -> APIRouter:
    routes = APIRouter(prefix="/v1", tags=["documents"])

    @routes.get("/documents", response_model=schemas.DocumentList)
    async def list_documents(
        collection: Annotated[str | None, Query(max_length=64)] = None,
        limit: Limit = None,
        offset: Offset = 0,
    ) -> Any:
        """Every document of the workspace, or of one collection, in the order of their sources."""
        documents = await run_in_threadpool(crag.documents, collection)
        kept = await run_in_threadpool(jobs.uploaded)
        data = [_public(each, kept) for each in part_of(documents, limit, offset)]
        return {"object": "list", "data": data, "total": len(documents)}

    @routes.get("/documents/{document_id}", response_model=schemas.DocumentText, responses=responses(404))
    async def show_document(document_id: schemas.DocumentId) -> Any:
        """One document with its text and blocks; offsets are Unicode code points."""
        found = await run_in_threadpool(find_document, crag, document_id)
        kept = await run_in_threadpool(jobs.uploaded)
        return _public(await run_in_threadpool(crag.document, found.id), kept)

    @routes.get("/collections", response_model=schemas.CollectionList)
    async def list_collections() -> Any:
        """The collections, with the number of their documents; `default` is always there."""
        found = await run_in_threadpool(crag.collections)
        data = [{"object": "collection", "id": each["name"], "documents": each["documents"]} for each in found]
        return {"object": "list", "data": data}

    @routes.delete("/collections/{name}", response_model=schemas.CollectionDeleted, responses=responses(404))
    async def delete_collection(name: Annotated[str, Path(max_length=64)]) -> Any:
        """Remove every document of a collection."""
        removed = await run_in_threadpool(crag.remove_collection, name)
        for document in removed:
            await run_in_threadpool(jobs.forget, document["id"])
        return {"object": "collection", "id": name, "documents": len(removed), "deleted": True}

    @routes.post("/search", response_model=schemas.Found, responses=responses(404, 408, 413, 415, 502))
    async def search(body: SearchRequest, request: Request) -> Any:
        """The passages that a question finds, retrieved and reranked, in the shape of ``crag search --json``."""
        name = body.pipeline or default
        if (pipeline := pipelines.get(name)) is None:
            message = f"There is no pipeline {name!r}; there are {', '.join(pipelines)}."
            raise ApiError(404, message, param="pipeline", code="model_not_found")
        work = crag.asearch(body.question, pipeline=pipeline, top_k=body.top_k, filters=body.filters)
        try:
            return search_shape(body.question, *await unless_client_leaves(request, work))
        except ClientGoneError:
            return gone()

    return routes


def find_document(crag: Crag, name: str) -> DocumentRecord:
    """By id or source, never by the server's own path. Raises NotFoundError."""
    record = crag.workspace.registry.find(name)
    if name not in (record.id, record.source):
        raise NotFoundError(f"No document is called {name}: GET /v1/documents lists them.")
    return record


def _public(document: dict[str, Any], kept: set[str]) -> dict[str, Any]:
    """Without the path on the server's disk; `uploaded` where its bytes are kept."""
    shown = {name: value for name, value in document.items() if name != "origin"}
    return {**shown, "uploaded": document["id"] in kept}
