"""The HTTP application: an OpenAI-compatible chat API, documents, search, health, and the page."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, Response
from starlette.concurrency import run_in_threadpool

from crag.api import chunk_view, documents, errors, evals, feedback, operation, pages, schemas, uploads
from crag.api.chat import complete, read_chat
from crag.api.jobs import Jobs
from crag.api.keys import KeyRing
from crag.api.origins import Cors, Origins
from crag.api.paths import Paths
from crag.api.quota import Quota
from crag.api.records import Records
from crag.api.schemas import ChatRequest
from crag.api.security import Guard
from crag.api.stopping import Stopping
from crag.api.telemetry import Metrics, Observed
from crag.app import Crag
from crag.loop import answer_threads
from crag.pipeline import Pipeline
from crag.settings import Limits

PAGE = Path(__file__).parents[1] / "page"
PAGE_FILES = {"/": PAGE / "index.html", **{f"/{file.name}": file for file in sorted(PAGE.iterdir())}}
OPEN_PATHS = ("/healthz", "/readyz", pages.PATH, *PAGE_FILES)
"""Answered without the key: nothing of a document is in them, and reports are named by a ticket."""


def create_app(
    crag: Crag,
    pipelines: Sequence[Pipeline],
    *,
    keys: KeyRing,
    loopback_only: bool,
    limits: Limits | None = None,
    origins: Sequence[str] = (),
    runs: Path | None = None,
) -> FastAPI:
    """Build the application. `pipelines` are the models that clients may name, the default one first.

    With `loopback_only` requests must name this machine as their host, as long as no key is asked for. Pages of
    `origins` may call the API, as desktop clients may (see `Origins`). `runs` is the folder of evaluation runs to
    show. The application opens files in the workspace at once, and closes them when it ends.
    """
    limits = limits or Limits()
    home = crag.workspace.home
    by_name = {pipeline.name: pipeline for pipeline in pipelines}
    started = int(time.time())
    jobs = Jobs(crag, pipelines, limits)
    quota = Quota(limits)
    metrics = Metrics(
        {
            "jobs_waiting": ("Uploads that are not in the index yet.", lambda: jobs.waiting),
            "documents": ("Documents of the workspace.", lambda: len(crag.workspace.registry)),
            "api_requests_running": ("Requests that count towards the limits.", lambda: quota.total),
        }
    )
    answers = feedback.Answers(home, limits.keep_answers)
    allowed = Origins(keys, origins)
    records = Records(home, metrics, answers, questions=bool(limits.keep_answers))
    shown = pages.Pages()

    @asynccontextmanager
    async def running(app: FastAPI) -> AsyncIterator[None]:
        asyncio.get_running_loop().set_default_executor(answer_threads(limits.threads))
        jobs.start()
        yield
        await run_in_threadpool(jobs.close)
        answers.close()
        records.close()

    app = FastAPI(
        title="agentic-crag",
        version=version("agentic-crag"),
        docs_url=None,
        redoc_url=None,
        lifespan=running,
        responses=errors.responses(),
    )
    app.state.stopping = Stopping(jobs.stop)
    errors.install(app)
    app.add_middleware(
        Guard,
        keys=keys,
        limits=limits,
        quota=quota,
        loopback_only=loopback_only and not keys,
        open_paths=OPEN_PATHS,
        origins=allowed,
    )
    app.add_middleware(Cors, origins=allowed)
    app.add_middleware(Observed, metrics=metrics)
    app.add_middleware(Paths)
    app.include_router(documents.router(crag, jobs, by_name, pipelines[0].name))
    app.include_router(uploads.router(crag, jobs, limits))
    app.include_router(feedback.router(answers))
    app.include_router(chunk_view.router(crag, by_name, pipelines[0].name, shown))
    app.include_router(evals.router(evals.Evals(runs), shown))
    app.include_router(pages.router(shown))
    app.include_router(operation.router(crag, limits, metrics, version=app.version, evals=runs is not None))

    @app.post(
        "/v1/chat/completions",
        response_model=schemas.Completion,
        responses=errors.responses(404, 408, 413, 415, 502),
        tags=["chat"],
    )
    async def chat(body: ChatRequest, request: Request) -> Response:
        """Answer the last user message from the documents, in one piece or streamed."""
        return await complete(crag, read_chat(body, by_name), request, records)

    @app.get("/v1/models", response_model=schemas.ModelList, tags=["chat"])
    async def models() -> Any:
        """One model per pipeline; `crag` says what it does and what runs in each role."""
        return {"object": "list", "data": [_model(crag, pipeline, started) for pipeline in pipelines]}

    @app.get("/v1/models/{name}", response_model=schemas.Model, responses=errors.responses(404), tags=["chat"])
    async def model(name: str) -> Any:
        """One model by its name."""
        if name not in by_name:
            message = f"There is no model {name!r}; there are {', '.join(by_name)}."
            raise errors.ApiError(404, message, param="model", code="model_not_found")
        return _model(crag, by_name[name], started)

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
