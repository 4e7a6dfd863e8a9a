"""Whole-sentence strips: cut from passages, scored against the question, kept within a token budget."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

import numpy as np
from numpy.typing import NDArray

from chunking.sentences import split_sentences
from graph.aliases import Alias, aliases
from graph.bearing import Piece, idle_rows, of_one_stem, speaking, tells_by_property
from graph.behind import told_with
from graph.clauses import asked_clauses, clause_shares
from graph.entries import Sentence, asked, entries
from graph.evidence import Strip
from graph.exchanges import is_question, is_verdict
from graph.fields import is_field, is_label, is_name, is_roll, tells
from graph.headings import says_question
from graph.lines import is_numbered_heading, pieces
from graph.lists import LIST_ITEM, Items, announces, list_around
from graph.measures import measures
from graph.naming import naming
from graph.outcomes import concludes
from graph.quotes import carried_header, cells
from graph.ranges import in_range
from graph.statements import states
from graph.support import content_words, identifiers, known_words
from retrieval.interaction import under_headings
from retrieval.types import Hit

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

_UNMARKED = ("text/plain", "application/pdf", "image/")
"""Media types whose headings no mark tells."""
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_HEADING_LINE = re.compile(
    r"#{1,6}[ \t]+\S(?:[^\n]*\S)?|\*\*(?=[^*\n]*[^\W\d_])[^*\n]{1,60}[^*\n.!?。！？:：,，;；]\*\*(?=[ \t]*(?:\n|\Z))"
)
"""A line of bold letters that ends as no sentence does is one too."""
_SPOKEN = re.compile(r"[a-z0-9_.\-]+|[\u3400-\u9fff]+")
_TABLE_RULE = re.compile(r"\|(?:\s*:?-+:?\s*\|)+")
_NO_WORDS = re.compile(r"[\W_]*")
_REFERS_BACK = re.compile(
    r"(?:it|its|they|their|them|he|his|she|her|this|that|these|those|such|here|there|both|the (?:former|latter|same)"
    r"|(?:after|before|in|for|at|on|by|with) (?:that|this|these|those|such a)"
    r"|however|therefore|thus|hence|consequently|otherwise|instead|in contrast|as a result|for this reason)\b"
    r"|[它他她该該此其这這那]|上述|前者|后者|後者|两者|兩者|以上|如此|因此|所以|但是?|然而|不过|不過|否则|否則|另外|同时|同時|相反|届时|此后|之后|以后|届期",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Cut:
    """The sentences of one passage, as spans of the document, and the probability of the passage.

    `headings` names, for each span, what stands above it: the nearest heading in the passage, else the passage's.
    """

    hit: Hit
    spans: tuple[tuple[int, int], ...]
    headings: tuple[str, ...]
    probability: float
    headers: frozenset[int] = frozenset()
    """Indices of table headers: kept with their rows, evidence of nothing by themselves."""

    def text(self, index: int) -> str:
        start, end = self.spans[index]
        return self.hit.chunk.text[start - self.hit.chunk.start : end - self.hit.chunk.start]

    def header(self, index: int) -> int | None:
        """The header of the table whose row the span is; None for anything else."""
        if not self.text(index).startswith("|"):
            return None
        first = index
        while first and self.text(first - 1).startswith("|"):
            first -= 1
        return first if first < index else None

    def header_text(self, index: int) -> str | None:
        """The table's header above a row, also where the table began in the passage before."""
        header = self.header(index)
        if header in self.headers:
            return self.text(header)
        # A first row that is no header begins the passage, or there is none.
        goes_on = self.text(index).startswith("|") and header in (None, 0)
        return carried_header(self.hit.chunk.context) if goes_on else None

    def with_antecedent(self, index: int) -> str:
        """The span, after the one before it where it opens with a word that points there."""
        text = self.text(index)
        leans = index and refers_back(text) and self.headings[index - 1] == self.headings[index]
        return f"{self.text(index - 1)} {text}" if leans else text

    def pieces(self) -> list[Piece]:
        """What `graph.bearing` reads."""
        above = (self.hit.chunk.document_id, self.hit.document.title)
        return [
            Piece(above[0], self.text(i), None if i in self.headers else self.header_text(i), heading, above[1])
            for i, heading in enumerate(self.headings)
        ]

    def sentences(self) -> list[Sentence]:
        """What `graph.entries` reads; a table's header is none."""
        ends = [self.hit.chunk.start, *(end for _, end in self.spans)]
        start = self.hit.chunk.start
        return [
            Sentence(
                "" if i in self.headers else self.text(i),
                self.headings[i],
                self.header_text(i),
                self.hit.chunk.text[ends[i] - start : begin - start],
            )
            for i, (begin, _) in enumerate(self.spans)
        ]

    def in_context(self, index: int) -> str:
        """The span under what stands above it: title, headings and, for a table row, the table's header."""
        header = self.header(index)
        named = [] if header is None or header not in self.headers else [self.text(header)]
        return under_headings(self.hit, "\n".join([*named, self.text(index)]), self.headings[index])


