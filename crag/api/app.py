"""The HTTP application: an OpenAI-compatible chat API, documents, search, health, and the page."""

from __future__ import annotations

import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, Response
from starlette.concurrency import run_in_threadpool

from crag.api import documents, errors
from crag.api.chat import complete, read_chat
from crag.api.schemas import ChatRequest
from crag.api.security import Guard
from crag.app import Crag
from crag.pipeline import Pipeline

PAGE = Path(__file__).parents[1] / "page"
PAGE_FILES = {"/": PAGE / "index.html", **{f"/{file.name}": file for file in sorted(PAGE.iterdir())}}
OPEN_PATHS = ("/healthz", "/readyz", *PAGE_FILES)
"""Answered without the key: nothing of a document is in them."""


def create_app(crag: Crag, pipelines: Sequence[Pipeline], *, key: str | None, loopback_only: bool) -> FastAPI:
    """Build the application. `pipelines` are the models that clients may name, the default one first.

    With `loopback_only` requests must name this machine as their host; `key` is the bearer key asked for, if any.
    """
    by_name = {pipeline.name: pipeline for pipeline in pipelines}
    default = pipelines[0].name
    started = int(time.time())
    app = FastAPI(title="agentic-crag", version=version("agentic-crag"), docs_url=None, redoc_url=None)
    errors.install(app)
    app.add_middleware(Guard, key=key, loopback_only=loopback_only and key is None, open_paths=OPEN_PATHS)
    app.include_router(documents.router(crag, by_name, default))

    @app.post("/v1/chat/completions")
    async def chat(body: ChatRequest, request: Request) -> Response:
        """Answer the last user message from the documents, in one piece or streamed."""
        return await complete(crag, read_chat(body, by_name), request)

    @app.get("/v1/models")
    async def models() -> dict[str, Any]:
        """One model per pipeline; `crag` says what it does and what runs in each role."""
        return {"object": "list", "data": [_model(crag, pipeline, started) for pipeline in pipelines]}

    @app.get("/v1/models/{name}")
    async def model(name: str) -> dict[str, Any]:
        if name not in by_name:
            message = f"There is no model {name!r}; there are {', '.join(by_name)}."
            raise errors.ApiError(404, message, param="model", code="model_not_found")
        return _model(crag, by_name[name], started)

    @app.get("/healthz")
    async def healthy() -> dict[str, str]:
        """The process answers."""
        return {"status": "ok"}

    @app.get("/readyz")
    async def ready() -> dict[str, Any]:
        """The workspace can be read; 503 otherwise."""
        return {"status": "ready", "documents": len(await run_in_threadpool(crag.documents))}

    for path, file in PAGE_FILES.items():
        app.add_api_route(path, _file(file), methods=["GET"], include_in_schema=False)
    return app


def _file(path: Path) -> Any:
    async def send() -> FileResponse:
        return FileResponse(path, headers={"cache-control": "no-cache"})

    return send


def _model(crag: Crag, pipeline: Pipeline, created: int) -> dict[str, Any]:
    return {
        "id": pipeline.name,
        "object": "model",
        "created": created,
        "owned_by": "agentic-crag",
        "crag": {
            "version": pipeline.version,
            "description": pipeline.description,
            "models": crag.models(pipeline),
        },
    }
