"""Other words to search with, without a model: the question's own and those of the nearest passages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from graph.language import FUNCTION_WORDS, STOPWORDS, has_han
from graph.state import Graded, State
from retrieval.types import Hit

QUERY_LIMIT = 400
"""Characters of a rewritten query."""
FEEDBACK_PASSAGES = 3
FEEDBACK_TERMS = 4
"""New terms for each attempt, from the best passages: pseudo-relevance feedback in its plainest form."""
NEAR = 0.5
"""Terms come from passages at least this share as likely as the likeliest."""
HOPELESS = 1 / 2
"""Below this share of the bound for `incorrect`, the passages have nothing to do with the question."""
# Chinese is written without spaces: what is left between these words is searched for as it stands.
_QUESTION_WORDS = re.compile(
    r"请问|請問|请|告诉我|介绍一下|说明一下|我想知道|你知道|是什么(?:意思)?|是什麼|什么是|什麼是|什么|什麼|为什么|為什麼|为何|為何"
    r"|怎么样|怎么|怎麼|怎样|怎樣|如何|多少|哪些|哪个|哪個|哪里|哪裡|哪一|哪|谁|誰|是否|能否|可以|有没有|[吗嗎呢吧的了]"
)
_WORDS = re.compile(r"[\u3400-\u9fff]+|[^\W_][\w.+#\-]*[\w+#]|[^\W_]")


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


def keywords(question: str) -> list[str]:
    """A question's words in order, as written, once each; question words and politeness are gone."""
    pieces = _WORDS.findall(_QUESTION_WORDS.sub(" ", question))
    return list(dict.fromkeys(piece for piece in pieces if piece.lower() not in STOPWORDS))


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
        word.lower() for piece in _WORDS.findall(text) for word in (rjieba.cut(piece) if has_han(piece) else [piece])
    )
    return [word for word in words if len(word) > 1 and word not in FUNCTION_WORDS and not word[0].isdigit()]
