"""What a question asks: of which kind, for one thing or several, in which parts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from graph.language import language_of
from graph.measures import Measure, measures
from graph.naming import sides
from graph.support import PERSON, content_words


@dataclass(frozen=True, slots=True)
class Kind:
    """What a question of one kind asks with, what a sentence that answers it contains, and how a table calls it."""

    asks: re.Pattern[str]
    answers: re.Pattern[str]
    columns: re.Pattern[str] | None = None


def _kind(asks: str, answers: str, columns: str = "") -> Kind:
    named = re.compile(columns, re.IGNORECASE) if columns else None
    return Kind(re.compile(asks, re.IGNORECASE), re.compile(answers), named)


_PROCEDURE = (
    r"\bwhat (?:should|must|can|could|do|does|to)\b.*\bdo\b|\b(?:what|which|the) steps\b|\bprocedure\b"
    r"|\bhow (?:should|to)\b"
    r"|怎么办|怎麼辦|应该怎[么样]|步骤|步驟|流程|如何处理|怎么处理"
)
MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_NUMBER = _kind(
    r"\bhow (?:many|much|long|far|old|often|tall|large|big|high|fast|deep|wide)\b"
    r"|\bwhat (?:percent\w*|number|amount|size|population)\b|多少|[几幾][^乎何]|多[大长長高久远遠快深宽寬]",
    r"\d|[一二三四五六七八九十百千万萬亿億两兩]+[个個次年月日天人名种種座间間倍岁歲分成]"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|million|billion|half|twice)\b",
)
_WHEN = _kind(
    r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|time|century|decade)\b"
    r"|何时|何時|什么时候|什麼時候|哪一?[年天日]|截止|[几幾][年月日点點]|时间|時間",
    rf"\d{{3,4}}|\d+ ?[年月日点點时時]|世[纪紀]|\b(?:{MONTHS})\b|century|B\.?C\.?|A\.?D\.?"
    r"|\d[:：]\d\d|\d ?[ap]\.?m\b|\b(?:noon|midnight)\b|o'clock",
    r"\bdates?\b|\bdue\b|\bdeadline\b|\bwhen\b|\breleased?\b|\byear\b|\btime\b|\bsince\b|\buntil\b"
    r"|日期|[时時][间間]|截止|何[时時]|年份|期限",
)
_WHO = _kind(
    r"\bwho\b|\bwhom\b|\bwhose\b|谁|誰|何人|哪位|哪个人|哪個人",
    r"[A-Z][a-z]+ (?:[A-Z][.\w]* )*[A-Z][a-z]+|[·•‧]|先生|教授|博士"
    rf"|{PERSON}",
    r"\bwho\b|\bowners?\b|\bnames?\b|\bauthors?\b|\bresponsible\b|\blead(?:er)?\b|\bmanagers?\b|\bcontacts?\b"
    r"|\bassignees?\b|\bapprove[rd]\b|\bby\b|\bperson\b|人(?=\W|\Z)|人[员員]|作者|姓名|[经經][办辦]|主管",
)
_WHY = _kind(
    r"\bwhy\b|\breason|为什么|為什麼|为何|為何|原因|何以",
    r"(?i:because|due to|since|so that|in order to|reason|owing|thus|therefore|cause|otherwise|or else)"
    r"|因为|因為|由于|由於|因此|所以|为了|為了|导致|導致|使得|原因|否则|否則|以免|以防|避免",
    r"\breasons?\b|\bcauses?\b|\bwhy\b|原因|理由",
)
KINDS = (
    _kind(r"\bdefault\b|默认|預設|缺省", r"(?i:\bdefaults?\b)|默认|預設|缺省|\A\|", r"\bdefaults?\b|默认|預設|缺省"),
    _NUMBER,
    _WHEN,
    _WHO,
    _kind(
        r"\bwhere\b|\b(?:what|which) (?:city|country|place|state|region|location)\b"
        r"|哪[里裡儿兒]|何处|何處|哪[个個座](?:国|國|城|地)|在哪",
        r"\b(?:in|at|near|from|to) (?:the )?[A-Z]|位于|位於|在.{1,12}[市省县縣区區国國州镇鎮村路]|[市省县縣区區]",
        r"\blocations?\b|\bplaces?\b|\baddress\b|\bcity\b|\bcountry\b|\bsite\b|\brooms?\b|\bwhere\b"
        r"|地[点點址]|位置|城市|[场場]所|所在",
    ),
    _WHY,
    _kind(_PROCEDURE, r"\A\s*(?:[-*•]|\d{1,2}[.)、．])\s*\S"),
    _kind(
        r"\bhow (?:do|does|did|to|can|could|should|is|are|was|were|would)\b|如何|怎么|怎麼|怎样|怎樣",
        r"(?i:\bby\b|\busing\b|\buse\b|\bfirst\b|\bthen\b|\bthrough\b|\bset\b|\brun\b)|通过|通過|使用|利用|首先|然后|然後|步骤|步驟|方法|采用|採用|将|將",
    ),
    _kind(
        # "What is the weight of it?" asks for no definition.
        r"\bwhat (?:is|are|was|were)\b(?! the (?:[\w-]+ ){1,4}(?:of|for|in|on|at)\b)|\bdefine\b"
        r"|什么是|什麼是|是什么|是什麼|含义|定义",
        r"\b(?:is|are|was|were) (?:an?|the)\b|refers? to|是一[种種个個]|是指|[称稱][为為]|即",
    ),
)
_OWN = re.compile(r"(?<=.)[A-Z]\w+|\d[\d.,:]*")
"""Names and figures of a question; the first word has a capital anyway."""
_FIGURE = re.compile(r"\d|[一二三四五六七八九十百千万两半]")
_WHOLE = re.compile(
    r"\bsummar|\bcompar|\bdifferen|\badvantage|\bdisadvantage|\bpros and cons\b|\blist\b|\bexplain|\bdescribe"
    r"|\boverview"
    r"|\bwhat are\b|\bwhich .+ are\b|\bhow (?:do|does|to|can|should)\b"
    r"|总结|總結|概括|概述|介绍|介紹|比较|比較|区别|區別|不同|差异|差異|优点|優點|缺点|缺點|优缺|优势|哪些|列出|列举|列舉"
    rf"|{_PROCEDURE}|如何|怎么|怎麼|怎样|怎樣"
    r"|分别|分別|各自",
    re.IGNORECASE,
)
"""What asks for all that is told together."""
_FURTHER = re.compile(
    r"\bwhy\b|\bwhat happened\b(?! to\b)|[发發]生了什[么麼]|\band\b.+\?|为什么|為什麼|为何|原因|以及|[?？].+[?？]",
    re.IGNORECASE,
)
"""What asks for more than a fact, but for no list that it is found in."""
_ASKING = r"(?:(?:in|on|at|by|for|from|to|of|with) )?(?:what|which|who|whom|whose|when|where|why|how)\b"
_ASKING_YES_NO = r"(?:is|are|was|were|do|does|did|can|could|may|must|will|has|have) (?!not\b)\w"
_PART_ENDS = re.compile(
    rf"(?<=[?？])\s*(?=\w)|,?\s+and(?: also)?\s+(?={_ASKING})|,\s+and(?: also)?\s+(?={_ASKING_YES_NO})"
    rf"|；\s*|;\s*(?=(?:{_ASKING}|{_ASKING_YES_NO}))",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"\A\W*(?:(?:in|on|at|by|for|from|to|of|with) )(?:what|which) [\w-]+(?: [\w-]+)?\W*\Z", re.IGNORECASE
)
"""Asks without a verb: "and at what temperature?"."""
_CLAUSE_ENDS = re.compile(r"[，,]\s*(?:以及|并且|而且|同时|那么|还有|又|和)?")
_ASKS_ZH = re.compile(
    r"什么|什麼|多少|[几幾]|谁|誰|哪|如何|怎么|怎麼|怎样|怎樣|为何|為何|是否|吗|嗎|多[大长長高久远遠快深宽寬]"
)

_ASKS_FIRST = re.compile(
    r"\A\W*(?:(?:in|on|at|by|for|from|to|of|with) )?"
    r"(?:how (?:many|much)(?: [\w-]+){0,2}?(?= (?:is|are|was|were|do|does|did)\b)"
    r"|how \w+|what|which|who|whom|whose"
    r"|when|where|why)\b\s*(?:(?:is|are|was|were|do|does|did)\b\s*)?",
    re.IGNORECASE,
)
_ASKS_WITH_ZH = re.compile(
    r"(?:在|由|从|是)?(?:什么时候|什麼時候|什么|什麼|多少[个個天年月日名种種次层層元块]?|[几幾][个個天年月日名种種次点點层層]?|谁|誰"
    r"|哪[个個里裡儿兒年天些]?|如何|怎么?样?|为何|為何|为什么|為什麼|多[大长長高久远遠快深宽寬])"
)
_PRONOUN_EN = re.compile(r"\b(?:it|its|they|their|them|he|him|his|she|her)\b", re.IGNORECASE)
_PRONOUN_ZH = re.compile(r"[它他她牠]")
_PERSONS, _POSSESSIVES = ("he", "him", "his", "she", "her"), ("its", "their", "his")
_NAMES_EN = re.compile(r"(?<=.)\b(?:the )?[A-Z][\w-]*(?: (?:[A-Z][\w-]*|\d[\w.]*))*")
_NOUNS_EN = re.compile(
    r"\b(?:the|an?|my|our|your) (?:[a-z][\w-]* ){0,2}?[a-z][\w-]*(?=\W*\Z| (?:of|in|on|at|for|from|with|by|to)\b)",
    re.IGNORECASE,
)
# What a Chinese question is about comes first: up to 的, or to the word that asks.
_SUBJECT_ZH = re.compile(
    r"([\w\-. ]{0,40}?(?:的(?=.{0,40}?(?:多少|什么|几|谁|哪))"
    r"|(?=(?:是|在|由|有|要|应|能|可以)?(?:多|什么|何|几|谁|哪|如何|怎|为什么|是否))))"
)
_LEANS_ZH = re.compile(r"\A(?:它|他|她|其|该|这)(?:们|个)?的?|\A(?=由|在|何|什么|谁|哪|怎|如何|多|几|为|是否|有|归|要)")


def kinds(question: str) -> list[Kind]:
    """The kinds whose words the question has, at most two: more say nothing."""
    return [kind for kind in KINDS if kind.asks.search(question)][:2]


OF_TWO = 0.8
"""What a number counts with the measure's name or its unit alone."""
ANY_NUMBER = 0.3
"""What a number of something else counts where a measure is asked for."""


