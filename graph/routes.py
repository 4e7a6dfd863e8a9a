"""Where the graph goes next: pure functions of the state, bounded by its `Policy`."""

from __future__ import annotations

from typing import Literal

from graph.feedback import HOPELESS
from graph.state import Policy, State
from graph.types import Route


def route_of(confidence: float, policy: Policy) -> Route:
    """`correct` at or above `upper`, `incorrect` below `lower`; always `correct` where grading is off."""
    if not policy.grading or confidence >= policy.upper:
        return "correct"
    return "incorrect" if confidence < policy.lower else "ambiguous"


def after_condense(state: State) -> Literal["retrieve", "reply"]:
    return "retrieve" if state["aside"] is None and state.get("side") is None else "reply"


def after_grade(state: State) -> Literal["hop", "refine", "search_web", "rewrite", "abstain"]:
    policy, best = state["policy"], state.get("best")
    # Once, and only from passages that have something to do with the question.
    near = (
        best is not None
        and bool(best.hits)
        and best.confidence < policy.hop_below
        and max(best.confidence, best.apart) >= HOPELESS * policy.lower
    )
    if policy.hops and near and not state.get("hopped"):
        return "hop"
    return after_hop(state)


def after_hop(state: State) -> Literal["refine", "search_web", "rewrite", "abstain"]:
    policy = state["policy"]
    if state["route"] == "correct":
        return "refine"
    if state["route"] == "ambiguous":
        return "search_web" if policy.web else "refine"
    # `tried` holds the first search and one entry for each rewrite.
    if len(state["tried"]) <= policy.attempts:
        return "rewrite"
    return "search_web" if policy.web else "abstain"


def after_rewrite(state: State) -> Literal["retrieve", "search_web", "abstain"]:
    if state["rewritten"]:
        return "retrieve"
    return "search_web" if state["policy"].web else "abstain"


def after_web_grade(state: State) -> Literal["refine", "abstain"]:
    """An ambiguous question still has its own passages; an incorrect one needs the web's to be good enough."""
    if state["route"] == "ambiguous":
        return "refine"
    return "refine" if state["web"].hits and state["web"].confidence >= state["policy"].lower else "abstain"


def after_refine(state: State) -> Literal["generate", "abstain"]:
    return "generate" if state["sources"] else "abstain"
