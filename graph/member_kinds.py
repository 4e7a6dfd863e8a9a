"""Closed kinds whose members are words: sick leave, the daily backup, 午餐补贴, the Free plan, ball bearing 6206.

Each finder gives the kind and the member that a match names, or raises InvalidOperation where it names none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from graph.language import FUNCTION_WORDS

EVERY, CODE = "every ", "no. "
"""With the noun behind, and before."""
LEAVE, INSURANCE = "leave", "insurance"

_PERIODS = {
    "hourly": "hour", "daily": "day", "nightly": "day", "weekly": "week", "fortnightly": "fortnight",
    "biweekly": "fortnight", "monthly": "month", "quarterly": "quarter", "yearly": "year", "annual": "year",
    "小时": "hour", "日": "day", "天": "day", "晚": "day", "周": "week", "月": "month", "季": "quarter",
    "季度": "quarter", "年": "year", "年度": "year", "月度": "month",
}  # fmt: skip
_REGULAR = (
    "备份|例会|会议|报告|报表|检查|巡检|盘点|培训|账单|快照|清洁|保养|维护|体检|复盘|演练|对账|同步"
    "|任务|额度|限额|考核|评审|抽检|消毒"
)
_LEAVES = {
    "年休假": "年假", "带薪年假": "年假", "年假": "年假", "病假": "病假", "事假": "事假", "婚假": "婚假",
    "产假": "产假", "陪产假": "陪产假", "陪护假": "陪产假", "护理假": "护理假", "丧假": "丧假", "丧葬假": "丧假",
    "哺乳假": "哺乳假", "育儿假": "育儿假", "探亲假": "探亲假", "工伤假": "工伤假", "调休": "调休",
}  # fmt: skip
_INSURANCES = ("养老保险", "医疗保险", "失业保险", "工伤保险", "生育保险", "住房公积金", "意外保险", "商业保险")
_HEADS = "补贴|补助|津贴|套餐|会员|校区|园区|门店|机房|食堂|仓库|车间|展厅|分公司|营业部"
_GENERAL = (
    "公司 我们 员工 本人 该处 每个 每月 每天 各个 什么 哪个 哪些 哪种 多少 所有 全部 有关 其他 其它 这个 那个 一个 两个"
    " 几个 发放 领取 申请 享受 提供 可以 没有 购买 升级 加入 开通 你们 您的 贵司 政府 企业 普通 相关"
)
_NOUNS = "plan|edition|tier|package|licence|license|subscription|campus|warehouse|lounge|studio"
_TIERS = "free|basic|starter|standard|team|business|enterprise|premium|professional|family|student|personal"
_COUNTING = (
    "about over under than least most only nearly almost around up cost costs costing sold sells weigh weighs earn"
    " earns pay pays paid allow allows serve serves hold holds contain contains reach reached employ"
    " employs exceed exceeds below above between total totals equals use uses used in by of at to from since"
    " until year page pages"
)
_YEARS = range(1900, 2101)

Finder = tuple[re.Pattern[str], Callable[[re.Match[str]], tuple[str, Decimal | str]]]


def _coded(match: re.Match[str]) -> tuple[str, Decimal]:
    """Ball bearing 6206, error 404: the number is a name."""
    noun = re.search(r"(?<![A-Za-z])([A-Za-z][a-z]{2,}) \Z", match.string[max(0, match.start() - 24) : match.start()])
    word = noun[1].lower() if noun else ""
    behind = re.match(r" ([a-z]+)", match.string[match.end() : match.end() + 24])
    if not word or word in FUNCTION_WORDS or word in _COUNTING.split() or int(match[0]) in _YEARS:
        raise InvalidOperation
    if behind and behind[1] not in FUNCTION_WORDS | {"stock", "mean", "means", "cost", "weigh"}:
        raise InvalidOperation
    return f"{CODE}{word.removesuffix('s')}", Decimal(match[0])


def _compound(match: re.Match[str]) -> tuple[str, str]:
    if match[1] in _GENERAL.split() or match[1][0] in "的是有和与或及在每各本该" or match[1][-1] in "的和与或及":
        raise InvalidOperation
    return match[2], match[1]


def _named(match: re.Match[str]) -> tuple[str, str]:
    if match[1].lower() in FUNCTION_WORDS | {"any", "new", "old", "main", "current", "each", "every", "another"}:
        raise InvalidOperation
    return f"the {match[2].lower()}", match[1].lower()


def is_word(kind: str) -> bool:
    """Whether the members of a kind are words of this module: no number tells them apart."""
    return kind in (LEAVE, INSURANCE, *_HEADS.split("|")) or kind.startswith((EVERY, "the "))


FINDERS: tuple[Finder, ...] = (
    (re.compile(rf"\b({'|'.join(word for word in _PERIODS if word.isascii())}) ([a-z]{{3,}})\b", re.IGNORECASE),
     lambda m: (f"{EVERY}{m[2].lower().removesuffix('s')}", _PERIODS[m[1].lower()])),
    (re.compile(rf"每个?(小时|季度|[日天晚周月季年])度?(?=({_REGULAR}))"),
     lambda m: (f"{EVERY}{m[2]}", _PERIODS[m[1]])),
    (re.compile(rf"(?<![每一两几\d半本今去明])(季度|月度|年度|[日周月])(?=({_REGULAR}))"),
     lambda m: (f"{EVERY}{m[2]}", _PERIODS[m[1]])),
    (re.compile("|".join(sorted(_LEAVES, key=len, reverse=True))), lambda m: (LEAVE, _LEAVES[m[0]])),
    (re.compile(r"\b(annual|sick|maternity|paternity|parental|unpaid|bereavement|compassionate|study|marriage|adoption)"
                r" (?:leave|days off)\b", re.IGNORECASE), lambda m: (LEAVE, m[1].lower())),
    (re.compile("|".join(_INSURANCES)), lambda m: (INSURANCE, m[0])),
    (re.compile(r"(?<!住房)公积金"), lambda m: (INSURANCE, "住房公积金")),
    (re.compile(rf"([\u4e00-\u9fff]{{2}})(?=({_HEADS}))"), _compound),
    (re.compile(rf"(?<=[a-z0-9,;(] )([A-Z][a-z]+) ({_NOUNS})\b"), _named),
    (re.compile(rf"(?<![\w-])({_TIERS}) ({_NOUNS})\b"), _named),
    (re.compile(r"(?<=[a-z] )\d{3,6}(?![\d.,%°:-]|\w)"), _coded),
)  # fmt: skip
