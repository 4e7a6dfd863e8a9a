"""The graph: nodes and edges only. Bodies are in `graph.nodes`, decisions in `graph.routes`.

condense -> retrieve -> rerank -> grade --correct-----------------------> refine -> generate -> verify -> answer
               ^                   |---ambiguous--> search_web -> grade_web -> refine (both)
               |                   `---incorrect--> rewrite --(attempts left)--> retrieve
               |                                       `--(none left)--> search_web -> grade_web -> refine | abstain

Below `rewrite.hop_below` the search first goes on from what it found, once: grade -> hop -> as above.
Small talk asks nothing of the documents: condense -> reply -> answer.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from graph import routes
from graph.nodes import NODES
from graph.nodes.base import Run, guarded
from graph.state import State

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph


@cache
def build_graph() -> CompiledStateGraph[State, Run, State, State]:
    """The compiled machine. Its dependencies come with each run as the context, a `Run`, so there is one for all."""
    from langgraph.graph import END, START, StateGraph

    graph = StateGraph(State, context_schema=Run)
    for node in NODES:
        graph.add_node(node.name, guarded(node))

    graph.add_edge(START, "condense")
    graph.add_conditional_edges("condense", routes.after_condense, ["retrieve", "reply"])
    graph.add_edge("retrieve", "rerank")
    graph.add_edge("rerank", "grade")
    graph.add_conditional_edges("grade", routes.after_grade, ["hop", "refine", "search_web", "rewrite", "abstain"])
    graph.add_conditional_edges("hop", routes.after_hop, ["refine", "search_web", "rewrite", "abstain"])
    graph.add_conditional_edges("rewrite", routes.after_rewrite, ["retrieve", "search_web", "abstain"])
    graph.add_edge("search_web", "grade_web")
    graph.add_conditional_edges("grade_web", routes.after_web_grade, ["refine", "abstain"])
    graph.add_conditional_edges("refine", routes.after_refine, ["generate", "abstain"])
    graph.add_edge("generate", "verify")
    graph.add_edge("verify", "answer")
    graph.add_edge("abstain", "answer")
    graph.add_edge("reply", "answer")
    graph.add_edge("answer", END)
    return graph.compile(name="crag")


def drawing() -> str:
    """LangGraph's own drawing of the machine, in Mermaid's language. Every pipeline runs the same one."""
    return build_graph().get_graph().draw_mermaid()
