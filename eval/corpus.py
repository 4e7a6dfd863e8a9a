"""The documents a suite asks about, as they are ingested, and where its gold spans lie in them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from pathlib import PurePosixPath

from chunking.errors import ConfigError
from chunking.types import Document
from eval.questions import SuiteQuestion, SuiteSpan
from eval.runs import Gold, Span
from eval.suite import Suite, document_path
from eval.text import letters_and_digits
from graph.language import has_han

Folded = tuple[str, list[int]]
"""A text's letters and digits, and where each came from."""

LONG = 20
"""Characters from which on a text without offsets is gold wherever it stands; a shorter one may stand by chance."""

SHOWN = 120
"""Characters of a span that a message quotes."""

MOST_GROWN = 1.5
"""How much longer or shorter than a suite says a table may be where it lies."""


@dataclass(frozen=True)
class Located:
    """Gold of one question. `gold` is what the rank metrics look for, `evidence` all that a full answer needs."""

    gold: Gold = ()
    evidence: Gold = ()
    unlocated: tuple[str, ...] = ()
    """Texts of groups of which no alternative was found in its document."""


@dataclass
class Corpus:
    """`names` maps what a suite calls a document to the id of an ingested `Document`."""

    documents: tuple[Document, ...]
    names: Mapping[str, str]
    _folded: dict[str, Folded] = field(default_factory=dict, repr=False)

    @cached_property
    def _by_id(self) -> dict[str, Document]:
        return {document.id: document for document in self.documents}

    @cached_property
    def hash(self) -> str:
        """16 hex digits over the names and parsed texts; the same on every machine."""
        lines = sorted(f"{name}\0{self._by_id[identity].text}\0" for name, identity in self.names.items())
        return hashlib.sha256("".join(lines).encode(errors="surrogatepass")).hexdigest()[:16]

    def locate(self, question: SuiteQuestion) -> Located:
        """Gold of a question in the ingested documents.

        The answer spans are the gold where every group of evidence has one; else (several passages are needed, or
        the answer is not a quotation) the reference spans are.
        """
        evidence, unlocated = self._groups(question.reference_spans)
        answers, _ = self._groups(question.answer_spans)
        groups = len({span.group for span in question.reference_spans})
        gold = answers if answers and len(answers) >= groups else evidence
        return Located(gold, evidence or answers, unlocated)

    def require_evidence(self, questions: Iterable[SuiteQuestion], *, or_else: str = "") -> None:
        """Raises ConfigError, with the first span that is not in its document and what there is most like it.

        `or_else` says what may be done in place of quoting the document.
        """
        missing = [(question, text) for question in questions for text in self.locate(question).unlocated]
        if not missing:
            return
        question, text = missing[0]
        (span,) = [span for span in question.reference_spans if span.text == text][:1]
        place = span.doc_id or "any document"
        like = None if span.doc_id is None else nearest(text, self._by_id[self.names[span.doc_id]].text)
        hint = f" (nearest: {like!r})" if like else ""
        more = f", and {len(missing) - 1} more like it" if len(missing) > 1 else ""
        raise ConfigError(
            f"The evidence of question {question.id}, {text[:SHOWN]!r}, is not in {place}{hint}{more}: quote the "
            f"document word for word{or_else}."
        )

    def _groups(self, spans: Iterable[SuiteSpan]) -> tuple[Gold, tuple[str, ...]]:
        groups: dict[int, list[Span]] = {}
        wanted: dict[int, str] = {}
        for span in spans:
            wanted.setdefault(span.group, span.text)
            groups.setdefault(span.group, []).extend(self._find(span))
        found = tuple(tuple(group) for _, group in sorted(groups.items()) if group)
        return found, tuple(text for number, text in wanted.items() if not groups[number])

    def _find(self, span: SuiteSpan) -> list[Span]:
        """The span by its offsets, else by its text, else by its letters and digits; nearest to where it was said."""
        if span.doc_id is None:
            return [found for document in self.documents for found in self._in_document(span, document)]
        identity = self.names.get(span.doc_id)
        if identity is None:
            raise ConfigError(
                f"A span names the document {span.doc_id!r}, which is not ingested; ingest it or correct the suite."
            )
        return self._in_document(span, self._by_id[identity])

    def _in_document(self, span: SuiteSpan, document: Document) -> list[Span]:
        text = document.text
        if span.start is not None and text[span.start : span.end] == span.text:
            return [Span(document.id, span.start, span.start + len(span.text), span.text)]
        place = self._place(document, span.text, span.start) or self._place_by_ends(document, span)
        if place is None:
            return []
        places = [place]
        if span.start is None and len(span.text) >= LONG:
            places += occurrences(text, text[slice(*place)], place[1])
        return [Span(document.id, start, end, text[start:end]) for start, end in places]

    def _place(self, document: Document, wanted: str, near: int | None) -> tuple[int, int] | None:
        return find_text(document.text, wanted, near=near, folded=lambda: self._fold(document))

    def _place_by_ends(self, document: Document, span: SuiteSpan) -> tuple[int, int] | None:
        """From its first line to its last, for a table whose merged cells are written out in every row.

        Where its last row reads otherwise too (what a page hides, such as keys to sort by, is not read), to the
        table's own end.
        """
        first, *_, last = span.text.strip().split("\n") if "\n" in span.text.strip() else (None, None)
        start = first and self._place(document, first, span.start)
        if not start or last is None:
            return None
        found = self._place(document, last, start[1] + len(span.text) - len(last))
        end = found[1] if found and found[1] > start[1] else _end_of_table(document.text, start[1])
        grown = (end - start[0]) / len(span.text)
        return (start[0], end) if 1 / MOST_GROWN <= grown <= MOST_GROWN else None

    def _fold(self, document: Document) -> Folded:
        if document.id not in self._folded:
            self._folded[document.id] = letters_and_digits(document.text)
        return self._folded[document.id]


