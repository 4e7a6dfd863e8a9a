"""Train the network that judges whether a sentence answers a question: ``python -m tests.graph.fit_answers [--write]``.

Learned from the questions in ``tests/graph/answers`` alone, none of which is a public set's, and on no passage of the
second halves that the confidence is reported on. Each question is searched as it is and with its evidence withheld; the
best sentences of both searches are judged, those of the evidence as answers, all others as none. With --write the
weights in `retrieval/embedders/e5` are replaced. Needs the extra ``bge`` (torch); some 15 minutes an epoch.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pickle
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import torch
from torch.nn import functional

import retrieval.embedders.e5
from chunking.config import ChunkingConfig
from chunking.loaders import load_bytes
from chunking.types import Document
from graph.calibrate import cases_of, half_of, quality
from graph.confidence import calibration_for
from graph.cuts import Cut, cut
from graph.interaction import best_sentences
from graph.strips import relevances
from retrieval.config import EmbeddingConfig, RerankConfig, RetrievalConfig
from retrieval.embedders import build_embedder
from retrieval.embedders.base import Embedder, Role, token_reader
from retrieval.embedders.e5.answers import Reading, answer_network
from retrieval.embedders.e5.tokens import E5TokenReader
from retrieval.embedding import embed
from retrieval.ingest import ingest_documents
from retrieval.interaction import read_text
from retrieval.rerankers import build_reranker
from retrieval.retriever import Retriever
from retrieval.workspace import Workspace
from tests.graph.answer_network import Network, batched
from tests.graph.fit_calibrations import CANDIDATES, DATASETS, DEPTH, SUITES, TOP_K, documents, lines

WRITTEN = Path(__file__).parent / "answers"
FOLDER = Path(retrieval.embedders.e5.__file__).parent
PROVENANCE = FOLDER / "answers.json"
CORPORA = {"prose_en": ("multihop_en",), "prose_zh": ("cmrc2018_zh", "drcd_zh_hant")}
SENTENCES = 8
"""Judged in training, of each search: more than are read when a question is asked, for the sake of more near misses."""
EPOCHS, CASES, RATE, DECAY = 2, 16, 2e-3, 0.02
GROUP = 32
"""Pairs that are read at once."""
FURTHER_EPOCHS, FURTHER_RATE = 1, 1e-3
"""Of a network that has learned already, when questions of a new kind have come in."""


@dataclass(frozen=True, slots=True)
class Example:
    """One search: the question, its best sentences and whether each answers."""

    source: str
    document: str
    question: str
    sentences: tuple[str, ...]
    answers: tuple[bool, ...]
    held_out: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the spans of its document that answer it; none for a near miss."""

    question: str
    document: str
    spans: tuple[tuple[int, int], ...]
    source: str
    held_out: bool


def public(suite: str) -> tuple[list[Document], list[Asked]]:
    """All documents of a public set, and its answerable questions, which are held out."""
    parsed = _parsed(suite)
    asked = []
    for value in lines(DATASETS / suite / "questions.jsonl"):
        spans = value["answer_spans"] or value["reference_spans"]
        if spans and value["answerable"] and value.get("split", "dev") == "dev":
            own = spans[0]["doc_id"]
            places = tuple((span["start"], span["end"]) for span in spans if span["doc_id"] == own)
            asked.append(Asked(value["question"], parsed[own].id, places, suite, held_out=True))
    return list(parsed.values()), asked


def _parsed(suite: str) -> dict[str, Document]:
    """The documents of a public set by their ids there."""
    folder = DATASETS / suite
    return dict(zip((value["doc_id"] for value in lines(folder / "documents.jsonl")), documents(folder), strict=True))


def prose(name: str) -> tuple[list[Document], list[Asked]]:
    """Documents of public sets, without the second halves of those that are reported on, and the questions on them."""
    parsed = {
        own: document
        for suite in CORPORA[name]
        for own, document in _parsed(suite).items()
        if suite not in SUITES or half_of(own) == 0
    }
    written = [*lines(WRITTEN / f"{name}.jsonl"), *lines(WRITTEN / "prose_cross.jsonl")]
    return list(parsed.values()), [_asked(v, parsed[v["doc_id"]], name) for v in written if v["doc_id"] in parsed]


def manuals(language: str) -> tuple[list[Document], list[Asked]]:
    name = f"manuals_{language}"
    parsed = {
        path.name: load_bytes(path.read_bytes(), source=path.name, origin=path.name)
        for path in sorted((WRITTEN / "manuals" / language).glob("*.md"))
    }
    return list(parsed.values()), [_asked(v, parsed[v["document"]], name) for v in lines(WRITTEN / f"{name}.jsonl")]


def left_out() -> dict[str, str]:
    """By document the name of its product, for half of the families of manuals, which are read without it: a question
    says the name, and few pages repeat it."""
    found: dict[str, str] = {}
    for language in ("en", "zh"):
        documents, _ = manuals(language)
        names = {d.id: d.title.split()[0] if language == "en" else d.title[:2] for d in documents}
        shared = {name for name, count in Counter(names.values()).items() if count > 1}
        found |= {id_: name for id_, name in names.items() if name in shared and crc32(name.encode()) % 2}
    return found


