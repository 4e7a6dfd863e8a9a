"""Train the network that judges whether a sentence answers a question: ``python -m tests.graph.fit_answers [--write]``.

Learned from the questions in ``tests/graph/answers`` alone, none of which is a public set's, and on no passage of the
second halves that the confidence is reported on. Each question is searched as it is and with its evidence withheld; the
best sentences of both searches are judged, those of the evidence as answers, all others as none. With --write the
weights in `retrieval/embedders/e5` are replaced. Needs the extra ``bge`` (torch); some 20 minutes on two cores.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pickle
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

import retrieval.embedders.e5
from chunking.config import ChunkingConfig
from chunking.loaders import load_bytes
from chunking.types import Document
from graph.calibrate import cases_of, half_of, quality
from graph.confidence import calibration_for
from graph.interaction import best_sentences
from graph.strips import Cut, cut, relevances
from retrieval.config import EmbeddingConfig, RerankConfig, RetrievalConfig
from retrieval.embedders import build_embedder
from retrieval.embedders.base import Embedder, Role, token_reader
from retrieval.embedders.e5.answers import COMMON, HEADS, LOOK, PROJECTED, RARE, Reading, echoed
from retrieval.embedders.e5.tokens import E5TokenReader
from retrieval.embedding import embed
from retrieval.ingest import ingest_documents
from retrieval.interaction import read_text
from retrieval.rerankers import build_reranker
from retrieval.retriever import Retriever
from retrieval.workspace import Workspace
from tests.graph.fit_calibrations import CANDIDATES, DATASETS, DEPTH, SUITES, TOP_K, lines

WRITTEN = Path(__file__).parent / "answers"
CORPORA = {"prose_en": ("multihop_en",), "prose_zh": ("cmrc2018_zh", "drcd_zh_hant")}
SENTENCES = 8
"""Judged in training, of each search: more than are read when a question is asked, for the sake of more near misses."""
HIDDEN, DIMENSION, WIDTH, DEPTHS, ECHOES, DROPOUT = 384, 48, 64, 2, 2, 0.25
EPOCHS, CASES, RATE, DECAY = 2, 16, 2e-3, 0.02
LONGEST = 160
"""Tokens of a sentence that training reads; the few that are longer end there."""


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
    parsed: dict[str, Document] = {}
    for value in lines(DATASETS / suite / "documents.jsonl"):
        name = value.get("file", f"{value['doc_id']}.txt")
        data = (DATASETS / suite / "corpus" / name).read_bytes() if "file" in value else value["text"].encode()
        parsed[value["doc_id"]] = load_bytes(data, source=name, origin=value["doc_id"], title=value["title"])
    asked = []
    for value in lines(DATASETS / suite / "questions.jsonl"):
        spans = value["answer_spans"] or value["reference_spans"]
        if spans and value["answerable"] and value.get("split", "dev") == "dev":
            own = spans[0]["doc_id"]
            places = tuple((span["start"], span["end"]) for span in spans if span["doc_id"] == own)
            asked.append(Asked(value["question"], parsed[own].id, places, suite, held_out=True))
    return list(parsed.values()), asked


def prose(name: str) -> tuple[list[Document], list[Asked]]:
    """Documents of public sets, without the second halves of those that are reported on, and the questions on them."""
    parsed: dict[str, Document] = {}
    for suite in CORPORA[name]:
        for value in lines(DATASETS / suite / "documents.jsonl"):
            if suite not in SUITES or half_of(value["doc_id"]) == 0:
                own = value["doc_id"]
                parsed[own] = load_bytes(value["text"].encode(), source=own, origin=own, title=value["title"])
    written = [*lines(WRITTEN / f"{name}.jsonl"), *lines(WRITTEN / "prose_cross.jsonl")]
    return list(parsed.values()), [_asked(v, parsed[v["doc_id"]], name) for v in written if v["doc_id"] in parsed]


def manuals(language: str) -> tuple[list[Document], list[Asked]]:
    name = f"manuals_{language}"
    parsed = {
        path.name: load_bytes(path.read_bytes(), source=path.name, origin=path.name)
        for path in sorted((WRITTEN / "manuals" / language).glob("*.md"))
    }
    return list(parsed.values()), [_asked(v, parsed[v["document"]], name) for v in lines(WRITTEN / f"{name}.jsonl")]


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


class Batch(NamedTuple):
    """Pairs of a question and a sentence, padded: states (pairs, tokens, depths * hidden), which tokens there are
    (pairs, tokens), and of the question's tokens their information and echoes (`answers.echoed`)."""

    question: Tensor
    asked: Tensor
    information: Tensor
    echoes: Tensor
    text: Tensor
    read: Tensor


