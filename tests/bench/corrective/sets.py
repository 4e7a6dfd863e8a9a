"""The public sets as this benchmark asks them, and the questions written for it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from chunking.types import Document
from crag.app import Crag
from crag.pipeline import Pipeline, load_pipeline
from crag.wiring import Parts
from eval.asking import contexts_of
from eval.corpus import Corpus, Located, corpus_of_suite
from eval.metrics.answer import contains_reference
from eval.metrics.retrieval import found_ranks, recall
from eval.questions import Suite, SuiteQuestion
from eval.runs import Gold
from eval.suite import load_suite
from graph.calibrate import half_of
from graph.deps import Deps
from graph.types import Answer, Turn
from retrieval.embedders.cache import EmbeddingCache
from retrieval.workspace import Workspace
from tests.bench.ladder import DATASETS

QUESTIONS = Path(__file__).parents[1] / "questions"
POOLS = {
    "English": ("xquad_en", "docs_seatunnel_en", "multihop_en", "uda_wiki_html_en", "chroma_chunking"),
    "Chinese": ("cmrc2018_zh", "drcd_zh_hant", "xquad_zh", "docs_seatunnel_zh"),
}
"""All documents of one language in one index: in a set of 24 articles even a misspelt question finds its own."""
K = 5


@dataclass(frozen=True)
class Asked:
    """Documents of one or more sets in one index, asked one question at a time."""

    name: str
    crag: Crag
    home: Path
    cache: EmbeddingCache
    suites: dict[str, Suite]
    corpora: dict[str, Corpus]

    def deps(self, pipeline: Pipeline) -> Deps:
        """What an engine of the pipeline is made of, to be taken apart."""
        return Parts(self.crag.workspace, self.cache, self.home).engine(pipeline).deps

    @property
    def hashes(self) -> dict[str, str]:
        return {name: corpus.hash for name, corpus in self.corpora.items()}

    def unseen(self, suite: str) -> Iterator[tuple[SuiteQuestion, Located]]:
        """Questions of the half of a set's documents that the shipped calibration was not fitted on."""
        corpus = self.corpora[suite]
        names = {identity: name for name, identity in corpus.names.items()}
        for question in self.suites[suite].questions:
            located = corpus.locate(question)
            if half_of(names[located.evidence[0][0].document]) == 1:
                yield question, located

    def gold(self, suite: str, question: SuiteQuestion) -> Gold:
        return self.corpora[suite].locate(question).gold

    def ask(self, question: str, pipeline: str | Pipeline = "crag", history: Sequence[Turn] = ()) -> Answer:
        return self.crag.ask(question, pipeline=pipeline, history=history)


@dataclass(frozen=True)
class Line:
    """A line of a file of `QUESTIONS`."""

    set: str
    question: SuiteQuestion
    in_full: str = ""
    kind: str = ""

    @property
    def history(self) -> tuple[Turn, ...]:
        return tuple((turn.role, turn.content) for turn in self.question.history)

    @property
    def language(self) -> str:
        """Of the documents."""
        return next(language for language, sets in POOLS.items() if self.set in sets)


@contextmanager
def opened(
    name: str, sets: Sequence[str], home: Path, out: Path, keep: Callable[[Document], bool] = lambda document: True
) -> Iterator[Asked]:
    """The sets' documents in the index of `crag` under ``out/name``; vectors are kept in the cache of `home`."""
    suites = {each: load_suite(DATASETS / each) for each in sets}
    corpora = {each: corpus_of_suite(suite) for each, suite in suites.items()}
    pipeline = load_pipeline("crag")
    with EmbeddingCache(home / "embeddings.sqlite3") as cache, Workspace.open(out / name, write=True) as workspace:
        crag = Crag(workspace, pipeline, cache=cache, home=home)
        crag.ingest_documents([each for corpus in corpora.values() for each in corpus.documents if keep(each)])
        crag.warm([pipeline])
        yield Asked(name, crag, home, cache, suites, corpora)


def read_lines(file: str) -> list[Line]:
    found = []
    for text in (QUESTIONS / file).read_text(encoding="utf-8").splitlines():
        value = json.loads(text)
        own = {name: value.pop(name) for name in ("set", "in_full", "kind") if name in value}
        found.append(Line(question=SuiteQuestion.model_validate(value), **own))
    return found


def reported(identifier: str) -> bool:
    """Whether a question is of the half that rules are not tuned on: its SHA-256 is even."""
    return hashlib.sha256(identifier.encode()).digest()[-1] % 2 == 0


def recall_at(answer: Answer, gold: Gold, k: int = K) -> float:
    """Share of the gold's groups within the first `k` passages of the answer's evidence."""
    return recall(found_ranks(gold, contexts_of(answer)), k)


def says(answer: Answer, question: SuiteQuestion) -> bool:
    """Whether a reference stands word for word in an answer that is not a refusal."""
    references = [text for text in (question.reference, *question.answers) if text]
    references = references or [span.text for span in question.answer_spans]
    return answer.status != "abstained" and contains_reference(answer.text, references) == 1.0
