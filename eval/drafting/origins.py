"""What proposed a draft, in a reviewer's words. A draft's `how` names the pattern or the model."""

from __future__ import annotations

from typing import NamedTuple


class Origin(NamedTuple):
    """The same in both languages of the review page."""

    en: str
    zh: str


_FIGURE = Origin("from a sentence that tells a number or an amount", "取自给出数字或数量的句子")
_TIME = Origin("from a sentence that tells a time or a date", "取自给出时间或日期的句子")
_PLACE = Origin("from a sentence that tells a place", "取自给出地点的句子")
_PERSON = Origin("from a sentence that tells who does it", "取自说明由谁负责的句子")
_DEFINITION = Origin("from a sentence that says what a thing is", "取自说明某物是什么的句子")
PATTERNS = {
    **dict.fromkeys(
        ("percent", "number", "amount", "price", "is-number", "does-number", "can-number", "passive-number"), _FIGURE
    ),
    **dict.fromkeys(("clock", "date", "year", "often", "when"), _TIME),
    **dict.fromkeys(("place", "stored"), _PLACE),
    **dict.fromkeys(("person", "responsible", "by-whom"), _PERSON),
    **dict.fromkeys(("definition", "definitions", "means", "called"), _DEFINITION),
    "default": Origin("from a sentence that tells a default value", "取自给出默认值的句子"),
    "reason": Origin("from a sentence that gives a reason", "取自说明原因的句子"),
    "purpose": Origin("from a sentence that says what a thing is for", "取自说明用途的句子"),
    "table": Origin("from a table", "取自表格"),
    "named": Origin("from a line of a name and its value", "取自一行名称与取值"),
    "faq": Origin("a question that the document asks and answers itself", "文档自问自答的问题"),
    "heading": Origin("from a heading that asks a question", "取自提问式标题"),
    "section": Origin("from a whole section", "取自整个小节"),
    "pair": Origin("from two facts put together", "由两个事实合并而成"),
}
"""By the name of the pattern in this folder."""
_ABSENT = {
    "code": Origin("a code that no document has", "文档中没有的代码"),
    **dict.fromkeys(
        ("price", "invent", "product", "person", "project", "organisation"),
        Origin("what no document tells of a name", "文档没有说到的情况"),
    ),
}
_ANOTHER = Origin("another one than the documents tell of", "文档没有提到的另一个")
_FEEDBACK = {
    "feedback, up": Origin("from an answer that a reader liked", "取自读者认可的回答"),
    "feedback, down": Origin("from an answer that a reader did not like", "取自读者不认可的回答"),
}


def origin(how: str) -> Origin:
    """`how` in words; as it stands where nothing here is called so."""
    maker, _, name = how.partition(":")
    if maker == "model":
        return Origin(f"by the model {name}", f"由模型 {name} 提出")
    if maker in _FEEDBACK:
        en, zh = _FEEDBACK[maker]
        return Origin(f"{en}:{name}", f"{zh}：{name.strip()}") if name else Origin(en, zh)
    if maker == "pattern":
        if not name.startswith("absent-"):
            return PATTERNS.get(name, Origin(how, how))
        en, zh = _ABSENT.get(name.removeprefix("absent-"), _ANOTHER)
        return Origin(f"a question that the documents should not answer: {en}", f"文档不应能回答的问题：{zh}")
    return Origin(how, how)
