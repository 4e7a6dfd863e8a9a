"""Fields of minutes and forms ("Present: Ada Byron") that hold what a question asks for in other words."""

from __future__ import annotations

import re

from graph.lists import LIST_ITEM, announces
from graph.measures import measures
from graph.questions import kinds

_NAME = re.compile(
    r"[\s>*•_-]*([^\s:：|。.!?！？,，][^:：|。.!?！？,，\n]{0,39}?)[ \t*_]*[:：](?![/\\]|(?<=\d[:：])\d)[\s*_]*[^\s*_]"
)
_END = r"(?: list| members)?(?:\s*[(（][^()（）]*[)）])?"
_WHO_ZH = (
    r"(?![^:：]*(?:[须須]知|[条條]件|流程|制度|[规規]定|[办辦]法|要求|[标標][准準]|[时時][间間]|地[点點]|方式|[费費]用|手[续續]"
    r"|程序|申[请請]|[审審]批|天[数數]|人[数數]|原因|[记記][录錄]|管理|[说說]明|通知|率))[\u4e00-\u9fff、]{0,8}"
)
"""Behind "present": 人员, 家长, 单位及人员; of rules for it, 请假流程, something else is told."""
_PEOPLE = re.compile(
    r"\bwho(?:m|se)?\b|\b(?:people|persons?|members|attendees|participants|absentees|names?)\b"
    r"|[谁誰人位名者]|成[员員]|代表|[单單]位|哪些",
    re.IGNORECASE,
)
_ROLLS = tuple(
    (re.compile(asks, re.IGNORECASE), re.compile(f"(?:{name}){_END}", re.IGNORECASE))
    for asks, name in (
        (
            r"\babsent|\babsence|\bmissing\b|\bapolog|\bexcused\b|\bregrets\b"
            r"|(?:\bnot|n't) (?:there|present|attend|come|join|take part|participate|show up|on duty|at (?!all))"
            r"|缺席|缺勤|[请請]假|未[到出参參]|[没沒]有?(?:[来來到]|[参參]加|出席)",
            r"(?:(?:members|staff|persons?) )?(?:absent(?:ees)?|absences?|apologies(?: for absence)?(?: received)?"
            r"|excused|regrets|on leave|(?:not|un)(?: able to)? ?(?:present|attend(?:ing)?|in attendance)"
            r"|(?:who was |those )?(?:not there|missing))"
            rf"|(?:缺席|缺勤|[请請]假|未出席|未到[会會场場]?|未[参參][加会會]|因故缺席){_WHO_ZH}",
        ),
        (
            r"\battend|\bparticipa|\btook part\b|\btakes? part\b"
            r"|\bwho (?:all )?(?:was|were|is|are) (?:present|at|there|on duty)\b|\bpresent\b|\bjoined\b|\bcame to\b"
            r"|[参參][加会會与與]|出席|列席|[与與][会會]|到[会會场場]",
            r"(?:(?:those|also|(?:members|staff)(?: members)?) )?(?:present|in attendance|attend(?:ees|ance|ed|ing)?"
            r"|participants?|participating|(?:who was )?there)"
            rf"|(?:[实應应實]?(?:出席|[参參][加会會与與]|[与與][会會]|到[会會场場])|列席){_WHO_ZH}",
        ),
    )
)
"""Who was not there, and who was: what is asked, and the name of the field or heading that tells."""
_ASKED = tuple(
    (re.compile(asks, re.IGNORECASE), re.compile(name, re.IGNORECASE))
    for asks, name in (
        (
            r"\bchair|\bwho (?:led|leads|presided|hosted|hosts)\b|主持|主席",
            r"chair(?:man|woman|person|ed by)?|host|led by|主持人?|主席",
        ),
        (
            r"\bdecided?\b|\bdecisions?\b|\bresol(?:ved?|utions?)\b|\bagreed\b|[决決]定|[决決][议議]|[议議]定",
            r"decisions?(?: made| taken)?|resolutions?|agreed|resolved"
            r"|(?:[会會][议議])?(?:[决決]定|[决決][议議]|[议議]定)(?:事[项項])?",
        ),
    )
)
_LABELS = re.compile(
    r"actions?(?: items| points)?|to-?dos?|to do|tasks|next steps|agenda|decisions?|resolutions?|any other business"
    r"|待[办辦](?:事[项項])?|行[动動][项項]|[议議]程|(?:[会會][议議])?(?:[决決][定议議]|[内內]容)(?:事[项項])?|下一步"
    r"|(?:[责責]任|任[务務])?分工",
    re.IGNORECASE,
)
"""What stands over parts of minutes, in an office file or a page without a mark that it is a heading."""
_DOES_ELSE = re.compile(
    r"\bwho (?:may|must|can|should|has to|approves?|grants?|decides?|signs?)\b|\bby whom\b"
    r"|[向找由要跟给給让讓][谁誰]|[谁誰](?:来|來|去)?(?:批准|审批|審批|同意|决定|決定|签字|簽字|负责|負責|处理|處理)",
    re.IGNORECASE,
)
"""Who approves an absence, and not who is absent."""
_DUE = re.compile(
    r"\bdue\b|\bdeadline|\b(?:by|until) when\b|\bfinish|\bcomplet|\bsubmit|\bhand(?:ed)? in\b|\bdeliver"
    r"|截止|期限|[完达達][成]|提交|交付|上交|[到]期",
    re.IGNORECASE,
)
_HELD = re.compile(r"(?:date|time|date (?:and|/|&) time|when|[\u4e00-\u9fff]{0,2}(?:[时時][间間]|日期))", re.IGNORECASE)
"""When a meeting is, and no task is due."""
_LONGEST = 60
"""Characters of an entry of a roll at most."""
_WORDS = 5
"""Words of one name at most, with titles and a role; two Chinese characters count as one."""
_BETWEEN = re.compile(r"[,，、;；\n]|\band\b|[和及与與]")
_ASIDE = re.compile(r"[(（][^()（）]*[)）]")
_SMALL = re.compile(
    r"\b(?!(?:de|da|del|der|den|di|dos|du|van|von|la|le|el|al|bin|ben|of|the|for)\b)[a-z]\w*(?![^(（]*[)）])"
)
"""A word that no name has: of a sentence, or of a rule."""
_PIECE = re.compile(r"[^\W\u3400-\u9fff]+|[\u3400-\u9fff]{1,2}")
_NUMBER = re.compile(
    r"\A(?:\d{1,2}(?:\.\d{1,2})*[.)、．]?|[一二三四五六七八九十]{1,3}[、．.]|[(（][一二三四五六七八九十\d]{1,2}[)）])\s*"
)


