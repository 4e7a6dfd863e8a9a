"""Questions for the number, time, place or person that a sentence tells.

A Chinese question keeps the order of its statement, so the answer is replaced where it stands: 保留30天 becomes
保留多少天. English has to be turned round, which needs a pattern for each kind of verb.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from eval.drafting.facts import inside_a_sentence
from graph.questions import MONTHS

Asked = tuple[str, str, str, str]
"""Question, subject (Chinese: empty), answer and the pattern's name."""

_TO = r" ?(?:到|至|[-~～–—]) ?"
_DIGITS, _WORDS = r"\d[\d,]*(?:\.\d+)?", r"[二两三四五六七八九十百千]{1,6}"
_ZH_NUMBER = (
    rf"(?<![\d.A-Za-z第])(?<!\d[到至~～–—-])(?!\d{{4}}{_TO}\d{{4}} ?年)"
    rf"(?:{_DIGITS}(?:{_TO}{_DIGITS})?|{_WORDS}(?:{_TO}{_WORDS})?)"
)
_NOT_TO = r"(?<![\d.:：])(?<!\d[到至~～–—-])"
_NOT_FROM = r"(?! ?[到至~～–—-] ?\d)"
"""Neither end of a range: asked for one end, a question gives the other away."""
_ZH_UNIT = (
    r"(?:个(?:月|小时|工作日|字符|自然日)?|次|天|小时|分钟|秒钟?|毫秒|年(?! ?\d|[初末代])|周|星期|米|厘米|毫米|公里"
    r"|千米|公斤|千克|克|吨|升(?![到至为高])|毫升|元|万元|亿元|台|人|名|页|条|项|倍|字节|块|轮|份|件|种|级|层|度|伏|瓦|安|行|列|座|间|位|[KMGT]B|℃|kg|km|mm|cm"
    r"|ms|V|W)"
)
_ZH_REPLACED = (
    ("percent", re.compile(rf"(?P<answer>{_NOT_TO}\d+(?:\.\d+)?(?:{_TO}\d+(?:\.\d+)?)?[%％])"), "百分之多少"),
    (
        "clock",
        re.compile(rf"(?P<answer>{_NOT_TO}\d{{1,2}}(?:[:：]\d{{2}}|点(?:\d{{1,2}}分|半|整)?))(?!\d){_NOT_FROM}"),
        "几点",
    ),
    (
        "date",
        re.compile(rf"(?P<answer>{_NOT_TO}(?:\d{{4}} ?年 ?)?\d{{1,2}} ?月 ?\d{{1,2}} ?[日号]){_NOT_FROM}"),
        "哪一天",
    ),
    ("year", re.compile(rf"(?P<answer>{_NOT_TO}\d{{4}} ?年)(?! ?\d|[代初末前后]){_NOT_FROM}"), "哪一年"),
    ("number", re.compile(rf"(?P<answer>(?P<number>{_ZH_NUMBER}) ?(?P<unit>{_ZH_UNIT}))"), "多少{unit}"),
    (
        "person",
        re.compile(
            r"(?<=由)(?P<answer>[^，。；、的]{2,12}?)(?=负责|批准|审批|维护|签字|管理|检查|处理|担任|承担|保管|审核|发起)"
        ),
        "谁",
    ),
    (
        "place",
        re.compile(r"(?<=(?:保存|存放|存储|记录|安装|部署)在)(?P<answer>[^，。；]{2,40})(?=[，。；]|$)"),
        "哪里",
    ),
)
_TOLD = ("percent", "clock", "date", "year", "number")
_NOUNS = ("n", "nr", "ns", "nt", "nz", "vn", "eng", "an")
"""Of jieba's parts of speech."""
_AMOUNT_NOUNS = ("功率", "重量", "长度", "容量", "用时", "时长", "总数", "间隔", "误差")
_ZH_LEAD = re.compile(r"(?:此外|另外|默认情况下|通常|一般来说)，")
_ZH_CLAUSE = re.compile(r"(?:[^，,；：:。？！]|(?<=\d),(?=\d)){6,60}(?=[，,；。])")

