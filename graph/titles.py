"""A title in the place of another one: the director for the deputy director, 总经理 for 副总经理."""

from __future__ import annotations

import re

from graph.deputies import BELOW, BELOW_ZH, TITLES, TITLES_ZH

_FIELD_ZH = (
    r"(?:财务|财政|技术|市场|销售|人事|人力资源|行政|运营|产品|项目|工程|研发|生产|信息|法务|采购|安全|质量|营销|艺术|教学"
    r"|后勤|执行)(?:部门?|中心|处)?"
)
_RANK_ZH = rf"(?:{BELOW_ZH}|常务|首席|第[一二]|前任?|现任|新任|原|高级|总)"
_WHOLE_ZH = re.compile(
    rf"(?:{_RANK_ZH}|{_FIELD_ZH}){{0,5}}(?:{TITLES_ZH}|工程师|会计师?|理事长|船长|机长|负责人|执行官"
    r"|(?<![A-Za-z])C[A-Z]O(?![A-Za-z]))"
)
_TITLE = rf"(?:{TITLES}|curator|supervisor|coordinator|engineer|accountant|librarian|inspector|conductor|coach|judge)"
_DETERMINER = r"(?:\b(?:the|our|your|its|their|an?)|['’]s)\s+"
_BETWEEN = r"(?:(?!(?:of|in|on|at|for|and|or|the|is|are|was|were|to|by|with)\b)\w+[ -])"
_RANK = rf"(?:{BELOW}|former|current|new|chief|managing|executive|general|senior|junior|lord)"
_IN_QUESTION = re.compile(
    rf"(?P<determiner>{_DETERMINER})(?P<title>{_BETWEEN}{{0,4}}?{_TITLE}\b)"
    rf"|(?P<bare>\b(?:{_RANK}[ -]){{0,4}}{_TITLE}\b)",
    re.IGNORECASE,
)
_NAMED = re.compile(
    rf"\A(?:{_DETERMINER})?(?P<title>{_BETWEEN}{{0,4}}?{_TITLE})(?P<of> of [^?.!]+)?\W*\Z", re.IGNORECASE
)
_OF = re.compile(r"\s+of\s+(?:the\s+)?(?:[A-Z][\w'’-]*(?:\s+[A-Z][\w'’-]*)*|[\w'’-]+)")


def other_title(anchor: str, rest: str) -> str | None:
    """`anchor` with the title that `rest` is for the whole of its only one; None where either has none."""
    named = rest.removesuffix("的")
    if _WHOLE_ZH.fullmatch(named):
        whole = list(_WHOLE_ZH.finditer(anchor))
        if len({match[0] for match in whole}) != 1 or whole[0][0] == named:
            return None
        return f"{anchor[: whole[0].start()]}{named}{anchor[whole[0].end() :]}"
    title = _NAMED.match(rest)
    there = list(_IN_QUESTION.finditer(anchor)) if title else []
    if title is None or len(there) != 1:
        return None
    group = "title" if there[0]["title"] else "bare"
    if there[0][group].lower() == title["title"].lower() and not title["of"]:
        return None
    beyond = anchor[there[0].end() :]
    if title["of"]:
        beyond = title["of"] + _OF.sub("", beyond, count=1)
    return f"{anchor[: there[0].start(group)]}{title['title']}{beyond}"