def _asked(value: Mapping[str, Any], document: Document, name: str) -> Asked:
    spans = tuple((start, end) for start, end in value["spans"])
    held_out = hashlib.sha256(document.id.encode()).digest()[1] % 10 == 0
    return Asked(value["question"], document.id, spans, name, held_out)


def examples(documents: Sequence[Document], asked: Sequence[Asked], home: Path) -> Iterator[Example]:
    with Workspace.open(home, write=True) as workspace:
        embedder = build_embedder(EmbeddingConfig(provider="local"), workspace.cache)
        index = workspace.index(ChunkingConfig(), embedder)
        ingest_documents(workspace, index, documents)
        retriever = Retriever(index, embedder, RetrievalConfig())
        reranker = build_reranker(RerankConfig(provider="sentence"), embedder=embedder)
        assert reranker is not None
        likely = calibration_for(embedder.fingerprint, "sentence").probabilities
        for one in asked:

            def touches(hit: Any, one: Asked = one) -> bool:
                return hit.chunk.document_id == one.document and any(
                    hit.chunk.start < end and start < hit.chunk.end for start, end in one.spans
                )

            def answers(of: Cut, i: int, one: Asked = one) -> bool:
                start, end = of.spans[i]
                return of.hit.chunk.document_id == one.document and any(
                    min(end, b) - max(start, a) > 0.6 * min(end - start, b - a) for a, b in one.spans
                )

            for number, case in enumerate(
                cases_of(
                    retriever.retrieve(one.question, top_k=CANDIDATES).hits,
                    suite=one.source,
                    document=one.document,
                    touches=touches,
                    holds=touches,
                    rerank=lambda hits, q=one.question: reranker.rerank(q, hits),
                    depth=DEPTH,
                    top_k=TOP_K,
                )
            ):
                if number == 0 or one.spans:  # A near miss has nothing to withhold.
                    cuts = [
                        cut(hit, probability) for hit, probability in zip(case.hits, likely(case.hits), strict=True)
                    ]
                    places = _best(one.question, cuts, embedder)
                    yield Example(
                        one.source,
                        one.document,
                        one.question,
                        tuple(read_text(cuts[p].in_context(i)) for p, i in places),
                        tuple(answers(cuts[p], i) for p, i in places),
                        one.held_out,
                    )


def _best(question: str, cuts: Sequence[Cut], embedder: Embedder) -> list[tuple[int, int]]:
    texts = [one.text(i) for one in cuts for i in range(len(one.spans))]
    if not texts:
        return []
    cosines = embed(embedder, texts, "passage") @ embed(embedder, [question], "query")[0]
    return best_sentences(cuts, relevances(question, cuts, np.asarray(cosines, np.float64)), SENTENCES)


def _without(name: str, one: Example) -> Example:
    return replace(one, sentences=tuple(text.replace(name, "") for text in one.sentences)) if name else one


class Readings:
    """The readings of all texts, half as wide as they are used."""

    def __init__(self, reader: E5TokenReader, found: Sequence[Example]) -> None:
        self._asked = self._all(reader, {one.question for one in found}, "query")
        self._read = self._all(reader, {text for one in found for text in one.sentences}, "passage")

    @staticmethod
    def _all(reader: E5TokenReader, texts: set[str], role: Role) -> dict[str, Reading]:
        kept: dict[str, Reading] = {}
        ordered = sorted(texts)
        for first in range(0, len(ordered), 256):
            some = ordered[first : first + 256]
            for text, reading in zip(some, reader.read(some, role), strict=True):
                last, middle = (np.asarray(states, np.float16) for states in reading.depths)
                kept[text] = Reading((last, middle), reading.tokens, reading.information)  # type: ignore[arg-type]
        return kept

    def odds(self, network: Network, some: Sequence[Example]) -> torch.Tensor:
        """Of all sentences in turn. They are read in groups of like length, as each is padded to its longest."""
        pairs = [(self._asked[one.question], self._read[text]) for one in some for text in one.sentences]
        order = sorted(range(len(pairs)), key=lambda i: len(pairs[i][1].information))
        groups = [order[first : first + GROUP] for first in range(0, len(order), GROUP)]
        found = torch.cat([network(batched([pairs[i] for i in group])) for group in groups])
        return found[torch.tensor(order).argsort()]


