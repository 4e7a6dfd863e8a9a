"""Metrics of the answer's text, citations and refusals. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from eval.runs import Gold
from eval.text import answer_tokens, letters_and_digits, without_markers


def exact_match(answer: str, references: Sequence[str], lang: str) -> float:
    """1 when the answer's tokens are those of a reference, else 0 (Rajpurkar et al. 2016)."""
    tokens = answer_tokens(answer, lang)
    return float(any(tokens == answer_tokens(reference, lang) for reference in references))


def token_f1(answer: str, references: Sequence[str], lang: str) -> float:
    """Harmonic mean of precision and recall of tokens, best over the references; characters for Chinese."""
    return max(_f1(answer_tokens(answer, lang), answer_tokens(reference, lang)) for reference in references)


def contains_reference(answer: str, references: Sequence[str]) -> float:
    """1 when the letters and digits of a reference stand in the answer in one piece, else 0."""
    said, _ = letters_and_digits(without_markers(answer))
    return float(any((wanted := letters_and_digits(reference)[0]) and wanted in said for reference in references))


def citation_precision(citations: Sequence[Mapping[str, Any]], evidence: Gold) -> float:
    """Share of the citations that touch the evidence. Needs at least one citation."""
    return sum(_touches(citation, evidence) for citation in citations) / len(citations)


def citation_recall(citations: Sequence[Mapping[str, Any]], evidence: Gold) -> float:
    """Share of the evidence's groups that a citation touches."""
    return sum(any(_touches(citation, (group,)) for citation in citations) for group in evidence) / len(evidence)


def _touches(citation: Mapping[str, Any], evidence: Gold) -> bool:
    return any(
        citation["document"] == span.document and citation["start"] < span.end and span.start < citation["end"]
        for group in evidence
        for span in group
    )


def _f1(said: Sequence[str], wanted: Sequence[str]) -> float:
    if not said or not wanted:
        return float(said == wanted)
    common = sum((Counter(said) & Counter(wanted)).values())
    if not common:
        return 0.0
    precision, recall = common / len(said), common / len(wanted)
    return 2 * precision * recall / (precision + recall)