class Expected:
    """What an answer to a question should contain by its kinds and measures."""

    def __init__(self, question: str) -> None:
        self._measures: list[Measure] = measures(question)
        # A measure wants more than any number.
        self._kinds = [kind for kind in kinds(question) if not (self._measures and kind is _NUMBER)]
        # "Who designed the Ridge Cargo?" is not answered by the Ridge Cargo.
        own = sorted(set(_OWN.findall(question)), key=len, reverse=True)
        self._own = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in own)) if own else None

    def __bool__(self) -> bool:
        return bool(self._kinds or self._measures)

    def share(self, text: str, header: str = "") -> float:
        """Share of it, 0 to 1, that `text` contains beside what the question says itself; 0 where nothing is expected.

        `header` is that of the table whose row the text is.
        """
        said = self._own.sub(" ", text) if self._own else text
        met = [1.0 if kind.answers.search(said) else 0.0 for kind in self._kinds]
        if self._measures:
            met.append(max(_measured(measure, said, header) for measure in self._measures))
        return sum(met) / len(met) if met else 0.0


def _measured(measure: Measure, text: str, header: str) -> float:
    named, unit = measure.named.search(f"{header} {text}"), measure.units.search(text)
    # "two years" has no figure but a unit.
    if not unit and not _FIGURE.search(text):
        return 0.0
    return 1.0 if named and unit else OF_TWO if named or unit else ANY_NUMBER


