"""The line below an answer: how it was judged and why, in the language of the answer."""

from __future__ import annotations

from typing import Any

from graph.language import language_of
from graph.types import Language

_COLOURS = {"grounded": "green", "partial": "yellow", "abstained": "red"}
_WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "grounded": "answered from the sources",
        "partial": "answered in part",
        "abstained": "not answered",
        "correct": "the documents hold the answer",
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
        "quotes": "No language model is configured: the answer quotes the sources.",
    },
    "zh": {
        "grounded": "依据来源作答",
        "partial": "部分作答",
        "abstained": "未能作答",
        "correct": "文档中有答案",
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
        "quotes": "未配置语言模型：回答为文档原句摘录。",
    },
}


def words_for(answer: dict[str, Any]) -> dict[str, str]:
    """The words around an answer, in its language."""
    return _WORDS[language_of(answer["text"])]


def verdict(answer: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """A dot, the verdict, how likely the evidence of an answer is to hold it, and why; pairs of text and style."""
    words = words_for(answer)
    status, route, confidence = answer["status"], answer["route"], answer["confidence"]
    colour = _COLOURS[status]
    if answer["models"].get("grading") == "off":
        if status == "abstained":
            return ("● ", colour), (words[status], "bold"), (words["nothing_found"], "")
        return ("● ", "default"), (words[status], "bold"), (words["ungraded"], "")
    if status == "grounded" and (route != "correct" or confidence < 0.5):
        colour = _COLOURS["partial"]
    # "Not answered, 95%" would be read as sure of an answer, or of there being none: the trace has the number.
    sure = "" if status == "abstained" else words["evidence"].format(percent=round(100 * confidence))
    return ("● ", colour), (words[status], "bold"), (f"{sure}{words['colon']}{_why(answer, words)}", "")


def _why(answer: dict[str, Any], words: dict[str, str]) -> str:
    """What the evidence was like, and what else was tried where it was not enough."""
    route, refused, ran = answer["route"], answer["status"] == "abstained", answer["timings"]
    if "reply" in ran:
        return words["aside"]
    if route == "correct" and refused:
        return words["no_sentence"]
    if route == "incorrect" and refused:
        tried = words["and"].join(words[node] for node in ("rewrite", "search_web") if node in ran)
        return words[route] + (words["nothing_better"].format(tried=tried) if tried else "")
    if route == "incorrect":
        return words[route] + words["from_web"]
    if route == "ambiguous" and not refused:
        return words[route] + words["check"]
    return words[route]
