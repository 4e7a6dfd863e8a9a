"""Search the web: one query leaves the machine, pages come back as data and are ranked like passages."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from chunking.errors import ConfigError, CragError, DocumentError
from chunking.loaders import load_bytes
from chunking.types import Document
from graph.nodes.base import Node, Result, Run, degraded
from graph.outgoing import outgoing
from graph.state import Graded, State
from graph.web.base import WebPage
from retrieval.types import Degraded, DocumentInfo, Hit


async def search_web(state: State, run: Run) -> Result:
    search, rank = run.deps.web_search, run.deps.rank_web
    if search is None or rank is None:
        raise ConfigError("The web route needs a web provider: set web.provider, or switch grading off.")
    # The last rewrite, where there was one; of earlier turns only what the question takes over from them.
    indexed = (hit.chunk.text for hit in state["best"].hits)
    query = outgoing(state["search_query"], state["question"], state["history"], indexed)
    pages = await search.search(query)
    documents, unreadable = await asyncio.to_thread(_documents, pages)
    hits = tuple(await asyncio.to_thread(rank, state["standalone"], documents)) if documents else ()
    hits, failed = await _rerank(state["standalone"], hits[: run.deps.rerank.candidates], run)
    update: State = {"web": Graded(query, hits[: run.deps.retrieval.top_k]), "degraded": unreadable + failed}
    return update, {"query": query, "pages_found": len(pages), "passages_found": len(hits)}


async def _rerank(question: str, hits: tuple[Hit, ...], run: Run) -> tuple[tuple[Hit, ...], tuple[Degraded, ...]]:
    if run.deps.reranker is None or not hits:
        return hits, ()
    try:
        return tuple(await asyncio.to_thread(run.deps.reranker.rerank, question, hits)), ()
    except CragError as error:
        return hits, degraded("rerank", error, "The web pages keep the order of the search.")


def _documents(pages: Sequence[WebPage]) -> tuple[list[tuple[Document, DocumentInfo]], tuple[Degraded, ...]]:
    documents: list[tuple[Document, DocumentInfo]] = []
    skipped: list[Degraded] = []
    for page in pages:
        try:
            document = load_bytes(page.text.encode(), source=page.url, media_type="text/markdown", title=page.title)
        except DocumentError as error:
            skipped += degraded("web", error, "The page is left out.")
            continue
        info = DocumentInfo(
            document.id,
            page.url,
            page.title,
            document.media_type,
            url=page.url,
            date=page.date,
            accessed=page.accessed,
        )
        documents.append((document, info))
    return documents, tuple(skipped)


def without_web(state: State, run: Run, error: CragError) -> Result:
    action = "Only the indexed documents are used."
    return {"web": Graded(state["search_query"]), "degraded": degraded("web", error, action)}, {"pages_found": 0}


def _timeout(run: Run) -> float:
    """The provider's own limit, and time to rank what it found."""
    return run.deps.web.timeout + run.deps.rerank.timeout


NODE = Node(name="search_web", body=search_web, timeout=_timeout, fallback=without_web)
