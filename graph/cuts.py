"""Passages cut into sentences, list items and table rows, each with what stands above it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from chunking.sentences import split_sentences
from graph.bearing import Piece
from graph.entries import Sentence
from graph.fields import is_field, is_label, is_name, is_roll
from graph.lines import is_numbered_heading, pieces
from graph.listings import listed_settings
from graph.lists import LIST_ITEM, announces
from graph.quotes import carried_header
from retrieval.interaction import under_headings
from retrieval.types import Hit

ANTECEDENTS = 2
"""Sentences at most that are told for what another one points at: "Then it goes back." after "After that it waits."."""
_UNMARKED = ("text/plain", "application/pdf", "image/")
"""Media types whose headings no mark tells."""
_MARKED = ("text/markdown", "text/csv")
"""Those whose headings are marked, if they have any; of all others headings are paragraphs of a line."""
_HEADING_LENGTH = 60
_RUN_IN = re.compile(r"(?:§ ?)?\d{1,3}(?:\.\d{1,3})*[.)]?[ \t]+[A-Z][\w'’/&-]*(?: [\w'’/&-]+){0,3}\.")
"""2. Rent. GBP 1,150 a month."""
_ENDS = re.compile(r"[.!?。！？…:：;；,，、][\"'”’」』)）\]]*\Z")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_HEADING_LINE = re.compile(
    r"#{1,6}[ \t]+\S(?:[^\n]*\S)?|\*\*(?=[^*\n]*[^\W\d_])[^*\n]{1,60}[^*\n.!?。！？:：,，;；]\*\*(?=[ \t]*(?:\n|\Z))"
)
"""A line of bold letters that ends as no sentence does is one too."""
_TABLE_RULE = re.compile(r"\|(?:\s*:?-+:?\s*\|)+")
_NO_WORDS = re.compile(r"[\W_]*")
_REFERS_BACK = re.compile(
    r"(?:it|its|they|their|them|he|his|she|her|this|that|these|those|such|here|there|both|the (?:former|latter|same)"
    r"|(?:after|before|in|for|at|on|by|with) (?:that|this|these|those|such a)"
    r"|however|therefore|thus|hence|consequently|otherwise|instead|in contrast|as a result|for this reason"
    r"|then|afterwards?|(?:from|by|until|since) then)\b"
    r"|[它他她该該此其这這那]|上述|前者|后者|後者|两者|兩者|以上|如此|因此|所以|但是?|然而|不过|不過|否则|否則|另外|同时|同時|相反|届时|此后|之后|以后|届期|一[经經](?:[发發][现現]|查[实實]|核[实實])|[违違]者|逾期|随后|隨後|然[后後]|接[着著]|到[时時]|期[间間]",
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
    headers: frozenset[int]
    """Indices of table headers: kept with their rows, evidence of nothing by themselves."""
    tops: tuple[int | None, ...]
    """Of each span the first row of its table; None for what is no row."""

    def text(self, index: int) -> str:
        start, end = self.spans[index]
        return self.hit.chunk.text[start - self.hit.chunk.start : end - self.hit.chunk.start]

    def header(self, index: int) -> int | None:
        """The header of the table whose row the span is; None for anything else."""
        top = self.tops[index]
        return top if top is not None and top < index else None

    def header_text(self, index: int) -> str | None:
        """The table's header above a row, also where the table began in the passage before."""
        header = self.header(index)
        if header in self.headers:
            return self.text(header)
        # A first row that is no header begins the passage, or there is none.
        goes_on = self.tops[index] is not None and header in (None, 0)
        return carried_header(self.hit.chunk.context) if goes_on else None

    def antecedents(self, index: int, most: int) -> list[int]:
        """The spans before one that opens with a word that points there, and before these, in order."""
        first = index
        while first and index - first < most and refers_back(self.text(first)):
            first -= 1
        return list(range(first, index))

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
    outer: str | None = None
    unmarked = hit.document.media_type.startswith(_UNMARKED)
    found = _sentences(chunk.text, unmarked)
    lines = [
        not (unmarked or hit.document.media_type in _MARKED) and _is_line(chunk.text, start, end)
        for start, end, _ in found
    ]
    for (start, end, heads), line, next_line in zip(found, lines, [*lines, True][1:], strict=True):
        text = chunk.text[start:end]
        # What a run-in heading is over ends with its line.
        if outer is not None and _opens_line(chunk.text, start):
            above, outer = outer, None
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
            if _RUN_IN.fullmatch(text) and _opens_line(chunk.text, start) and chunk.text[end : end + 1] in (" ", "\t"):
                outer, above = above, text.strip()
            # What stands alone above a list or a paragraph may be its heading, or tell something itself.
            if line and not next_line:
                above = text.strip()
    tops: list[int | None] = []
    for i, (start, _) in enumerate(spans):
        above_it = tops[-1] if tops else None
        tops.append((i if above_it is None else above_it) if chunk.text.startswith("|", start - chunk.start) else None)
    return Cut(hit, tuple(spans), tuple(headings), probability, frozenset(headers), tuple(tops))


def _sentences(text: str, unmarked: bool) -> list[tuple[int, int, bool]]:
    """Sentences and fields, and where headings are `unmarked`, those too, and whether each is one.

    Code stays whole, but for settings.
    """
    found: list[tuple[int, int, bool]] = []
    settings = listed_settings(text)
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
        if not (fenced or fences):
            found += pieces(text, begin, end, unmarked)
        elif not any(first < end and begin < last for first, last in settings):
            found.append((begin, end, False))
        else:
            found += [(*one, False) for one in settings if begin <= one[0] < end]
        fenced ^= fences % 2 == 1
    said = ["", *(text[start:end] for start, end, _ in found), ""]
    return [
        (start, end, heads or (unmarked and is_numbered_heading(*said[number - 1 : number + 2])))
        for number, (start, end, heads) in enumerate(found, 1)
    ]


def _is_line(text: str, start: int, end: int) -> bool:
    """Whether a sentence is a paragraph of one short line without an end mark, as headings are."""
    said = text[start:end]
    alone = text[:start].rstrip(" \t")[-2:] in ("", "\n\n") and text[end:].lstrip(" \t")[:2] == "\n\n"
    plain = "\n" not in said and len(said) <= _HEADING_LENGTH and _ENDS.search(said) is None
    return alone and plain and not (said.startswith("|") or LIST_ITEM.match(said) or is_field(said))


def _opens_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip()


def refers_back(text: str) -> bool:
    """Whether a sentence opens with a word that points at the sentence before. What is quoted is its speaker's own."""
    return _REFERS_BACK.match(text.lstrip(" \t\n-*•>（(")) is not None
