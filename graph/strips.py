"""Whole-sentence strips of passages: scored against the question, kept within a token budget."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise, takewhile

import numpy as np
from numpy.typing import NDArray

from graph.aliases import Alias, aliases
from graph.bearing import idle_rows, of_one_stem, speaking, tells_by_property
from graph.behind import told_with
from graph.clauses import asked_clauses, clause_shares
from graph.cuts import ANTECEDENTS, Cut
from graph.entries import asked, entries
from graph.evidence import Strip
from graph.exchanges import is_question, is_verdict
from graph.fields import is_field, tells
from graph.headings import says_question
from graph.lists import Items, list_around
from graph.measures import measures
from graph.naming import naming
from graph.outcomes import concludes
from graph.quotes import cells
from graph.ranges import in_range
from graph.releases import out_of_release
from graph.statements import states
from graph.support import content_words, identifiers, known_words

SIMILARITY, COVERAGE, PASSAGE, NAMED = 0.5, 0.3, 0.2, 0.35
"""Weights of a strip's relevance: likeness to the question, words of it, probability of its passage, and the names
of the question (``top_k``, HX-200) that it is about; as much is taken away where it is about another of their kind.
Chosen on drcd_zh_hant, xquad_zh and the technical documents by how often the answer is in what is quoted."""
TOLD = 0.35
"""Added to the row or field with the name of what is asked, "Weight" where it is asked how heavy: a name of the thing
that is asked about is met all over its data sheet. As NAMED, set."""
IDLE = 0.2
"""Taken from a row that names what is asked about and holds nothing of what is asked of it (`graph.bearing`): likeness
to the question is likeness to the name. Set."""
IMPLIED = 0.5
"""What a word counts that only the title or a heading further up has; the nearest heading's count in full."""

_SPOKEN = re.compile(r"[a-z0-9_.\-]+|[\u3400-\u9fff]+")


def relevances(question: str, cuts: Sequence[Cut], similarities: NDArray[np.float64] | None) -> list[list[float]]:
    """For each passage the relevance of its sentences, 0 to 1, the best of all being 1.

    `similarities` are cosines of all sentences in order; None where the embedder failed: words decide alone.
    Cosines count from one deviation below their mean: an embedder's zero says nothing (e5: all above .7).
    """
    texts = [cut_.text(index) for cut_ in cuts for index in range(len(cut_.spans))]
    likeness = np.zeros(len(texts))
    if similarities is not None and texts:
        floor, top = float(similarities.mean() - similarities.std()), float(similarities.max())
        likeness = np.clip((similarities - floor) / max(top - floor, 1e-9), 0.0, 1.0)
    words = [known_words(text) for text in texts]
    asked = content_words(question)
    parties = _parties(asked, cuts)
    # A contract is of its parties throughout, and calls them by what they are in it.
    context = [
        known_words(f"{cut_.hit.document.title} {' '.join(cut_.hit.chunk.heading_path)}") | party_words
        for cut_, (party_words, _) in zip(cuts, parties, strict=True)
        for _ in cut_.headings
    ]
    words = [
        own | set[str]().union(*(known_words(alias.name) for alias in meant if alias.written_in(text)))
        for own, text, meant in zip(
            words,
            texts,
            [own for cut_, (_, own) in zip(cuts, parties, strict=True) for _ in cut_.spans],
            strict=True,
        )
    ]
    # A data sheet need not repeat the product in each sentence: of a title its name counts in full.
    known = set[str]().union(*map(content_words, identifiers(question)), *(party_words for party_words, _ in parties))
    found = Counter(word for own in words for word in own & asked)
    weight = {word: math.log1p(len(texts) / (1 + found[word])) for word in asked}
    total = sum(weight.values()) or 1.0
    spoken = set(_SPOKEN.findall(question.lower()))
    top_probability = max((cut_.probability for cut_ in cuts), default=0.0) or 1.0
    passage = [cut_.probability / top_probability for cut_ in cuts for _ in cut_.spans]
    above = [heading for cut_ in cuts for heading in cut_.headings]
    headed = [of_one_stem(asked, known_words(heading)) for heading in above]
    over = [
        # Of models that are columns the table's header says which a row is about.
        (cut_.header_text(i) or "", heading, *reversed(cut_.hit.chunk.heading_path), cut_.hit.document.title)
        for cut_ in cuts
        for i, heading in enumerate(cut_.headings)
    ]
    named = naming(question, [cut_.with_antecedent(i) for cut_ in cuts for i in range(len(cut_.spans))], over)
    idle = idle_rows(question, [piece for cut_ in cuts for piece in cut_.pieces()])
    told = _told(question, cuts)
    clauses = _clauses(question, cuts)
    homes = [cut_.hit.chunk.document_id for cut_ in cuts for _ in cut_.spans]
    elsewhere = out_of_release(question, texts, [each[1:-1] for each in over], homes)
    header = [i in cut_.headers for cut_ in cuts for i in range(len(cut_.spans))]
    scores = []
    for i, text in enumerate(texts):
        if header[i]:
            scores.append(0.0)
            continue
        near = (words[i] | headed[i]) & asked
        said = sum(weight[word] for word in near)
        implied = sum(weight[word] * (1.0 if word in known else IMPLIED) for word in (context[i] & asked) - near)
        own, other = named[i]
        score = (
            SIMILARITY * float(likeness[i])
            + COVERAGE * (0.0 if idle[i] else said + implied) / total
            + PASSAGE * passage[i]
            + NAMED * ((0.0 if idle[i] else max(own, float(_first_cell(text) in spoken))) - other)
            + TOLD * (i in told or states(question, text))
            - IDLE * idle[i]
        )
        scores.append(max(score, 0.0) if clauses[i] >= 0 and not elsewhere[i] else 0.0)
    best = max(scores, default=0.0) or 1.0
    scaled = iter([score / best for score in scores])
    return [[next(scaled) for _ in cut_.spans] for cut_ in cuts]


