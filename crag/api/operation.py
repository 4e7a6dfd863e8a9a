"""For those who run a server: `/healthz`, `/readyz`, `/metrics`, and `/v1/info` for its page."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse, Response
from starlette.concurrency import run_in_threadpool

from crag.api import uploads
from crag.api.telemetry import Metrics
from crag.app import Crag
from crag.settings import Limits


def router(crag: Crag, limits: Limits, metrics: Metrics, *, version: str, evals: bool) -> APIRouter:
    routes = APIRouter(tags=["operation"])

    @routes.get("/v1/info")
    async def info() -> dict[str, Any]:
        """What a page needs to know of its server: version, limits of uploads, what is switched on."""
        on = {"evals": evals, "feedback": limits.keep_answers > 0}
        return {"version": version, **uploads.limits_shape(limits), **on}

    @routes.get("/healthz")
    async def healthy() -> dict[str, str]:
        """The process answers."""
        return {"status": "ok"}

    @routes.get("/readyz")
    async def ready() -> dict[str, Any]:
        """The workspace can be read; 503 otherwise."""
        return {"status": "ready", "documents": len(await run_in_threadpool(crag.documents))}

    @routes.get("/metrics", response_class=PlainTextResponse)
    async def figures() -> Response:
        """Requests, answers, times, tokens and queues, for Prometheus."""
        return Response(await run_in_threadpool(metrics.text), media_type="text/plain; version=0.0.4; charset=utf-8")

    return routes
