"""`/v1/evals`: the run folders and reports below the folder that ``crag serve --runs`` names, for looking at.

Clients name runs by ids that come from here; none of their text becomes part of a path. A report is HTML that
measured answers went into, so it is served as from another origin: no script of it reaches this server's pages. Its
address holds a ticket, since a browser sends no key with a link or a frame.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi import Path as InPath
from fastapi.responses import HTMLResponse
from starlette.concurrency import run_in_threadpool

from chunking.errors import CragError
from crag.api import schemas
from crag.api.errors import ApiError, responses

REPORTS = "/reports/"
"""Below this nothing needs a key: the ticket in the path does."""
MOST_ENTRIES, MOST_BYTES, DEEPEST = 500, 30_000_000, 4
_VALID_SECONDS = 600
_CSP = (
    "sandbox allow-scripts allow-popups; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
RunId = Annotated[str, Query(max_length=64)]


@dataclass(frozen=True)
class Entry:
    id: str
    path: Path
    shown: dict[str, Any]


class Evals:
    """Looks at the folder anew for each question: runs come and go."""

    def __init__(self, folder: Path | None, clock: Callable[[], float] = time.time) -> None:
        self.folder = folder
        self._clock = clock
        self._secret = secrets.token_bytes(32)

    def entries(self) -> list[Entry]:
        """Runs and reports, the newest first; at most `MOST_ENTRIES`."""
        if self.folder is None:
            return []
        found: list[tuple[float, Entry]] = []
        _look(self.folder, self.folder, found, DEEPEST)
        return [entry for _, entry in sorted(found, key=lambda pair: -pair[0])[:MOST_ENTRIES]]

    def find(self, identifier: str, kind: str | None = None) -> Entry:
        """Raises ApiError."""
        for entry in self.entries():
            if entry.id == identifier and kind in (None, entry.shown["object"]):
                return entry
        raise ApiError(404, f"There is no such run or report: {identifier!r}.", code="eval_not_found")

    def ticket(self, *identifiers: str) -> str:
        """An address that shows a report, or the comparison of two runs, for ten minutes."""
        told = f"{'.'.join(identifiers)}-{int(self._clock()) + _VALID_SECONDS}"
        return f"{REPORTS}{told}-{self._sign(told)}"

    def opened(self, ticket: str) -> list[str]:
        """The ids that a ticket was made for. Raises ApiError for one that is forged or too old."""
        told, _, signature = ticket.rpartition("-")
        identifiers, _, until = told.rpartition("-")
        if not hmac.compare_digest(self._sign(told).encode(), encoded(signature)) or int(until) < self._clock():
            raise ApiError(404, "This address of a report is no longer valid: open it from the page again.")
        return identifiers.split(".")

    def html(self, identifiers: list[str]) -> str:
        """A report, or the comparison of two runs."""
        if len(identifiers) == 1:
            return self.find(identifiers[0], "eval.report").path.read_text(encoding="utf-8", errors="replace")
        from eval.compare import compare_runs
        from eval.report import render_html
        from eval.runs import read_run

        base, *candidates = [read_run(self.find(each, "eval.run").path) for each in identifiers]
        return render_html(compare_runs(base, candidates, allow_mismatch=True))

    def _sign(self, told: str) -> str:
        return hmac.new(self._secret, encoded(told), hashlib.sha256).hexdigest()


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def router(evals: Evals) -> APIRouter:
    routes = APIRouter(tags=["evaluation"])

    @routes.get("/v1/evals", response_model=schemas.EvalList)
    async def list_evals() -> Any:
        """Evaluation runs and their reports, the newest first."""
        entries = await run_in_threadpool(evals.entries)
        data = [entry.shown for entry in entries]
        return {"object": "list", "enabled": evals.folder is not None, "data": data}

    @routes.get("/v1/evals/compare", response_model=schemas.ReportLink, responses=responses(400, 404, 501))
    async def compare(base: RunId, candidate: RunId) -> Any:
        """An address at which two runs are compared, rendered when it is opened."""
        for each in (base, candidate):
            await run_in_threadpool(evals.find, each, "eval.run")
        return {"url": evals.ticket(base, candidate)}

    @routes.get("/v1/evals/{eval_id}", response_model=schemas.Eval, responses=responses(404))
    async def show_eval(eval_id: Annotated[str, InPath(max_length=64)]) -> Any:
        """A run with its summary, or a report with the address that shows it, which needs no key for ten minutes."""
        entry = await run_in_threadpool(evals.find, eval_id)
        if entry.shown["object"] == "eval.report":
            return {**entry.shown, "url": evals.ticket(entry.id)}
        return {**entry.shown, "summary": await run_in_threadpool(_json, entry.path / "summary.json")}

    @routes.get(REPORTS + "{ticket}", include_in_schema=False)
    async def report(ticket: str) -> HTMLResponse:
        html = await run_in_threadpool(evals.html, evals.opened(ticket))
        headers = {"content-security-policy": _CSP, "cache-control": "no-store"}
        return HTMLResponse(html, headers=headers)

    return routes


def _look(root: Path, folder: Path, found: list[tuple[float, Entry]], depth: int) -> None:
    """Add what lies in `folder`; links are not followed, and what cannot be read is passed over."""
    try:
        inside = sorted(folder.iterdir())
    except OSError:
        return
    for path in inside:
        try:
            if path.is_symlink() or path.name.startswith("."):
                continue
            if path.is_dir():
                if (path / "manifest.json").is_file():
                    found.append(((path / "manifest.json").stat().st_mtime, _run(root, path)))
                if depth > 1:
                    _look(root, path, found, depth - 1)
            elif path.suffix == ".html" and path.stat().st_size <= MOST_BYTES:
                found.append((path.stat().st_mtime, _report(root, path)))
        except (OSError, ValueError, LookupError, TypeError, AttributeError, CragError):
            continue


def _run(root: Path, path: Path) -> Entry:
    manifest, summary = _json(path / "manifest.json"), _json(path / "summary.json")
    judge = manifest.get("judge")
    shown = {
        "object": "eval.run",
        "id": _id(root, path),
        "name": path.relative_to(root).as_posix(),
        "pipeline": {name: manifest["pipeline"][name] for name in ("name", "version")},
        "suite": {name: manifest["suite"][name] for name in ("name", "questions")},
        "started": manifest["started"],
        "finished": bool(summary),
        "metrics": {name: value["mean"] for name, value in summary.get("metrics", {}).items()},
        "judge": judge and judge["model"],
    }
    return Entry(shown["id"], path, shown)


def _report(root: Path, path: Path) -> Entry:
    status = path.stat()
    name = path.relative_to(root).as_posix()
    told = {"name": name, "modified": int(status.st_mtime), "bytes": status.st_size}
    shown: dict[str, Any] = {"object": "eval.report", "id": _id(root, path), **told}
    return Entry(shown["id"], path, shown)


def _id(root: Path, path: Path) -> str:
    return hashlib.sha256(str(path.relative_to(root)).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    value = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(value, dict):
        raise ValueError(f"{path} holds no JSON object")
    return value
