"""Metrics of the answer's text, citations and refusals. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from eval.runs import Gold
from eval.text import answer_tokens, contains_words, without_markers
from graph.language import language_of


def exact_match(answer: str, references: Sequence[str], lang: str) -> float:
    """1 when the answer's tokens are those of a reference, else 0 (Rajpurkar et al. 2016)."""
    return float(any(said == wanted for said, wanted in _tokens(answer, references, lang)))


def token_f1(answer: str, references: Sequence[str], lang: str) -> float:
    """Harmonic mean of precision and recall of tokens, best over the references; characters for Chinese."""
    return max(_f1(said, wanted) for said, wanted in _tokens(answer, references, lang))


def contains_reference(answer: str, references: Sequence[str]) -> float:
    """1 when a reference stands in the answer in one piece, word for word, else 0."""
    said = without_markers(answer)
    return float(any(contains_words(said, reference) for reference in references))


def citation_precision(citations: Sequence[Mapping[str, Any]], evidence: Gold) -> float:
    """Share of the citations that touch the evidence. Needs at least one citation."""
    return sum(_touches(citation, evidence) for citation in citations) / len(citations)


def citation_recall(citations: Sequence[Mapping[str, Any]], evidence: Gold) -> float:
    """Share of the evidence's groups that a citation touches."""
    return sum(any(_touches(citation, (group,)) for citation in citations) for group in evidence) / len(evidence)


def _tokens(answer: str, references: Sequence[str], lang: str) -> Iterator[tuple[list[str], list[str]]]:
    """Of the answer and of each reference, whose script decides where the question is asked in another language."""
    for reference in references:
        read_as = "zh" if language_of(reference) == "zh" else lang
        yield answer_tokens(answer, read_as), answer_tokens(reference, read_as)


def _touches(citation: Mapping[str, Any], evidence: Gold) -> bool:
    return any(
        place["document"] == span.document and place["start"] < span.end and span.start < place["end"]
        for place in (citation, *citation.get("also_in", ()))
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