class Network(nn.Module):
    """`retrieval.embedders.e5.answers.AnswerNetwork` over padded batches, with dropout."""

    def __init__(self) -> None:
        super().__init__()
        wide = HIDDEN * DEPTHS
        self.Q = nn.Linear(wide, DIMENSION * HEADS, bias=False)
        self.K = nn.Linear(wide, DIMENSION * HEADS, bias=False)
        self.V, self.U = nn.Linear(wide, DIMENSION), nn.Linear(wide, DIMENSION)
        self.tau = nn.Parameter(torch.full((DEPTHS,), 12.0 / DEPTHS))
        self.mid = nn.Parameter(torch.full((DEPTHS,), 0.55))
        self.sh = nn.Parameter(torch.full((DEPTHS,), 15.0))
        features = 3 * DIMENSION + DIMENSION * HEADS + HEADS + DEPTHS + 2 * (DEPTHS + ECHOES) + 1
        gelu, drop = nn.GELU(approximate="tanh"), nn.Dropout(DROPOUT)
        self.cmp = nn.Sequential(nn.Linear(features, WIDTH), gelu, drop, nn.Linear(WIDTH, WIDTH), gelu)
        self.att = nn.Linear(WIDTH, 1)
        self.out = nn.Sequential(nn.Linear(3 * WIDTH + 2 * (DEPTHS + ECHOES), WIDTH), gelu, drop, nn.Linear(WIDTH, 1))
        self.drop = drop

    def forward(self, batch: Batch) -> Tensor:
        """Log odds, shape (pairs,)."""
        q, asked, information, echoes, p, read = batch
        pairs, tokens = q.shape[:2]
        split = [x.unflatten(-1, (DEPTHS, HIDDEN)).transpose(1, 2) for x in (q, p)]
        cosines = (split[0] @ split[1].transpose(-1, -2)).masked_fill(~read[:, None, None, :], -1)
        nearest = cosines.amax(-1).transpose(1, 2)
        beside = torch.softmax((cosines * self.tau[:, None, None]).sum(1).masked_fill(~read[:, None, :], -1e4), -1)
        q, p = self.drop(q), self.drop(p)
        own, others = PROJECTED * self.U(q), PROJECTED * self.V(p)
        beside = beside @ others
        heads = [
            linear(x).unflatten(-1, (HEADS, DIMENSION)).transpose(1, 2) for linear, x in ((self.Q, q), (self.K, p))
        ]
        look = (LOOK * heads[0] @ heads[1].transpose(-1, -2)).masked_fill(~read[:, None, None, :], -1e4)
        seen = (torch.softmax(look, -1) @ others[:, None]).transpose(1, 2).reshape(pairs, tokens, -1)
        match = torch.cat([torch.sigmoid(self.sh * (nearest - self.mid)), echoes], -1)
        weight = (information - COMMON).clamp(min=0)[..., None] / RARE
        there = asked[..., None]
        compared = self.cmp(
            torch.cat(
                [
                    own,
                    beside,
                    own * beside,
                    seen,
                    look.amax(-1).transpose(1, 2).tanh(),
                    nearest,
                    match,
                    weight,
                    weight * match,
                ],
                -1,
            )
        )
        chosen = (torch.softmax(self.att(compared).masked_fill(~there, -1e4), 1) * compared).sum(1)
        mean = (compared * there).sum(1) / there.sum(1)
        share = (weight * match * there).sum(1) / ((weight * there).sum(1) + 1e-6)
        missed = ((1 - match) * weight * there).amax(1)
        highest = compared.masked_fill(~there, -1e4).amax(1)
        found: Tensor = self.out(torch.cat([mean, highest, chosen, share, missed], -1))[:, 0]
        return found