_FIGURE = (
    r"(?:\d[\d,]*(?:\.\d+)?|(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty"
    r"|fifty|sixty|ninety)(?= ))"
)
_AMOUNT = (
    r"(?P<answer>(?P<about>(?:about|up to|at least|at most|only|roughly|around|over|under|exactly) )?"
    rf"{_FIGURE}(?:(?:-|–| to ){_FIGURE})?"
)
_UNIT = (
    r" ?(?P<unit>kg|g|km|m|cm|mm|ms|GB|MB|KB|TB|kW|kWh|W|V|A|bar|mph|litres|liters|degrees|percent|people"
    r"|(?:business |working |calendar )?(?:[a-z]+s)\b))"
)
_SUBJECT = (
    r"(?P<subject>(?:The |An? |Each |Every )?[A-Z\w][\w’'/.-]*"
    r"(?: (?!and\b|or\b|is\b|are\b|can\b|must\b)[\w’'/.-]+){0,5}?)"
)
_REST = r"(?P<rest>(?: (?!that\b|which\b|who\b|and\b|but\b|so\b|because\b)[\w’'/.-]+){0,7})"
_VERBS = {
    "weighs": "weigh", "lasts": "last", "takes": "take", "costs": "cost", "holds": "hold", "contains": "contain",
    "has": "have", "uses": "use", "needs": "need", "requires": "require", "supports": "support", "allows": "allow",
    "stores": "store", "keeps": "keep", "covers": "cover", "measures": "measure", "consumes": "consume",
    "draws": "draw", "delivers": "deliver", "produces": "produce", "serves": "serve", "returns": "return",
    "reads": "read", "waits": "wait", "accepts": "accept", "offers": "offer", "includes": "include", "pays": "pay",
    "receives": "receive", "runs": "run", "carries": "carry", "employs": "employ", "spans": "span",
}  # fmt: skip
_TIME = r"(?P<answer>\d{1,2}(?::\d{2})?(?: ?[ap]\.?m\.?|:\d{2})?|noon|midnight)"
_DATE = rf"(?P<answer>(?:\d{{1,2}} )?(?:{MONTHS})(?: \d{{1,2}})?(?:,? \d{{4}})?|\d{{4}})"
_DOES = rf"(?P<verb>{'|'.join(_VERBS)})"
_CAN = "(?P<modal>can|must|may|should|will) (?P<verb>[a-z]+)"
_THING = "(?P<subject>the [\\w’' -]{3,60})"
_MAKER = "(?P<answer>(?:the |an? )?[\\w’' -]{3,40})"
_DONE = r"(?P<verb>[a-z]+(?:ed|en|pt|ld|nt|de|ut|un|lt))"
_IS = r"(?P<be>is|are|was|were)"
_EVERY = (
    r"(?P<answer>every (?:\d[\d,]* |two |three |four |five |six |eight |ten |twelve |other )?"
    r"(?:operating |working |business |calendar )?[a-z]+|once an? [a-z]+"
    r"|twice an? [a-z]+|daily|weekly|monthly|yearly|annually)"
)
_PRICE = r"(?P<answer>[€$£¥] ?\d[\d,.]*\d|[€$£¥] ?\d|\d[\d,.]* (?:euros?|dollars|pounds|yuan|EUR|USD))"
_NAME = r"(?P<answer>The [\w’' -]{3,40}?|[A-Z][\w.’'-]+(?: [A-Z][\w.’'-]+){0,3})"
_MAKERS = r"(?P<verb>maintained|approved|reviewed|written|owned|signed|checked|managed|founded|designed|built|directed)"
_PUT = r"(?P<verb>stored|kept|saved|written|installed|located|placed|found)"
_PLACE = r"(?P<answer>(?:in|under|at|on|next to|behind|below|above) [\w’'/. -]{3,50})"
_LONG = r"(?P<adjective> (?:long|high|wide|deep|tall|old|thick|away))?"
_BEGINS = r"(?P<verb>starts|begins|ends|opens|closes|runs|leaves|arrives)(?: (?:daily|every \w+))?"
_BEGUN = {
    "opened": "open", "closed": "close", "began": "begin", "started": "start", "ended": "end", "reopened": "reopen",
    "moved": "move", "arrived": "arrive", "died": "die", "retired": "retire",
}  # fmt: skip
_BEGAN = rf"(?P<verb>{'|'.join(_BEGUN)})"
_EN = [
    (name, re.compile(" ".join(sentence) + rest), question)
    for name, sentence, rest, question in (
        (
            "is-number",
            (_SUBJECT, _IS, _AMOUNT + _UNIT + _LONG),
            _REST,
            "How many {unit}{adjective} {be} {subject}{rest}?",
        ),
        ("does-number", (_SUBJECT, _DOES, _AMOUNT + _UNIT), _REST, "How many {unit} does {subject} {base}{rest}?"),
        ("price", (_SUBJECT, "costs", _PRICE), _REST, "How much does {subject} cost{rest}?"),
        ("can-number", (_SUBJECT, _CAN, _AMOUNT + _UNIT), _REST, "How many {unit} {modal} {subject} {verb}{rest}?"),
        (
            "passive-number",
            (_SUBJECT, _IS, _DONE, "(?P<preposition>after|within|for)", _AMOUNT + _UNIT),
            _REST,
            "{Preposition} how many {unit} {be} {subject} {verb}{rest}?",
        ),
        ("often", (_SUBJECT, _IS, _DONE, _EVERY), _REST, "How often {be} {subject} {verb}{rest}?"),
        ("clock", (_SUBJECT, _BEGINS, "at", _TIME), "(?: on [\\w ]+)?", "At what time does {subject} {base}?"),
        ("when", (_SUBJECT, _BEGAN, "(?:in|on)", _DATE), _REST, "When did {subject} {base}{rest}?"),
        ("when", (_SUBJECT, "(?P<be>was|were)", _DONE, "(?:in|on)", _DATE), _REST, "When {be} {subject} {verb}{rest}?"),
        ("responsible", (_NAME, "is (?P<what>responsible for|in charge of)", _THING), "", "Who is {what} {subject}?"),
        ("by-whom", (_SUBJECT, _IS, _MAKERS, "by", _MAKER), "", "By whom {be} {subject} {verb}?"),
        ("stored", (_SUBJECT, _IS, _PUT, _PLACE), "", "Where {be} {subject} {verb}?"),
    )
]
_EN_CLAUSE = re.compile(
    rf"(?:(?! and (?:{'|'.join(_VERBS)}|is|are|was|were|can|must|may)\b)(?:[^,;:.!?]|\.(?=\S)|:(?=\d)|,(?=\d{{3}})))+"
)
"""Up to a comma or what the subject does besides."""


