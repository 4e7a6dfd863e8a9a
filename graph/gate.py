"""Between a model and the reader: an answer's sentences are checked one by one before they are let through.

What has been let through is never taken back, so the pieces join to exactly the final text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from chunking.sentences import split_sentences
from graph.crosslingual import Alike
from graph.evidence import Source, Strip
from graph.language import has_han
from graph.llms.base import Rest
from graph.markers import (
    cited,
    ends_behind_markers,
    may_open_marker,
    opens_with_marker,
    replace_markers,
    without_markers,
)
from graph.neutral import neutral_line, visible
from graph.prompts import NOT_ENOUGH
from graph.quotes import carried_header, header_of, one_line, plain
from graph.support import (
    ATTRIBUTION,
    content_words,
    contrary_across,
    coverage,
    exact_parts_hold,
    latin_words_hold,
    supported,
)
from graph.types import Citation, Language

_READ_AS: dict[Language, str] = {
    "zh": "问题是这样理解的：“{question}”。",
    "en": 'The question was read as: "{question}".',
}
_LEFT_OPEN: dict[Language, str] = {
    "zh": "资料中没有足够的信息来回答“{part}”。",
    "en": 'The sources do not contain enough information to answer "{part}".',
}
_NO_WORDS = re.compile(r"[\W_]*")
_LONG = 1000
"""Characters that may wait for the end of their sentence: beyond, it is sought only now and then."""


_REST: dict[Language, str] = {
    "zh": "以上是全部 {total} 项中的 {told} 项，其余见{where}。",
    "en": "These are {told} of {total}; the rest is in {where}.",
}


class Gate:
    """Feed a model's raw text with `push`, end it with `close`; both return text that may be shown.

    Markers are renumbered from 1 in the order of first use. After `close`: `text`, `citations`, `dropped`
    (sentences that nothing supported) and `insufficient` (the model said that the sources do not suffice).
    """

    def __init__(
        self, sources: Sequence[Source], question: str, language: Language, alike: Alike | None = None
    ) -> None:
        """`alike` compares a sentence with a source in the other script; None: its numbers and names decide alone."""
        self._alike = alike
        self._sources = {source.number: source for source in sources}
        self._evidence = {source.number: _evidence(source) for source in sources}
        self._question = question
        self._language = language
        self._buffer = ""
        self._look_again_at = 0
        self._markers: dict[int, int] = {}
        self._used: dict[int, list[Strip]] = {}
        self.text = ""
        self.dropped = 0
        self.insufficient = False

    def push(self, piece: str) -> str:
        """More of the model's text; returns what became certain, often nothing."""
        self._buffer += visible(piece)
        if len(self._buffer) < self._look_again_at:
            return ""
        released = self._release(whole=False)
        # Looked through with every piece, a text that never ends a sentence would take its length squared.
        self._look_again_at = len(self._buffer) * 9 // 8 if len(self._buffer) > _LONG else 0
        return released

    def close(self) -> str:
        """The model is done: the rest of its text counts as its last sentence."""
        return self._release(whole=True)

    def rest(self, rest: Rest) -> str:
        """Behind a list of which not all was said, how many there are in all and where the others stand."""
        if not self.text or (source := self._sources.get(rest.source)) is None:
            return ""
        self.insufficient = True
        marker = self._markers.get(rest.source)
        said = _REST[self._language].format(told=rest.told, total=rest.total, where=_place(source, self._language))
        cited = "" if marker is None else f"[{marker}]" if self._language == "zh" else f" [{marker}]"
        piece = f"\n{said}{cited}"
        self.text += piece
        return piece

    def leave_out(self, parts: Sequence[str]) -> str:
        """Behind an answer, the sentence which says what of the question it leaves open."""
        if not parts or not self.text:
            return ""
        self.insufficient = True
        said = (
            _LEFT_OPEN[self._language].format(part=without_markers(neutral_line(part)).rstrip("?？.。 "))
            for part in parts
        )
        piece = "\n" + "\n".join(said)
        self.text += piece
        return piece

    def read_as(self, question: str) -> str:
        """Behind an answer, the question that it answers where that is not how it was asked."""
        if not question or not self.text:
            return ""
        said = without_markers(neutral_line(question)).rstrip("。 ")
        piece = "\n\n" + _READ_AS[self._language].format(question=said)
        self.text += piece
        return piece

    @property
    def compares(self) -> bool:
        """Whether a sentence may have to be embedded: then `push` and `close` take longer than a loop should wait."""
        zh = self._language == "zh"
        return self._alike is not None and any(has_han(text) != zh for text in self._evidence.values())

    @property
    def citations(self) -> tuple[Citation, ...]:
        return tuple(self._sources[number].cite(marker, self._used[number]) for number, marker in self._markers.items())

    def _release(self, *, whole: bool) -> str:
        released = ""
        for gap, sentence in self._take(whole):
            checked = self._check(sentence)
            if checked:
                piece = (_separator(gap) if self.text else "") + checked
                released += piece
                self.text += piece
        return released

    def _take(self, whole: bool) -> list[tuple[str, str]]:
        """Sentences that are complete, each with the whitespace before it, removed from the buffer."""
        sentences: list[tuple[int, int]] = []
        for start, end in _sentences(self._buffer):
            at = start
            # "... is 4. [1] Next": the marker belongs to the sentence that has just ended.
            if sentences and (match := opens_with_marker(self._buffer[at:end])):
                at += match.end()
                sentences[-1] = (sentences[-1][0], at)
            if self._buffer[at:end].strip():
                sentences.append((at, end))
        if not whole and sentences:
            # The last one may go on, and what looks like its beginning may be a marker of the one before.
            last, _ = sentences.pop()
            if sentences and may_open_marker(self._buffer[last:]):
                sentences.pop()
        taken, at = [], 0
        for start, end in sentences:
            taken.append((self._buffer[at:start], self._buffer[start:end]))
            at = end
        self._buffer = "" if whole else self._buffer[at:]
        return taken

    def _check(self, sentence: str) -> str:
        """The sentence as it may be shown, empty if it may not."""
        bare = without_markers(sentence)
        if self.insufficient or _NO_WORDS.fullmatch(bare):
            return ""
        if says_not_enough(bare):
            self.insufficient = True
            return NOT_ENOUGH[self._language] if self.text else ""
        if _leads_in(bare):
            return bare
        numbers = self._supporting(bare, [number for number in cited(sentence) if number in self._sources])
        if not numbers:
            self.dropped += 1
            return ""
        for number in numbers:
            self._markers.setdefault(number, len(self._markers) + 1)
            self._used.setdefault(number, []).append(_bearing_strip(self._sources[number], bare))
        return self._write(sentence, numbers)

    def _supporting(self, bare: str, named: list[int]) -> list[int]:
        """The sources among `named` that bear the sentence, or else the one that does so beyond doubt."""
        near = [number for number in named if self._same_script(bare, number)]
        across = [number for number in named if number not in near and self._says_across(bare, number)]
        if near and supported(bare, [self._evidence[number] for number in near], self._question):
            words = content_words(bare)
            near = [number for number in near if words & content_words(self._evidence[number])] or near[:1]
        else:
            near = []
        if near or across:
            return [number for number in named if number in near or number in across]
        fitting = [
            number
            for number, text in self._evidence.items()
            if self._same_script(bare, number) and supported(bare, [text], "", bar=ATTRIBUTION)
        ]
        return sorted(fitting, key=lambda number: -coverage(bare, self._evidence[number]))[:1]

    def _same_script(self, bare: str, number: int) -> bool:
        return has_han(self._evidence[number]) == has_han(bare)

    def _says_across(self, bare: str, number: int) -> bool:
        known = f"{self._evidence[number]}\n{self._question}"
        if not exact_parts_hold(bare, known) or not latin_words_hold(bare, known):
            return False
        strips = [strip.text for strip in self._sources[number].strips]
        if self._alike is not None and not self._alike(bare, strips):
            return False
        if not any(contrary_across(bare, strip) for strip in strips):
            return True
        near = [strip for strip in strips if self._alike is None or self._alike(bare, [strip])]
        return not all(contrary_across(bare, strip) for strip in near)

    def _write(self, sentence: str, numbers: Sequence[int]) -> str:
        written: set[int] = set()

        def marker(named: Sequence[int]) -> str:
            kept = [number for number in named if number in numbers]
            written.update(kept)
            return "".join(f"[{self._markers[number]}]" for number in kept)

        text = replace_markers(sentence, marker)
        missing = "".join(f"[{self._markers[number]}]" for number in numbers if number not in written)
        return text if not missing else f"{text}{'' if self._language == 'zh' else ' '}{missing}"


