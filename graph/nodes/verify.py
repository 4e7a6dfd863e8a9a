"""Judge what passed the gate: every sentence of the text is supported already, some may be missing."""

from __future__ import annotations

from graph.nodes.abstain import refuse
from graph.nodes.base import Node, Result, Run
from graph.state import State
from graph.types import Status


async def verify(state: State, run: Run) -> Result:
    if not state["text"]:
        return refuse(state, run), {"status": "abstained", "sentences_dropped": state["dropped"]}
    status: Status = "partial" if state["dropped"] or state["incomplete"] else "grounded"
    return {"status": status}, {
        "status": status,
        "sentences_dropped": state["dropped"],
        "citations": len(state["citations"]),
    }


NODE = Node(name="verify", body=verify)
