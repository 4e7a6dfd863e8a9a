"""Whom and what a pronoun means after an English question: a person, or the thing that was named last."""

from __future__ import annotations

import re

from graph.deputies import TITLES

_ROLE = re.compile(
    rf"(?:{TITLES}|man|woman|boy|girl|child|baby|person|father|mother|parent|son|daughter|brother|sister|uncle|aunt"
    r"|cousin|nephew|niece|husband|wife|grand(?:father|mother|son|daughter)|friend|neighbou?r|king|queen|prince(?:ss)?"
    r"|emperor|empress|pope|bishop|priest|saint|poet|author|writer|painter|singer|composer|actor|actress|sculptor"
    r"|architect|designer|inventor|founder|owner|engineer|technician|accountant|auditor|lawyer|judge|doctor|nurse|teacher"
    r"|professor|student|pupil|scientist|physicist|chemist|biologist|geologist|historian|philosopher|mathematician"
    r"|explorer|sailor|fisherman|farmer|baker|keeper|watchmaker|carpenter|mechanic|driver|pilot|guard|soldier|general"
    r"|colonel|officer|official|clerk|assistant|employee|worker|colleague|boss|supervisor|coordinator|administrator"
    r"|representative|speaker|senator|ambassador|candidate|winner|player|coach|patient|visitor|guest|customer|tenant"
    r"|landlord|heir|successor|predecessor)\Z",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-Z][a-z][\w'’-]*(?: (?:[A-Z]\.|[A-Z][a-z][\w'’-]*))*\Z")
_DETERMINER = re.compile(r"\A(?:the|an?|my|our|your|its|their|this|that|his|her)\s+", re.IGNORECASE)
_OWNED = re.compile(r"(.+)['’]s?\s+(.+)\Z")
_BEHIND = re.compile(r"\s(?:of|in|on|at|for|from|with|to|by|near|who|that)\s")
_PHRASE = re.compile(
    r"\b(?:the|an?|my|our|your|this|that)\s+(?:(?!(?:of|in|on|at|for|from|with|to|by|about|and|or|is|are|was|were|than|as"
    r"|when|if|that|the|an?|into|after|before|during)\b)[\w'’-]+\s?){1,4}",
    re.IGNORECASE,
)
_CAPITALISED = re.compile(r"(?<=[\w,'’] )[A-Z][a-z][\w-]*(?: [A-Z][a-z][\w-]*)*")
_NO_PERSON = re.compile(
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|I)\Z"
)
_MADE = re.compile(
    r"\b(?:invent|write|design|build|paint|compose|discover|develop|draw|publish|repair|direct|create|release)\s+"
)
_WHICH = re.compile(
    r"\A\W*(?:which|what)\s+([a-z]+)\s+(did|does|do)\s+((?:the|an?|my|our)\s+[\w-]+)\s+(.+?)[?.!\s]*\Z", re.IGNORECASE
)
_WHO = re.compile(r"\A\W*who\s+(.+?)[?.!\s]*\Z", re.IGNORECASE)


def person(question: str, about: str, subject: str) -> str:
    """Whom "she" means: the subject, `about`, whose it is, another person of `question`, or the one it asks for."""
    for said in (subject, about):
        if _is_person(said):
            return said
    if (owned := _OWNED.match(about)) and _is_person(owned[1]):
        return owned[1]
    named = [match[0].strip() for match in _PHRASE.finditer(question)]
    roles = [role for each in named if (role := _up_to_role(each))]
    if roles:
        return roles[-1]
    if (who := _WHO.match(question)) and not re.match(r"(?:is|are|was|were)\s+(?:the|an?|[A-Z])", who[1]):
        return f"the one who {who[1]}"
    names = [match[0] for match in _CAPITALISED.finditer(question) if not _NO_PERSON.match(match[0])]
    return names[-1] if names else about


def thing(question: str, about: str, verb: re.Pattern[str], participle: re.Pattern[str]) -> str:
    """What "it" means: `about`, or the last thing of `question` where that is somebody with a title."""
    if _NAME.match(about) and (made := _MADE.search(question)) and (work := _PHRASE.match(question, made.end())):
        return _noun(work[0].split(), verb, participle) or about
    if not is_role(about):
        return about
    if of := re.match(r".+?\sof\s(.+)\Z", about):
        return of[1]
    if which := _WHICH.match(question):
        return f"the {which[1]} that {which[3]} {which[2]} {which[4]}"
    named = [_noun(match[0].split(), verb, participle) for match in _PHRASE.finditer(question)]
    things = [
        each for each in named if each and not is_role(each) and not about.endswith(each) and not each.startswith(about)
    ]
    return things[-1] if things else about


def _noun(words: list[str], verb: re.Pattern[str], participle: re.Pattern[str]) -> str:
    kept = words[:2]
    for word in words[2:]:
        if verb.match(word) or participle.match(word):
            break
        kept.append(word)
    return " ".join(kept) if len(kept) > 1 else ""


def _is_person(said: str) -> bool:
    return bool(said) and (is_role(said) or bool(_NAME.match(said)))


def is_role(said: str) -> bool:
    """Whether it says what somebody is: the captain."""
    words = _BEHIND.split(_DETERMINER.sub("", said), maxsplit=1)[0].split()
    return bool(words) and _ROLE.match(re.sub(r"\A.*['’]s? ", "", words[-1])) is not None


def _up_to_role(phrase: str) -> str:
    """ "the captain" of "the captain's ship" and of "the captain give"."""
    words = phrase.split()
    for number in range(len(words), 1, -1):
        word = re.sub(r"['’]s?\Z", "", words[number - 1])
        if _ROLE.match(word):
            return " ".join([*words[: number - 1], word])
    return ""