def train(
    network: Network,
    found: Sequence[Example],
    readings: Readings,
    report: Callable[[Network], None],
    *,
    seed: int,
    epochs: int,
    rate: float,
) -> None:
    """Cross entropy of each sentence, and half of that of the best sentence of each search."""
    shuffled, chance = list(found), random.Random(seed)
    optimizer = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=DECAY)
    steps, step = epochs * -(-len(shuffled) // CASES), 0
    for epoch in range(epochs):
        chance.shuffle(shuffled)
        network.train()
        started, total = time.monotonic(), 0.0
        for first in range(0, len(shuffled), CASES):
            some = shuffled[first : first + CASES]
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1.0, step / 50 + 0.02) * max(0.02, 1 - step / steps)
            step += 1
            labels = torch.tensor([float(answer) for one in some for answer in one.answers])
            odds = readings.odds(network, some)
            loss = functional.binary_cross_entropy_with_logits(odds, labels)
            counts = [len(one.sentences) for one in some]
            best = torch.stack([own.max() for own in odds.split(counts)])
            any_ = torch.stack([own.max() for own in labels.split(counts)])
            loss = loss + 0.5 * functional.binary_cross_entropy_with_logits(best, any_)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            total += loss.item()
        print(
            f"epoch {epoch + 1}: loss {total * CASES / len(shuffled):.3f}, {time.monotonic() - started:.0f} s",
            flush=True,
        )
        report(network)


def shipped() -> Network:
    network = Network()
    network.load_state_dict({name: torch.from_numpy(value) for name, value in answer_network().weights.items()})
    return network


def held_out(network: Network, found: Sequence[Example], readings: Readings) -> dict[str, dict[str, float]]:
    """By source: AUC of the best sentence's odds, and how often it is right where an answer is among the sentences."""
    network.eval()
    figures: dict[str, dict[str, float]] = {}
    with torch.no_grad():
        for source in dict.fromkeys(one.source for one in found):
            own = [one for one in found if one.source == source]
            odds = [readings.odds(network, [one]).numpy() for one in own]
            told = quality([float(1 / (1 + np.exp(-each.max()))) for each in odds], [any(one.answers) for one in own])
            right = [one.answers[int(each.argmax())] for one, each in zip(own, odds, strict=True) if any(one.answers)]
            figures[source] = {
                "auc": round(told.auc, 3),
                "right": round(float(np.mean(right)), 3),
                "searches": len(own),
            }
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--write", action="store_true", help="replace the weights in retrieval/embedders/e5")
    parser.add_argument("--home", type=Path, help="keep the indexes and searches here, for the next time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--further", action="store_true", help="go on from the weights that ship")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        home = arguments.home or Path(temporary)
        names = left_out()
        found = [_without(names.get(one.document, ""), one) for one in collected(home) if one.sentences]
    reader = token_reader(build_embedder(EmbeddingConfig(provider="local"), None))
    assert isinstance(reader, E5TokenReader)
    readings = Readings(reader, found)
    learn, rest = [one for one in found if not one.held_out], [one for one in found if one.held_out]
    print(f"{len(learn)} searches to learn from, {len(rest)} held out", flush=True)
    torch.manual_seed(arguments.seed)
    network, epochs, rate = (
        (shipped(), FURTHER_EPOCHS, FURTHER_RATE) if arguments.further else (Network(), EPOCHS, RATE)
    )
    report = partial(_print_held_out, rest, readings)
    train(network, learn, readings, report, seed=arguments.seed, epochs=epochs, rate=rate)
    if arguments.write:
        weights = {name: value.numpy().astype(np.float16) for name, value in network.state_dict().items()}
        np.savez(FOLDER / "answers.npz", **weights)  # type: ignore[arg-type]
        provenance = {
            "data": "questions written for this project (tests/graph/answers) on passages of multihop_en, of the first "
            "halves, by SHA-256 of the document id, of cmrc2018_zh and drcd_zh_hant, on made-up manuals and "
            "documents of firms; none of "
            "these sets' own questions. Each question with its evidence and without it.",
            "searches": len(learn),
            "method": f"compare-aggregate network, {sum(w.size for w in weights.values())} weights, "
            f"{epochs} epochs of AdamW"
            + ("" if not arguments.further else f", after: {json.loads(PROVENANCE.read_text())['method']}"),
            "held_out": held_out(network, rest, readings),
        }
        PROVENANCE.write_text(json.dumps(provenance, indent=2) + "\n", encoding="utf-8")
        print(f"wrote {FOLDER / 'answers.npz'}")


def _print_held_out(rest: Sequence[Example], readings: Readings, network: Network) -> None:
    print(held_out(network, rest, readings), flush=True)


def collected(home: Path) -> list[Example]:
    """The examples of all sources, kept in `home` as they are made."""
    sources: dict[str, Callable[[], tuple[list[Document], list[Asked]]]] = {
        **{suite: partial(public, suite) for suite in SUITES},
        **{name: partial(prose, name) for name in CORPORA},
        **{f"manuals_{language}": partial(manuals, language) for language in ("en", "zh")},
    }
    found: list[Example] = []
    for name, source in sources.items():
        kept = home / f"{name}.examples"
        if not kept.exists():
            made = list(examples(*source(), home / name))
            kept.write_bytes(pickle.dumps(made))
        own: list[Example] = pickle.loads(kept.read_bytes())
        print(f"{name}: {len(own)} searches", flush=True)
        found += own
    return found


if __name__ == "__main__":
    main()
