"""Review of drafted questions in the browser: each beside its passages, to accept, edit or drop.

    app = create_app(file, token)       a page at ``/#TOKEN`` and two routes, for this machine only

What is decided is written to the file of drafts at once. The token travels in the address's fragment, which browsers
send to nobody, and comes back as a bearer key.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, Literal

from fastapi import Depends, FastAPI, Header
from fastapi.responses import FileResponse, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request

from crag.api import errors
from crag.api.security import HEADERS, LOOPBACK
from eval.drafting.origins import origin
from eval.testset import Draft, Kind, decide, load_drafts, progress, save_drafts

_ROOM = Path(__file__).parent
_PAGE = _ROOM.parent / "page"
FILES = {
    "/": _ROOM / "index.html",
    **{f"/{name}": _ROOM / name for name in ("review.js", "review-words.js", "review.css")},
    **{f"/{name}": _PAGE / name for name in ("style.css", "dom.js", "icon.svg")},
}


class Decided(BaseModel):
    """What the reviewer did with one draft; what is left out stays as it is, the decision too."""

    model_config = ConfigDict(extra="forbid")

    decision: Literal["accepted", "dropped", "draft"] | None = None
    question: Annotated[str, Field(max_length=10_000)] | None = None
    reference: Annotated[str, Field(max_length=100_000)] | None = None
    type: Kind | None = None
    evidence: Annotated[list[Annotated[str, Field(max_length=100_000)]], Field(max_length=100)] | None = None


def create_app(file: Path, token: str) -> FastAPI:
    """The application. Raises NotFoundError and ConfigError for `file`, as `load_drafts` does."""
    drafts = load_drafts(file)
    lock = Lock()

    def known(authorization: Annotated[str, Header()] = "") -> None:
        if not hmac.compare_digest(authorization.encode(), f"Bearer {token}".encode()):
            raise errors.ApiError(401, "Open the address that 'crag eval testset review --page' printed.")

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    errors.install(app)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=sorted(LOOPBACK))

    @app.middleware("http")
    async def guarded(request: Request, proceed: Callable[[Request], Awaitable[Response]]) -> Response:
        response = await proceed(request)
        response.headers.update(HEADERS)
        return response

    @app.get("/drafts", dependencies=[Depends(known)])
    def show() -> dict[str, Any]:
        """Every draft, in the order of the file."""
        with lock:
            return {"path": file.name, "drafts": [_shape(draft) for draft in drafts], "progress": progress(drafts)}

    @app.post("/drafts/{identity}", dependencies=[Depends(known)])
    def decided(identity: str, body: Decided) -> dict[str, Any]:
        """Keep one decision or edit; it is on disk when this answers."""
        edits = body.model_dump(exclude={"decision"}, exclude_none=True)
        with lock:
            after = decide(drafts, identity, body.decision, **edits)
            save_drafts(file, after)
            drafts[:] = after
            return {"draft": _shape(_named(drafts, identity)), "progress": progress(drafts)}

    for path, source in FILES.items():
        app.add_api_route(path, _file(source), methods=["GET"])
    return app


def _shape(draft: Draft) -> dict[str, Any]:
    """The draft as the page shows it: what proposed it in both languages, and what stands around its evidence."""
    shown = [{**asdict(place), "before": place.shown_before, "after": place.shown_after} for place in draft.passages]
    return {**asdict(draft), "passages": shown, "by": origin(draft.how)._asdict()}


def _named(drafts: list[Draft], identity: str) -> Draft:
    return next(draft for draft in drafts if draft.id == identity)


def _file(path: Path) -> Any:
    async def send() -> FileResponse:
        return FileResponse(path, headers={"cache-control": "no-cache"})

    return send
