"""Whether the evidence tells what a question asks of an option: that row or sentence, and not another thing's.

"What is the default of ``custom_filename`` in the HdfsFile sink?" is answered where the option and a default stand
together. Examples that set it, sentences that mention it, and the row of the LocalFile sink share as many words with
the question, so that no likeness tells them from the answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from graph.quotes import cells
from graph.support import content_words
from retrieval.types import Hit

OF_ANOTHER = 0.1
"""What an entry counts while another passage has, in its title, source and headings, all that this one has of the
question there, and more: it is about what is asked, and this one is not. Of the fitted half none of 16 such held the
answer."""
_ASPECTS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bdefaults?\b|默[认認]|缺省|[预預][设設]",
        r"\brequired\b|\bmandatory\b|\boptional\b|必[填须須选選需]|是否必|可[选選](?!值)",
        r"\b(?:allowed|possible|valid|accepted|supported|legal|permitted) values?\b|\branges?\b"
        r"|\bvalues?\b.{0,30}\b(?:allowed|possible|valid|accepted|supported|legal|permitted)\b"
        r"|取值|[范範][围圍]|可[选選]值",
        r"\b(?:maximum|minimum|max|min)\b|最[大小高低多少][值可]?",
    )
)
"""What is told of an option in a column or a phrase of its own, the same words in the question and in the document."""
_KIND = (
    r"(?:options?|parameters?|params?|settings?|propert(?:y|ies)|fields?|flags?|arguments?|keys?|variables?"
    r"|attributes?)"
)
_KIND_ZH = r"(?:[参參][数數]|配置[项項]|[选選][项項]|字段|欄位|[属屬]性|[变變]量|[设設]置[项項]|[设設]定[项項]?)"
_ANY_KIND = re.compile(rf"\b{_KIND}\b|{_KIND_ZH}", re.IGNORECASE)
_WORD = r"[A-Za-z][A-Za-z0-9]*(?:[._-]+[A-Za-z0-9]+)*"
_GOES_ON = (
    r"(?=\W*\Z|\s*[^\w\s]| (?:of|in|for|from|with|is|are|be|has|have|default(?:s|ed)?|on|by|at|when|if|and|or|to|do"
    r"|does|must|can|should|will|required|mandatory|optional|need|needs|take|takes|accept|accepts|allow|allows|mean|means|set)\b)"
)
"""What may stand behind an option's name: "option source in the sink", not "which setting closes connections"."""
_OPTION = re.compile(
    rf"`({_WORD})`|(?<![\w.-])(?<!\b[Ww]hich )({_WORD}) {_KIND}\b"
    rf"|\b{_KIND} (?:called |named )?({_WORD})(?![\w.-]){_GOES_ON}"
    rf"|{_KIND_ZH} ?[“「『]?({_WORD})|({_WORD})[”」』]? ?(?:[这這][个個]|的)?{_KIND_ZH}"
    r"|(?<![\w-])--?([a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?![\w-])"
    r"|(?<![\w.-])([A-Za-z][A-Za-z0-9]*(?:[.-][A-Za-z0-9]+)*_[A-Za-z0-9_.-]*[A-Za-z0-9])"
    r"|(?<![\w.-])([a-z][a-z0-9-]*(?:\.[a-z][a-z0-9-]*){2,})(?![\w.-])|(?<![\w.-])([a-z]+(?:[A-Z][a-z0-9]+)+)(?![\w.-])"
)
"""In code marks, beside the word for it, or written as no word is: --flag, an underscore, three dotted parts,
camelCase."""
LONGEST = 100
"""Characters of an option's name: of a longer run `_OPTION` would read all that follows anew from each letter on."""
_ENDLESS = re.compile(rf"[A-Za-z0-9._-]{{{LONGEST + 1},}}")
_LETTERS = re.compile("[A-Za-z]+")
_NO_OPTION = re.compile(
    r"the|th[ae]t|this|these|those|which|what|each|every|any|other|all|an?|its|of|in|for|is|are|default|required"
    r"|mandatory|optional|values?|valid|allowed|possible|maximum|minimum",
    re.IGNORECASE,
)
_JOINTS = re.compile(r"[\s._-]+")
_OPTION_NAME = re.compile(r"(?<![\w-])--?[a-z][\w-]*|(?<![\w.-])[A-Za-z]\w*(?:[._]\w+)+")
_SET = re.compile(r"^[ \t]*[#;]?[ \t]?([\w.-]+)[ \t]*[=:]", re.MULTILINE)
_COMMENTED_OUT = re.compile(r"^[ \t]*[#;][ \t]?([\w.-]+)[ \t]*[=:][ \t]*\S", re.MULTILINE)
_COMMENT = re.compile(r"[ \t]*(?:[#;]|//|--[ \t])")
_ITEM = re.compile(r"\s*(?:[-*•+]|\d{1,2}[.)])\s")


