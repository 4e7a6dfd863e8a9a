"""Give each passage and the question a probability, and remember the best search so far.

The signals of the search give it; a language model's grades join it where the pipeline names one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from typing import Any

from chunking.errors import CragError, ProviderError
from graph.attributes import NOT_TOLD, untold
from graph.config import GradingConfig
from graph.instead import instead
from graph.interaction import with_interaction
from graph.model_grader import SCHEMA, TOKENS, grading_messages, pooled, read_grades
from graph.named import UNHEARD, UNNAMED, lacking, said, unheard
from graph.nodes.base import Node, Result, Run, degraded
from graph.routes import route_of
from graph.state import Graded, State
from graph.types import Usage
from retrieval.lexical.tokenizer import comparable
from retrieval.types import Hit

UNHEARD_FOLLOW_UP = 0.03
"""What the odds are multiplied by where a follow-up puts another thing in the place of one that was found, and no
passage says a word of it: all else of the question is as it was. Set on 20 conversations; 32 others never met it."""
UNTOLD = 0.1
"""What the odds are multiplied by where no passage tells what is asked of an option (`graph.entries`): the calibration
knows it too, but so few questions ask for one that it learns a weight which other signals outvote."""
KEPT = 5
"""Of a rewritten search, before what a hop had found, as `graph.nodes.hop` keeps of the first."""
Search = tuple[str, tuple[Hit, ...]]
"""A question, or a part of it, and what was found for it."""


async def grade(state: State, run: Run) -> Result:
    lacks: dict[str, Any] = {}
    graded = _by_calibration(state, run, await _read(_searches(state), run), lacks)
    graded, extra, told = await _with_model(state["standalone"], graded, run)
    update, detail = _best(state, _whole(state, graded, lacks))
    return {**update, **extra}, {**detail, **told, **lacks}


def by_signals(state: State, run: Run, error: CragError) -> Result:
    told: dict[str, Any] = {}
    graded = _by_calibration(state, run, [hits for _, hits in _searches(state)], told)
    update, detail = _best(state, _whole(state, graded, told))
    return {**update, "degraded": degraded("grade", error, _UNREAD)}, {**detail, **told}


async def grade_web(state: State, run: Run) -> Result:
    (hits,) = await _read([(state["standalone"], state["web"].hits)], run)
    graded = graded_hits(state["web"].query, hits, run)
    graded, extra, told = await _with_model(state["standalone"], graded, run)
    update, detail = _beside_own(state, _named(state["standalone"], graded, told))
    return {**update, **extra}, {**detail, **told}


def web_by_signals(state: State, run: Run, error: CragError) -> Result:
    graded, told = graded_hits(state["web"].query, state["web"].hits, run), dict[str, Any]()
    update, detail = _beside_own(state, _named(state["standalone"], graded, told))
    return {**update, "degraded": degraded("grade_web", error, _UNREAD)}, {**detail, **told}


_UNREAD = "The confidence rests on the search alone, without reading the best sentences closely."
_UNGRADED = "The confidence is the calibrated one alone."


def _searches(state: State) -> list[Search]:
    return [(state["standalone"], state["hits"]), *state["by_part"]]


async def _read(searches: Sequence[Search], run: Run) -> list[tuple[Hit, ...]]:
    """The hits of each search with the signals of `graph.interaction`."""
    embedder, likely = run.deps.embedder, run.deps.calibration.probabilities
    return [
        await asyncio.to_thread(with_interaction, question, hits, likely(hits), embedder) for question, hits in searches
    ]


def _by_calibration(state: State, run: Run, found: Sequence[tuple[Hit, ...]], told: dict[str, Any]) -> Graded:
    """`found` holds the hits of the whole question, then those of its parts."""
    graded = graded_hits(state["search_query"], found[0], run)
    if state["by_part"]:
        parts = [part for part, _ in state["by_part"]]
        each = [graded_hits(part, hits, run) for part, hits in zip(parts, found[1:], strict=True)]
        graded = _joined(graded, [_named(one.query, one, told) for one in each], run)
    return graded


def _best(state: State, graded: Graded) -> Result:
    before = state.get("best")
    # A rewrite counts only if it raises the confidence.
    best = graded if before is None or graded.confidence > before.confidence else before
    if best is not before and before is not None and state.get("hopped"):
        best = graded = _beside(graded, before)
    route = route_of(best.confidence, state["policy"])
    if best.missing and route == "correct":
        route = "ambiguous"
    detail: dict[str, Any] = {"confidence": graded.confidence, "route": route}
    if before is not None:
        detail["better_search"] = "this one" if best is graded else "the one before"
    if (entry := _best_entry(graded.hits)) is not None:
        detail["entry"] = entry
    if best.missing:
        detail["missing"] = list(best.missing)
    return {"best": best, "route": route, "confidence": best.confidence}, detail


def _beside(graded: Graded, before: Graded) -> Graded:
    """The best passages of a rewrite, then what was found before it: a hop led there."""
    found: dict[str, tuple[Hit, float]] = {}
    for hits, chances in ((graded.hits[:KEPT], graded.probabilities), (before.hits, before.probabilities)):
        for hit, chance in zip(hits, chances, strict=False):
            found.setdefault(hit.chunk.id, (hit, chance))
    kept = list(found.values())[: max(len(graded.hits), len(before.hits))]
    return replace(graded, hits=tuple(hit for hit, _ in kept), probabilities=tuple(chance for _, chance in kept))


def _beside_own(state: State, web: Graded) -> Result:
    confidence = max(web.confidence, state["best"].confidence)
    return {"web": web, "confidence": confidence}, {"confidence": web.confidence, "passages_found": len(web.hits)}


async def _with_model(question: str, graded: Graded, run: Run) -> tuple[Graded, State, dict[str, Any]]:
    """`graded` with the model's grades, where it is asked and answers; what else the node updates, and tells."""
    model, grading = run.deps.model_grader, run.deps.grading
    if model is None or not graded.hits:
        return graded, {}, {}
    shown = graded.hits[: grading.model_passages]
    usage = Usage()
    try:
        reply, usage = await run.ask(
            model, grading_messages(question, shown), schema=SCHEMA, max_tokens=TOKENS * (len(shown) + 1)
        )
        if reply is None:
            raise ProviderError(f"{model.name} gave no grades that can be read.", provider=model.name, code="bad_reply")
    except ProviderError as error:
        return graded, {"usage": usage, "degraded": degraded("grade", error, _UNGRADED)}, {}
    grades = read_grades(reply, len(shown))
    own = [*grades.passages, *[None] * (len(graded.hits) - len(shown))]
    probabilities = tuple(
        pooled(probability, grade, grading.model_weight)
        for probability, grade in zip(graded.probabilities, own, strict=True)
    )
    confidence = pooled(graded.confidence, grades.together, grading.model_weight)
    told = {
        "calibrated": graded.confidence,
        "model_grade": grades.together,
        "passages_graded": sum(1 for grade in grades.passages if grade is not None),
    }
    return replace(graded, probabilities=probabilities, confidence=confidence), {"usage": usage}, told


