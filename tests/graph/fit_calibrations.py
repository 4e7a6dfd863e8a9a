"""Refit the calibrations that ship: ``python -m tests.graph.fit_calibrations [--write] [--home FOLDER]``.

Each question of the public sets is asked once with its evidence indexed and once with it withheld. Fitted on
one half of the documents, reported on the other. With --write the files in `graph/calibrations` are replaced.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import graph.calibrations
from chunking.config import ChunkingConfig
from chunking.loaders import load_bytes
from chunking.types import Document
from graph.calibrate import Case, calibrate, cases_of, measured, quality, without_interaction
from graph.confidence import GENERIC, Calibration, calibration_for
from graph.interaction import with_interaction
from retrieval.config import EmbeddingConfig, RerankConfig, RetrievalConfig
from retrieval.embedders import build_embedder
from retrieval.ingest import ingest_documents
from retrieval.rerankers import build_reranker
from retrieval.retriever import Retriever
from retrieval.types import Hit
from retrieval.workspace import Workspace

DATASETS = Path(__file__).parents[3] / "shared" / "datasets"
SUITES = ("cmrc2018_zh", "drcd_zh_hant", "xquad_en", "xquad_zh", "docs_seatunnel_zh", "docs_seatunnel_en")
WRITTEN = Path(__file__).parent / "asked"
COMPANY = "company"
"""Set of `WRITTEN`: questions with near misses of their own, of which it is not marked what answers them."""
STRANGERS = ("technology", "stories", "everyday")
"""Three more, on which nothing is fitted."""
CANDIDATES, DEPTH, TOP_K = 60, RerankConfig().candidates, RetrievalConfig().top_k
Spans = Sequence[Mapping[str, Any]]


def documents(suite: Path) -> Iterator[Document]:
    for value in lines(suite / "documents.jsonl"):
        name = value.get("file", f"{value['doc_id']}.txt")
        data = (suite / "corpus" / name).read_bytes() if "file" in value else value["text"].encode()
        yield load_bytes(data, source=name, origin=value["doc_id"], title=value["title"])


def lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from map(json.loads, file)


def collect(suite: Path, home: Path) -> tuple[dict[str, list[Case]], str]:
    """Cases by reranker name, and the embedder's fingerprint."""
    found: dict[str, list[Case]] = {"sentence": [], "": []}
    with Workspace.open(home / suite.name, write=True) as workspace:
        embedder = build_embedder(EmbeddingConfig(provider="local"), workspace.cache)
        index = workspace.index(ChunkingConfig(), embedder)
        origins = {document.id: value for document, value in _ingested(workspace, index, suite)}
        retriever = Retriever(index, embedder, RetrievalConfig())
        reranker = build_reranker(RerankConfig(provider="sentence"), embedder=embedder)
        assert reranker is not None
        likely = {name: calibration_for(embedder.fingerprint, name).probabilities for name in found}
        for value in lines(suite / "questions.jsonl"):
            spans = value["answer_spans"] or value["reference_spans"]
            evidence = [*value["reference_spans"], *value["answer_spans"]]
            if not value["answerable"] or value.get("split", "dev") != "dev":
                continue
            question = value["question"]
            candidates = retriever.retrieve(question, top_k=CANDIDATES).hits
            for name, depth in (("sentence", DEPTH), ("", TOP_K)):
                found[name] += cases_of(
                    candidates,
                    suite=suite.name,
                    document=spans[0]["doc_id"],
                    touches=lambda hit, spans=evidence: tells(hit, spans, origins),
                    holds=lambda hit, spans=spans: holds(hit, spans, origins),
                    rerank=lambda hits, q=question, name=name: reranker.rerank(q, hits) if name else hits,
                    read=lambda hits, q=question, likely=likely[name]: with_interaction(
                        q, hits, likely(hits), embedder
                    ),
                    depth=depth,
                    top_k=TOP_K,
                )
        return found, embedder.fingerprint


def collect_asked(folder: Path, home: Path) -> dict[str, list[Case]]:
    """Cases by reranker name of a set of `WRITTEN`; a question stands for itself in the choice of the half."""
    found: dict[str, list[Case]] = {"sentence": [], "": []}
    with Workspace.open(home / folder.name, write=True) as workspace:
        embedder = build_embedder(EmbeddingConfig(provider="local"), workspace.cache)
        index = workspace.index(ChunkingConfig(), embedder)
        files = sorted((folder / "documents").iterdir())
        ingest_documents(workspace, index, [load_bytes(file.read_bytes(), source=file.name) for file in files])
        retriever = Retriever(index, embedder, RetrievalConfig())
        reranker = build_reranker(RerankConfig(provider="sentence"), embedder=embedder)
        assert reranker is not None
        for value in lines(folder / "questions.jsonl"):
            question, told = value["question"], value["answerable"]
            candidates = retriever.retrieve(question, top_k=DEPTH).hits
            for name, hits in (("sentence", reranker.rerank(question, candidates)), ("", candidates)):
                likely = calibration_for(embedder.fingerprint, name).probabilities
                kept = tuple(hits)[:TOP_K]
                read = with_interaction(question, kept, likely(kept), embedder)
                found[name].append(Case(folder.name, question, read, (), told))
    return found


