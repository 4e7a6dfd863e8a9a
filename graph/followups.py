"""Follow-up questions by rule: which ones lean on the conversation, and on which question of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from graph import subjects_en, subjects_zh
from graph.counted import other_member
from graph.language import language_of
from graph.naming import same
from graph.questions import asked_otherwise
from graph.smalltalk import aside
from graph.subjects import replaced
from graph.support import content_words
from graph.titles import other_title
from graph.types import Language, Turn

QUESTION_LIMIT = 1000
"""Characters of a condensed question."""
FRAGMENT_LIMIT = 120
"""Characters up to which a follow-up that asks nothing may name what takes the place of something."""
OWN_WORDS = 2
"""Content words with which a question stands alone although it opens like a follow-up."""

_OPENER: dict[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\A\W*(?:(?:and|but|so|also|then|now|ok(?:ay)?|well|thanks|thank you)\b[\s,.!]*)+", re.IGNORECASE
    ),
    "zh": re.compile(
        r"\A\W*(?:(?:那么|那麼|那(?![个個些种種里裡样樣两兩边邊时時次])|还有|還有|另外|以及|然后|然後|但是"
        r"|但(?!书)|不过|不過"
        r"|对了|好的|谢谢|顺便问一下|再问一下|请问)[\s，,。！!：:]*)+"
    ),
}
# Their subject, or what is asked about it, was said before.
_ELLIPTIC: dict[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\A\W*(?:what about|how about|what else|who else|where else|any other|anything else)\b"
        r"|\b(?:the (?:former|latter|same|other|first one|second one|last one)|this one|that one)\b"
        r"|\bthe \w+ ones?\b(?! (?:who|whom|that|which|of)\b)|\b(?:this|that)\W*\Z",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"上述|前者|后者|後者|两者|兩者|前面(?:的|说|提)|刚才|剛才|同样|\A\W*第[一二三四五六七八九十两\d]"
        r"|\A\W*(?:后来|後來|之后|之後)|又[是在]?(?:多少|什么|什麼|谁|誰|哪|怎|几|幾)"
    ),
}
POINTS: dict[Language, re.Pattern[str]] = {
    "en": re.compile(
        # Not the "it" of "how long does it take to ...".
        r"\bit(?! (?:takes?|costs?|possible|necessary|allowed|safe|better|mean) (?:\w+ ){0,3}(?:to|that|when|if)\b)\b"
        r"|\b(?:them|he|him|those|these)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(r"(?<!其)[它他她牠]们?|[這这]|那[个個些种種里裡样樣两兩边邊时時次]|(?<![应應活])[该該]|其中"),
}
_POSSESSIVE = re.compile(r"\b(?:its|they|theirs?|his|she|hers?)\b", re.IGNORECASE)
ASKS: dict[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|should|would|will|has"
        r"|have|may|must|explain|describe|list|compare|name|tell|give|show|summari[sz]e)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"什么|什麼|多少|[几幾]|谁|誰|哪|如何|怎|为何|為何|是否|吗|嗎|多[大长長高久远遠快深宽寬厚重粗]|何时|何時|能否|可否"
        r"|有没有|是不是|介绍|说明|解释|列出|比较|总结"
    ),
}
# "哪一年恢复的？": of what, another question said.
_SUBJECTLESS = re.compile(
    r"\A\W*是?(?:什么时候|什麼時候|何时|何時|哪一?[年天月日]|哪[里裡儿兒]|谁|誰)[\u3400-\u9fff]{0,6}的\W*\Z"
)
_DEFINES = re.compile(
    r"\A\W*(?:what(?:'s| is| are) (?!the\b)[\w.+\-]+|(?:define|explain|describe) [\w.+\-]+)\W*\Z", re.IGNORECASE
)
_ABOUT = re.compile(r"\A\W*(?:what|how) about\s+", re.IGNORECASE)
_SHORT: dict[Language, int] = {"zh": 5, "en": 3}
_SHORT_WORD = 4
"""Letters up to which a word has no ending to spare."""
_PARTICLE = re.compile(r"呢\W*\Z")


_CORRECTS = re.compile(
    r"\A\W*(?:(?:no|nope|sorry|oops|wait|actually|not that)\b\W*)*\bi (?:meant|mean|was asking about|asked about)\s+"
    r"|\A\W*(?:(?:不对|不對|不是|抱歉|错了|錯了|不好意思|对不起)[\s，,。！!]*)*我(?:问|問|说|說|指|想问|想問)的是",
    re.IGNORECASE,
)
# "min_commits_to_keep 又是多少？" asks what was asked of another.
_AGAIN = re.compile(r"又[是为為](?:多少|什么|什麼|谁|誰|[几幾])\W*\Z")
_ROOMS = {"zh": subjects_zh, "en": subjects_en}
_ARTICLE = re.compile(r"\A(?:the|an?)\s+", re.IGNORECASE)
_PLACE = re.compile(r"\A(?:on|for|in|with|of|at)\s+", re.IGNORECASE)


def own_question(question: str) -> str:
    """The question without the And or But, 那么 or 还有, that ties it to the one before."""
    opener = _OPENER[language_of(question)].match(question)
    return question[opener.end() :].strip() if opener and opener.end() < len(question.rstrip()) else question


def refers_back(question: str, history: tuple[Turn, ...]) -> bool:
    """Whether a question leans on the conversation: it points at something, or says too little by itself."""
    anchor = _anchor(history)
    if anchor is None:
        return False
    if _points(question) or _CORRECTS.match(question):
        return True
    if language_of(question) != language_of(anchor.question):
        return not content_words(question)
    return not _stands_alone(question)


@dataclass(frozen=True, slots=True)
class Instead:
    """Content words of what a follow-up names, and of what stood in their place in the question before."""

    named: frozenset[str]
    gone: frozenset[str]

    def of_before(self, text: str, above: str) -> bool:
        """Whether a sentence speaks of what was asked before, and neither it nor what stands above of what is now."""
        words = content_words(text)
        return bool(self.gone & words) and not _says_one(self.named, words | content_words(above))

    def unheard(self, texts: Iterable[str]) -> bool:
        """Whether no text says a word of what is asked now. Identifiers and numbers are looked for by themselves."""
        words = [word for word in self.named if not any(map(str.isdigit, word)) and "." not in word]
        return bool(words) and not any(_says_one(words, content_words(text)) for text in texts)


def _says_one(named: Iterable[str], words: Collection[str]) -> bool:
    """An ending may differ, and a version be more precise."""
    return any(word in words or any(same(word, each) or _inflected(word, each) for each in words) for word in named)


def _inflected(word: str, other: str) -> bool:
    return word.isascii() and len(word) > _SHORT_WORD and other.startswith(word[: max(_SHORT_WORD, len(word) - 3)])


@dataclass(frozen=True, slots=True)
class Resolved:
    """A follow-up as one question, and what is searched for: the question before it may help the search."""

    question: str
    searched: str
    whole: bool
    """Whether `question` says all, so that what follows may be about it."""
    instead: tuple[Instead, ...] = ()
    """What it asks of, each in the place of what was asked of before."""


def resolved(question: str, history: tuple[Turn, ...]) -> Resolved:
    """The follow-up as it is meant: what it names takes the place of its like in the question before, a pronoun that
    of what was named there.

    Where that is not plain, the question before is searched for too, but never asked again.
    """
    anchor = _anchor(history)
    return Resolved(question, question, True) if anchor is None else _meant(question, anchor)


def _meant(question: str, before: Resolved) -> Resolved:
    found = _resolved(question, before.question)
    if not found.whole:
        return found
    rest, room = _rest(question), _ROOMS[language_of(before.question)]
    now = content_words(found.question)
    instead = [each for each in before.instead if each.named & now and not each.gone & now]
    pointing = POINTS[language_of(rest)].search(rest) or ASKS[language_of(rest)].search(_AGAIN.sub("", rest))
    # Of another attribute a sentence may speak without its name: "weighs" of the weight.
    if not pointing and (found.searched == found.question or not room.attribute(rest)):
        was = content_words(before.question)
        named, gone = _longest(now - was), _longest(was - now)
        instead += [Instead(named, gone)] if named and gone and was & now else []
    return replace(found, instead=tuple(instead))


def _longest(words: set[str]) -> frozenset[str]:
    """Without parts of others: the 200 of HX-200."""
    return frozenset(word for word in words if not any(word != other and word in other for other in words))


def _resolved(question: str, anchor: str) -> Resolved:
    rest = _rest(question)
    if ASKS[language_of(rest)].search(_AGAIN.sub("", rest)):
        return _asking(rest, anchor)
    rest = _AGAIN.sub("", rest).strip()
    room = _ROOMS[language_of(anchor)]
    comma = "，" if language_of(anchor) == "zh" else ", "
    whole = f"{anchor.rstrip(' ?？.。!！')}{comma}{rest}"
    put = _put(rest, anchor) if len(rest) <= FRAGMENT_LIMIT else None
    if put is None:
        about = room.topic(anchor)
        gap = "" if language_of(anchor) == "zh" or not about else " "
        return Resolved(f"{about}{gap}{rest}"[-QUESTION_LIMIT:], whole[-QUESTION_LIMIT:], False)
    made, sure = put
    return _sure(made) if sure else Resolved(made[-QUESTION_LIMIT:], whole[-QUESTION_LIMIT:], True)


def _put(rest: str, anchor: str) -> tuple[str, bool] | None:
    """The question before with what is named in the place of its like, and whether that is sure."""
    named = rest.strip(" ?？.。!！呢")
    for other in (other_title(anchor, named), replaced(anchor, _PLACE.sub("", rest)), other_member(anchor, named)):
        if other is not None:
            return other, True
    if not _says(rest) or language_of(rest) != language_of(anchor):
        return None
    placed: tuple[str, bool] | None = _ROOMS[language_of(anchor)].in_place(anchor, rest)
    return placed


def _asking(rest: str, anchor: str) -> Resolved:
    """What asks by itself, about what was named before."""
    room = _ROOMS[language_of(rest)]
    about = _ROOMS[language_of(anchor)].topic(anchor, room.sought(rest), rest)
    if language_of(rest) == "zh":
        about = "" if " who " in about else _ARTICLE.sub("", about)
    made = room.with_topic(rest, about)
    if not _says(rest) and (made is None or (language_of(rest) == "zh" and not POINTS["zh"].search(rest))):
        return _sure(asked_otherwise(rest, anchor))
    searched = f"{anchor} {rest}"[-QUESTION_LIMIT:]
    if made is not None and (language_of(rest) == "en" or POINTS["zh"].search(rest)):
        return _sure(made)
    return Resolved(rest if made is None else made[-QUESTION_LIMIT:], searched, made is not None)


def _sure(question: str) -> Resolved:
    made = question[-QUESTION_LIMIT:]
    return Resolved(made, made, True)


def _says(text: str) -> bool:
    """Whether it says anything beside asking: "By when?" does not."""
    return bool(content_words(ASKS[language_of(text)].sub(" ", text)))


def _anchor(history: tuple[Turn, ...]) -> Resolved | None:
    """The user's last question that says all by itself, follow-ups as they were meant; None where they asked nothing.

    "And the HX-300?" makes it a question about that one.
    """
    asked = [text.strip() for role, text in history if role == "user" and text.strip() and aside(text) is None]
    anchor = _sure(own_question(asked[0])) if asked else None
    for question in asked[1:]:
        if not _points(question) and not _CORRECTS.match(question) and _stands_alone(question):
            anchor = _sure(own_question(question))
        elif anchor is not None and (meant := _meant(question, anchor)).whole and _says(_rest(question)):
            anchor = meant
    return anchor


def _rest(question: str) -> str:
    """What a question says beside its tie to the one before."""
    own = _CORRECTS.sub("", own_question(question))
    return _ABOUT.sub("", own)


def _points(question: str) -> bool:
    language, own = language_of(question), own_question(question)
    if POINTS[language].search(own) or _ELLIPTIC[language].search(own):
        return True
    # "When must employees send in their reports?": what the word stands for is in the question itself.
    return any(len(content_words(own[: match.start()])) < OWN_WORDS for match in _POSSESSIVE.finditer(own))


def _stands_alone(question: str) -> bool:
    language, own = language_of(question), own_question(question)
    words, asks = content_words(own), ASKS[language].search(own) is not None
    if language == "zh" and _SUBJECTLESS.search(own):
        return False
    if _DEFINES.match(own):
        return bool(words)
    if own != question:
        return asks and len(words) >= OWN_WORDS
    if _PARTICLE.search(own) and not asks:
        return False
    size = len(re.findall(r"\w", own)) if language == "zh" else len(re.findall(r"\w+", own))
    return size > _SHORT[language] and bool(words)
