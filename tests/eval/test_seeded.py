"""A pipeline broken on purpose: the embedder's roles are swapped, and the comparison says what was hit and where."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import pytest

from eval.compare import compare_runs
from eval.corpus import Corpus, corpus_of_suite
from eval.gate_file import Gates, Relative
from eval.gate_report import exit_code
from eval.gates import check_gates
from eval.options import RunOptions
from eval.runner import run_suite
from eval.runs import Run
from eval.suite import Suite, load_suite
from graph.config import GradingConfig
from graph.engine import Engine
from graph.types import Answer, Turn
from retrieval.config import RetrievalConfig
from retrieval.embedders.base import Role, Vectors
from retrieval.ingest import ingest_documents
from retrieval.retriever import Retriever
from retrieval.workspace import Workspace
from tests.fakes.corpus import CHUNKING
from tests.fakes.embedder import HashEmbedder
from tests.fakes.graph import deps

ANIMALS = {
    "giraffe": "长颈鹿",
    "elephant": "大象",
    "penguin": "企鹅",
    "tortoise": "乌龟",
    "kangaroo": "袋鼠",
    "squirrel": "松鼠",
    "crocodile": "鳄鱼",
    "hedgehog": "刺猬",
    "dolphin": "海豚",
    "leopard": "豹子",
    "ostrich": "鸵鸟",
    "badger": "獾子",
    "walrus": "海象",
    "bison": "野牛",
}


class TwoTowers(HashEmbedder):
    """Its query side was taught Chinese, its passage side reads English only; `swapped` mixes the two up."""

    def __init__(self, *, swapped: bool = False) -> None:
        super().__init__(256)
        self._query_role: Role = "passage" if swapped else "query"
        self.fingerprint = f"towers-{'swapped' if swapped else 'right'}"

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        return super().embed([self._translated(text) for text in texts] if role == self._query_role else texts, role)

    def _translated(self, text: str) -> str:
        for english, chinese in ANIMALS.items():
            text = text.replace(f"{chinese}有多重？", f"How heavy is the {english}?")
        return text


class EngineSystem:
    """Vector search and quoted answers over a workspace of its own."""

    name = "towers"

    def __init__(self, embedder: TwoTowers, workspace: Workspace, corpus: Corpus) -> None:
        index = workspace.index(CHUNKING, embedder)
        ingest_documents(workspace, index, corpus.documents)
        config = RetrievalConfig(lexical=False, top_k=6)
        retriever = Retriever(index, embedder, config)
        self.version = embedder.fingerprint
        self._engine = Engine(
            deps([], retriever=retriever, embedder=embedder, retrieval=config, grading=GradingConfig(enabled=False))
        )

    def manifest(self) -> Mapping[str, Any]:
        return {"embedder": self.version}

    async def ready(self) -> Mapping[str, Any]:
        return {}

    async def ask(self, question: str, history: Sequence[Turn]) -> Answer:
        return await self._engine.ask(question, history)


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    folder = tmp_path_factory.mktemp("animals")
    texts = {english: f"The {english} weighs {number} kilograms." for number, english in enumerate(ANIMALS, 10)}
    documents = [{"doc_id": name, "text": text} for name, text in texts.items()]
    questions = [
        {
            "id": f"{english}-{lang}",
            "question": asked,
            "reference": texts[english],
            "reference_spans": [{"doc_id": english, "text": texts[english]}],
            "type": kind,
            "lang": lang,
        }
        for english, chinese in ANIMALS.items()
        for asked, kind, lang in (
            (f"How heavy is the {english}?", "same language", "en"),
            (f"{chinese}有多重？", "across languages", "zh"),
        )
    ]
    for name, lines in (("documents", documents), ("questions", questions)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return load_suite(folder)


@pytest.fixture(scope="module")
def runs(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Run]]:
    folder = tmp_path_factory.mktemp("towers")
    corpus = corpus_of_suite(suite)
    options = RunOptions(metrics=("recall@1", "recall@5", "contains_reference"))
    found = []
    with ExitStack() as stack:
        for swapped in (False, True):
            workspace = stack.enter_context(Workspace.open(folder / f"home-{swapped}", write=True))
            system = EngineSystem(TwoTowers(swapped=swapped), workspace, corpus)
            (result,) = asyncio.run(run_suite(suite, corpus, [system], folder / f"run-{swapped}", options=options))
            found.append(result.run)
        yield found


def test_the_unbroken_pipeline_finds_everything(runs: list[Run]) -> None:
    assert runs[0].summary["metrics"]["recall@5"]["mean"] == 1.0


def test_the_comparison_names_the_regression_the_type_and_the_stage(runs: list[Run]) -> None:
    (candidate,) = compare_runs(runs[0], runs[1:], primary="recall@5", labels=["right", "swapped"]).candidates
    assert candidate.verdict == "WORSE"
    assert "swapped is WORSE than right on recall@5" in candidate.sentence
    assert [cell.group for cell in candidate.types_hit] == ["across languages"]
    assert {change.question.lang for change in candidate.regressions} == {"zh"}
    # Some passages are out, some far down; that nothing is then quoted from them is not grading's doing.
    assert set(candidate.stages) == {"retrieval", "ranking"}
    assert any("no longer among the 6 retrieved" in change.why for change in candidate.regressions)


def test_the_gate_stops_it(runs: list[Run]) -> None:
    assert exit_code([check_gates(Gates(relative=[Relative(metric="recall@5")]), runs[1], runs[0])]) == 1
    same_language = Gates(relative=[Relative(metric="recall@5", type="same language", margin=0.2)])
    assert exit_code([check_gates(same_language, runs[1], runs[0])]) == 0