def _parties(asked: set[str], cuts: Sequence[Cut]) -> list[tuple[set[str], tuple[Alias, ...]]]:
    """For each passage the words of the parties of its contract that the question names, and these parties."""
    by_document: dict[str, dict[Alias, None]] = {}
    for cut_ in cuts:
        for alias in aliases(cut_.hit.chunk.text):
            if alias.means(asked):
                by_document.setdefault(cut_.hit.chunk.document_id, {})[alias] = None
    found = [tuple(by_document.get(cut_.hit.chunk.document_id, ())) for cut_ in cuts]
    return [(set[str]().union(*(known_words(alias.name) for alias in known)), known) for known in found]


def _clauses(question: str, cuts: Sequence[Cut]) -> list[int]:
    """For each sentence whether it is of the clause that is asked for (1), or of another (-1)."""
    sought = asked_clauses(question)
    shares = [
        clause_shares(sought, [cut_.text(i) for i in range(len(cut_.spans))], cut_.headings) if sought else []
        for cut_ in cuts
    ]
    found = [share for own in shares for share in own]
    # A number that nothing has speaks against nothing.
    return found if 1 in found else [0] * sum(len(cut_.spans) for cut_ in cuts)


def _told(question: str, cuts: Sequence[Cut]) -> set[int]:
    """Which of all sentences are rows with the name of the measure that is asked for, "Weight | 152 kg", rows in whose
    range the value lies that is named, or fields."""
    measured, sought = bool(measures(question)), asked(question)
    rows = [(cut_, i, cut_.text(i)) for cut_ in cuts for i in range(len(cut_.spans))]
    about = speaking(question, [piece for cut_ in cuts for piece in cut_.pieces()])
    telling = [entries(sought, cut_.sentences()) if sought else set[int]() for cut_ in cuts]
    told = [i in own for cut_, own in zip(cuts, telling, strict=True) for i in range(len(cut_.spans))]
    holding = in_range(question, ((cut_.header_text(i), text) for cut_, i, text in rows))
    return {number for number, tells_it in enumerate(told) if tells_it or holding.get(number)} | {
        number
        for number, (cut_, i, text) in enumerate(rows)
        if cut_.hit.chunk.document_id in about
        and (
            tells(question, text, cut_.headings[i])
            or says_question(question, cut_.headings[i])
            or (
                measured
                and (header := cut_.header_text(i))
                and tells_by_property(question, cells(header), cells(text)[0])
            )
        )
    }


def _first_cell(text: str) -> str:
    """What a table row is about; empty for anything else."""
    return text.split("|")[1].strip(" `*_").lower() if text.count("|") > 1 and text.startswith("|") else ""


