"""Fitting the confidence to a suite of one's own: ``crag eval calibrate``. Fitted files lie in the workspace."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chunking.errors import ConfigError
from crag.evaluation import Bench
from crag.pipeline import Pipeline
from crag.wiring import CALIBRATIONS
from eval.runs import Span
from graph.calibrate import Case, Quality, calibrate, cases_of, quality
from graph.confidence import Calibration
from graph.interaction import with_interaction
from retrieval.types import Hit

if TYPE_CHECKING:
    from eval.corpus import Corpus
    from eval.questions import SuiteQuestion
    from graph.deps import Deps, Grader

CANDIDATES = 60
"""Hits looked at for a question, well beyond what is reranked, so that withholding the evidence leaves enough."""
FEWEST = 10
"""Questions that found their evidence: with fewer, one question decides whether a fit is kept. Set, not fitted."""
L2 = 10.0
"""Penalty of the logistic model; strong, because suites are small."""


@dataclass(frozen=True)
class Fitted:
    """`before` and `after` are measured on the half of the documents that the fit did not see.

    `path` is None where it was not kept, because it is no better than what is in use.
    """

    calibration: Calibration
    path: Path | None
    cases: int
    before: Quality
    after: Quality

    def to_dict(self) -> dict[str, Any]:
        def shape(found: Quality) -> dict[str, Any]:
            bins = [{name: getattr(each, name) for name in each.__slots__} for each in found.bins]
            return {"cases": found.count, "auc": found.auc, "ece": found.ece, "brier": found.brier, "bins": bins}

        return {
            "name": self.calibration.name,
            "path": None if self.path is None else str(self.path),
            "cases": self.cases,
            "before": shape(self.before),
            "after": shape(self.after),
        }


def fit_calibration(
    bench: Bench,
    pipeline: Pipeline,
    home: Path,
    *,
    keep: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Fitted:
    """Fit, measure and write ``calibrations/NAME.json`` into `home` where that lowers the Brier score, or with `keep`.

    Raises ConfigError for too small a suite, for one that says too seldom where its evidence is before any work.
    """
    require_spans(bench.suite.questions, bench.suite.name)
    bench.prepare([pipeline])
    require_located(bench.suite.questions, bench.corpus)
    deps = bench.crag.dependencies(pipeline)
    cases = list(_cases(bench, deps, progress))
    learn, held_out = [case for case in cases if case.half == 0], [case for case in cases if case.half == 1]
    require_enough(cases, bench.suite.name)
    embedder, reranker = deps.embedder.fingerprint, deps.reranker.name if deps.reranker else ""
    trial = calibrate(learn, name="trial", embedder=embedder, reranker=reranker, l2=L2)
    provenance = {
        "suite": bench.suite.name,
        "suite_hash": bench.suite.hash,
        "pipeline": dict(deps.pipeline),
        "cases": len(cases),
        "method": f"logistic regression, L2 penalty {L2:g}; each question with its evidence and with it withheld",
    }
    made = calibrate(cases, name=bench.suite.name, embedder=embedder, reranker=reranker, l2=L2, provenance=provenance)
    digest = hashlib.sha256(made.to_json().encode()).hexdigest()[:6]
    made = replace(made, name=f"{bench.suite.name}-{digest}")
    before, after = _measured(deps.calibration, held_out), _measured(trial, held_out)
    path = home / CALIBRATIONS / f"{made.name}.json" if keep or after.brier < before.brier else None
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(made.to_json(), encoding="utf-8")
    return Fitted(made, path, len(cases), before, after)


def require_spans(questions: Sequence[SuiteQuestion], suite: str) -> None:
    """Raises ConfigError where fewer than it takes say where their evidence is."""
    placed = sum(bool(each.reference_spans or each.answer_spans) for each in questions if each.answerable)
    if placed >= FEWEST:
        return
    told = f"{'No question' if not placed else f'Only {placed}'} of the {len(questions)} in suite {suite!r}"
    raise ConfigError(
        f"{told} {'say' if placed > 1 else 'says'} where the evidence is, and calibrating asks each with its evidence "
        f"and with it withheld. It takes {FEWEST} with reference_spans, words of the document as they stand there, "
        "such as `reference_spans: [{doc_id: pump.md, text: The pump is serviced every six months.}]`; "
        "reference_contexts, a list of such texts, do too, and `crag eval testset draft` proposes questions that have "
        "them. A reference alone, or `answerable: false`, does not count."
    )


def require_located(questions: Sequence[SuiteQuestion], corpus: Corpus) -> None:
    """Raises ConfigError, with the first that is missing, where fewer than it takes have evidence that is there."""
    if sum(bool(corpus.locate(each).gold) for each in questions if each.answerable) < FEWEST:
        corpus.require_evidence(questions)


def require_enough(cases: Sequence[Case], suite: str) -> None:
    """Raises ConfigError where a half lacks questions that found their evidence, or all are few."""
    found = [[case for case in cases if case.answerable and case.half == half] for half in (0, 1)]
    learnt, tried = map(len, found)
    documents = len({case.document for half in found for case in half})
    if learnt + tried < FEWEST or not (learnt and tried):
        raise ConfigError(
            f"Suite {suite!r} has too few questions to calibrate on: {learnt + tried} found their evidence, in "
            f"{documents} document{'' if documents == 1 else 's'} ({learnt} in the half that the fit learns from, "
            f"{tried} in the half that tries it). It takes {FEWEST}, with some in each half, and better a hundred; "
            "add questions about more documents."
        )


def _cases(bench: Bench, deps: Deps, progress: Callable[[int, int], None] | None) -> Iterator[Case]:
    questions = bench.suite.questions
    top_k, depth = deps.retrieval.top_k, deps.rerank.candidates if deps.reranker else deps.retrieval.top_k
    for number, question in enumerate(questions, 1):
        located = bench.corpus.locate(question)
        gold = [span for group in located.gold for span in group]
        evidence = [span for group in located.evidence for span in group] + gold
        hits = deps.retriever.retrieve(question.question, top_k=CANDIDATES).hits

        def rerank(found: Sequence[Hit], asked: str = question.question) -> Sequence[Hit]:
            return deps.reranker.rerank(asked, found) if deps.reranker else found

        def read(found: Sequence[Hit], asked: str = question.question) -> Sequence[Hit]:
            return with_interaction(asked, found, deps.calibration.probabilities(found), deps.embedder)

        def touches(hit: Hit, spans: Sequence[Span] = evidence) -> bool:
            return any(_tells(hit, span) for span in spans)

        def holds(hit: Hit, spans: Sequence[Span] = gold) -> bool:
            return any(_inside(hit, span) for span in spans)

        if not question.answerable:
            kept = tuple(read(tuple(rerank(hits[:depth]))[:top_k]))
            yield Case(bench.suite.name, question.id, kept, (False,) * len(kept))
        elif gold:
            yield from cases_of(
                hits,
                suite=bench.suite.name,
                document=gold[0].document,
                touches=touches,
                holds=holds,
                rerank=rerank,
                read=read,
                depth=depth,
                top_k=top_k,
            )
        if progress:
            progress(number, len(questions))


def _tells(hit: Hit, span: Span) -> bool:
    """Whether a hit overlaps the span or says the same in another place of the document."""
    chunk = hit.chunk
    if chunk.document_id != span.document:
        return False
    return (chunk.start < span.end and span.start < chunk.end) or (len(span.text) > 1 and span.text in chunk.text)


def _inside(hit: Hit, span: Span) -> bool:
    chunk = hit.chunk
    return chunk.document_id == span.document and chunk.start <= span.start and span.end <= chunk.end


def _measured(calibration: Grader, cases: Sequence[Case]) -> Quality:
    return quality([calibration.confidence(case.hits) for case in cases], [case.answerable for case in cases])
