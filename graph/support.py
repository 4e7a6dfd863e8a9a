"""Whether a sentence is supported by what it cites: numbers, names and negations exactly, the rest by its words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from chunking.sentences import split_sentences
from graph.language import STOPWORDS, has_han
from graph.quantities import IDENTIFIER, folded, spelt_number, stated
from retrieval.lexical.tokenizer import simplified, tokenize

COVERAGE = 0.5
"""Share of a sentence's new content words (those not in the question) that its sources must contain."""
ATTRIBUTION = 0.6
"""The same for a sentence that cites nothing, or the wrong source, and is given one."""

_NAME = re.compile(r"(?<=[a-z0-9,;)’'\]] )[A-Z][a-z]{2,}")
"""Capitalised where no sentence, quotation or list item begins."""
_LATIN = re.compile(r"[a-z]{3,}")
_COUNTED = re.compile(r"(?<![A-Za-z\d.])\d[\d,.]*\s?[千万亿]?[个個名位人台家条條项項件座层層]?(?![A-Za-z\d])")
_WEEKDAY = re.compile("(?:mon|tues|wednes|thurs|fri|satur|sun)day")
_MONTH = re.compile(
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
"""Dates are compared as dates."""
_IDIOMS = re.compile(
    "不同|不仅|不僅|不但|不只|不过|不過|不断|不斷|不少|不管|不论|不論|不久|不错|不錯|不得不|差不多|非常|无论|無論|无线|無線|未来|未來"
    r"|非洲|非暴力|非法|非营利|非物质|不平等|不服从|不锈钢|不动产|不规则|\bnot only\b|\bno\.\s?(?=\d)",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|cannot|unable|unsupported|unavailable|irreversible|impossible)\b|n['’]t\b"
    r"|\bfail(?:s|ed)? to\b|[不没沒無无未非勿]",
    re.IGNORECASE,
)
# What such a clause denies cannot be told from its words alone.
_UNTOLD = re.compile(
    r"\b(?:if|unless|without|until|before|only|except|other than|rather|instead|otherwise|than"
    r"|drop|dropped|remove[ds]?|stop|stopped|cease[ds]?|discontinued?|lacks?|prevents?|avoids?|forbids?|forbidden|prohibit\w*|refuse[ds]?|whether)\b"
    r"|如果|若|除非|否则|不然|之前|之后|以前|只|仅|除|取消|停止|禁止|拒绝|避免|防止|缺乏|失败|以外|是否|不得不|才|再",
    re.IGNORECASE,
)
_MAY = re.compile("可以|能够|能夠|(?<=不)能(?!力|量|源|耗|级)")
"""可以水洗 says of the same thing what 不可水洗 denies."""
_WITHOUT = re.compile(r"\bwithout\b", re.IGNORECASE)
# In the other script such a word may stand for a negation, or a negation for it.
_DENIES_OTHERWISE = re.compile(
    r"\b(?:disabl\w+|free|off|closed?|absent|absence|missing|empty|exempt\w*|invalid|expired?|wrong|den(?:y|ies|ied)|reject\w*"
    r"|block\w*|exclu\w+|outside|beyond|fail\w*|\w{2,}less|un\w+|in\w+ble|illegal\w*|little|few|hardly|rarely|still|yet"
    r"|independent\w*|wireless|ignor\w+|reluctan\w+|difficult\w*|hard|opposed?|against|reverse\w*)\b"
    r"|禁|关闭|停用|免|缺|失|错|拒|排除|之外|不足|难|少|异|反|消|弃|废|违|仍|尚|忽|独立|除了",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(
    r"[,，;；:：、()（）|\n]| · |\b(?:and|but|while|because|although|though|so)\b|但是|但|而且|而|并且|因为|所以|可是"
)
SAME_THING = 0.6
"""Share of a clause's content words that a clause of the source has, from which the two are about the same thing: then
the nearest of them may not all deny what the other says."""

SURNAMES = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦昌马苗凤方俞任袁柳"
    "鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐傅皮卞齐康伍余元卜顾孟平黄穆萧尹姚邵汪祁毛禹狄米贝明臧计成戴谈宋茅庞熊纪舒屈项祝"
    "董梁杜阮蓝闵席季麻贾路娄江童颜郭梅盛林刁钟徐邱骆高夏蔡田樊胡凌霍虞万柯管卢莫房丁邓洪包左石崔吉龚程邢裴陆荣翁段侯武刘景龙"
    "叶司黎白蒲赖卓池乔闻党翟谭申冉桂牛温庄晏柴瞿阎慕连习艾容向古易戈廖居衡步耿文寇东欧沃利关师聂饶曾沙辜简沈"
)
_HAN_NAME = rf"(?P<name>[{SURNAMES}][\u4e00-\u9fff]{{1,2}}?)"
_ACTS = "负责|设计|开发|主持|领导|编写|撰写|担任|创建|提出|发明|创立|创办|创作|管理|带领|研制|执导|主编|建造|发起"
_ROLE = (
    "负责人|组长|总监|经理|作者|设计师|设计者|创始人|总裁|董事长|主席|架构师|工程师|开发者|导演|校长|主编|院长|部长|主任"
    "|主管|发明人|发明者"
)
_NAME_ENDS = r"(?=[\W_]|\Z|[于担负等在的和与及并任])"
_HAN_NAMES = (
    re.compile(rf"由(?!于){_HAN_NAME}(?:团队|小组)?(?={_ACTS})"),
    re.compile(rf"(?:{_ROLE})(?:是|为|叫|：|:|，)?\s?{_HAN_NAME}{_NAME_ENDS}"),
    re.compile(rf"(?:\A|[，。,；;、]){_HAN_NAME}(?={_ACTS}|毕业于|就读于|任职于)"),
    re.compile(
        r"(?<![家个所这该本某各每名类])(?P<name>(?:(?![于在是为由的从和与及到了被对向入进任读聘取来往家个所这该本某各每有])"
        r"[\u4e00-\u9fff]){2,10}(?:大学|学院|公司|集团|医院|银行|研究院|研究所))"
    ),
)
"""Names of people after a role or before what they did, and of bodies by what they end on."""


PERSON = "|".join(pattern.pattern.replace("?P<name>", "?:") for pattern in _HAN_NAMES[:3])
"""A Chinese sentence that says who, as a regular expression."""


def content_words(text: str) -> set[str]:
    return {word for word in tokenize(text) if word not in STOPWORDS}


known_words = lru_cache(maxsize=16384)(content_words)
"""The same of a text that is read again, not to be changed: a question's passages are graded, refined and answered,
and a question is asked of all their sentences."""


def identifiers(text: str) -> set[str]:
    """Words that are names in code or of products: ``top_k``, ``bge-m3``, ``v2.1``, ``BM25``."""
    return set(IDENTIFIER.findall(_fold(text)))


def coverage(sentence: str, evidence: str) -> float:
    """Share of the sentence's content words that the evidence contains; 1 for a sentence without any."""
    words = content_words(sentence)
    return len(words & content_words(evidence)) / len(words) if words else 1.0


def supported(sentence: str, evidence: Iterable[str], question: str, *, bar: float = COVERAGE) -> bool:
    """Whether `evidence` (texts of the cited sources) bears the sentence, which carries no markers.

    Words of the question count as known: a sentence may repeat them. Where sentence and evidence are in
    different scripts, words cannot be compared, and numbers and identifiers alone decide.
    """
    text = "\n".join(evidence)
    if not text or not exact_parts_hold(sentence, f"{text}\n{question}"):
        return False
    if has_han(sentence) != has_han(text):
        return True
    there = content_words(text)
    # A number is there by its value, in whatever words, and so is what counts it: 3200名 of 三千二百人.
    uncounted = content_words(_COUNTED.sub(" ", sentence))
    own = {word for word in content_words(sentence) if not spelt_number(word) and (word in there or word in uncounted)}
    new = own - content_words(question)
    if own and not (bool(own & there) and len(new & there) >= bar * len(new)):
        return False
    return _names_hold(sentence, f"{text}\n{question}") and not _denies(sentence, text)


def latin_words_hold(sentence: str, evidence: str) -> bool:
    """Whether the evidence has the Latin words of a Chinese sentence, which are names there; endings may differ."""
    return not has_han(sentence) or _borne(_LATIN.findall(_fold(sentence)), evidence)


def exact_parts_hold(sentence: str, evidence: str) -> bool:
    """Whether `evidence` has every number, date and identifier of the sentence, whatever language either is in."""
    known = _fold(evidence)
    return all(name in known for name in identifiers(sentence)) and stated(evidence).bears(
        stated(sentence, claimed=True)
    )


def _names_hold(sentence: str, evidence: str) -> bool:
    return _borne([name.lower() for name in _NAME.findall(sentence)], evidence) and _han_names_hold(sentence, evidence)


def _han_names_hold(sentence: str, evidence: str) -> bool:
    own, there = simplified(sentence), simplified(evidence)
    return all(match["name"] in there for pattern in _HAN_NAMES for match in pattern.finditer(own))


def _borne(names: Iterable[str], evidence: str) -> bool:
    """An ending may differ: "English" is borne by "England"."""
    known = _fold(evidence)
    return all(
        _WEEKDAY.fullmatch(name) or _MONTH.fullmatch(name) or name[: max(4, len(name) - 3)] in known for name in names
    )


def _denies(sentence: str, evidence: str) -> bool:
    """Whether all that the evidence says of the same thing is the contrary: "is supported" of "is not supported"."""
    clauses = list(_clauses(evidence))
    return any(_contradicted(own, clauses) for own in (*_clauses(sentence), *_before_without(sentence)))


def _before_without(sentence: str) -> Iterator[Clause]:
    """What a clause says before its "without ...", where it denies nothing: long enough to be judged alone."""
    for start, end in split_sentences(sentence):
        for part in _CLAUSE_END.split(sentence[start:end]):
            said, *rest = _WITHOUT.split(part, maxsplit=1)
            if rest and not negated(part):
                yield from (clause for clause in _clauses(said) if len(clause.words) > 2)


def _contradicted(own: Clause, clauses: list[Clause]) -> bool:
    if own.untold or len(own.words) < 2:
        return False
    near = []
    for each in clauses:
        common = len(own.words & each.words)
        if common >= 2 and common >= SAME_THING * min(len(own.words), len(each.words)) and 2 * common >= len(own.words):
            near.append((len(own.names & each.names), common / len(own.words | each.words), each))
    if not near:
        return False
    best = max(near, key=lambda entry: entry[:2])[:2]
    nearest = [each for *score, each in near if tuple(score) == best]
    return all(not each.untold and each.negated != own.negated for each in nearest)


def contrary_across(sentence: str, source: str) -> bool:
    """Whether a sentence of the other script says the contrary: one of the two denies, in every clause about what both
    name (in all, where they share no name), and neither has a word that may deny in its own way."""
    own, there = list(_clauses(sentence)), list(_clauses(source))
    names = set().union(*(clause.names for clause in own))
    about = [clause for clause in there if clause.names & names] or there
    if not own or not about or any(_DENIES_OTHERWISE.search(text) for text in (sentence, source)):
        return False
    return all(not (mine.untold or each.untold) and mine.negated != each.negated for mine in own for each in about)


@dataclass(frozen=True, slots=True)
class Clause:
    """Of a sentence: `untold` where it says something of which only a reader can tell whether it denies another."""

    words: set[str]
    names: set[str]
    negated: bool
    untold: bool


def _clauses(text: str) -> Iterator[Clause]:
    for start, end in split_sentences(text):
        for part in _CLAUSE_END.split(text[start:end]):
            if words := content_words(_NEGATION.sub(" ", _MAY.sub("可", part))):
                yield Clause(words, identifiers(part), negated(part), _UNTOLD.search(part) is not None)


def negated(text: str) -> bool:
    return _NEGATION.search(_IDIOMS.sub(" ", text)) is not None


def _fold(text: str) -> str:
    return folded(text).lower()
