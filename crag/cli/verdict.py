"""The line below an answer: how it was judged and why, in the language of the answer."""

from __future__ import annotations

from typing import Any

from graph.language import language_of
from graph.types import Language

LIKELY, PROBABLE = 0.8, 0.5
"""From where on the evidence very likely, and probably, holds the answer; the page's words have the same bounds."""
_COLOURS = {"grounded": "green", "partial": "yellow", "abstained": "red"}
_WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "grounded": "answered from the sources",
        "partial": "answered in part",
        "abstained": "not answered",
        "uncertain": "uncertain answer",
        "likely": "the passages found very likely hold the answer",
        "probable": "the passages found probably hold the answer",
        "open": "the passages found may not hold the answer",
        "not_all": "not all that was asked is answered",
        "ambiguous": "the evidence is uncertain",
        "incorrect": "the documents do not seem to hold it",
        "rewrite": "other wordings",
        "search_web": "the web",
        "and": " and ",
        "nothing_better": "; {tried} brought nothing better",
        "aside": "nothing was asked of the documents",
        "no_sentence": "the passages look right, but no sentence of them bears an answer",
        "from_web": "; the answer is from the web",
        "check": ", check the sources",
        "nothing_found": ": nothing was found that bears an answer",
        "ungraded": ", evidence not graded: this pipeline answers from whatever it finds, check the sources",
        "evidence": ", evidence {percent}%",
        "colon": ": ",
        "sources": "Sources",
        "quotes": "No language model is configured: the answer is made of the sources' own sentences, and of the cells "
        "of their tables, as column: value.",
    },
    "zh": {
        "grounded": "依据来源作答",
        "partial": "部分作答",
        "abstained": "未能作答",
        "uncertain": "不确定的回答",
        "likely": "检索到的段落很可能含有答案",
        "probable": "检索到的段落多半含有答案",
        "open": "检索到的段落不一定含有答案",
        "not_all": "所问的没有全部答出",
        "ambiguous": "依据不够明确",
        "incorrect": "文档中似乎没有答案",
        "rewrite": "换过问法",
        "search_web": "搜索过网络",
        "and": "、",
        "nothing_better": "；{tried}，也没有更好的结果",
        "aside": "没有检索文档",
        "no_sentence": "检索到的段落相关，但没有一句能支持答案",
        "from_web": "，回答来自网络",
        "check": "，请核对来源",
        "nothing_found": "：没有检索到能支持答案的内容",
        "ungraded": "，证据未评分：此流水线直接依据检索结果作答，请核对来源",
        "evidence": "，证据置信度 {percent}%",
        "colon": "：",
        "sources": "来源",
        "quotes": "未配置语言模型：回答摘自文档原句；表格只取有关的单元格，写成“列名：值”。",
    },
}


def words_for(answer: dict[str, Any]) -> dict[str, str]:
    """The words around an answer, in its language."""
    return _WORDS[language_of(answer["text"])]


def verdict(answer: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """A dot, the verdict, how likely the evidence of an answer is to hold it, and why; pairs of text and style.

    The answer is one with its trace.
    """
    words = words_for(answer)
    status, route, confidence = answer["status"], answer["route"], answer["confidence"]
    colour = _COLOURS[status]
    if answer["models"].get("grading") == "off":
        if status == "abstained":
            return ("● ", colour), (words[status], "bold"), (words["nothing_found"], "")
        return ("● ", "default"), (words[status], "bold"), (words["ungraded"], "")
    if status == "grounded" and (route != "correct" or confidence < PROBABLE):
        colour = _COLOURS["partial"]
    named = words["uncertain" if status == "grounded" and confidence < PROBABLE else status]
    # "Not answered, 95%" would be read as sure of an answer, or of there being none: the trace has the number.
    sure = "" if status == "abstained" else words["evidence"].format(percent=round(100 * confidence))
    return ("● ", colour), (named, "bold"), (f"{sure}{words['colon']}{_why(answer, words)}", "")


def _why(answer: dict[str, Any], words: dict[str, str]) -> str:
    """What the evidence was like, and what else was tried where it was not enough."""
    if "reply" in answer["timings"]:
        return words["aside"]
    return _refused(answer, words) if answer["status"] == "abstained" else _answered(answer, words)


def _refused(answer: dict[str, Any], words: dict[str, str]) -> str:
    route = answer["route"]
    if route == "correct":
        return words["no_sentence"]
    # A rewrite that found no other words and a web that failed searched for nothing: they tell of no query.
    searched = {event["node"] for event in answer["trace"] if "query" in event["detail"]}
    tried = [words[node] for node in ("rewrite", "search_web") if node in searched]
    if route == "ambiguous" or not tried:
        return words[route]
    return words[route] + words["nothing_better"].format(tried=words["and"].join(tried))


def _answered(answer: dict[str, Any], words: dict[str, str]) -> str:
    route, confidence = answer["route"], answer["confidence"]
    if route == "incorrect":
        return words[route] + words["from_web"]
    if answer["status"] == "partial":
        return words["not_all"] + words["check"]
    band = "likely" if confidence >= LIKELY else "probable" if confidence >= PROBABLE else "open"
    return words[band] + (words["check"] if route == "ambiguous" else "")
