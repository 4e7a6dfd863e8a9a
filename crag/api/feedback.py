"""`/v1/feedback`: a thumb and a comment on an answer, kept with the answer and its trace.

``HOME/feedback.sqlite3`` holds the latest answers, for a time, and those that were rated, for good.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
import zlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

from fastapi import APIRouter

from crag.api import schemas
from crag.api.errors import ApiError, responses, to_json
from crag.api.paging import Limit, Offset

FILE = "feedback.sqlite3"
Rating = Literal["up", "down"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    created INTEGER NOT NULL,
    answer BLOB NOT NULL,          -- Answer.to_dict(trace=True) as deflated JSON
    rating TEXT,
    comment TEXT,
    rated INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS rated ON answers (rated) WHERE rating IS NOT NULL;
"""


class Answers:
    """One thread does all the work, in order: keeping an answer makes nobody wait, and a rating finds what was kept."""

    def __init__(self, home: Path, keep: int) -> None:
        self._keep = keep
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="crag-answers")
        self._connection = self._thread.submit(_open, home / FILE).result()

    def keep(self, identifier: str, answer: Mapping[str, Any]) -> None:
        """Keep an answer in the shape of ``Answer.to_dict(trace=True)``; the oldest unrated one goes."""
        if self._keep:
            self._thread.submit(self._insert, identifier, answer)

    async def rate(self, identifier: str, rating: Rating, comment: str | None) -> int:
        """Set, or replace, what is thought of an answer; the time of it. Raises KeyError for an unknown answer."""
        return await asyncio.wrap_future(self._thread.submit(self._rate, identifier, rating, comment))

    async def rated(self, limit: int | None = None, offset: int = 0) -> tuple[list[dict[str, Any]], int]:
        """A part of what was rated, the latest first, and the number of all."""
        return await asyncio.wrap_future(self._thread.submit(self._part, limit, offset))

    def close(self) -> None:
        self._thread.submit(self._connection.close).result()
        self._thread.shutdown()

    def _part(self, limit: int | None, offset: int) -> tuple[list[dict[str, Any]], int]:
        (total,) = self._connection.execute("SELECT count(*) FROM answers WHERE rating IS NOT NULL").fetchone()
        return _rated(self._connection, limit, offset), total

    def _insert(self, identifier: str, answer: Mapping[str, Any]) -> None:
        body = zlib.compress(to_json(answer).encode())
        with self._connection:
            self._connection.execute(
                "INSERT OR IGNORE INTO answers (id, created, answer) VALUES (?, ?, ?)",
                (identifier, int(time.time()), body),
            )
            self._connection.execute(
                "DELETE FROM answers WHERE rating IS NULL AND number <= (SELECT max(number) FROM answers) - ?",
                (self._keep,),
            )

    def _rate(self, identifier: str, rating: Rating, comment: str | None) -> int:
        now = int(time.time())
        with self._connection:
            changed = self._connection.execute(
                "UPDATE answers SET rating = ?, comment = ?, rated = ? WHERE id = ?", (rating, comment, now, identifier)
            ).rowcount
        if not changed:
            raise KeyError(identifier)
        return now


def read_feedback(home: Path) -> list[dict[str, Any]]:
    """What was rated in a workspace, the latest first; a server may be running meanwhile."""
    if not (home / FILE).is_file():
        return []
    connection = _open(home / FILE)
    try:
        return _rated(connection)
    finally:
        connection.close()


def router(answers: Answers) -> APIRouter:
    routes = APIRouter(prefix="/v1", tags=["feedback"])

    @routes.post("/feedback", response_model=schemas.Feedback, responses=responses(404, 408, 413, 415))
    async def give_feedback(body: schemas.FeedbackRequest) -> Any:
        """Rate an answer by its id, the completion's; a second time replaces the first."""
        try:
            rated = await answers.rate(body.answer, body.rating, body.comment)
        except KeyError:
            message = f"There is no answer {body.answer!r} here, or it is too old to be rated: ask again."
            raise ApiError(404, message, param="answer", code="answer_not_found") from None
        return {"object": "feedback", **body.model_dump(), "created": rated}

    @routes.get("/feedback", response_model=schemas.FeedbackList)
    async def list_feedback(limit: Limit = None, offset: Offset = 0) -> Any:
        """What was rated, the latest first, with question and answer."""
        told = []
        entries, total = await answers.rated(limit, offset)
        for entry in entries:
            answer = entry.pop("trace")
            told.append({"object": "feedback", **entry, **{k: answer[k] for k in ("question", "text", "status")}})
        return {"object": "list", "data": told, "total": total}

    return routes


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=10, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.executescript(_SCHEMA)
    return connection


def _rated(connection: sqlite3.Connection, limit: int | None = None, offset: int = 0) -> list[dict[str, Any]]:
    rows = connection.execute(
        "SELECT id, rating, comment, rated, answer FROM answers WHERE rating IS NOT NULL"
        " ORDER BY rated DESC, number DESC LIMIT ? OFFSET ?",
        (-1 if limit is None else limit, offset),
    )
    return [
        {
            "answer": identifier,
            "rating": rating,
            "comment": comment,
            "created": rated,
            "trace": json.loads(zlib.decompress(body)),
        }
        for identifier, rating, comment, rated, body in rows
    ]