def asks_several(question: str) -> bool:
    """Whether a summary, list, comparison, reason or procedure is asked for rather than one fact."""
    # The least of several is found among them.
    return any(each.search(question) for each in (_WHOLE, _FURTHER)) or extreme(question) != 0


def asks_whole(question: str) -> bool:
    """Whether a list is told whole where one item of it answers best: not where a reason or two facts are asked for."""
    return (_WHOLE.search(question) is not None and not asks_why(question)) or extreme(question) != 0


_MOST = re.compile(
    r"\b(?:most|highest|largest|biggest|longest|heaviest|tallest|fastest|widest|deepest|farthest|furthest|oldest|latest|newest"
    r"|maximum|greatest|strongest|priciest|dearest|loudest|hottest|warmest|busiest)\b|最(?:高|大|多|长|長|重|快|贵|貴|远|遠|久|宽|深|晚|新)",
    re.IGNORECASE,
)
_LEAST = re.compile(
    r"\b(?:least|lowest|smallest|shortest|lightest|slowest|cheapest|narrowest|nearest|closest|youngest|earliest|minimum|fewest"
    r"|quietest|coldest|coolest|weakest)\b"
    r"|最(?:低|小|少|短|轻|輕|慢|便宜|近|窄|早)",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"\bwhat (?:is|are|was|were) the (?:maximum|minimum)\b"
    r"|\A(?!.*(?:哪[^一天日]|[谁誰])).*最[晚早迟遲].{0,6}?(?:哪一?[天日]|什[么麼][时時]候|何[时時]|[几幾][点點号號月日])",
    re.IGNORECASE,
)
"""A limit that is told as such: the greatest of nothing is looked for."""
_CHOOSES = re.compile(r"\b(?:which|what|who)\b|哪|谁|誰|什么|什麼", re.IGNORECASE)


