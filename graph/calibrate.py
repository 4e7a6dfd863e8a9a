"""Fit a calibration: each question once with its evidence among the candidates, once with it withheld.

Near misses stay when evidence is withheld, so that the model learns the difference that matters. Halves are
split by document, never by question: two questions of one passage share its words.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from graph.confidence import Calibration, fit, passage_features, question_features
from retrieval.types import Hit

SIGNALS = ("best_sentence", "rerank", "dense", "coverage")
"""By how closely each has read the passage. The sentence reranker's own score is relative to one question."""


READ = ("interaction", "ahead", "answers")
"""Signals of `graph.interaction`."""
ENTRY_L2 = 1.0
"""Penalty of ``entry``: few questions have it, and to those it says by itself whether the answer is there, so that the
penalty of the others would keep it small (expected calibration error of the technical documents .16 instead of .04)."""


@dataclass(frozen=True, slots=True)
class Case:
    """One search of one question. `holds` says of each hit whether it holds the whole answer."""

    suite: str
    document: str
    """Of the evidence: decides the half."""
    hits: tuple[Hit, ...]
    holds: tuple[bool, ...]
    told: bool | None = None
    """Whether the documents answer the question, where it is not known which hit does and `holds` is empty."""

    @property
    def answerable(self) -> bool:
        return any(self.holds) if self.told is None else self.told

    def pairs(self) -> Iterable[tuple[Hit, bool]]:
        return zip(self.hits, self.holds, strict=True) if self.told is None else ()

    @property
    def half(self) -> int:
        return half_of(self.document)


def half_of(document: str) -> int:
    """0 or 1, by the SHA-256 of a document's id."""
    return hashlib.sha256(document.encode()).digest()[0] % 2


def cases_of(
    candidates: Sequence[Hit],
    *,
    suite: str,
    document: str,
    touches: Callable[[Hit], bool],
    holds: Callable[[Hit], bool],
    rerank: Callable[[Sequence[Hit]], Sequence[Hit]],
    read: Callable[[Sequence[Hit]], Sequence[Hit]] = tuple,
    depth: int,
    top_k: int,
) -> tuple[Case, Case]:
    """The search as it is, and as it would be without the evidence (`touches`: hits that overlap it).

    `candidates` should reach well beyond `depth`, the number that is reranked, so that withholding leaves enough.
    `read` gives the best `top_k` the signals that grading adds (`graph.interaction`).
    """
    made = []
    for hits in (list(candidates), withheld(candidates, touches)):
        kept = tuple(read(tuple(rerank(hits[:depth]))[:top_k]))
        made.append(Case(suite, document, kept, tuple(holds(hit) for hit in kept)))
    return made[0], made[1]


def withheld(candidates: Sequence[Hit], touches: Callable[[Hit], bool]) -> list[Hit]:
    """The candidates without the evidence, ranks moved up as if it had never been indexed."""
    gone = [hit for hit in candidates if touches(hit)]

    def moved(hit: Hit) -> Hit:
        ranks = {
            stage: rank - sum(1 for other in gone if other.ranks.get(stage, rank) < rank)
            for stage, rank in hit.ranks.items()
        }
        return replace(hit, ranks=ranks)

    return [moved(hit) for hit in candidates if not touches(hit)]


