"""Uploads on their way into the workspace: kept on disk, read one after the other, finished after a restart too.

``HOME/uploads/jobs/JOB/``  ``job.json`` and the files as they came, named 0, 1, 2, ...
``HOME/uploads/files/ID``   the bytes of each document that was taken in, by document id

No name that a client gave is ever part of a path: it is the document's source, for people to read.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import queue
import shutil
import threading
import time
import unicodedata
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from chunking.errors import CragError, DocumentError
from chunking.types import Document
from crag.api.errors import encodable
from crag.api.paging import part_of
from crag.api.parsing import Reader
from crag.app import Crag
from crag.pipeline import Pipeline
from crag.settings import Limits
from eval.lines import write_json
from retrieval.embedders.interrupt import interruptible
from retrieval.registry import DocumentRecord, member_id

FINISHED_KEPT = 200
"""Finished jobs that can still be looked at."""
_BATCH_FILES, _BATCH_CHARACTERS = 16, 200_000
"""Documents that go into the index together: few, so that questions are answered in between."""
_TAKEN = ("added", "updated", "unchanged")
"""What becomes of a file whose document is in the index."""
_ATTEMPTS = 3
"""Times that a job is begun again after the server ended in the middle of it."""

Job = dict[str, Any]

logger = logging.getLogger("crag.jobs")


class StoppedError(Exception):
    """The server is ending: the job goes on with the next start."""


class Jobs:
    """A queue with one worker, which starts and ends with the server. Every method may be called from any thread."""

    def __init__(self, crag: Crag, pipelines: Sequence[Pipeline], limits: Limits) -> None:
        self._crag = crag
        self._pipelines = pipelines
        self._limits = limits
        self._home = crag.workspace.home / "uploads"
        self._files = self._home / "files"
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()
        self._queue: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._reader: Reader | None = None
        self._worker = threading.Thread(target=self._work, name="crag-jobs", daemon=True)

    def start(self) -> None:
        """Take up what an earlier server left unfinished, and begin."""
        self._files.mkdir(parents=True, exist_ok=True)
        for folder in sorted((self._home / "jobs").glob("job-*"), key=lambda path: path.stat().st_mtime):
            try:
                job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
            except FileNotFoundError:
                shutil.rmtree(folder, ignore_errors=True)  # Its upload was never whole.
                continue
            except (OSError, ValueError) as error:
                logger.error("The job in %s cannot be read, and is left alone: %s", folder, error)
                continue
            self._jobs[job["id"]] = job
            if job["status"] in ("queued", "running"):
                self._queue.put(job["id"])
        self._worker.start()

    def stop(self) -> None:
        """Have the worker end between two texts, and wait for nothing; what is left goes on with the next start."""
        self._stopping.set()
        if (reader := self._reader) is not None:
            reader.stop()
        self._queue.put(None)

    def close(self) -> None:
        """Stop, and wait for the worker."""
        self.stop()
        if self._worker.is_alive():
            self._worker.join()

    @property
    def waiting(self) -> int:
        """Jobs that have not finished."""
        with self._lock:
            return sum(job["status"] in ("queued", "running") for job in self._jobs.values())

    def new(self) -> Path:
        """A folder for the files of a job to come: name them 0, 1, 2, ... and `submit` it."""
        folder = self._home / "jobs" / f"job-{uuid.uuid4().hex}"
        folder.mkdir(parents=True)
        return folder

    def submit(self, folder: Path, names: Sequence[str], collection: str, *, again: str | None = None) -> Job:
        """Queue a job over the files 0, 1, ... of `folder`, which clients call `names`.

        `again` is the id of the document that the only file is read for once more.
        """
        sources = [clean_name(name) for name in names]
        files = [
            {"name": source, "bytes": size, "status": "waiting", "reason": None, "document": None}
            for source, size in zip(sources, (_size(folder / str(n)) for n in range(len(names))), strict=True)
        ]
        later = set()
        for entry, source in zip(reversed(files), reversed(sources), strict=True):
            if source in later:
                _skip(entry, "another file of this upload has the same name", "same_name")
            later.add(source)
        job: Job = {
            "object": "job",
            "id": folder.name,
            "status": "queued",
            "stage": "queued",
            "created": int(time.time()),
            "finished": None,
            "collection": collection,
            "again": again,
            "attempts": 0,
            "files": files,
            "chunks": 0,
            "seconds": 0.0,
            "error": None,
        }
        self._save(job)
        with self._lock:
            self._jobs[job["id"]] = job
        self._queue.put(job["id"])
        return shown(job)

    def again(self, record: DocumentRecord) -> Job:
        """Read a document anew, from its kept bytes or from the server's own file. Raises DocumentError."""
        kept, own = self._files / record.id, Path(record.origin)
        folder = self.new()
        try:
            # The origin of an upload is the name that a client gave, which is never absolute.
            if not kept.is_file() and not own.is_absolute():
                raise FileNotFoundError(kept)
            shutil.copyfile(kept if kept.is_file() else own, folder / "0")
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise DocumentError(
                f"The file of {record.source} is no longer there: upload it again, or delete the document."
            ) from error
        return self.submit(folder, [record.source], record.collection, again=record.id)

    def get(self, identifier: str) -> Job | None:
        with self._lock:
            job = self._jobs.get(identifier)
            return None if job is None else shown(job)

    def list(self, limit: int | None = None, offset: int = 0) -> tuple[list[Job], int]:
        """A part of all jobs, the newest first, and their number."""
        with self._lock:
            jobs = list(reversed(self._jobs.values()))
            return [shown(job) for job in part_of(jobs, limit, offset)], len(jobs)

    def uploaded(self) -> set[str]:
        """Ids of documents whose bytes are kept."""
        return {path.name for path in self._files.iterdir()} if self._files.is_dir() else set()

    def forget(self, document: str) -> None:
        """Delete the kept bytes of a document that was removed."""
        (self._files / document).unlink(missing_ok=True)

    # The worker

    def _work(self) -> None:
        while (identifier := self._queue.get()) is not None and not self._stopping.is_set():
            job = self._jobs[identifier]
            job["attempts"] += 1
            started = time.perf_counter()
            try:
                if job["attempts"] > _ATTEMPTS:
                    raise DocumentError("The server ended in the middle of this upload, again and again: see its log.")
                with interruptible(self._check):
                    self._run(job)
                self._finish(job, "done", started)
            except StoppedError:
                job["attempts"] -= 1  # It was asked to end, and did not fail over this job.
                self._save(job)
                return
            except CragError as error:
                self._finish(job, "failed", started, {"message": str(error), "type": error.kind})
            except Exception as error:  # One job that fails must not end the worker of all others.
                logger.error("job %s", job["id"], exc_info=error)
                message = "The server failed in a way that nobody foresaw; its log has the details."
                self._finish(job, "failed", started, {"message": message, "type": "server_error"})

    def _run(self, job: Job) -> None:
        job["status"], job["stage"] = "running", "reading"
        self._save(job)
        self._keep(job)
        known = {each["id"]: each["content_hash"] for each in self._crag.documents()}
        batch: list[tuple[Job, Document]] = []
        with Reader(self._limits) as reader:
            self._reader = reader
            for number, entry in enumerate(job["files"]):
                if entry["status"] not in ("waiting", "reading", "read"):
                    continue
                self._check()
                if (document := self._read(job, entry, self._path(job, number), known)) is None:
                    continue
                batch.append((entry, document))
                size = sum(len(each.text) for _, each in batch)
                if len(batch) >= _BATCH_FILES or size >= _BATCH_CHARACTERS:
                    self._take(job, batch, known)
                    batch = []
        if batch:
            self._take(job, batch, known)
        job["stage"] = "indexing"
        for pipeline in self._pipelines:
            self._crag.catch_up(pipeline, progress=lambda *_: self._check())

    def _read(self, job: Job, entry: Job, path: Path, known: Mapping[str, str]) -> Document | None:
        origin, source = entry["name"], entry["name"]
        identifier = job["again"] or member_id(source, job["collection"])
        try:
            if not job["again"] and identifier in known and known[identifier] == _hash(path):
                entry.update(status="unchanged", document=identifier)
                return None
            entry["status"] = "reading"
            assert self._reader is not None
            document = self._reader.read(path, source=source, origin=origin)
        except (DocumentError, OSError) as error:
            self._check()
            reason, code = (
                (str(error), error.code) if isinstance(error, DocumentError) else ("its bytes were lost", "lost")
            )
            stays = "; the version taken in before stays" if identifier in known else ""
            _skip(entry, f"{reason.rstrip('.')}{stays}", code, kept=identifier in known)
            return None
        entry["status"] = "read"
        return replace(document, id=identifier)

    def _take(self, job: Job, batch: Sequence[tuple[Job, Document]], known: dict[str, str]) -> None:
        """Put documents into the index and keep their bytes."""
        job["stage"] = "indexing"
        documents = [document for _, document in batch]
        if job["again"]:
            job["chunks"] += sum(self._crag.replace(document) for document in documents)
        else:
            options = {"collection": job["collection"], "progress": lambda *_: self._check()}
            job["chunks"] += self._crag.ingest_documents(documents, **options).chunks
        for entry, document in batch:
            entry.update(status="updated" if document.id in known else "added", document=document.id)
            known[document.id] = document.content_hash
        # In this order: a file that has moved before the job says so would be missed by the next server.
        self._save(job)
        self._keep(job)
        job["stage"] = "reading"

    def _keep(self, job: Job) -> None:
        """Keep the bytes of documents that are in the index, also where an earlier server ended before it did."""
        if job["again"]:
            return
        for number, entry in enumerate(job["files"]):
            if entry["status"] in _TAKEN and (path := self._path(job, number)).is_file():
                path.replace(self._files / entry["document"])

    def _path(self, job: Job, number: int) -> Path:
        return self._home / "jobs" / str(job["id"]) / str(number)

    def _check(self) -> None:
        if self._stopping.is_set():
            raise StoppedError

    def _finish(self, job: Job, status: str, started: float, error: Job | None = None) -> None:
        self._keep(job)  # Before the job says that it is done: the next server looks at unfinished ones only.
        seconds = round(time.perf_counter() - started, 3)
        end = {"status": status, "stage": "done", "finished": int(time.time()), "error": error, "seconds": seconds}
        self._save({**job, **end})
        job.update(end)  # Last, at once: whoever reads it may delete a document, or have it read again.
        for number in range(len(job["files"])):
            self._path(job, number).unlink(missing_ok=True)
        with self._lock:
            done = [each["id"] for each in self._jobs.values() if each["finished"]]
            for identifier in done[:-FINISHED_KEPT]:
                del self._jobs[identifier]
                shutil.rmtree(self._home / "jobs" / identifier, ignore_errors=True)

    def _save(self, job: Job) -> None:
        write_json(self._home / "jobs" / job["id"] / "job.json", job)