@dataclass(frozen=True, slots=True)
class Asked:
    """`aspects` that a question asks of one of `options`; `about` are the words of the thing whose option it is."""

    options: tuple[str, ...]
    aspects: tuple[re.Pattern[str], ...]
    about: frozenset[str]

    def names(self, text: str) -> bool:
        """Whether a text speaks of an option; of one that is a plain word (``source``) only where it is marked so."""
        for option in self.options:
            name = re.escape(option)
            if _LETTERS.fullmatch(option):
                pattern = (
                    rf"[`'\"“「]{name}[`'\"”」]|\b{name} {_KIND}\b|{_KIND_ZH} ?{name}\b|--?{name}\b"
                    rf"|\A{name}(?: *[\[(:：]|\Z)"
                )
            else:
                pattern = rf"(?<![\w.-])(?:--?)?{name}(?![\w-])"
            if re.search(pattern, text, re.IGNORECASE):
                return True
        return False

    def is_of(self, cell: str) -> bool:
        return any(_plain(cell) == _plain(option) for option in self.options)

    def tells(self, text: str) -> bool:
        return any(aspect.search(text) for aspect in self.aspects)

    def tells_there(self, text: str, topic: bool) -> bool:
        """Whether a text that names an option, or is about one (`topic`), says an aspect of that and of no other: the
        last name of an option before the aspect counts, or one behind it."""
        at = min((found.start() for aspect in self.aspects if (found := aspect.search(text))), default=None)
        if at is None:
            return False
        before = _OPTION_NAME.findall(text[:at])
        return self.names(text[at:]) or (self.names(before[-1]) if before else topic or self.names(text))

    def shows_default(self, text: str) -> bool:
        """Whether a setting that is commented out shows what holds where it is not set."""
        return _ASPECTS[0] in self.aspects and any(map(self.is_of, _COMMENTED_OUT.findall(text)))

    def share(self, hit: Hit) -> frozenset[str]:
        """Words of the thing in a passage's title, source and headings."""
        above = (hit.document.title, hit.document.source, *hit.chunk.heading_path)
        return self.about & content_words(" ".join(above))


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str
    heading: str
    header: str | None
    """Of the table whose row it is."""
    gap: str
    """What stands between the sentence before and this one."""


@lru_cache(maxsize=256)
def asked(question: str) -> Asked | None:
    """None for a question that names no option or asks nothing of `_ASPECTS`."""
    text = unicodedata.normalize("NFKC", question)
    aspects = tuple(aspect for aspect in _ASPECTS if aspect.search(text))
    named = _OPTION.findall(_ENDLESS.sub(" ", text)) if aspects else ()
    found = dict.fromkeys(next(filter(None, groups)) for groups in named)
    options = tuple(option for option in found if not _NO_OPTION.fullmatch(option))
    if not options:
        return None
    for pattern in (_ANY_KIND, *_ASPECTS):
        text = pattern.sub(" ", text)
    return Asked(options, aspects, frozenset(content_words(text) - content_words(" ".join(options))))


def entries(sought: Asked, sentences: Iterable[Sentence]) -> set[int]:
    """Indices of the sentences of a passage that tell it: a row of the option with a column of the aspect, a sentence
    with both, or one that says it behind the option in the same item or paragraph, or under its heading."""
    found = set[int]()
    topic = False
    heading: str | None = None
    for number, sentence in enumerate(sentences):
        text = sentence.text
        if text.startswith("|"):
            if any(map(sought.is_of, cells(text)[:2])) and sought.tells(f"{sentence.header or ''} {text}"):
                found.add(number)
            continue
        if sentence.heading != heading or "\n\n" in sentence.gap or _ITEM.match(sentence.gap + text):
            heading, topic = sentence.heading, sought.names(sentence.heading)
        for piece in _settings(text):
            settings = _SET.findall(piece)
            named = sought.names(piece) or any(map(sought.is_of, settings))
            topic = named or (topic and not settings)
            if (named and sought.tells(heading)) or sought.tells_there(piece, topic) or sought.shows_default(piece):
                found.add(number)
            # A sentence that names another option only is followed by what is about that one.
            topic = named or (topic and not _OPTION_NAME.search(piece))
    return found


def _settings(text: str) -> Iterator[str]:
    """Each line of a listing of settings, with the comments above it; any other text whole."""
    lines = text.split("\n")
    if len(_SET.findall(text)) < 2:
        yield text
        return
    above: list[str] = []
    for line in lines:
        above.append(line)
        if not _COMMENT.match(line):
            yield "\n".join(above)
            above = []


def worth(sought: Asked, hits: Sequence[Hit], telling: Sequence[bool]) -> list[float]:
    """For each hit 1 where it tells it, `OF_ANOTHER` where it tells it of another thing, else 0."""
    shared = [sought.share(hit) for hit in hits]
    return [
        0.0 if not tells else OF_ANOTHER if any(own < other for other in shared) else 1.0
        for tells, own in zip(telling, shared, strict=True)
    ]


def _plain(name: str) -> str:
    return _JOINTS.sub("", name).casefold()
