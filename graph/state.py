"""What the nodes of the graph read and write. A node returns only the keys it sets."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Annotated, TypedDict

from graph.evidence import Source
from graph.followups import Instead
from graph.side_requests import SideRequest
from graph.smalltalk import Aside
from graph.types import Answer, Citation, Language, NodeEvent, Route, Status, Turn, Usage
from retrieval.types import Degraded, Hit


@dataclass(frozen=True, slots=True)
class Policy:
    """What the routes decide by, taken from the pipeline file when a question arrives."""

    grading: bool
    upper: float
    lower: float
    attempts: int
    web: bool
    hops: int = 0
    hop_below: float = 0.0
    model: bool = False
    """Whether a model can rewrite a query; without one there must be words to add."""


@dataclass(frozen=True, slots=True)
class Graded:
    """One search and what grading made of it: `probabilities` belong to `hits`, one each."""

    query: str
    hits: tuple[Hit, ...] = ()
    probabilities: tuple[float, ...] = ()
    confidence: float = 0.0
    apart: float = 0.0
    """The confidence but for the network that looks for one sentence which answers: where none does, a hop may help."""
    missing: tuple[str, ...] = ()
    """Of a question that asks several things, those that are likely not in the evidence, while others likely are."""


class State(TypedDict, total=False):
    question: str
    """As the user asked it; no node writes it."""
    history: tuple[Turn, ...]
    language: Language
    policy: Policy
    standalone: str
    """The question with what it refers to in the conversation: graded, answered and shown to the model."""
    aside: Aside | None
    """What kind of small talk the question is: then nothing is searched for."""
    side: SideRequest | None
    """What a chat client asks for itself: nothing is searched for either."""
    read_as: str
    """The question as it was repaired: the reader is told."""
    search_query: str
    """What is searched for. A rewrite replaces this, never the question."""
    instead: tuple[Instead, ...]
    """Of a follow-up: what it asks of in the place of what was asked of before."""
    tried: Annotated[tuple[str, ...], operator.add]
    """Every search query so far, oldest first."""
    rewritten: bool
    """Whether the last rewrite found a query that has not been tried."""
    hits: tuple[Hit, ...]
    """Of the search in progress."""
    candidates: tuple[Hit, ...]
    """Of the first search, by the question itself."""
    by_part: tuple[tuple[str, tuple[Hit, ...]], ...]
    """Of a question that asks several things: each part that stands alone, and what its own search found."""
    best: Graded
    """The best graded search so far."""
    hopped: bool
    """Whether the search went on from what it found."""
    sub_questions: tuple[str, ...]
    """What the model then found missing: sentences that bear on these are kept as well."""
    web: Graded
    route: Route
    confidence: float
    sources: tuple[Source, ...]
    """The evidence, numbered from 1, that the answer may cite."""
    text: str
    citations: tuple[Citation, ...]
    dropped: int
    """Sentences of the model that were not supported by what they cite."""
    incomplete: bool
    """The model stopped before it was done, or said that the rest is not in the sources."""
    status: Status
    degraded: Annotated[tuple[Degraded, ...], operator.add]
    usage: Annotated[Usage, operator.add]
    trace: Annotated[tuple[NodeEvent, ...], operator.add]
    answer: Answer


Update = State
"""A node's result: the keys that change."""
