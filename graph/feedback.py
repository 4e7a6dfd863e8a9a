"""Other words to search with, without a model: the question's own and those of the nearest passages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from graph.gist import gist
from graph.keywords import WORDS, keywords
from graph.language import FUNCTION_WORDS, has_han
from graph.named import said
from graph.spelling import Known, Lexicon, respelled
from graph.state import Graded, State
from retrieval.types import Hit

QUERY_LIMIT = 400
"""Characters of a rewritten query."""
FEEDBACK_PASSAGES = 3
FEEDBACK_TERMS = 4
"""New terms for each attempt, from the best passages: pseudo-relevance feedback in its plainest form."""
NEAR = 0.5
"""Terms come from passages at least this share as likely as the likeliest."""
HOPELESS = 1 / 3
"""Below this share of the bound for `incorrect`, the passages have nothing to do with the question."""


def repaired(state: State, known: Known, lexicon: Lexicon | None) -> str:
    """The question without slips and without what surrounds it: the same question, so that it is graded anew.

    `known` words are left as they are. Empty where there is nothing to repair, or where that was tried.
    """
    question = state["standalone"]
    best = state["best"]
    told = "\n".join(said(hit).lower() for hit in best.hits)
    made = respelled(
        gist(question, lambda name: name.lower() in told), best.hits, state.get("candidates", ()), known, lexicon
    )
    return "" if made in (question, *state["tried"]) else made


def feedback_query(state: State) -> str:
    """The question's content words, and with each attempt more of the best passages' own terms.

    Empty where the passages are not near enough to lend a term, or have none to add.
    """
    best = state["best"]
    if best.confidence < HOPELESS * state["policy"].lower:
        return ""
    words = keywords(state["standalone"])
    terms = feedback_terms(words, _nearest(best), FEEDBACK_TERMS * len(state["tried"]))
    return " ".join([*words, *terms])[:QUERY_LIMIT] if terms else ""


def _nearest(best: Graded) -> list[Hit]:
    bar = NEAR * max(best.probabilities, default=0.0)
    likely = [hit for hit, probability in zip(best.hits, best.probabilities, strict=True) if probability >= bar]
    return likely[:FEEDBACK_PASSAGES]


def feedback_terms(words: Sequence[str], hits: Sequence[Hit], limit: int) -> list[str]:
    """Terms that the best passages share or repeat, the most frequent first; ties keep their order.

    A word said once is about a detail of its passage, not about the subject. Title and headings count like one more
    passage.
    """
    counts: Counter[str] = Counter()
    for hit in hits:
        own = Counter(_terms(hit.chunk.text))
        counts.update({word: min(count, 3) for word, count in own.items()})
    titled = {word for hit in hits for word in _terms(" ".join((hit.document.title, *hit.chunk.heading_path)))}
    known = " ".join(words).lower()
    counts.update(titled)
    # Terms of the question's own script first: a passage in another language matches by meaning already.
    ranked = sorted(counts.items(), key=lambda pair: (has_han(pair[0]) != has_han(known), -pair[1]))
    return [word for word, count in ranked if word not in known and count > 1][:limit]


def _terms(text: str) -> list[str]:
    import rjieba

    words = (
        word.lower() for piece in WORDS.findall(text) for word in (rjieba.cut(piece) if has_han(piece) else [piece])
    )
    return [word for word in words if len(word) > 1 and word not in FUNCTION_WORDS and not word[0].isdigit()]
