"""A fact that a document states, and the question that it answers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from chunking.types import Document

_NUMBER = re.compile(
    r"^(?:第?[一二三四五六七八九十]+[章节部、．.]|[（(][一二三四五六七八九十\d]+[）)]|\d+(?:\.\d+)*[.、）)]?(?=[\s\u3400-\u9fff]))\s*"
)

PROSE = {"paragraph", "list", "quote"}

# A subject that points elsewhere, or that is none, cannot stand in a question of its own.
DEPENDENT = {
    "zh": re.compile(
        r"[这那此该其它他她牠您我你本]|如果|即使|不论|无论|但|因为|由于|所以|而|并|也|又|上述|前者|后者|就|都|第|每|最|目前|现在|当时|之后"
        r"|以下|如下|下列|下面|上面|各|原因|结果|问题|主要|同时|尤其|关键|重点|另|后续|任何|若|一旦|只要|只有|除非|共|约|仅|自从|直到|截至|根据|按照?|将|把|请|先|再|然后|接着|最后|不|没有|有|提|发生|撰写|编写|作者|日期|时间|已|曾|再次|随后|同年|.*(?:是否|不论|无论|主要|目前|还|们)"
    ),
    "en": re.compile(
        r"(?:No|None|Nothing|Nobody|It|This|That|These|Those|They|He|She|We|You|I|There|Here|If|When|While|What|Which"
        r"|Who|Why|How|In|On|At|For|And|But|So|As|Both|Each|Every|One|Some|Such|Any|All|Most|More|Many|Few|Several|Other|Another|Its|Their|Our"
        r"|Your|His|Her|To|With|After|Before|Since|Because|Although|Like|Likewise|However|The (?:following|above|next"
        r"|previous|same|other|result|first|second|third|last|former|latter|fact|main|only|most))\b"
        r"|The default(?: value)?$"
        r"|.*\b(?:that|which|who|there|they|it|while|is|are|was|were)\b"
    ),
}


@dataclass(frozen=True, slots=True)
class Fact:
    """``document.text[start:end]`` answers `question`; `answer` is what of it does, all of it when empty.

    `subject` is what the question is about, where the pattern tells; `pattern` names what found the fact.
    """

    document: Document
    start: int
    end: int
    question: str
    pattern: str
    lang: str
    subject: str = ""
    answer: str = ""


def stands_alone(subject: str, lang: str) -> bool:
    """Whether it can open a question of its own: it points to nothing that was said before."""
    return not DEPENDENT[lang].match(subject)


def heading_name(heading: str) -> str:
    """A heading without its number and its marks: ``3.1 Sizes`` and 二、尺寸 are called Sizes and 尺寸."""
    return _NUMBER.sub("", heading.strip().strip("*`")).strip()


def inside_a_sentence(subject: str) -> str:
    return re.sub(r"^(The|An?) ", lambda article: article.group(0).lower(), subject)


def plain(text: str) -> str:
    """Without Markdown's emphasis."""
    return re.sub(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)", "", text).strip()
