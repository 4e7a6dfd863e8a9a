"""What a long question asks, without the story around it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set

from graph.followups import ASKS, POINTS
from graph.language import language_of
from graph.support import content_words
from graph.types import Language

LONG: dict[Language, int] = {"en": 25, "zh": 40}
"""Words or Chinese characters above which a question may hold more than it asks."""
SHORTER = 0.8
"""What is cut away must be worth it: the gist has at most this share of the question's characters."""
LEAST_WORDS = 2
"""Content words of what is asked below which the clause before it must help."""

_MARKS = ("?", "？")
_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:\.(?=\S)[^.!?。！？\n]+)*[.!?。！？\n]*")
_CLAUSE: dict[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"[,;:]\s+(?:(?:so|but|and)\s+)?|\s+-+\s+|\s+(?:so|but|and)\s+(?=(?:i|we|my|our|could|can|do|please)\b)",
        re.IGNORECASE,
    ),
    "zh": re.compile(r"[，,；;：:]|(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])"),
}
_POLITE: dict[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\A\W*(?:(?:so|and|but|now|well|anyway|please|maybe|perhaps)\b\W*)*(?:"
        r"(?:could|can|would|will) (?:you|some(?:body|one)|any(?:body|one))"
        r"(?: (?:please|maybe|kindly|possibly|perhaps|help (?:me|us)(?: out)?|tell (?:me|us)|explain(?: to (?:me|us))?"
        r"|say|let (?:me|us) know|remind me|be so kind as to))*"
        r"|(?:do|does|did|would) (?:you|any(?:body|one)|some(?:body|one)) (?:happen to |perhaps |maybe )?"
        r"(?:know|remember|have (?:any|an) idea)"
        r"|i(?: am|'m)? (?:asking|wondering)(?: you| myself)?|i was wondering|i wonder"
        r"|i (?:would|'d)? ?(?:really |just )?(?:like|love|want|need) to (?:know|ask)(?: you)?"
        r"|please|(?:help|tell) (?:me|us)(?: out)?|let me know|any idea|my question is"
        r"|if (?:you (?:happen to |by any chance )?(?:know|can|could|may)|possible|i may ask)"
        r"|(?:many )?thanks\b.*|thank you\b.*|hi\b.*|hello\b.*|hey\b.*|good (?:morning|afternoon|evening)\b.*"
        r"|i hope you\b.*|sorry\b.*|excuse me\b.*"
        r")(?=\W|\Z)\W*",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"\A[\s\W]*(?:所以|因此|但是|不过|就是|那么|另外)*(?:"
        r"(?:我)?(?:就)?(?:很)?(?:想|想要)?(?:请教|請教|问问|問問|问一下|問一下|了解一下)(?:一下)?(?:各位|大家)?(?:老师|大佬|朋友)?(?:一个问题|一個問題)?"
        r"|(?:想|要)(?:问(?:一?下)?|知道)|想?(?:请问|請問)(?:一下)?"
        r"|麻烦(?:你|您|大家)?(?:问一下|帮我|帮忙)?(?:看看|看一下|查查|查一下|问问|说说|讲讲)?|帮我(?:看看|查查|查一下|看一下)"
        r"|(?:你|您)?(?:能不能|能否|可不可以|可以|能)(?:请)?(?:你|您)?(?:帮我|给我|告诉我)?(?:查一下|查查|讲讲|说说|解释一下|看看)?吗?"
        r"|(?:有人|有谁|谁|你|您|大家)(?:能)?知道吗|不好意思|打扰(?:一下|了)?|(?:您|你|大家|各位\w{0,2})好"
        r"|(?:非常|先|十分)?(?:感谢|谢谢|謝謝|谢啦|多谢|感謝).*"
        r")(?:啦|了|大家)?[\s\W]*"
    ),
}
_ASKS: dict[Language, re.Pattern[str]] = {
    # Of a clause, "did" asks at its beginning only, and "which" may be relative: then another clause asks more plainly.
    "en": re.compile(
        r"\b(?:what|which|who|whom|whose|when|where|why|how)\b"
        r"|\A\W*(?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|may|must)\b",
        re.IGNORECASE,
    ),
    "zh": ASKS["zh"],
}
_PLAINLY = re.compile(
    r"\A\W*(?:\w+ ){0,2}(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|does|did)\b(?! (?:i|we|my)\b)",
    re.IGNORECASE,
)
_EMBEDDED = re.compile(
    r"\b(?:asks?|asked|asking|know|knows|wonder|wonders|wondering|tell|find out|remember|understand|question is)"
    r"(?: \w+){0,2}?\s+((?:what|which|who|whom|whose|where|when|why|how|whether)\b.*)",
    re.IGNORECASE,
)
_CLEFT = re.compile(r"\b(what|which|who|where|when|why|how) (?:it (?:is|was)|(?:is|was) it) that\b", re.IGNORECASE)
# Who says it, and where, is story: "my uncle mentioned that ...", "an essay about ...".
_REPORTED: dict[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\A.*\b(?:(?:says?|said|told|mention\w*|remember\w*|thinks?|thought|heard|read|believes?|claim\w*|learnt|learned"
        r"|noticed)\b(?:\W+\w+){0,8}?\W+that|about|regarding|concerning)\W+(?=\w)",
        re.IGNORECASE,
    ),
    "zh": re.compile(r"\A[\u3400-\u9fff]{0,4}?(?:听说|聽說|提到|说是|說是|告诉我|告訴我|说|說)(?=[\u3400-\u9fff]{4})"),
}
_FURTHER = re.compile(r"\s+and\s+|[，,]")
_THIS: dict[Language, re.Pattern[str]] = {
    "en": re.compile(r"\b(?:this|that|these|those|the|such an?)\s+([a-z]{3,})", re.IGNORECASE),
    "zh": re.compile(r"[这這那该該][个個家座本部种種位条條份项項些款]?([\u3400-\u9fff]{2})"),
}
_NAME: dict[Language, re.Pattern[str]] = {
    # Not the first word of a clause: that has a capital anyway.
    "en": re.compile(
        r"(?<=\w )(?!(?:I|[A-Z][a-z]+day)\b)(?:[A-Z][\w.'-]*|\d[\w.,]*\w)(?: (?:of |the )?(?:[A-Z][\w.'-]*|\d+))*"
    ),
    "zh": re.compile(
        r"(?<=叫)[\u3400-\u9fff]{2,12}(?=的)|《[^》]{1,30}》|「[^」]{1,30}」|“[^”]{1,30}”"
        r"|[A-Za-z][A-Za-z0-9_.+\-]*(?: [A-Za-z][A-Za-z0-9_.+\-]*)*"
    ),
}

_SELF: dict[Language, re.Pattern[str]] = {
    "en": re.compile(r"\b(?:i|we|my|our|me|us|he|she|his|her|myself|ourselves)\b|\bi'", re.IGNORECASE),
    "zh": re.compile("[我他她咱俺]"),
}


def gist(question: str, told: Callable[[str], bool] = lambda name: True) -> str:
    """The clauses that ask of a long question, or of one with a story before it, with those they need to be understood
    and the names said before.

    A name that is not `told` by what was found is left out where it belongs to the story. The question itself where it
    is short, where nothing in it asks, or where little would be left out.
    """
    language = language_of(question)
    if _size(question, language) <= LONG[language] and not _tells_before(question):
        return question
    clauses, asking, introduced = _clauses(question, language)
    if not asking:
        return question
    plain = {number: text for number, text in asking.items() if _PLAINLY.search(text)}
    kept = plain or asking
    begun = {number: text for number, text in kept.items() if number >= min(introduced, default=0)}
    kept = begun or kept
    kept |= {number: clauses[number] for number in introduced if number + 1 in kept and number not in kept}
    said = " ".join(kept.values())
    names = _names(clauses, language)
    context = _context(clauses[: min(kept)], kept[min(kept)], said, list(names), language)
    known = " ".join([*context.values(), said])
    names = {name: clause for name, clause in names.items() if name not in known}
    names = {
        name: clause
        for name, clause in names.items()
        if told(name) or not _is_story(name, clause, content_words(known), language)
    }
    parts = [_ASKS["en"].sub(_small, clause, count=1) for _, clause in sorted({**context, **kept}.items())]
    made = ("，" if language == "zh" else ", ").join([*names, *parts]) + ("？" if language == "zh" else "?")
    return made if len(made) <= SHORTER * len(question) else question


def _tells_before(question: str) -> bool:
    """Whether sentences that ask nothing go before all that end with a question mark: they are the story."""
    marks = [sentence.rstrip().endswith(_MARKS) for sentence in _SENTENCE.findall(question) if sentence.strip()]
    return len(marks) > 1 and marks == sorted(marks) and marks[0] < marks[-1]


def _small(asking: re.Match[str]) -> str:
    # Behind another clause a capital would make it a name.
    return asking.group().lower()


def _size(question: str, language: Language) -> int:
    return len(re.findall(r"[\u3400-\u9fff]" if language == "zh" else r"\w+", question))


def _clauses(question: str, language: Language) -> tuple[list[str], dict[int, str], list[int]]:
    """All clauses but the polite ones; by its place among them, what each asks that asks something; and the places of
    those that begin the question, as "may I ask, of the 67 counties, how many" does."""
    clauses: list[str] = []
    introduced: list[int] = []
    asking: dict[int, str] = {}
    embedded: dict[int, str] = {}
    marked = question.rstrip().endswith(_MARKS)
    for sentence in _SENTENCE.findall(question):
        silent = asks = sentence.rstrip().endswith(_MARKS) or (language == "zh" and not marked)
        for clause in _CLAUSE[language].split(sentence.strip(" \n.!?。！？")):
            own = _POLITE[language].sub("", clause or "").strip()
            if not own:
                continue
            if asks and _ASKS[language].search(own):
                asking[len(clauses)] = _CLEFT.sub(r"\1", own)
                silent = False
            elif found := _EMBEDDED.search(own):
                embedded[len(clauses)] = found.group(1)
            if own != (clause or "").strip():
                introduced.append(len(clauses))
            clauses.append(own)
        # What no word asks its mark does: 地基要多厚？
        if silent and marked and clauses and language == "zh":
            asking.setdefault(len(clauses) - 1, clauses[-1])
    return clauses, asking or embedded, introduced


def _context(before: Sequence[str], first: str, said: str, names: Sequence[str], language: Language) -> dict[int, str]:
    """The clause that a word like "this hotel" stands for, or that says what a bare "why was that" is about.

    `said` are the clauses that ask, and `first` is their first.
    """
    told = {number: _REPORTED[language].sub("", clause) for number, clause in enumerate(before)}
    latest = sorted(told, reverse=True)
    bare = len(content_words(said)) < LEAST_WORDS
    for noun in _THIS[language].findall(said):
        for number in latest:
            if re.search(re.escape(noun), told[number], re.IGNORECASE):
                named = any(name in told[number] for name in names)
                return {} if named and not bare else {number: told[number]}
    # What is said of no clause before, like "this kind of tower", stands for itself.
    # So does "which setting is it, and what is its default": the second clause points at the first.
    first = _FURTHER.split(first)[0]
    opens = first if len(content_words(first)) >= LEAST_WORDS else said
    if not bare and not POINTS[language].search(_THIS[language].sub("", opens)):
        return {}
    telling = [number for number in latest if len(content_words(told[number])) >= LEAST_WORDS]
    for number in telling:
        if any(name in told[number] for name in names):
            return {number: told[number]}
    context: dict[int, str] = {}
    for number in telling[:2]:
        context[number] = told[number]
        if not POINTS[language].search(told[number]):
            break
    return context


def _names(clauses: Sequence[str], language: Language) -> dict[str, str]:
    """Each with the clause that says it first."""
    found: dict[str, str] = {}
    for clause in clauses:
        for name in _NAME[language].findall(clause):
            found.setdefault(name, clause)
    return found


def _is_story(name: str, clause: str, asked: Set[str], language: Language) -> bool:
    """Whether a name is of those who ask, and not of what is asked about: the clause is about them, and shares no word
    with the question. An identifier is never story."""
    identifier = re.search("[0-9]", name) and re.search("[A-Za-z]", name)
    return not identifier and bool(_SELF[language].search(clause)) and not content_words(clause) & asked
