"""Follow-up questions by rule: which ones lean on the conversation, and on which question of it."""

from __future__ import annotations

import re

from graph.language import language_of
from graph.smalltalk import aside
from graph.subjects import replaced
from graph.support import content_words
from graph.types import Language, Turn

QUESTION_LIMIT = 1000
"""Characters of a condensed question."""
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
        r"什么|什麼|多少|[几幾]|谁|誰|哪|如何|怎|为何|為何|是否|吗|嗎|多[大长長高久远遠快深宽寬]|何时|何時|能否|可否"
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
_PARTICLE = re.compile(r"呢\W*\Z")


_CORRECTS = re.compile(
    r"\A\W*(?:(?:no|nope|sorry|oops|wait|actually|not that)\b\W*)*\bi (?:meant|mean|was asking about|asked about)\s+"
    r"|\A\W*(?:(?:不对|不對|不是|抱歉|错了|錯了|不好意思|对不起)[\s，,。！!]*)*我(?:问|問|说|說|指|想问|想問)的是",
    re.IGNORECASE,
)
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
    if language_of(question) != language_of(anchor):
        return not content_words(question)
    return not _stands_alone(question)


def joined(question: str, history: tuple[Turn, ...]) -> str:
    """The question after the last of the user's questions that stands alone; only after that one.

    What asks nothing by itself ("And a basic one?") goes on where that question ends, as one question.
    """
    anchor = _anchor(history)
    if anchor is None:
        return question
    rest = _rest(question)
    if (other := _other_subject(anchor, question)) is not None:
        return other[-QUESTION_LIMIT:]
    if rest and not ASKS[language_of(rest)].search(rest):
        comma = "，" if language_of(anchor) == "zh" else ", "
        return f"{anchor.rstrip(' ?？.。!！')}{comma}{rest}"[-QUESTION_LIMIT:]
    return f"{anchor} {question}"[-QUESTION_LIMIT:]


def _anchor(history: tuple[Turn, ...]) -> str | None:
    """The user's last question that stands alone, else their first one; None where they have asked nothing.

    About the subject that they named last: "And the HX-300?" makes it a question about that one.
    """
    asked = [text.strip() for role, text in history if role == "user" and text.strip() and aside(text) is None]
    anchor = own_question(asked[0]) if asked else None
    for question in asked[1:]:
        if not _points(question) and not _CORRECTS.match(question) and _stands_alone(question):
            anchor = own_question(question)
        elif anchor is not None:
            anchor = _other_subject(anchor, question) or anchor
    return anchor


def _rest(question: str) -> str:
    """What a question says beside its tie to the one before."""
    own = _CORRECTS.sub("", own_question(question))
    return _ABOUT.sub("", own)


def _other_subject(anchor: str, question: str) -> str | None:
    """The anchor about what `question` names, where it does no more than name it."""
    rest = _PLACE.sub("", _rest(question))
    if ASKS[language_of(rest)].search(rest):
        return None
    return replaced(anchor, rest)


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
