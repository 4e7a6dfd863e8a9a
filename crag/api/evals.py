"""`/v1/evals`: the run folders and reports below the folder that ``crag serve --runs`` names, for looking at.

Clients name runs by ids that come from here; none of their text becomes part of a path.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi import Path as InPath
from starlette.concurrency import run_in_threadpool

from chunking.errors import CragError
from crag.api import schemas
from crag.api.errors import ApiError, responses
from crag.api.pages import Pages
from crag.api.paging import Limit, Offset, part_of
from eval.runs import ANSWERS, MANIFEST, SCORES, SUMMARY

MOST_ENTRIES, MOST_BYTES, DEEPEST = 500, 30_000_000, 4
RunId = Annotated[str, Query(max_length=64)]


@dataclass(frozen=True)
class Entry:
    id: str
    path: Path
    shown: dict[str, Any]


class Evals:
    """Looks at the folder anew for each question: runs come and go."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

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

    def report(self, identifier: str) -> str:
        """The HTML of a report."""
        return _read(self.find(identifier, "eval.report").path).decode("utf-8", "replace")

    def comparison(self, *identifiers: str) -> str:
        """A comparison of runs, the base first, as HTML. Raises MissingExtraError without the eval extra."""
        from eval.compare import compare_runs
        from eval.report import render_html
        from eval.runs import read_run

        base, *candidates = [read_run(self.find(each, "eval.run").path) for each in identifiers]
        return render_html(compare_runs(base, candidates, allow_mismatch=True))


def router(evals: Evals, pages: Pages) -> APIRouter:
    routes = APIRouter(tags=["evaluation"])
    pages.add("report", evals.report)
    pages.add("comparison", evals.comparison)

    @routes.get("/v1/evals", response_model=schemas.EvalList)
    async def list_evals(limit: Limit = None, offset: Offset = 0) -> Any:
        """Evaluation runs and their reports, the newest first."""
        entries = await run_in_threadpool(evals.entries)
        data = [entry.shown for entry in part_of(entries, limit, offset)]
        return {"object": "list", "enabled": evals.folder is not None, "data": data, "total": len(entries)}

    @routes.get("/v1/evals/compare", response_model=schemas.ReportLink, responses=responses(404, 501))
    async def compare(base: RunId, candidate: RunId) -> Any:
        """An address at which two runs are compared, rendered when it is opened."""
        for each in (base, candidate):
            await run_in_threadpool(evals.find, each, "eval.run")
        return {"url": pages.link("comparison", base, candidate)}

    @routes.get("/v1/evals/{eval_id}", response_model=schemas.Eval, responses=responses(404))
    async def show_eval(eval_id: Annotated[str, InPath(max_length=64)]) -> Any:
        """A run with its summary, or a report with the address that shows it, which needs no key for ten minutes."""
        entry = await run_in_threadpool(evals.find, eval_id)
        if entry.shown["object"] == "eval.report":
            return {**entry.shown, "url": pages.link("report", entry.id)}
        return {**entry.shown, "summary": await run_in_threadpool(_json, entry.path / SUMMARY)}

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
                if _is_run(path):
                    found.append(((path / MANIFEST).stat().st_mtime, _run(root, path)))
                if depth > 1:
                    _look(root, path, found, depth - 1)
            elif path.suffix == ".html" and path.is_file() and path.stat().st_size <= MOST_BYTES:
                found.append((path.stat().st_mtime, _report(root, path)))
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError, CragError):
            continue


def _is_run(path: Path) -> bool:
    """A folder with a manifest, none of whose files is a link to elsewhere, a pipe or a device."""
    held = [path / name for name in (MANIFEST, ANSWERS, SCORES, SUMMARY) if os.path.lexists(path / name)]
    return path / MANIFEST in held and all(stat.S_ISREG(each.lstat().st_mode) for each in held)


def _run(root: Path, path: Path) -> Entry:
    manifest, summary = _json(path / MANIFEST), _json(path / SUMMARY)
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
    return _entry(path, shown)


def _report(root: Path, path: Path) -> Entry:
    status = path.stat()
    name = path.relative_to(root).as_posix()
    told = {"name": name, "modified": int(status.st_mtime), "bytes": status.st_size}
    shown: dict[str, Any] = {"object": "eval.report", "id": _id(root, path), **told}
    return _entry(path, shown)


def _entry(path: Path, shown: dict[str, Any]) -> Entry:
    """Raises ValueError for what cannot be told: a name that is not UTF-8, a figure that is none."""
    json.dumps(shown, ensure_ascii=False, allow_nan=False).encode()
    schemas.Eval.model_validate(shown)
    return Entry(shown["id"], path, shown)


def _id(root: Path, path: Path) -> str:
    return hashlib.sha256(str(path.relative_to(root)).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    value = json.loads(_read(path).decode("utf-8"))
    if not isinstance(value, dict):
        raise ValueError(f"{path} holds no JSON object")
    return value


def _read(path: Path) -> bytes:
    """The bytes of a regular file, which may have changed since it was found. Raises OSError and ValueError."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError(f"{path} is no regular file")
        if len(content := file.read(MOST_BYTES + 1)) > MOST_BYTES:
            raise ValueError(f"{path} is larger than {MOST_BYTES} bytes")
    return content
