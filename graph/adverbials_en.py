"""Places, times and conditions of an English question, and which of them takes the place of which."""

from __future__ import annotations

import re
from dataclasses import dataclass

_COUNT = r"(?:\d[\d.,]*|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|several|few)"
# "On Sundays" leaves "in March" as it is.
_GRAINS = {
    "season": re.compile(
        r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December"
        r"|(?i:spring|summer|autumn|winter|seasons?|peak|christmas|easter|centur(?:y|ies))|(?:1[0-9]|20)\d\d)\b"
    ),
    "day": re.compile(
        r"\b(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|(?i:weekends?|weekdays?|(?:public )?holidays?|the week"
        r"|(?:working|business) days))\b"
    ),
    "hour": re.compile(
        r"\b(?:mornings?|afternoons?|evenings?|nights?|noon|midnight|the day|daytime|(?:\d+|o'clock) ?[ap]m)\b",
        re.IGNORECASE,
    ),
}
_TIME = re.compile(r"\b(?:days?|weeks?|months?|years?|term|probation|first time|second time)\b", re.IGNORECASE)
_SPAN = re.compile(rf"\b{_COUNT} (?:working )?(?:year|month|week|day|hour|minute)s?\b", re.IGNORECASE)
_WHEN = frozenset(("during", "before", "after", "until", "till", "since"))
_WHERE = frozenset(
    ("in", "at", "on", "inside", "outside", "near", "within", "to", "from", "under", "over", "above", "below", "beyond")
)
_WITH = frozenset(("with", "without"))
_BOUND = frozenset(("under", "over", "above", "below"))
_OWN = frozenset(("of", "for", "by", "between", "against", "via", "through", "per"))
_PREPOSITION = re.compile(rf"(?:{'|'.join(sorted(_WHEN | _WHERE | _WITH | _OWN))})\Z", re.IGNORECASE)
_ADVERB_PLACE = re.compile(
    r"(?:abroad|overseas|home|indoors|outdoors|inside|outside|upstairs|downstairs|nationally|domestically"
    r"|internationally|locally|online|offline|remotely|elsewhere)\Z",
    re.IGNORECASE,
)
_ADVERB_TIME = re.compile(r"(?:today|tomorrow|yesterday|tonight|nowadays|afterwards|later)\Z", re.IGNORECASE)
_OCCASION = re.compile(r"\A(?:the )?(?:first|second|third|next|last) time\Z", re.IGNORECASE)
# "in advance" says no place.
_FIXED = re.compile(
    r"(?:advance|total|full|general|writing|case|order|fact|addition|charge|use|least|most|all|once|average|default"
    r"|free|scratch|time|what|which|whom|who|whose)\Z",
    re.IGNORECASE,
)
_STOPS = re.compile(
    r"(?:when|if|that|which|who|and|or|but|than|as|because|while|is|are|was|were|be|been|do|does|did|not|can|may|must"
    r"|will|[^\w\s])\Z",
    re.IGNORECASE,
)
_DETERMINER = re.compile(r"(?:the|an?|my|our|your|its|their|his|her|this|that|these|those)\Z", re.IGNORECASE)
_TOKEN = re.compile(r"[\w$€£][\w'’.+#/&$%-]*|[^\w\s]")
_ONES = re.compile(r"\A(?:the )?ones?\s+(?=\w)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Phrase:
    start: int
    end: int
    kind: str
    preposition: str


def placed(anchor: str, rest: str, verb: re.Pattern[str], participle: re.Pattern[str]) -> tuple[str, bool] | None:
    """`anchor` with the place, time or condition that `rest` is, also of "the one in Denver", and whether that is sure.

    It takes the place of the last of its kind, and is said at the end where there is none. `verb` and `participle` end
    a phrase of `anchor`. None where `rest` is none.
    """
    rest = _ONES.sub("", rest)
    named = _fragment(rest)
    if named is None:
        return None
    rest = rest[:1].lower() + rest[1:]
    phrases = _phrases(anchor, verb, participle)
    there = [each for each in phrases if _fits(named, each)] or [
        each for each in phrases if named.preposition in ("in", "at") and _of_a_place(anchor[each.start : each.end])
    ]
    alike = [each for each in there if each.preposition == named.preposition]
    if not there and not named.end:
        return None
    if not there:
        return f"{anchor.rstrip(' ?.!')} {rest}?", False
    gone = (alike or there)[-1]
    if not named.end:
        return f"{anchor[: gone.start]}{rest}{anchor[gone.start + len(gone.preposition) :]}", True
    return f"{anchor[: gone.start]}{rest}{anchor[gone.end :]}", True


def says_where(word: str) -> bool:
    """Whether a word alone says a place: abroad."""
    return _ADVERB_PLACE.match(word) is not None


def _fragment(rest: str) -> _Phrase | None:
    tokens = list(_TOKEN.finditer(rest))
    if not tokens:
        return None
    first = tokens[0][0]
    if _OCCASION.match(rest):
        return _Phrase(0, len(rest), "time", "")
    if len(tokens) == 1:
        bare = first.lower() if first.lower() in _WITH | _WHEN else ""
        kind = _adverb(first) or (_kind(bare, "") if bare else "")
        if bare:
            return _Phrase(0, 0, kind, bare)
        return _Phrase(0, len(rest), kind, "") if kind else None
    if _PREPOSITION.match(first):
        return _Phrase(0, len(rest), _kind(first.lower(), rest[tokens[1].start() :]), first.lower())
    return None


def _fits(named: _Phrase, other: _Phrase) -> bool:
    if not named.end:
        return any({named.preposition, other.preposition} <= alike for alike in (_WITH, _WHEN))
    if named.kind != other.kind:
        return False
    # From where and where to are no two answers to one question.
    if named.preposition == "from" or (named.preposition == "to" and other.preposition == "from"):
        return named.preposition == other.preposition
    return True


def _of_a_place(said: str) -> bool:
    """ "of Lyon" """
    return re.match(r"of [A-Z]", said) is not None


def _adverb(word: str) -> str:
    if _ADVERB_PLACE.match(word):
        return "place"
    return "time" if _ADVERB_TIME.match(word) else ""


def _kind(preposition: str, said: str) -> str:
    if preposition in _OWN:
        return preposition
    if re.match(r"(?:version|release)\b", said, re.IGNORECASE):
        return "version"
    if preposition in _WITH:
        return "with"
    if preposition in _BOUND and re.match(rf"(?:the age of )?{_COUNT}\b", said, re.IGNORECASE):
        return "bound"
    spans = _SPAN.search(said)
    for grain, pattern in _GRAINS.items():
        if not spans and pattern.search(said):
            return grain
    return "time" if preposition in _WHEN or spans or _TIME.search(said) else "place"


def _phrases(anchor: str, verb: re.Pattern[str], participle: re.Pattern[str]) -> list[_Phrase]:
    tokens = list(_TOKEN.finditer(anchor))
    found: list[_Phrase] = []
    number = 1
    while number < len(tokens):
        word = tokens[number][0]
        until = number
        if _PREPOSITION.match(word):
            until = _end(tokens, number + 1, verb, participle)
        if until > number + 1 or (until == number + 1 and not _FIXED.match(tokens[number + 1][0])):
            kind = _kind(word.lower(), anchor[tokens[number].end() + 1 : tokens[until].end()])
            if not _FIXED.match(tokens[number + 1][0]):
                found.append(_Phrase(tokens[number].start(), tokens[until].end(), kind, word.lower()))
            number = until
        elif kind := _adverb(word):
            found.append(_Phrase(*tokens[number].span(), kind, ""))
        number += 1
    return found


def _end(tokens: list[re.Match[str]], begins: int, verb: re.Pattern[str], participle: re.Pattern[str]) -> int:
    """The number of the last token of the phrase whose preposition is before `begins`, of that where it has no more."""
    last = begins - 1
    nouns = 0
    for number in range(begins, len(tokens)):
        word = tokens[number][0]
        if _STOPS.match(word) or (_PREPOSITION.match(word) and (word.lower() != "of" or not nouns)) or _adverb(word):
            # "at home"
            if number == begins and _adverb(word):
                return number
            break
        before = tokens[number - 1][0]
        if nouns and not _DETERMINER.match(before):
            if verb.match(word) or participle.match(word):
                break
            if before[0].isupper() and word[0].islower() and not _DETERMINER.match(tokens[begins][0]):
                break
        nouns += not _DETERMINER.match(word)
        last = number
    return last if nouns else begins - 1