def asked_in_chinese(sentence: str) -> Iterator[Asked]:
    """Of the first clause of a sentence, which has the subject in it."""
    sentence = _ZH_LEAD.sub("", sentence, count=1)
    clause = _ZH_CLAUSE.match(sentence)
    if clause is None:
        return
    told, goes_on = clause[0], sentence[clause.end() : clause.end() + 1] in "，,"
    for name, pattern, asked in _ZH_REPLACED:
        found = list(pattern.finditer(told))
        # Two numbers in one clause: the question would give one away and be unclear about the other.
        if len(found) != 1 or found[0].start("answer") < 3:
            continue
        start, end = found[0].span("answer")
        if name in _TOLD and (not _leads_to_it(told[:start]) or "左右" in told[end:]):
            return
        if goes_on and told[end:].startswith("的"):
            return  # 单笔超过5000元的费用 is but what the next clause speaks of.
        unit = found[0].groupdict().get("unit") or ""
        yield (
            f"{told[:start].rstrip()}{asked.format(unit=unit)}{told[end:].lstrip()}？",
            "",
            found[0]["answer"].strip(),
            name,
        )
        return


def _leads_to_it(told: str) -> bool:
    """Whether a word that can be followed by an amount or a day ends this: no noun, as in 纠错循环三项指标."""
    import rjieba

    word, tag = rjieba.tag(told.rstrip())[-1]
    return "*" not in told and (word in _AMOUNT_NOUNS or tag not in _NOUNS)


def asked_in_english(sentence: str) -> Iterator[Asked]:
    """Of the first clause of a sentence, where one of the patterns takes all of it."""
    clause = _EN_CLAUSE.match(sentence)
    if clause is None:
        return
    for name, pattern, asked in _EN:
        found = pattern.fullmatch(clause[0].strip())
        if found is None:
            continue
        groups = {key: value or "" for key, value in found.groupdict().items()}
        verb = groups.get("verb", "")
        preposition = groups.get("preposition", "").capitalize()
        subject = inside_a_sentence(groups["subject"])
        base = (
            _VERBS.get(verb)
            or _BEGUN.get(verb)
            or (verb.removesuffix("es") if verb == "closes" else verb.removesuffix("s"))
        )
        groups |= {"subject": subject, "base": "close" if verb == "closes" else base, "Preposition": preposition}
        yield asked.format(**groups), groups["subject"], groups["answer"], name
        return