def _whole(state: State, graded: Graded, told: dict[str, Any]) -> Graded:
    """What `_named` makes of the whole question, whose parts it has seen: what one of them lacks is left open there."""
    graded = graded if graded.missing or (state["by_part"] and not told) else _named(state["standalone"], graded, told)
    instead, hits = state.get("instead", ()), graded.hits
    # A question in another language than its passages says everything in other words.
    if not instead or not hits or not comparable(state["standalone"], hits[0].chunk.text):
        return graded
    texts = [said(hit) for hit in hits]
    silent = [word for each in instead if each.unheard(texts) for word in sorted(each.named)]
    if not silent:
        return graded
    told["follow_up_unheard"] = silent
    return replace(graded, confidence=_odds(graded.confidence, UNHEARD_FOLLOW_UP))


def _named(question: str, graded: Graded, told: dict[str, Any]) -> Graded:
    """`graded`, of little worth where it lacks what the question names or asks or speaks of another: `told` says so."""
    hits, confidence = graded.hits, graded.confidence
    missing, others, names = lacking(question, hits), instead(question, hits), unheard(question, hits)
    attributes = untold(question, hits)
    if missing or names or attributes:
        told["lacks"] = list(dict.fromkeys((*told.get("lacks", ()), *missing, *names, *attributes)))
    if others:
        told["speaks_of"] = told.get("speaks_of", {}) | {other.asked: list(other.found) for other in others}
    if names:
        confidence = _odds(confidence, UNHEARD)
    if attributes:
        confidence = _odds(confidence, NOT_TOLD)
    if missing or others:
        confidence = min(confidence, UNNAMED)
    # An attribute that no passage tells may be told where a hop leads; of another thing it would be told again.
    return replace(graded, confidence=confidence, apart=0.0 if missing or others else graded.apart)


def _odds(confidence: float, factor: float) -> float:
    return factor * confidence / (1 - confidence + factor * confidence)


def graded_hits(query: str, hits: tuple[Hit, ...], run: Run) -> Graded:
    calibration = run.deps.calibration
    confidence = apart = calibration.confidence(hits)
    if any("answers" in hit.signals for hit in hits):
        apart = calibration.confidence(tuple(map(_unjudged, hits)))
    if (entry := _best_entry(hits)) is not None and entry < 1:
        confidence, apart = _odds(confidence, UNTOLD), 0.0
    return Graded(query, hits, calibration.probabilities(hits), confidence, apart)


def _unjudged(hit: Hit) -> Hit:
    return replace(hit, signals={name: value for name, value in hit.signals.items() if name != "answers"})


def _best_entry(hits: Sequence[Hit]) -> float | None:
    return max((hit.signals["entry"] for hit in hits if "entry" in hit.signals), default=None)


def _joined(whole: Graded, parted: Sequence[Graded], run: Run) -> Graded:
    """The evidence of each part in turn. It holds the answer where its weakest part does, or where the whole does.

    Where parts are missing, the confidence is that of the rest.
    """
    likely: dict[str, float] = {}
    for graded in (*parted, whole):
        for hit, probability in zip(graded.hits, graded.probabilities, strict=True):
            likely[hit.chunk.id] = max(probability, likely.get(hit.chunk.id, 0.0))
    turns = chain.from_iterable(zip_longest(*(graded.hits for graded in (*parted, whole))))
    hits = tuple({hit.chunk.id: hit for hit in turns if hit is not None}.values())[: run.deps.retrieval.top_k]
    missing = missing_parts(parted, run.deps.grading)
    present = [graded.confidence for graded in parted if graded.query not in missing]
    confidence = max(min(present), 0.0 if missing else whole.confidence)
    return Graded(whole.query, hits, tuple(likely[hit.chunk.id] for hit in hits), confidence, whole.apart, missing)


def missing_parts(parted: Sequence[Graded], grading: GradingConfig) -> tuple[str, ...]:
    """Parts of a question that would be refused, where another would be answered without doubt: then that one is."""
    if not grading.enabled or all(graded.confidence < grading.upper for graded in parted):
        return ()
    return tuple(graded.query for graded in parted if graded.confidence < grading.lower)


NODE = Node(name="grade", body=grade, fallback=by_signals)
WEB_NODE = Node(name="grade_web", body=grade_web, fallback=web_by_signals)
