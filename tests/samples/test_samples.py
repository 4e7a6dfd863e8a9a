"""The bundled samples: what the suite says of the documents is so, and the documents do not contradict the product."""

from __future__ import annotations

from collections import Counter

import pytest

from chunking.config import ChunkingConfig
from chunking.loaders import SUPPORTED, load_bytes, load_path
from chunking.types import Document
from eval.suite import Suite, load_suite
from graph.config import GradingConfig, LimitsConfig, RewriteConfig, WebConfig
from retrieval.config import RerankConfig, RetrievalConfig
from tests.samples.make import BINARIES, DOCUMENTS, FONTS, SUITE, locate, make_binary, make_suite

FILES = sorted(path for path in DOCUMENTS.rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def documents() -> dict[str, Document]:
    return {path.relative_to(DOCUMENTS).as_posix(): load_path(path) for path in FILES}


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_suite(SUITE)


def test_every_file_is_read_and_every_type_is_there(documents: dict[str, Document]) -> None:
    assert {path.suffix for path in FILES} == {".md", ".txt", ".html", ".pdf", ".docx"} <= set(SUPPORTED)
    assert Counter(name.partition("/")[0] for name in documents) == {"en": 9, "zh": 9}
    for name, document in documents.items():
        least = 800 if name.startswith("zh/") else 2300
        assert len(document.text) >= least, name
        assert document.title, name


def test_markdown_samples_have_tables_and_code(documents: dict[str, Document]) -> None:
    kinds = Counter(
        (name.partition("/")[0], block.kind)
        for name, document in documents.items()
        if name.endswith(".md")
        for block in document.blocks
    )
    for lang in ("en", "zh"):
        assert kinds[lang, "table"] >= 3
        assert kinds[lang, "code"] >= 1


def test_samples_stay_small() -> None:
    assert sum(path.stat().st_size for path in FILES) < 400_000


def test_markdown_and_text_keep_the_offsets_of_their_files(documents: dict[str, Document]) -> None:
    for path in FILES:
        if path.suffix in {".md", ".txt"}:
            assert documents[path.relative_to(DOCUMENTS).as_posix()].text == path.read_text(encoding="utf-8")


def test_every_span_reads_as_it_says(suite: Suite, documents: dict[str, Document]) -> None:
    for question in suite.questions:
        for span in (*question.reference_spans, *question.answer_spans):
            assert documents[span.doc_id or ""].text[span.start : span.end] == span.text, question.id


def test_answers_lie_inside_their_evidence(suite: Suite) -> None:
    for question in suite.questions:
        evidence = {span.group: span for span in question.reference_spans}
        assert len(evidence) == len(question.reference_spans), question.id
        for answer in question.answer_spans:
            around = evidence[answer.group]
            assert (around.doc_id, True) == (answer.doc_id, around.start <= answer.start < answer.end <= around.end)  # type: ignore[operator]


def test_proportions(suite: Suite) -> None:
    core = Counter((q.type, q.lang) for q in suite.questions if q.extra["split"] == "core")
    expected = {"factual": 4, "summary": 3, "multi_hop": 3, "unanswerable": 2}
    assert core == {(kind, lang): count for kind, count in expected.items() for lang in ("en", "zh")}
    every = Counter(q.type for q in suite.questions)
    assert every == {"factual": 12, "summary": 9, "multi_hop": 9, "unanswerable": 6}
    assert sum(q.lang == "zh" for q in suite.questions) * 2 in range(34, 42)


def test_kinds_of_questions_keep_their_word(suite: Suite) -> None:
    for question in suite.questions:
        sources = {span.doc_id for span in question.reference_spans}
        assert question.answerable == (question.type != "unanswerable") == bool(sources), question.id
        match question.type:
            case "factual":
                quoted = question.reference_spans[0].text
                assert len(question.answer_spans) == 1
                assert any(answer in quoted for answer in question.answers), question.id
            case "summary":
                assert len(question.reference_spans) >= 2, question.id
            case "multi_hop":
                assert len(sources) == 2, question.id
                assert {span.group for span in question.answer_spans} == {0, 1}, question.id


def test_short_answer_is_in_one_document_only(suite: Suite, documents: dict[str, Document]) -> None:
    """A factual question has one source, so that a citation is right or wrong."""
    for question in suite.questions:
        if question.type == "factual":
            sentence = question.reference_spans[0]
            assert [name for name, document in documents.items() if sentence.text in document.text] == [sentence.doc_id]


def test_suite_is_made_from_its_source() -> None:
    made = make_suite()
    committed = {name: (SUITE / name).read_text(encoding="utf-8") for name in made}
    assert made == committed, "a document, the loaders or the questions changed: run python tests/samples/make.py suite"


@pytest.mark.parametrize("path", BINARIES)
def test_binary_samples_are_made_from_their_source(path: str, documents: dict[str, Document]) -> None:
    if path == "zh/ops-manual.pdf" and not any(font.is_file() for font in FONTS):
        pytest.skip("the font Noto Sans CJK is not installed (package fonts-noto-cjk)")
    assert load_bytes(make_binary(path), source=path).text == documents[path].text


def test_locate_wants_a_quote_once() -> None:
    assert locate("two words", "one two\n words", "a.txt") == (4, 14)
    for text in ("two", "two words, two words"):
        with pytest.raises(ValueError, match=r"a\.txt: found [02] times"):
            locate("two words", text, "a.txt")


STATED = {
    "`k` is 60": RetrievalConfig().rrf_k == 60,
    "up to 50 candidates each": RetrievalConfig().candidates == 50,
    "have a weight of 1.0": RetrievalConfig().dense_weight == RetrievalConfig().lexical_weight == 1.0,
    "前 30 个候选重排": RerankConfig().candidates == 30,
    "重排的时限设为 10 秒": RerankConfig().timeout == 10,
    "0.5 or more": GradingConfig().upper == 0.5,
    "below 0.3": GradingConfig().lower == 0.3,
    "只改写一次": RewriteConfig().attempts == 1,
    "Up to five results are read": WebConfig().max_results == 5,
    "timeout: 10": WebConfig().timeout == 10,
    "总时限是 120 秒": LimitsConfig().deadline == 120,
    "400 至 480 词元": 400 <= ChunkingConfig().max_tokens <= 480,
}


@pytest.mark.parametrize("words", STATED)
def test_settings_that_the_samples_state_are_the_defaults(words: str, documents: dict[str, Document]) -> None:
    assert any(words in document.text for document in documents.values())
    assert STATED[words]
