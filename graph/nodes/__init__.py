"""The nodes of the graph, one module each."""

from __future__ import annotations

from graph.nodes import (
    abstain,
    answer,
    condense,
    generate,
    grade,
    hop,
    refine,
    reply,
    rerank,
    retrieve,
    rewrite,
    verify,
    web,
)
from graph.nodes.base import Node

NODES: tuple[Node, ...] = (
    condense.NODE,
    reply.NODE,
    retrieve.NODE,
    rerank.NODE,
    grade.NODE,
    hop.NODE,
    rewrite.NODE,
    web.NODE,
    grade.WEB_NODE,
    refine.NODE,
    generate.NODE,
    verify.NODE,
    abstain.NODE,
    answer.NODE,
)
