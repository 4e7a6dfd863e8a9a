"""What the index lacks, found on the web: a third of the documents is withheld from it and served like Tavily's pages.

The far end is a search engine of its own: BM25 over the withheld documents and over those of another set, which have
nothing to do with the questions, so that most of what it gives back is of no use.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from chunking.types import Document
from crag.pipeline import Pipeline, load_pipeline
from eval.corpus import corpus_of_suite
from eval.report.markdown import table
from eval.suite import load_suite
from graph.config import GradingConfig, WebConfig
from graph.types import Answer
from retrieval.lexical.bm25 import BM25Index
from retrieval.lexical.tokenizer import tokenize
from tests.bench.corrective.report import Bar, Section, share
from tests.bench.corrective.sets import opened, says
from tests.bench.ladder import DATASETS
from tests.fakes.http import Reply, Request, ScriptedServer
from tests.fakes.tavily import page, results

SETS = {"cmrc2018_zh": "drcd_zh_hant", "xquad_en": "multihop_en", "xquad_zh": "drcd_zh_hant"}
"""What is asked, and what else the web holds."""
ANSWERED, CALLED = 0.85, 0.15
BOUNDS = (0.4, 0.5, 0.6, 0.7, 0.8)
PRICE = 0.008
"""US dollars for a basic search, one credit at Tavily's pay-as-you-go price of 2025."""
EXCERPT = 500
"""Characters of a page's `content`; the whole page is its `raw_content`."""


class Pages:
    """Answers `POST /search` in Tavily's form with the best of its documents."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = {document.id: document for document in documents}
        self._index = BM25Index()
        self._index.add([(d.id, d.id, self._index.encode(tokenize(f"{d.title}\n{d.text}"))) for d in documents])

    def __call__(self, request: Request) -> Reply:
        found = self._index.match(tokenize(request.body["query"])).top(request.body["max_results"])
        pages = [(self._documents[identifier], score) for identifier, score in found]
        return results(
            *(page(url(d), d.text[:EXCERPT], title=d.title, raw=d.text, score=score) for d, score in pages),
            query=request.body["query"],
        )


def url(document: Document) -> str:
    return f"https://pages.example/{document.id}"


def is_withheld(document: Document) -> bool:
    """A third of them, by the SHA-256 of the id."""
    return hashlib.sha256(document.id.encode()).digest()[0] % 3 == 0


@dataclass(frozen=True)
class Asked:
    set: str
    withheld: bool
    answer: Answer
    right: bool
    """The reference in the answer, or the page that holds it cited."""
    plain: bool
    """The same of `hybrid-rerank`, which has no web."""

    @property
    def graded(self) -> float:
        """The best confidence of the indexed passages: it decides whether the web is asked."""
        return max(float(event.detail["confidence"]) for event in self.answer.trace if event.node == "grade")

    @property
    def called(self) -> bool:
        return any(event.node == "search_web" for event in self.answer.trace)


def searched(name: str, home: Path, out: Path) -> list[Asked]:
    corpus = corpus_of_suite(load_suite(DATASETS / name))
    others = corpus_of_suite(load_suite(DATASETS / SETS[name]))
    web = Pages([*(each for each in corpus.documents if is_withheld(each)), *others.documents])
    by_id = {document.id: document for document in corpus.documents}
    made = []
    with (
        _key(),
        ScriptedServer(web) as server,
        opened(f"{name}-two-thirds", [name], home, out, keep=lambda document: not is_withheld(document)) as asked,
    ):
        crag = with_web(load_pipeline("crag"), server.url)
        for question, located in asked.unseen(name):
            document = by_id[located.evidence[0][0].document]
            answer = asked.ask(question.question, crag)
            cited = any(citation.url == url(document) for citation in answer.citations)
            right = says(answer, question) or cited
            withheld = is_withheld(document)
            plain = withheld and says(asked.ask(question.question, "hybrid-rerank"), question)
            made.append(Asked(name, withheld, answer, right, plain))
    return made


@contextmanager
def _key() -> Iterator[None]:
    """The client asks for one. It must be gone afterwards: `web.provider: auto` would search in earnest with it."""
    os.environ["TAVILY_API_KEY"] = "tvly-loopback"
    try:
        yield
    finally:
        del os.environ["TAVILY_API_KEY"]


def with_web(pipeline: Pipeline, base_url: str) -> Pipeline:
    """Nothing is kept between questions, so that each search is paid for."""
    return pipeline.model_copy(update={"web": WebConfig(provider="tavily", base_url=base_url, cache_hours=0)})


def section(made: Sequence[Asked]) -> Section:
    away, here = [each for each in made if each.withheld], [each for each in made if not each.withheld]
    bars = (
        Bar(
            3,
            "web, answered",
            f"of the questions whose document is withheld from the index at least {ANSWERED:g} answered",
            f"{share([each.right for each in away])} of {len(away)} (hybrid-rerank "
            f"{share([each.plain for each in away])})",
            share_of([each.right for each in away]) >= ANSWERED,
        ),
        Bar(
            3,
            "web, calls",
            f"web searched for at most {CALLED:g} of the questions whose document is in the index",
            f"{share([each.called for each in here])} of {len(here)}",
            share_of([each.called for each in here]) <= CALLED,
        ),
    )
    rows = [_row(name, [each for each in made if name in (each.set, "all")]) for name in (*SETS, "all")]
    lines = (
        "A third of each set's documents is withheld from the index. A loopback server that speaks Tavily's API holds "
        "them among the documents of another set, and gives the five best pages of a plain BM25 search; the real "
        "client asks it. Questions are of the documents that the calibration was not fitted on. *Answered* is the "
        "reference word for word in an answer, or the page that holds it cited. `hybrid-rerank` has no web: what it "
        "answers of the withheld it has by accident from another document. Cost is "
        f"that of one basic search each, {PRICE:g} US dollars; latency is of this machine and this run.",
        "",
        *table(
            [
                "set", "withheld", "answered", "hybrid-rerank", "web called", "p50 ms",
                "in the index", "answered", "web called", "p50 ms", "dollars for 1,000 questions",
            ],
            rows,
        ),
        "",
        f"The web is asked below `upper` ({GradingConfig().upper:g}). With another bound:",
        "",
        *table(
            ["upper", "in the index: web called", "withheld: answered without the web"],
            [
                [
                    f"{bound:g}",
                    share([each.graded < bound for each in here]),
                    share([each.graded >= bound for each in away]),
                ]
                for bound in BOUNDS
            ],
        ),
    )  # fmt: skip
    return Section(bars, "The web", lines)


def _row(name: str, some: Sequence[Asked]) -> list[str]:
    away, here = [each for each in some if each.withheld], [each for each in some if not each.withheld]
    return [
        name,
        str(len(away)),
        share([each.right for each in away]),
        share([each.plain for each in away]),
        share([each.called for each in away]),
        _p50(away),
        str(len(here)),
        share([each.right for each in here]),
        share([each.called for each in here]),
        _p50(here),
        f"{1000 * PRICE * share_of([each.called for each in some]):.2f}",
    ]


def _p50(some: Sequence[Asked]) -> str:
    return f"{np.median([each.answer.timings['total'] for each in some]):.0f}"


def share_of(values: Sequence[bool]) -> float:
    return sum(values) / len(values)