def _ingested(workspace: Workspace, index: Any, suite: Path) -> list[tuple[Document, str]]:
    parsed = list(documents(suite))
    ingest_documents(workspace, index, parsed)
    return list(zip(parsed, (value["doc_id"] for value in lines(suite / "documents.jsonl")), strict=True))


def holds(hit: Hit, spans: Spans, origins: Mapping[str, str]) -> bool:
    """Whether a passage has one of the spans whole."""
    own = [span for span in spans if span["doc_id"] == origins[hit.chunk.document_id]]
    return any(hit.chunk.start <= span["start"] and span["end"] <= hit.chunk.end for span in own)


def tells(hit: Hit, spans: Spans, origins: Mapping[str, str]) -> bool:
    """Whether a passage overlaps one of the spans or says the same in another place of the document."""
    own = [span for span in spans if span["doc_id"] == origins[hit.chunk.document_id]]
    return any(hit.chunk.start < span["end"] and span["start"] < hit.chunk.end for span in own) or any(
        len(span["text"]) > 1 and span["text"] in hit.chunk.text for span in own
    )


def fitted(cases: list[Case], *, name: str, embedder: str, reranker: str, signal: str | None = None) -> Calibration:
    """Fitted on the first half of the documents; its provenance reports the second."""
    learn, held_out = [case for case in cases if case.half == 0], [case for case in cases if case.half == 1]
    made = calibrate(learn, name=name, embedder=embedder, reranker=reranker, signal=signal)
    reported = measured(made, held_out)
    print(f"\n{name}: AUC / ECE on the other half")
    for suite, figure in reported.items():
        print(f"  {suite:20} {figure.count:5} cases  {figure.auc:.3f} / {figure.ece:.3f}")
    pairs = [
        (p, held)
        for case in held_out
        for (_, held), p in zip(case.pairs(), made.probabilities(case.hits), strict=False)
    ]
    passage = quality([p for p, _ in pairs], [held for _, held in pairs])
    print(f"  {'passages':20} {passage.count:5} hits   {passage.auc:.3f} / {passage.ece:.3f}")
    for bar, kind in ((0.2, "answered"), (0.3, "answered"), (0.7, "correct")):
        with_evidence = [made.confidence(case.hits) >= bar for case in held_out if case.answerable]
        without = [made.confidence(case.hits) >= bar for case in held_out if not case.answerable]
        print(f"  >= {bar} {kind}: {_share(with_evidence)} of the answerable, {_share(without)} of the others")
    provenance = {
        "data": "public question sets, each question once with its evidence indexed and once with it withheld; "
        "questions of tests/graph/asked/company, with and without an answer",
        "suites": {suite: sum(1 for case in cases if case.suite == suite) for suite in (*SUITES, COMPANY)},
        "fitted_on": f"half of the documents, of company half of the questions ({len(learn)} cases), by SHA-256",
        "held_out": {suite: {"auc": round(f.auc, 3), "ece": round(f.ece, 3)} for suite, f in reported.items()},
        "held_out_passages": {"auc": round(passage.auc, 3), "ece": round(passage.ece, 3)},
        "method": "logistic regression, L2 penalty 10 on standardised features",
    }
    return Calibration(name, embedder, reranker, made.question, made.passage, provenance)


def _share(values: list[bool]) -> str:
    return f"{sum(values) / len(values):.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--write", action="store_true", help="replace the files in graph/calibrations")
    parser.add_argument("--home", type=Path, help="keep the indexes here, for the next time")
    arguments = parser.parse_args()
    cases: dict[str, list[Case]] = {"sentence": [], "": []}
    fingerprint = ""
    with tempfile.TemporaryDirectory() as temporary:
        for name in SUITES:
            found, fingerprint = collect(DATASETS / name, arguments.home or Path(temporary))
            for reranker, own in found.items():
                cases[reranker] += own
            print(f"{name}: {len(found[''])} cases", flush=True)
        for reranker, own in collect_asked(WRITTEN / COMPANY, arguments.home or Path(temporary)).items():
            cases[reranker] += own
    # Precision moves a cosine by some thousandths: one calibration serves int8 and fp32.
    family = "-".join(fingerprint.split("-")[:2])
    unread = {reranker: [without_interaction(case) for case in own] for reranker, own in cases.items()}
    # The bundled engine, used where the graph cannot be built, reads no tokens.
    engine = f"{family}-engine"
    made = [
        fitted(cases["sentence"], name="e5-sentence", embedder=family, reranker="sentence"),
        fitted(cases[""], name="e5", embedder=family, reranker=""),
        fitted(unread["sentence"], name="e5-engine-sentence", embedder=engine, reranker="sentence"),
        fitted(unread[""], name="e5-engine", embedder=engine, reranker=""),
        fitted(unread[""], name=GENERIC, embedder="", reranker="", signal="coverage"),
    ]
    if arguments.write:
        for calibration in made:
            path = Path(graph.calibrations.__file__).parent / f"{calibration.name}.json"
            path.write_text(calibration.to_json(), encoding="utf-8")
            print(f"wrote {path}")


if __name__ == "__main__":
    main()