def tells(question: str, sentence: str, heading: str = "") -> bool:
    """Whether a sentence is a field whose name stands for what is asked, "Place" for where, or is under such a heading.

    Of headings only those of a roll and of decisions count: below others stands more than the one thing.
    """
    named = [name for asks, name in _ASKED if asks.search(question)]
    rolls = [_ROLLS[i][1] for i in _rolls(question)]
    above = bare(heading)
    if any(each.fullmatch(above) for each in named) or (
        any(each.fullmatch(above) for each in rolls) and _names_only(sentence)
    ):
        return True
    name, row = _name(sentence), _row_name(sentence)
    if any(each.fullmatch(name or row) for each in (*named, *rolls)):
        return True
    # Who clears the stairs is told by no roll and no chair, and who was there by no owner.
    if not name or rolls or _roll(name) is not None or any(each.fullmatch(name) for _, each in _ASKED):
        return False
    if _DUE.search(question) and _HELD.fullmatch(name):
        return False
    columns = [kind.columns for kind in kinds(question) if kind.columns]
    return any(each.search(name) for each in (*columns, *(measure.named for measure in measures(question))))


def tells_of_others(question: str, sentence: str, heading: str = "") -> bool:
    """Whether it says who was there where it is asked who was not, or the other way round."""
    asked, told = (
        _rolls(question),
        _roll(_name(sentence) or _row_name(sentence) or (bare(heading) if _names_only(sentence) else "")),
    )
    return bool(asked) and told is not None and told not in asked


def is_roll(heading: str) -> bool:
    """Whether below a heading stands who was there, or who was not."""
    return _roll(bare(heading)) is not None


def is_label(line: str) -> bool:
    """Whether a line is only the name of what stands below it, in minutes."""
    return is_roll(line) or _LABELS.fullmatch(bare(line)) is not None


def asks_roll(question: str) -> bool:
    """Whether it is asked who was there, or who was not."""
    return bool(_rolls(question))


def is_field(sentence: str) -> bool:
    return _NAME.match(sentence) is not None


def field_of(sentence: str) -> tuple[str, str] | None:
    """The name and the value of a field; None for anything else."""
    field = _NAME.match(sentence)
    return None if field is None else (field[1].strip(), sentence[field.end() - 1 :])


def is_name(line: str) -> bool:
    """Whether a line below such a heading is an entry and no sentence: "- Ada Byron (chair)"."""
    if len(line) > _LONGEST or line.startswith("|") or not _names_only(line):
        return False
    first = LIST_ITEM.sub("", _BETWEEN.split(line, maxsplit=1)[0]).strip()
    return _SMALL.search(first) is None


def _names_only(text: str) -> bool:
    """Whether a text below a heading is made of names, with or without a full stop, and is no field of its own."""
    if announces(text) or (is_field(text) and LIST_ITEM.match(text) is None):
        return False
    return all(len(_PIECE.findall(each)) <= _WORDS for each in _BETWEEN.split(_ASIDE.sub("", text)))


def _rolls(question: str) -> list[int]:
    """Which of `_ROLLS` are asked for. Who did not attend is no question of who attended."""
    if _PEOPLE.search(question) is None or _DOES_ELSE.search(question):
        return []
    return [i for i, (asks, _) in enumerate(_ROLLS) if asks.search(question)][:1]


def _roll(name: str) -> int | None:
    return next((i for i, (_, named) in enumerate(_ROLLS) if named.fullmatch(name)), None)


def _name(sentence: str) -> str:
    """Of a field, "" of anything else."""
    field = _NAME.match(sentence)
    return "" if field is None else field[1].strip()


def _row_name(sentence: str) -> str:
    """The first of the two cells of a table's row."""
    cells = sentence.strip().strip("|").split("|")
    return cells[0].strip(" \t*_") if sentence.lstrip().startswith("|") and len(cells) == 2 else ""


def bare(heading: str) -> str:
    """A heading without its marks and its number."""
    return _NUMBER.sub("", heading.strip("#*_:： \t"))
