"""Say that the answer is not known, and what was searched for and where."""

from __future__ import annotations

from graph.attributes import told_of_others, untold
from graph.instead import instead
from graph.named import lacking, unheard
from graph.neutral import neutral_line
from graph.nodes.base import Node, Result, Run
from graph.state import State
from graph.types import Language, TextDelta

QUOTED_LIMIT = 300
"""Characters of the question that a refusal repeats."""
_SORRY: dict[Language, str] = {
    "zh": "文档中似乎没有这个问题的答案。",
    "en": "The documents do not seem to hold the answer.",
}
_FILTERED: dict[Language, str] = {
    "zh": "没有文档符合筛选条件，请放宽条件或去掉筛选后再问。",
    "en": "No document passes the filter: widen it, or ask without one.",
}
_LACKING: dict[Language, str] = {
    "zh": "找到的段落都没有提到{gap}{names}。",
    "en": "None of what was found mentions {names}.",
}
_OF_OTHERS: dict[Language, str] = {
    "zh": "找到的段落都没有提到所问对象的{names}。",
    "en": "None of what was found about it mentions {names}.",
}
_INSTEAD: dict[Language, str] = {
    "zh": "找到的内容说的是{found}，不是{asked}。",
    "en": "What was found is about {found}, not about {asked}.",
}
_SEARCHED: dict[Language, str] = {"zh": "检索的问题：“{question}”", "en": 'Searched for: "{question}"'}
_ALSO: dict[Language, tuple[str, str]] = {
    "zh": ("也换了说法检索", "也搜索了网络"),
    "en": ("also with other words", "and on the web"),
}


def abstention(state: State, *, filtered: bool = False) -> str:
    """The refusal in the question's language: the question as searched, and whether other words and the web were tried.

    `filtered` says that only some of the documents were to be searched.
    """
    language = state["language"]
    # A fault of the search explains an empty one just as well as the filter.
    nothing = filtered and not state.get("candidates") and not _failed(state, "dense", "bm25", "retrieve")
    question = neutral_line(next(iter(state["tried"]), state["standalone"]))  # As it was before any repair.
    if len(question) > QUOTED_LIMIT:
        question = f"{question[:QUOTED_LIMIT]}…"
    words, web = _ALSO[language]
    also = [words] if len(set(state["tried"])) > 1 and not nothing else []
    if "web" in state and (state["web"].hits or not _failed(state, "web")):
        also.append(web)
    zh = language == "zh"
    searched = ("，" if zh else ", ").join([_SEARCHED[language].format(question=question), *also])
    sorry = (_FILTERED if nothing else _SORRY)[language]
    gap, comma = ("", "、") if zh else (" ", ", ")
    hits = state["best"].hits if "best" in state else ()
    lacks = (lacking, unheard, untold)
    missing = dict.fromkeys(name for each in lacks for name in each(state["standalone"], hits))
    elsewhere = told_of_others(state["standalone"], hits, missing)
    nowhere = [name for name in missing if name not in elsewhere]
    if nowhere:
        # Between Chinese and Latin letters a space, between Chinese and Chinese none.
        before = " " if nowhere[0][0].isascii() else ""
        sorry += gap + _LACKING[language].format(names=comma.join(nowhere), gap=before)
    elif elsewhere:
        sorry += gap + _OF_OTHERS[language].format(names=comma.join(elsewhere))
    elif others := instead(state["standalone"], hits):
        found = comma.join(neutral_line(each) for each in others[0].found)
        sorry += gap + _INSTEAD[language].format(found=found, asked=neutral_line(others[0].asked))
    return f"{sorry}{searched}。" if zh else f"{sorry} {searched}."


def _failed(state: State, *stages: str) -> bool:
    return any(entry.stage in stages for entry in state["degraded"])


def refuse(state: State, run: Run) -> State:
    """The update of an answer that is a refusal; its text is sent to the reader."""
    text = abstention(state, filtered=run.filters is not None)
    run.emit(TextDelta(text))
    return {"text": text, "citations": (), "status": "abstained"}


async def abstain(state: State, run: Run) -> Result:
    return refuse(state, run), {"status": "abstained"}


NODE = Node(name="abstain", body=abstain)