def extreme(question: str) -> int:
    """1 where the greatest of several is asked for ("Which model is the heaviest?"), -1 for the least, else 0."""
    if not _CHOOSES.search(question):
        return 0
    if _LIMIT.search(question):
        return 0
    most, least = _MOST.search(question) is not None, _LEAST.search(question) is not None
    return most - least


_ENUMERATES = re.compile(
    r"\b(?:which|what)\b.*\b(?:are|exist)\b|\blist\b|\ball\b|\bname the\b|哪些|哪[几幾种種]|列出|列举|列舉|所有|全部",
    re.IGNORECASE,
)


def enumerates(question: str) -> bool:
    """Whether all things of a kind are asked for: "Which error codes are there?"."""
    return _ENUMERATES.search(question) is not None


def asks_figure_or_name(question: str) -> bool:
    """Whether one number, time or name is asked for: what has none adds nothing to a sentence that has it."""
    asked = kinds(question)
    return bool(asked) and all(kind in (_NUMBER, _WHEN, _WHO) for kind in asked) and not asks_several(question)


def asks_when(question: str) -> bool:
    return _WHEN.asks.search(question) is not None


def asks_why(question: str) -> bool:
    return _WHY.asks.search(question) is not None


def parts(question: str) -> tuple[str, ...]:
    """The questions that a question is made of: "Who wrote X, and when?" gives two, and so does what is
    asked of two things of a kind. At least one, at most four."""
    pieces = [piece.strip() for piece in _PART_ENDS.split(question) if piece.strip()]
    found: list[str] = []
    for piece in pieces:
        clauses = [clause for clause in _CLAUSE_ENDS.split(piece) if clause.strip()]
        # Only where each clause asks: "在 A 中，B 是什么" is one question.
        found += clauses if len(clauses) > 1 and all(_ASKS_ZH.search(clause) for clause in clauses) else [piece]
    if not 1 < len(found) <= 4:
        return sides(question) or (question,)
    # What is named in it is asked for by words, and "by when?" has none.
    bare = language_of(question) == "en" and _PRONOUN_EN.search(found[0])
    return tuple(
        asked_otherwise(part, found[0])
        if number and not bare and (_BARE.match(part) or not content_words(part))
        else part
        for number, part in enumerate(found)
    )


def asked_otherwise(rest: str, anchor: str) -> str:
    """ "Who built the bridge?" and "By when?" make "By when built the bridge?": only the words are searched for."""
    asks, bare = rest.strip(" ?？.。!！呢"), anchor.rstrip(" ?？.。!！")
    if language_of(anchor) == "zh":
        found = _ASKS_WITH_ZH.search(bare)
        if found is None:
            return f"{asks}{bare.removesuffix('吗').removesuffix('嗎')}？"
        return f"{bare[: found.start()]}{asks}{bare[found.end() :]}？"
    found = _ASKS_FIRST.match(bare)
    return f"{asks} {bare[found.end() :] if found else bare}?"


def lone_parts(question: str) -> tuple[str, ...]:
    """The parts as they can be searched for by themselves; none where fewer than two can."""
    return tuple(spelt_out(question).values())


def spelt_out(question: str) -> dict[str, str]:
    """Each part of a question that asks something of its own, and with what it leans on of the first one.

    "How heavy is the Ridge Cargo, and what colour is it?" asks "what colour is the Ridge Cargo?". Empty where fewer
    than two parts can be asked by themselves.
    """
    asked = parts(question)
    whole = {part: part if number == 0 else _with_subject(part, asked[0]) for number, part in enumerate(asked)}
    found = {part: spelt for part, spelt in whole.items() if spelt and content_words(part)}
    return found if len(found) > 1 else {}


def _with_subject(part: str, first: str) -> str | None:
    """The part by itself; None where it leans on something that the first one does not plainly name."""
    words = len(content_words(part))
    if language_of(first) == "zh":
        subject, leans = _SUBJECT_ZH.match(first), _LEANS_ZH.match(part)
        if not leans and words > 1:
            return part
        if subject and subject[1].strip():
            return f"{subject[1]}{_LEANS_ZH.sub('', part)}"
        plain = _ASKS_ZH.match(first) and not _PRONOUN_ZH.search(first)
        return part if plain and content_words(part) & content_words(first) else None
    pronoun = _PRONOUN_EN.search(part)
    if pronoun is None:
        return part if words > 1 else None
    person = pronoun[0].lower() in _PERSONS
    names = _NAMES_EN.findall(first) or ([] if person else _NOUNS_EN.findall(first))
    if not names:
        return None
    name = f"{names[-1]}'s" if pronoun[0].lower() in _POSSESSIVES else names[-1]
    return part[: pronoun.start()] + name + part[pronoun.end() :]