def _end_of_table(text: str, start: int) -> int:
    """Where the last of the Markdown rows that follow the line of `start` ends."""
    end = text.find("\n", start)
    while end >= 0 and text.startswith("|", end + 1):
        start, end = end + 1, text.find("\n", end + 1)
    return len(text) if end < 0 else end


def nearest(wanted: str, text: str) -> str | None:
    """The sentence most like `wanted`, where one is (`difflib`'s own cutoff of .6)."""
    from chunking.sentences import split_sentences

    sentences = [text[slice(*span)] for span in split_sentences(text)]
    return next(iter(get_close_matches(wanted, sentences, n=1)), None)


def corpus_of_suite(suite: Suite) -> Corpus:
    """Parse a suite's own documents, as ingestion would. Raises ConfigError where it has none, and DocumentError.

    Their ids come from the suite's name and their own: hand them to `ingest_documents` as they are.
    """
    from chunking.loaders import load_bytes

    if suite.documents is None:
        raise ConfigError(f"Suite {suite.name} holds no documents: ingest them first and name the collection.")
    parsed: dict[str, Document] = {}
    for document in suite.documents:
        data, source = (document.text or "").encode(), document.doc_id
        media_type: str | None = "text/plain"
        if document.file is not None:
            path = document_path(suite, document)
            named = path.suffix.lower() == PurePosixPath(document.doc_id).suffix.lower()
            data, source, media_type = path.read_bytes(), document.doc_id if named else path.name, None
        parsed[document.doc_id] = load_bytes(
            data,
            source=source,
            origin=f"suite:{suite.name}/{document.doc_id}",
            media_type=media_type,
            title=document.title or None,
        )
    return Corpus(tuple(parsed.values()), {name: document.id for name, document in parsed.items()})


def corpus_of_documents(documents: Iterable[Document]) -> Corpus:
    """What is ingested already; a suite may name each document by id, source, file name or title where unambiguous."""
    known = tuple(documents)
    names = {document.id: document.id for document in known}
    ways: tuple[Callable[[Document], str], ...] = (
        lambda document: document.source,
        lambda document: document.source.rsplit("/", 1)[-1],
        lambda document: document.title,
    )
    for name_of in ways:
        counted: dict[str, set[str]] = {}
        for document in known:
            counted.setdefault(name_of(document), set()).add(document.id)
        names = {**{name: next(iter(ids)) for name, ids in counted.items() if len(ids) == 1}, **names}
    return Corpus(known, names)


def find_text(
    text: str, part: str, *, near: int | None = None, folded: Callable[[], Folded] | None = None
) -> tuple[int, int] | None:
    """Start and end of `part` in `text`, word for word or else by its letters and digits; the nearest to `near`.

    A place that cuts no word goes before others: ``5 days`` is rather not inside ``15 days``.
    `folded` gives `letters_and_digits(text)` where that is at hand.
    """
    places = list(occurrences(text, part))
    if not places:
        needle, _ = letters_and_digits(part)
        letters, offsets = folded() if folded and needle else letters_and_digits(text)
        places = [(offsets[start], offsets[end - 1] + 1) for start, end in occurrences(letters, needle)]
    whole = [place for place in places if not any(_inside(text, end) for end in place)]
    return min(whole or places, key=lambda place: abs(place[0] - (near or 0)), default=None)


def occurrences(text: str, part: str, start: int = 0) -> Iterator[tuple[int, int]]:
    """Where `part` stands in `text` from `start` on, overlaps included; nowhere when it is empty."""
    while part and (start := text.find(part, start)) >= 0:
        yield start, start + len(part)
        start += 1


def _inside(text: str, place: int) -> bool:
    """Whether a word or a number goes on across `place`. Chinese has no spaces: there none does."""
    around = text[max(0, place - 1) : place + 1]
    return len(around) == 2 and around.isalnum() and not has_han(around)
