"""Words that stand for one of a closed kind, a month or a direction: what may take the place of what."""

from __future__ import annotations

import re
from collections.abc import Iterator

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_EN = (
    rf"\b(?:{_MONTHS})\b",
    r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b",
    r"(?i:\b(?:(?<!per )(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last)"
    r"|\d+(?:st|nd|rd|th))\b)",
    r"(?i:\b(?:north|south|east|west|left|right)(?:ern)?\b)",
    r"(?i:\b(?:hourly|daily|weekly|monthly|quarterly|yearly|annual)\b)",
    r"(?i:\b(?:spring|summer|autumn|winter)\b)",
    r"(?i:\b(?:morning|afternoon|evening|night)s?\b)",
    r"\b(?:1[5-9]|20)\d\d\b",
    r"\bQ[1-4]\b",
    r"(?i:\b(?:red|green|blue|yellow|orange|white|black|grey|gray|amber|purple|brown|silver|gold)\b)",
    r"(?i:\b(?:adult|child|children|student|senior|pensioner|teacher|member|visitor|guest|employee|intern)s?\b)",
)
_ZH = (
    r"(?:1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])\s?月份?",
    r"(?:周|週|星期|礼拜)[一二三四五六日天]",
    r"第[一二三四五六七八九十\d]+",
    r"每[日天周週月年季](?:度)?|每个?(?:月|星期|季度|小时)",
    r"[东西南北東](?=边|部|方|侧|邊|側|面)",
    r"[春夏秋冬](?=季|天)",
    r"[红黄绿蓝黑白灰橙紫紅黃綠藍](?=色|灯|燈)",
    r"(?:1[5-9]|20)\d\d\s?年|[今去明前]年",
    r"[一二三四](?=季度|等奖|线|級|级)",
    r"(?:北京|上海|天津|重庆|广州|深圳|杭州|南京|苏州|成都|武汉|西安|长沙|青岛|大连|厦门|宁波|郑州|合肥|福州|济南|沈阳|昆明"
    r"|贵阳|南宁|南昌|太原|石家庄|哈尔滨|长春|兰州|海口|拉萨|香港|澳门|台北|东京|大阪|首尔|新加坡|伦敦|巴黎|柏林|纽约"
    r"|中国|美国|英国|法国|德国|日本|韩国|俄罗斯|印度|加拿大|澳大利亚)",
)
_KINDS = tuple(re.compile(pattern) for pattern in (*_EN, *_ZH))


def of_a_kind(text: str) -> Iterator[tuple[re.Pattern[str], re.Match[str]]]:
    """Each word of a closed kind in `text`, and the pattern of its kind; of one within another the longer."""
    found = [(kind, match) for kind in _KINDS for match in kind.finditer(text)]
    for kind, match in found:
        if not any(each.start() <= match.start() and match.end() < each.end() for _, each in found):
            yield kind, match


def same_kind(anchor: str, rest: str) -> tuple[str, str] | None:
    """`anchor` with the one such word of `rest` in the place of its only one of that kind, and what `rest` says beside.

    None where either has none or several of them.
    """
    named = list(of_a_kind(rest))
    if len({match[0] for _, match in named}) != 1:
        return None
    kind, word = named[0]
    there = list(kind.finditer(anchor))
    if len({match[0] for match in there}) != 1 or there[0][0] == word[0]:
        return None
    for match in reversed(there):
        anchor = anchor[: match.start()] + word[0] + anchor[match.end() :]
    return anchor, rest[: word.start()] + rest[word.end() :]
