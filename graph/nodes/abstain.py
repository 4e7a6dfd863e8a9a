"""Say that the answer is not known, and where it was looked for."""

from __future__ import annotations

from graph.nodes.base import Node, Result, Run
from graph.state import State
from graph.types import Language, TextDelta

_TEXT: dict[Language, tuple[str, str, str, str]] = {
    "zh": ("没有找到足够的信息来回答这个问题。", "已检索：{what}。", "文档库（“{query}”）", "网络（“{query}”）"),
    "en": (
        "I did not find enough information to answer this question.",
        "Searched: {what}.",
        'the documents ("{query}")',
        'the web ("{query}")',
    ),
}


def abstention(state: State) -> str:
    """The refusal in the question's language, naming what was searched and with which words."""
    sorry, searched, documents, web = _TEXT[state["language"]]
    places = [documents.format(query=query) for query in state.get("tried", ())]
    if "web" in state:
        places.append(web.format(query=state["web"].query))
    zh = state["language"] == "zh"
    return sorry + ("" if zh else " ") + searched.format(what=("、" if zh else ", ").join(places))


def refuse(state: State, run: Run) -> State:
    """The update of an answer that is a refusal; its text is sent to the reader."""
    text = abstention(state)
    run.emit(TextDelta(text))
    return {"text": text, "citations": (), "status": "abstained"}


async def abstain(state: State, run: Run) -> Result:
    return refuse(state, run), {"status": "abstained"}


NODE = Node(name="abstain", body=abstain)
