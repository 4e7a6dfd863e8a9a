"""Answers and refusals as they ship: each question once with its evidence in the index and once with it withheld."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

from crag.pipeline import load_pipeline
from eval.report.markdown import table
from eval.runs import Gold
from eval.text import without_markers
from graph.calibrate import withheld
from graph.config import GradingConfig
from graph.deps import Retriever
from graph.engine import Engine
from graph.spelling import Lexicon
from graph.types import Answer
from retrieval.types import Degraded, Filters, Hit
from tests.bench.corrective.report import Bar, Section, share
from tests.bench.corrective.sets import opened, says

PROSE = ("cmrc2018_zh", "drcd_zh_hant", "xquad_en", "xquad_zh")
SETS = (*PROSE, "docs_seatunnel_en", "docs_seatunnel_zh")
REFUSED, ANSWERED = 0.85, 0.9
CONTAINED = {"cmrc2018_zh": 0.85, "xquad_en": 0.92, "docs_seatunnel_en": 0.85}
TOKENS = 80
SPARE = 20
"""Hits asked for beyond what the next stage reads, so that withholding leaves enough."""


@dataclass
class Withholding:
    """A retriever that does not find the evidence of the question at hand, nor its answer elsewhere in the document."""

    inner: Retriever
    evidence: Gold = ()

    def retrieve(self, question: str, *, top_k: int | None = None, filters: Filters | None = None) -> Found:
        assert top_k is not None
        found = self.inner.retrieve(question, top_k=top_k + SPARE, filters=filters)
        return Found(withheld(found.hits, self._tells)[:top_k], tuple(found.degraded))

    def lexicon(self, filters: Filters | None = None) -> Lexicon | None:
        """None while evidence is withheld: its words are as if they had never been indexed."""
        return None if self.evidence else self.inner.lexicon(filters)

    def text(self, document: str) -> str:
        return "" if self.evidence else self.inner.text(document)

    def _tells(self, hit: Hit) -> bool:
        own = [span for group in self.evidence for span in group if span.document == hit.chunk.document_id]
        return any(
            (hit.chunk.start < span.end and span.start < hit.chunk.end)
            or (len(span.text) > 1 and span.text in hit.chunk.text)
            for span in own
        )


@dataclass(frozen=True)
class Found:
    hits: Sequence[Hit]
    degraded: Sequence[Degraded] = field(default=())


@dataclass(frozen=True)
class Both:
    set: str
    right: bool
    answered: bool
    tokens: int
    refused: bool
    """With its evidence withheld."""


def both(name: str, home: Path, out: Path) -> list[Both]:
    made = []
    with opened(name, [name], home, out) as asked:
        deps = asked.deps(load_pipeline("crag"))
        without = Withholding(deps.retriever)
        engine = Engine(replace(deps, retriever=without))
        for question, located in asked.unseen(name):
            without.evidence = (*located.evidence, *located.gold)
            answer = asked.ask(question.question)
            (tokens,) = deps.embedder.count_tokens([without_markers(answer.text)])
            refused: Answer = asyncio.run(engine.ask(question.question))
            answered = answer.status != "abstained"
            made.append(Both(name, says(answer, question), answered, tokens, refused.status == "abstained"))
    return made


def section(made: Sequence[Both]) -> Section:
    lower = GradingConfig().lower
    bars: list[Bar] = []
    rows = []
    for name in SETS:
        some = [each for each in made if each.set == name]
        right, answered, refused = (
            [getattr(each, figure) for each in some] for figure in ("right", "answered", "refused")
        )
        length = median(each.tokens for each in some if each.answered)
        rows.append([name, str(len(some)), share(answered), share(refused), share(right), f"{length:.0f}"])
        if name in PROSE:
            bars.append(
                Bar(
                    2,
                    f"abstaining, {name}",
                    f"at least {REFUSED:g} of the withheld refused and {ANSWERED:g} of the others answered",
                    f"{share(refused)} refused, {share(answered)} answered",
                    sum(refused) >= REFUSED * len(some) and sum(answered) >= ANSWERED * len(some),
                )
            )
        if name in CONTAINED:
            bars.append(
                Bar(
                    8,
                    f"answers, {name}",
                    f"the reference in at least {CONTAINED[name]:g} of the answers, {TOKENS} tokens at the median",
                    f"{share(right)}, {length:.0f} tokens",
                    sum(right) >= CONTAINED[name] * len(some) and length <= TOKENS,
                )
            )
    lines = (
        "Each question as it is, and with its evidence withheld from every search: passages that overlap it, and those "
        "of the same document that say the answer too, are not found; near misses are. The whole of `crag` answers, "
        f"rewriting included, at the shipped `lower` of {lower:g}. Questions of the documents that the calibration was "
        "not fitted on. *Reference* is in the answer word for word, refusals counted against it; tokens are the median "
        "of what was answered.",
        "",
        *table(["set", "questions", "answered", "withheld: refused", "reference in the answer", "tokens"], rows),
    )
    return Section(tuple(bars), "Answers and refusals", lines)