def cut(hit: Hit, probability: float) -> Cut:
    """Sentences, list items and table rows of a passage; headings and lines without words are left out.

    The names below "Attendees" are one.
    """
    chunk = hit.chunk
    known = {heading.strip().lower() for heading in chunk.heading_path}
    above = chunk.heading_path[-1] if chunk.heading_path else ""
    spans: list[tuple[int, int]] = []
    headings: list[str] = []
    headers: set[int] = set()
    before, named = "", False
    unmarked = hit.document.media_type.startswith(_UNMARKED)
    for start, end, heads in _sentences(chunk.text, unmarked):
        text = chunk.text[start:end]
        # In plain text a numbered line alone is a heading, but not below "Attendees".
        entry = is_roll(above) and is_name(text) and LIST_ITEM.match(text) is not None
        if (heads and not entry) or text.strip().lower() in known or is_label(text):
            before, above = (before if is_roll(above) else above), text.strip("# \t")
        elif _TABLE_RULE.fullmatch(text):
            headers.add(len(spans) - 1)
        elif not _NO_WORDS.fullmatch(text):
            if named and headings[-1:] == [above] and is_roll(above) and is_name(text):
                spans[-1] = (spans[-1][0], chunk.start + end)
            else:
                # Another label ends the roll: "**Agenda:**".
                above = before if is_roll(above) and announces(text) else above
                spans.append((chunk.start + start, chunk.start + end))
                headings.append(above)
                named = is_name(text)
    return Cut(hit, tuple(spans), tuple(headings), probability, frozenset(headers))


def _sentences(text: str, unmarked: bool) -> list[tuple[int, int, bool]]:
    """Sentences and fields, and where headings are `unmarked`, those too, and whether each is one. Code stays whole."""
    found: list[tuple[int, int, bool]] = []
    fenced = False
    headed = 0
    for start, end in split_sentences(text):
        fences = len(_FENCE.findall(text, start, end))
        heading = None if fenced or fences or not _opens_line(text, start) else _HEADING_LINE.match(text, start)
        # "## 4. Results" has a full stop in it, and the line below may be its first sentence.
        if heading is not None:
            headed = heading.end()
            found.append((start, headed, True))
        begin = start if start >= headed else headed + len(text[headed:end]) - len(text[headed:end].lstrip())
        if begin >= end:
            continue
        found += [(begin, end, False)] if fenced or fences else pieces(text, begin, end, unmarked)
        fenced ^= fences % 2 == 1
    said = ["", *(text[start:end] for start, end, _ in found), ""]
    return [
        (start, end, heads or (unmarked and is_numbered_heading(*said[number - 1 : number + 2])))
        for number, (start, end, heads) in enumerate(found, 1)
    ]


def _opens_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip()


def refers_back(text: str) -> bool:
    """Whether a sentence opens with a word that points at the sentence before."""
    return _REFERS_BACK.match(text.lstrip(" \t\n-*•>“\"'「『（(")) is not None


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
        scores.append(max(score, 0.0) if clauses[i] >= 0 else 0.0)
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
    before = [index - 1] if index and refers_back(text) else []
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
