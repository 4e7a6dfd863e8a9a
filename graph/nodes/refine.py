"""Keep of the evidence the sentences that bear on the question."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np

from chunking.errors import CragError
from graph.cuts import Cut, cut
from graph.evidence import number_sources
from graph.interaction import closer
from graph.nodes.base import Node, Result, Run, degraded
from graph.questions import asks_several, enumerates, extreme, parts
from graph.state import State
from graph.strips import relevances, select
from retrieval.embedding import embed
from retrieval.types import Hit


async def refine(state: State, run: Run) -> Result:
    cuts = _cuts(state)
    by_part = await asyncio.to_thread(_relevances, _asked(state), cuts, run)
    return _refined(state, run, cuts, _of_now(state, cuts, by_part))


def by_words(state: State, run: Run, error: CragError) -> Result:
    cuts = _cuts(state)
    by_part = [relevances(part, cuts, None) for part in _asked(state)]
    update, detail = _refined(state, run, cuts, _of_now(state, cuts, by_part))
    action = "Sentences are chosen by the question's words."
    return {**update, "degraded": degraded("refine", error, action)}, detail


def passages(state: State) -> list[tuple[Hit, float]]:
    """The evidence by route, best first, with the probability of each passage.

    correct: the indexed passages; ambiguous: these and the web's; incorrect: the web's alone.
    """
    best, web = state["best"], state.get("web")
    own = list(zip(best.hits, best.probabilities, strict=True))
    if web is None:
        return own
    found = list(zip(web.hits, web.probabilities, strict=True))
    # Sorted is stable: passages of one side that are equally likely keep the order of their search.
    return found if state["route"] == "incorrect" else sorted(own + found, key=lambda pair: -pair[1])


def _asked(state: State) -> tuple[str, ...]:
    """The parts of the question, in their order, and then what a model found missing."""
    return (*parts(state["standalone"]), *state.get("sub_questions", ()))


def _cuts(state: State) -> list[Cut]:
    return [made for hit, probability in passages(state) if (made := cut(hit, probability)).spans]


def _relevances(questions: Sequence[str], cuts: list[Cut], run: Run) -> list[list[list[float]]]:
    """By part of the question, passage and sentence."""
    embedder = run.deps.embedder
    vectors = embed(embedder, [made.text(i) for made in cuts for i in range(len(made.spans))], "passage")
    similarities = np.asarray(embed(embedder, questions, "query") @ vectors.T, dtype=np.float64)
    return [
        closer(part, cuts, relevances(part, cuts, own), embedder)
        for part, own in zip(questions, similarities, strict=True)
    ]


def _of_now(state: State, cuts: list[Cut], by_part: list[list[list[float]]]) -> list[list[list[float]]]:
    """Without the sentences that answer what was asked before a follow-up put another thing in its place."""
    instead = state.get("instead", ())
    if not instead:
        return by_part
    before = [
        [
            any(each.of_before(made.text(i), "\n".join(made.hit.chunk.heading_path[-1:])) for each in instead)
            for i in range(len(made.spans))
        ]
        for made in cuts
    ]
    return [
        [[0.0 if gone else score for score, gone in zip(*pair, strict=True)] for pair in zip(part, before, strict=True)]
        for part in by_part
    ]


def _refined(state: State, run: Run, cuts: list[Cut], by_part: list[list[list[float]]]) -> Result:
    asked = parts(state["standalone"])
    strips = select(
        cuts,
        by_part,
        threshold=run.deps.grading.strip_threshold,
        budget=run.generation.evidence_tokens,
        count_tokens=run.deps.embedder.count_tokens,
        follow=asks_several(state["standalone"]),
        asked=asked,
        tables=extreme(state["standalone"]) != 0 or enumerates(state["standalone"]),
    )
    sources = number_sources(strips, [made.hit for made in cuts])
    seen = sum(len(made.spans) for made in cuts)
    detail = {"passages_used": len(sources), "sentences_kept": len(strips), "sentences_read": seen}
    if len(asked) > 1:
        detail["questions_in_one"] = len(asked)
    return {"sources": sources}, detail


# It reads the best passages once more, as the reranker does.
NODE = Node(name="refine", body=refine, timeout=lambda run: run.deps.rerank.timeout, fallback=by_words)
