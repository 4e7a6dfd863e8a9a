"""Answer small talk with a fixed line: nothing is searched for and nothing is claimed."""

from __future__ import annotations

from graph.nodes.base import Node, Result, Run
from graph.smalltalk import reply_to
from graph.state import State
from graph.types import TextDelta


async def reply(state: State, run: Run) -> Result:
    kind = state["aside"]
    # The route leads here only with a kind of small talk.
    assert kind is not None
    text = reply_to(kind, state["language"])
    run.emit(TextDelta(text))
    update: State = {"text": text, "citations": (), "status": "abstained", "route": "incorrect", "confidence": 0.0}
    return update, {"kind": kind, "searched": "nothing"}


NODE = Node(name="reply", body=reply)