def calibrate(
    cases: Iterable[Case],
    *,
    name: str,
    embedder: str,
    reranker: str,
    signal: str | None = None,
    l2: float = 10.0,
    provenance: Mapping[str, Any] | None = None,
) -> Calibration:
    """A calibration fitted on `cases`. Raises ConfigError where all are answerable or none is.

    `signal` is the one that has read the text most closely; by default the best that the cases carry. Few features,
    because many of them are alike and a fit on a few hundred questions must hold for other documents.
    Probabilities are for as many answerable as unanswerable questions: in each suite both weigh the same.
    """
    cases = [case for case in cases if case.hits]
    rows = [question_features(case.hits) for case in cases]
    signal = signal or next(name for name in SIGNALS if any(name in row for row in rows))
    if signal != "coverage" and any("interaction" in row for row in rows):
        # What has read the tokens leaves little to the others: more of them only fit the sets at hand.
        features = {*READ, "answers_matched", f"{signal}_margin", "coverage"}
    else:
        features = {f"{signal}_margin", f"{signal}_first", "coverage", "coverage_first", "agreement"}
        features |= {"dense"} if signal != "coverage" else set()
    features |= {"entry"} if any("entry" in row for row in rows) else set()
    passages = [(passage_features(hit, case.hits), held) for case in cases for hit, held in case.pairs()]
    return Calibration(
        name=name,
        embedder=embedder,
        reranker=reranker,
        question=fit(
            rows,
            [case.answerable for case in cases],
            features=sorted(features),
            l2=l2,
            own_l2={"entry": ENTRY_L2},
            weights=_balanced(cases),
        ),
        passage=fit(
            [row for row, _ in passages],
            [held for _, held in passages],
            features=sorted({signal, f"{signal}_gap", "coverage", "coverage_gap", "agreement"}),
            l2=l2,
        ),
        provenance=dict(provenance or {}),
    )


def _balanced(cases: Sequence[Case]) -> list[float]:
    count = Counter((case.suite, case.answerable) for case in cases)
    both = Counter(case.suite for case in cases)
    return [
        both[case.suite] / 2 / count[case.suite, case.answerable] if count[case.suite, not case.answerable] else 1.0
        for case in cases
    ]


def without_interaction(case: Case) -> Case:
    """The case as an embedder grades it that gives vectors and reads no tokens."""
    hits = tuple(
        replace(hit, signals={name: value for name, value in hit.signals.items() if name not in READ})
        for hit in case.hits
    )
    return replace(case, hits=hits)


@dataclass(frozen=True, slots=True)
class Bin:
    """Of a reliability diagram: cases whose probability lies in [`low`, `high`)."""

    low: float
    high: float
    count: int
    predicted: float
    observed: float


@dataclass(frozen=True, slots=True)
class Quality:
    """How good probabilities are: discrimination (`auc`) and calibration (`ece`, `brier`, `bins`)."""

    count: int
    auc: float
    ece: float
    brier: float
    bins: tuple[Bin, ...]


def quality(probabilities: Sequence[float], labels: Sequence[bool], *, bins: int = 10) -> Quality:
    """AUC counts ties as half; the expected calibration error weighs equal-width bins by their cases."""
    p, y = np.asarray(probabilities, dtype=np.float64), np.asarray(labels, dtype=bool)
    edges = np.linspace(0, 1, bins + 1)
    place = np.clip(np.digitize(p, edges) - 1, 0, bins - 1)
    filled = tuple(
        Bin(float(edges[b]), float(edges[b + 1]), int(own.sum()), float(p[own].mean()), float(y[own].mean()))
        for b in range(bins)
        if (own := place == b).any()
    )
    return Quality(
        count=len(p),
        auc=_auc(p, y),
        ece=sum(one.count * abs(one.predicted - one.observed) for one in filled) / len(p) if len(p) else float("nan"),
        brier=float(((p - y) ** 2).mean()) if len(p) else float("nan"),
        bins=filled,
    )


def _auc(p: np.ndarray[Any, np.dtype[np.float64]], y: np.ndarray[Any, np.dtype[np.bool_]]) -> float:
    above, below = p[y], p[~y]
    if not len(above) or not len(below):
        return float("nan")
    wins = (above[:, None] > below[None, :]).mean() + 0.5 * (above[:, None] == below[None, :]).mean()
    return float(wins)


def measured(calibration: Calibration, cases: Iterable[Case]) -> dict[str, Quality]:
    """The quality of the question's confidence by suite, and over ``all``."""
    scored = [(case.suite, calibration.confidence(case.hits), case.answerable) for case in cases]
    suites = [*dict.fromkeys(suite for suite, _, _ in scored), "all"]
    return {
        name: quality(
            [p for suite, p, _ in scored if name in (suite, "all")],
            [label for suite, _, label in scored if name in (suite, "all")],
        )
        for name in suites
    }