def shown(job: Job) -> Job:
    """A job as clients see it, while the worker goes on with it."""
    job = dict(job)  # First, and its files after it: one that is done has no file that is not.
    files = [dict(entry) for entry in job["files"]]
    statuses = [entry["status"] for entry in files]
    return {
        **{name: value for name, value in job.items() if name not in ("again", "attempts")},
        "files": files,
        "total": len(files),
        "done": sum(status not in ("waiting", "reading", "read") for status in statuses),
        **{status: statuses.count(status) for status in _TAKEN},
        "skipped": [_skipped(each) for each in files if each["status"] == "skipped"],
    }


def _skipped(entry: Job) -> dict[str, Any]:
    # Jobs of an earlier release lie on disk without the last two.
    return {
        "path": entry["name"], "reason": entry["reason"],
        "code": entry.get("code", ""), "kept": entry.get("kept", False),
    }  # fmt: skip


def clean_name(given: str) -> str:
    """A file name as a source to be shown: folders stay, what is no printable text and what climbs out goes."""
    text = unicodedata.normalize("NFC", encodable(given)).replace("\\", "/")
    parts = []
    for part in text.split("/"):
        plain = "".join(" " if unicodedata.category(c)[0] in "CZ" else c for c in part)
        plain = " ".join(plain.split()).strip(". ") if not plain.strip(". ") else " ".join(plain.split())
        if plain and not plain.endswith(":"):
            parts.append(plain if len(plain) <= 120 else f"{plain[:80]}…{plain[-39:]}")
    return "/".join(parts[-8:]) or "unnamed"


def _skip(entry: Job, reason: str, code: str, *, kept: bool = False) -> None:
    """`kept`: the version of the document that was taken in before stays."""
    entry.update(status="skipped", reason=reason, code=code, kept=kept)


def _size(path: Path) -> int:
    with contextlib.suppress(OSError):
        return path.stat().st_size
    return 0


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