def _place(source: Source, language: Language) -> str:
    """Where a passage stands, as a reader finds it: its heading, its document and its page."""
    chunk, title = source.hit.chunk, source.hit.document.title
    heading = chunk.heading_path[-1] if chunk.heading_path and chunk.heading_path[-1] != title else ""
    named, under = (without_markers(neutral_line(each)) for each in (title, heading))
    if language == "zh":
        return f"《{named}》" + (f"“{under}”" if under else "") + (f"第 {chunk.page} 页" if chunk.page else "")
    return (f'"{under}" of ' if under else "") + f'"{named}"' + (f", page {chunk.page}" if chunk.page else "")


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    for start, end in split_sentences(text):
        ends = [start + at for at in ends_behind_markers(text[start:end])]
        yield from pairwise(dict.fromkeys((start, *ends, end)))


def says_not_enough(sentence: str) -> bool:
    """Whether a sentence is the fixed refusal, give or take punctuation, in either language."""
    plain = _letters(sentence)
    return any(plain.startswith(_letters(fixed)) for fixed in NOT_ENOUGH.values())


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


def _leads_in(bare: str) -> bool:
    """A short line that only announces what follows: "The steps are:"."""
    return len(bare) <= 60 and bare.endswith((":", "：")) and not re.search(r"\d|://|www\.", bare)


def _evidence(source: Source) -> str:
    # Also as it reads without Markdown and line breaks: "**top**_k" names top_k.
    chunk, header = source.hit.chunk, carried_header(source.hit.chunk.context) or ""
    return "\n".join(
        (
            source.hit.document.title,
            *chunk.heading_path,
            *dict.fromkeys(strip.heading for strip in source.strips),
            header,
            source.text,
            plain(one_line(source.text)),
        )
    )


def _bearing_strip(source: Source, bare: str) -> Strip:
    """The strip that shares most words with the sentence: the citation's span covers it.

    A table's header is borne out by any of its rows, so the rows come first.
    """
    words = content_words(bare)
    headers = {header.start for strip in source.strips if (header := header_of(source, strip)) is not None}
    return max(
        [strip for strip in source.strips if strip.start not in headers],
        key=lambda strip: len(words & content_words(strip.text)),
    )


def _separator(gap: str) -> str:
    """Whitespace between two sentences, at most one blank line."""
    if gap.count("\n") > 1:
        return "\n\n"
    return "\n" if "\n" in gap else " " if gap else ""
