"""Pk and WindowDiff of every breakpoint method on texts of known topics, bounds chosen on one half of the documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from chunking.strategies.base import SentenceEmbedder
from chunking.strategies.breakpoints import DEFAULT_BOUNDS, Cuts, find_cuts
from tests.bench.chunking.retrieval import held_out

GRIDS: dict[str, Sequence[float]] = {
    "threshold": np.arange(0.70, 0.95, 0.01).tolist(),
    "percentile": np.arange(60, 99, 2.5).tolist(),
    "stddev": np.arange(0, 2.6, 0.25).tolist(),
    "iqr": np.arange(0, 2.6, 0.25).tolist(),
    "gradient": np.arange(60, 99, 2.5).tolist(),
    "depth": np.arange(-0.5, 2.1, 0.125).tolist(),
    "optimal": np.arange(0.5, 4.1, 0.125).tolist(),
}
WINDOWS = (1, 2, 3, 4, 5)


@dataclass(frozen=True)
class Text:
    """One document: sentence vectors, and the gaps where a topic truly ends."""

    name: str
    vectors: np.ndarray
    truth: Cuts

    @property
    def k(self) -> int:
        """Half the mean length of a true segment, in sentences."""
        return max(1, round(len(self.vectors) / (len(self.truth) + 1) / 2))


@dataclass(frozen=True)
class Score:
    method: str
    bound: str
    window: str
    pk: float
    windowdiff: float
    shipped_pk: float | None = None


def pk(text: Text, cuts: Cuts) -> float:
    """Beeferman, Berger & Lafferty 1999: pairs k apart that are wrongly told to share a segment or not. 0 is best."""
    truth, guess = (_labels(each, len(text.vectors)) for each in (text.truth, cuts))
    k = text.k
    return float(np.mean((truth[:-k] == truth[k:]) != (guess[:-k] == guess[k:])))


def windowdiff(text: Text, cuts: Cuts) -> float:
    """Pevzner & Hearst 2002: windows of k gaps with a wrong number of boundaries. 0 is best."""
    truth, guess = (_labels(each, len(text.vectors)) for each in (text.truth, cuts))
    k = text.k
    return float(np.mean((truth[k:] - truth[:-k]) != (guess[k:] - guess[:-k])))


def load(folder: Path, embed: SentenceEmbedder) -> list[Text]:
    documents = (folder / "documents.jsonl").read_text("utf-8").strip().split("\n")
    texts = {row["doc_id"]: row["text"] for row in map(json.loads, documents)}
    found = []
    for row in map(json.loads, (folder / "segments.jsonl").read_text("utf-8").strip().split("\n")):
        sentences = [texts[row["doc_id"]][start:end] for start, end in row["sentences"]]
        begins = {start for start, _ in row["segments"][1:]}
        truth = [i - 1 for i, (start, _) in enumerate(row["sentences"]) if start in begins]
        found.append(Text(row["doc_id"], embed(sentences), truth))
    return found


def scores(texts: Sequence[Text]) -> tuple[list[Score], int, int]:
    """Every method with the bound and window of least Pk on one half, scored on the other; and both halves' sizes."""
    tuned = [text for text in texts if not held_out(text.name)]
    judged = [text for text in texts if held_out(text.name)]
    found = []
    for method, grid in GRIDS.items():
        settings = [(bound, window) for window in ((3,) if method == "optimal" else WINDOWS) for bound in grid]
        bound, window = min(settings, key=lambda each: _mean(pk, tuned, _cutter(method, *each)))
        cutter = _cutter(method, bound, window)
        shipped = _mean(pk, judged, _cutter(method, DEFAULT_BOUNDS[method], 3))
        named = "–" if method == "optimal" else str(window)
        found.append(
            Score(method, f"{bound:g}", named, _mean(pk, judged, cutter), _mean(windowdiff, judged, cutter), shipped)
        )
    for name, blind in (("uniform, right count", _uniform), ("random, right count", _random)):
        found.append(Score(name, "–", "–", _mean(pk, judged, blind), _mean(windowdiff, judged, blind)))
    return found, len(tuned), len(judged)


def _cutter(method: str, bound: float, window: int) -> Callable[[Text], Cuts]:
    return lambda text: find_cuts(text.vectors, method=method, bound=bound, window=window)[0]


def _uniform(text: Text) -> Cuts:
    n, count = len(text.vectors), len(text.truth)
    return [n * (i + 1) // (count + 1) - 1 for i in range(count)]


def _random(text: Text) -> Cuts:
    chosen = np.random.default_rng(len(text.vectors)).choice(len(text.vectors) - 1, len(text.truth), replace=False)
    return sorted(int(cut) for cut in chosen)


def _mean(measure: Callable[[Text, Cuts], float], texts: Sequence[Text], cutter: Callable[[Text], Cuts]) -> float:
    return float(np.mean([measure(text, cutter(text)) for text in texts]))


def _labels(cuts: Cuts, n: int) -> np.ndarray:
    labels = np.zeros(n, dtype=int)
    for cut in cuts:
        labels[cut + 1 :] += 1
    return labels