def padded(readings: Sequence[Reading]) -> tuple[Tensor, Tensor, Tensor]:
    """States, which tokens there are, and information."""
    tokens = max(1, *(min(LONGEST, len(one.information)) for one in readings))
    states = np.zeros((len(readings), tokens, HIDDEN * DEPTHS), np.float32)
    there, information = np.zeros((len(readings), tokens), bool), np.zeros((len(readings), tokens), np.float32)
    for row, one in enumerate(readings):
        count = min(LONGEST, len(one.information))
        states[row, :count] = np.concatenate(one.depths, axis=1)[:count]
        there[row, :count], information[row, :count] = True, one.information[:count]
    there[:, 0] = True
    return torch.from_numpy(states), torch.from_numpy(there), torch.from_numpy(information)


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

    def batch(self, some: Sequence[Example]) -> Batch:
        return batched([(self._asked[one.question], self._read[text]) for one in some for text in one.sentences])


def batched(pairs: Sequence[tuple[Reading, Reading]]) -> Batch:
    states, asked, information = padded([question for question, _ in pairs])
    echoes = np.zeros((*asked.shape, ECHOES), np.float32)
    for row, (question, text) in enumerate(pairs):
        own = echoed(question.tokens, text.tokens)[:LONGEST]
        echoes[row, : len(own)] = own
    text, read, _ = padded([text for _, text in pairs])
    return Batch(states, asked, information, torch.from_numpy(echoes), text, read)


def train(found: Sequence[Example], readings: Readings, report: Callable[[Network], None], seed: int = 1) -> Network:
    """Cross entropy of each sentence, and half of that of the best sentence of each search."""
    torch.manual_seed(seed)
    shuffled, chance = list(found), random.Random(seed)
    network = Network()
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    steps, step = EPOCHS * -(-len(shuffled) // CASES), 0
    for epoch in range(EPOCHS):
        chance.shuffle(shuffled)
        network.train()
        started, total = time.monotonic(), 0.0
        for first in range(0, len(shuffled), CASES):
            some = shuffled[first : first + CASES]
            for group in optimizer.param_groups:
                group["lr"] = RATE * min(1.0, step / 50 + 0.02) * max(0.02, 1 - step / steps)
            step += 1
            labels = torch.tensor([float(answer) for one in some for answer in one.answers])
            odds = network(readings.batch(some))
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
    return network


def held_out(network: Network, found: Sequence[Example], readings: Readings) -> dict[str, dict[str, float]]:
    """By source: AUC of the best sentence's odds, and how often it is right where an answer is among the sentences."""
    network.eval()
    figures: dict[str, dict[str, float]] = {}
    with torch.no_grad():
        for source in dict.fromkeys(one.source for one in found):
            own = [one for one in found if one.source == source]
            odds = [network(readings.batch([one])).numpy() for one in own]
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
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        home = arguments.home or Path(temporary)
        found = [one for one in collected(home) if one.sentences]
    reader = token_reader(build_embedder(EmbeddingConfig(provider="local"), None))
    assert isinstance(reader, E5TokenReader)
    readings = Readings(reader, found)
    learn, rest = [one for one in found if not one.held_out], [one for one in found if one.held_out]
    print(f"{len(learn)} searches to learn from, {len(rest)} held out", flush=True)
    network = train(learn, readings, lambda made: print(held_out(made, rest, readings), flush=True), arguments.seed)
    if arguments.write:
        folder = Path(retrieval.embedders.e5.__file__).parent
        weights = {name: value.numpy().astype(np.float16) for name, value in network.state_dict().items()}
        np.savez(folder / "answers.npz", **weights)  # type: ignore[arg-type]
        provenance = {
            "data": "questions written for this project (tests/graph/answers) on passages of multihop_en, of the first "
            "halves, by SHA-256 of the document id, of cmrc2018_zh and drcd_zh_hant, and on made-up manuals; none of "
            "these sets' own questions. Each question with its evidence and without it.",
            "searches": len(learn),
            "method": f"compare-aggregate network, {sum(w.size for w in weights.values())} weights, "
            f"{EPOCHS} epochs of AdamW",
            "held_out": held_out(network, rest, readings),
        }
        (folder / "answers.json").write_text(json.dumps(provenance, indent=2) + "\n", encoding="utf-8")
        print(f"wrote {folder / 'answers.npz'}")


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
