"""`/v1/documents`, by POST and DELETE, and `/v1/jobs`: files into the workspace, out of it, and how far they are."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi import Path as InPath
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile

from chunking.errors import StoreError
from chunking.loaders.media import readable_suffixes
from crag.api import schemas
from crag.api.documents import find_document
from crag.api.errors import BODY_TOO_LARGE, ApiError, responses
from crag.api.jobs import Job, Jobs
from crag.api.paging import Limit, Offset
from crag.app import Crag
from crag.settings import Limits
from retrieval.types import DEFAULT_COLLECTION, check_collection

FIELDS = ("files", "file", "files[]")
"""Names under which clients send files."""
_FORM = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["files"],
                    "properties": {
                        "files": {"type": "array", "items": {"type": "string", "format": "binary"}},
                        "collection": {"type": "string", "description": "Where they go; `default` otherwise."},
                    },
                }
            }
        },
    }
}


def router(crag: Crag, jobs: Jobs, limits: Limits) -> APIRouter:
    routes = APIRouter(prefix="/v1", tags=["documents"])

    @routes.post(
        "/documents",
        status_code=202,
        response_model=schemas.Job,
        openapi_extra=_FORM,
        responses=responses(408, 413, 415),
    )
    async def upload(request: Request) -> Any:
        """Take in files; the job that is given says how far they are. A name that is known already is replaced."""
        if jobs.waiting >= limits.max_jobs:
            message = f"{limits.max_jobs} uploads are waiting already: try again when some of them are read."
            raise ApiError(429, message, code="too_many_requests", headers={"retry-after": "10"})
        kind = request.headers.get("content-type", "")
        if kind.split(";")[0].strip().lower() != "multipart/form-data":
            raise ApiError(415, "Send files as multipart/form-data, in a field named 'files'.", param="files")
        try:
            async with request.form(max_files=limits.max_files, max_fields=20) as form:
                return await _submit(jobs, _files(form, limits), _collection(form))
        except OSError as error:
            message = f"The server cannot keep the upload ({error.strerror or error}): none of it was taken in."
            raise StoreError(message) from error

    @routes.delete("/documents/{document_id}", response_model=schemas.Deleted, responses=responses(404))
    async def delete_document(document_id: schemas.DocumentId) -> Any:
        """Remove a document from every index, and its bytes where it was uploaded."""
        found = await run_in_threadpool(find_document, crag, document_id)
        (removed,) = await run_in_threadpool(crag.remove, [found.id])
        await run_in_threadpool(jobs.forget, removed["id"])
        return {"object": "document", "id": removed["id"], "source": removed["source"], "deleted": True}

    @routes.post(
        "/documents/{document_id}/reingest",
        status_code=202,
        response_model=schemas.Job,
        responses=responses(404, 422),
    )
    async def reingest(document_id: schemas.DocumentId) -> Any:
        """Read a document again, from the bytes that were uploaded or from the server's own file."""
        found = await run_in_threadpool(find_document, crag, document_id)
        return await run_in_threadpool(jobs.again, found)

    @routes.get("/jobs", response_model=schemas.JobList)
    async def list_jobs(limit: Limit = None, offset: Offset = 0) -> Any:
        """The latest jobs, the newest first."""
        data, total = await run_in_threadpool(jobs.list, limit, offset)
        return {"object": "list", "data": data, "total": total}

    @routes.get("/jobs/{job_id}", response_model=schemas.Job, responses=responses(404))
    async def show_job(job_id: Annotated[str, InPath(max_length=100)]) -> Job:
        """How far a job is, and what became of each of its files."""
        if (job := jobs.get(job_id)) is None:
            raise ApiError(404, f"There is no job {job_id!r}; GET /v1/jobs lists the latest.", code="job_not_found")
        return job

    return routes


async def _submit(jobs: Jobs, files: Sequence[UploadFile], collection: str) -> Job:
    folder = await run_in_threadpool(jobs.new)
    try:
        for number, file in enumerate(files):
            await run_in_threadpool(_keep, file, folder / str(number))
        names = [file.filename or "" for file in files]
        return await run_in_threadpool(jobs.submit, folder, names, collection)
    except BaseException:  # A server that ends cancels this, and must leave no folder behind either.
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _files(form: FormData, limits: Limits) -> list[UploadFile]:
    given = [value for name in FIELDS for value in form.getlist(name)]
    files = [value for value in given if isinstance(value, UploadFile)]
    if not files or len(files) < len(given):
        message = "files: send at least one file, each with its file name, in a form field named 'files'."
        raise ApiError(400, message, param="files")
    for file in files:
        if (file.size or 0) > limits.max_file_mb * 1024**2:
            message = f"{file.filename!r} is larger than {limits.max_file_mb} MiB: split it."
            raise ApiError(413, message, param="files", code=BODY_TOO_LARGE)
    return files


def _collection(form: FormData) -> str:
    """Raises ConfigError for a name that no collection can have."""
    given = form.get("collection")
    return check_collection(given) if isinstance(given, str) and given else DEFAULT_COLLECTION


def _keep(file: UploadFile, path: Path) -> None:
    with path.open("wb") as kept, contextlib.closing(file.file) as sent:
        shutil.copyfileobj(sent, kept, 1024 * 1024)


def limits_shape(limits: Limits) -> dict[str, Any]:
    """What a page has to know before it uploads."""
    return {
        "suffixes": list(readable_suffixes()),
        "limits": {
            "upload_bytes": limits.max_upload_mb * 1024**2,
            "file_bytes": limits.max_file_mb * 1024**2,
            "files": limits.max_files,
            "pages": limits.max_pages,
        },
    }
