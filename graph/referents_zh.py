"""Whom and what a pronoun means after a Chinese question: a person, or the thing that was named last."""

from __future__ import annotations

import re

from graph.deputies import TITLES_ZH

_WHO = re.compile(r"谁|誰|哪位")
_END = re.compile(r"[呢吧啊呀\s?？。.!！]+\Z")
_IS = re.compile(r"(?:是|由|被|归|歸)\Z")
_IN_CHARGE = re.compile(r"(?:负责|負責|主管)\Z")
_ROLE = re.compile(rf"(?:{TITLES_ZH}|负责人|作者|设计师|设计者|工程师|员工|老师|船长|父亲|母亲|儿子|女儿|长子)\Z")
_WHICH = re.compile(r"(?:哪|什么|什麼)(?:一?[个個条條款种種家座本部台项項份间間])?([\u3400-\u9fff]{1,6})\Z")
_ACTED = re.compile(r"[了过過]")


def person(question: str, about: str) -> str:
    """Whom 他 means: the one whom `question` asks for by what they do, else `about`."""
    plain = _END.sub("", question)
    who = _WHO.search(plain)
    if who is None:
        return about
    before, behind = plain[: who.start()].strip(), plain[who.end() :].strip()
    if behind.startswith(("是", "担任", "擔任")):
        return behind.lstrip("是担擔任")
    passive = _IS.search(before)
    acted = _ACTED.sub("", behind, count=1).removesuffix("的")
    if not acted:
        return about
    if passive:
        return f"{acted}{before[: passive.start()]}的人"
    if _IN_CHARGE.match(acted) and before:
        return f"{before}负责人"
    return f"{before}{acted}的人"


def thing(question: str, about: str) -> str:
    """What 它 means: what somebody did it to, where `question` asks who, or which of the things of somebody."""
    import rjieba

    plain = _END.sub("", question)
    if (who := _WHO.match(plain)) is not None:
        words = list(rjieba.tag(plain[who.end() :]))
        while words and words[0][1][0] in "vu" and len(words) > 1:
            words.pop(0)
        return "".join(word for word, _ in words)
    which = _WHICH.search(plain)
    tags = [tag for _, tag in rjieba.tag(about)] if about else []
    somebody = tags == ["nr"] or _ROLE.search(about)
    if which is None or not somebody or not plain.startswith(about):
        return about
    return f"{plain[: which.start()]}的{which[1]}"
