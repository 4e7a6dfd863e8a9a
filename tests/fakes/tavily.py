"""Replies in the wire format of Tavily's search API, for `ScriptedServer`."""

from __future__ import annotations

from tests.fakes.http import Reply


def page(
    url: str, text: str, *, title: str = "", raw: str | None = None, score: float = 0.9, published: str | None = None
) -> dict[str, object]:
    dated = {} if published is None else {"published_date": published}
    return {"url": url, "title": title or url, "content": text, "raw_content": raw, "score": score, **dated}


def results(*pages: dict[str, object], query: str = "q") -> Reply:
    return Reply({"query": query, "results": list(pages), "response_time": 0.1, "images": [], "answer": None})


def refusal(status: int, message: str = "scripted refusal") -> Reply:
    return Reply({"detail": {"error": message}}, status)