def select(
    cuts: Sequence[Cut],
    by_part: Sequence[Sequence[Sequence[float]]],
    *,
    threshold: float,
    budget: int,
    count_tokens: Callable[[Sequence[str]], list[int]],
    follow: bool = False,
    tables: bool = False,
    asked: Sequence[str] = (),
) -> list[Strip]:
    """Strips at or above the threshold, best first, while they and what they refer to fit the budget (tokens).

    `by_part` holds the relevances to each part of the question; the best one counts. A sentence that opens with a
    reference word brings the one before, a table row its header, a question what answers it, a report the cause and
    the decision behind it, one that leaves open what is `asked` what completes it, and with `follow` a sentence the
    two after it, of a list the whole. The best strip is kept whatever its length. The same span of overlapping
    passages is kept once.
    """
    tokens = _tokens(cuts, count_tokens)
    relevance = [[max(part[p][i] for part in by_part) for i in range(len(cut_.spans))] for p, cut_ in enumerate(cuts)]
    order = sorted(
        ((score, -p, -i) for p, scores in enumerate(relevance) for i, score in enumerate(scores)), reverse=True
    )
    kept: dict[tuple[int, int], None] = {}
    seen: set[tuple[str, int, int]] = set()
    spent = 0
    for score, negative_p, negative_i in order:
        p, i = -negative_p, -negative_i
        if score < threshold:
            break
        wanted = [
            (p, j)
            for j in dict.fromkeys((*_companions(cuts[p], i, follow, tables), *_completing(asked, cuts[p], i), i))
            if (p, j) not in kept and _place(cuts[p], j) not in seen
        ]
        cost = sum(tokens[p][j] for _, j in wanted)
        if not any(j == i for _, j in wanted) or (kept and spent + cost > budget):
            continue
        spent += cost
        for key in wanted:
            kept[key] = None
            seen.add(_place(cuts[p], key[1]))
    return [
        Strip(
            cuts[p].hit,
            *cuts[p].spans[i],
            cuts[p].text(i),
            relevance[p][i],
            tuple(part[p][i] for part in by_part),
            cuts[p].headings[i],
        )
        for p, i in sorted(kept)
    ]


def _companions(cut_: Cut, index: int, follow: bool, tables: bool) -> list[int]:
    text = cut_.text(index)
    if text.startswith("|"):
        header = cut_.header(index)
        rows = _rows(cut_, index) if tables else []
        return rows if header is None else [header, *(row for row in rows if row != header)]
    before = cut_.antecedents(index, ANTECEDENTS)
    if is_question(text) and index + 1 < len(cut_.spans):
        further = 2 if is_verdict(cut_.text(index + 1)) else 1
        return [*before, *range(index + 1, min(index + 1 + further, len(cut_.spans)))]
    if follow and (items := _items(cut_, index)):
        return [i for item in items for i in item if i != index]
    after = [
        i
        for i in (index + 1, index + 2)
        if i < len(cut_.spans) and (follow or all(_belongs(cut_, j) for j in range(index + 1, i + 1)))
    ]
    # A sentence that is followed by a table brings it as a row of it does.
    first = next((i for i in after if cut_.text(i).startswith("|")), None) if tables else None
    return before + after + ([] if first is None else [i for i in _rows(cut_, first) if i not in after])


def _completing(asked: Sequence[str], cut_: Cut, index: int) -> list[int]:
    if not asked or cut_.text(index).startswith("|"):
        return []
    texts, gaps = [cut_.text(i) for i in range(len(cut_.spans))], _gaps(cut_)
    return [i for part in asked for i in told_with(part, texts, gaps, index)]


def _belongs(cut_: Cut, index: int) -> bool:
    """Whether a sentence says what was decided about the one before, or is a field at the end of its line."""
    text, chunk = cut_.text(index), cut_.hit.chunk
    between = chunk.text[cut_.spans[index - 1][1] - chunk.start : cut_.spans[index][0] - chunk.start]
    return concludes(text) or ("\n" not in between and is_field(text))


def _rows(cut_: Cut, index: int) -> list[int]:
    """The other spans of the table of a row."""
    row = [cut_.text(i).startswith("|") for i in range(len(cut_.spans))]
    first = index - sum(1 for _ in takewhile(bool, reversed(row[:index])))
    last = index + sum(1 for _ in takewhile(bool, row[index + 1 :]))
    return [i for i in range(first, last + 1) if i != index]


def _items(cut_: Cut, index: int) -> Items:
    return list_around(index, [cut_.text(i) for i in range(len(cut_.spans))], _gaps(cut_))


def _gaps(cut_: Cut) -> list[str]:
    """What stands before each sentence, since the one before it."""
    start = cut_.hit.chunk.start
    gaps = (cut_.hit.chunk.text[before[1] - start : after[0] - start] for before, after in pairwise(cut_.spans))
    return ["", *gaps]


def _place(cut_: Cut, index: int) -> tuple[str, int, int]:
    return (cut_.hit.chunk.document_id, *cut_.spans[index])


def _tokens(cuts: Sequence[Cut], count_tokens: Callable[[Sequence[str]], list[int]]) -> list[list[int]]:
    counts = iter(count_tokens([cut_.text(i) for cut_ in cuts for i in range(len(cut_.spans))]))
    return [[next(counts) for _ in cut_.spans] for cut_ in cuts]
